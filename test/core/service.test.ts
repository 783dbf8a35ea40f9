import { feathers } from '@feathersjs/feathers'
import { describe, expect, it } from 'vitest'
import { alula, getServiceOptions, normalizeServiceOptions, SERVICE, wrapService } from '../../src/index.ts'
import { describeBoth } from '../hooks/both.ts'

describeBoth('a registered service', (createApp) => {
  it('is derived from the object of its author, which stays as it is', async () => {
    class Things {
      id = 'key'

      async get(id: number) {
        return id
      }

      async greet() {
        return 'hello'
      }
    }

    const things = new Things()
    const own = Object.getOwnPropertyDescriptors(things)
    const inherited = Object.getOwnPropertyDescriptors(Things.prototype)
    const app = createApp().use('things', things, { methods: ['get', 'greet'] })
    const service = app.service('things')

    service.hooks({ before: [() => {}] })
    service.on('created', () => {})
    await service.get(1)

    expect(service).not.toBe(things)
    expect(Object.getPrototypeOf(service)).toBe(things)
    expect(Object.getOwnPropertyDescriptors(things)).toEqual(own)
    expect(Object.getOwnPropertyDescriptors(Things.prototype)).toEqual(inherited)
    expect(Reflect.ownKeys(things)).toEqual(['id'])
  })

  it('shows what its author’s object has: values, getters, symbols', () => {
    const mark = Symbol('mark')
    const things = {
      id: 'key',
      [mark]: 'marked',
      get upper() {
        return this.id.toUpperCase()
      },
      get: async () => ({})
    }
    const service = createApp().use('things', things).service('things')

    expect(service.id).toBe('key')
    expect(service.upper).toBe('KEY')
    expect(service[mark]).toBe('marked')

    things.id = 'other'
    expect(service.upper).toBe('OTHER')
  })

  it('lists its methods when it is enumerated', () => {
    class Things {
      async get() {}
      async create() {}
      async greet() {}
    }

    const app = createApp().use('things', new Things(), { methods: ['get', 'create', 'greet'] })
    const names: string[] = []

    for (const name in app.service('things')) names.push(name)

    expect(names).toEqual(expect.arrayContaining(['get', 'create', 'greet']))
  })

  it('keeps what was put on a method', () => {
    const mark = Symbol('mark')
    const get = Object.assign(async () => ({}), { [mark]: 'marked', title: 'Get one' })
    const service = createApp().use('things', { get }).service('things')

    expect(service.get[mark]).toBe('marked')
    expect(service.get.title).toBe('Get one')
    expect(service.get.original).toBe(get)
  })

  it('lets methods call each other, through their hooks', async () => {
    const seen: string[] = []
    const app = createApp().use('things', {
      async get(id: number) {
        return { id }
      },
      async find(this: any) {
        return [await this.get(1), await this.get(2)]
      }
    })

    app.service('things').hooks({ before: [(context: any) => void seen.push(context.method)] })

    expect(await app.service('things').find()).toEqual([{ id: 1 }, { id: 2 }])
    expect(seen).toEqual(['find', 'get', 'get'])
  })

  it('leaves methods alone that are not service methods', async () => {
    const seen: string[] = []
    const app = createApp().use('things', {
      get: async () => ({}),
      _get: async () => 'underscore',
      helper: () => 'help'
    })

    app.service('things').hooks({ before: [() => void seen.push('hook')] })

    expect(await app.service('things')._get()).toBe('underscore')
    expect(app.service('things').helper()).toBe('help')
    expect(seen).toEqual([])
  })

  it('has no method that its author did not write', () => {
    const service = createApp()
      .use('things', { get: async () => ({}) })
      .service('things')

    expect(service.find).toBeUndefined()
    expect(service.create).toBeUndefined()
  })

  it('can be registered under a second path, as the same service', () => {
    const app = createApp().use('first', { get: async () => ({}) })

    app.use('second', app.service('first'))

    expect(app.service('second')).toBe(app.service('first'))
  })

  it('needs no more than setup or teardown', () => {
    const app = createApp()

    app.use('a', { setup: async () => {} }).use('b', { teardown: async () => {} })

    expect(Object.keys(app.services)).toEqual(['a', 'b'])
  })

  it.each<[string, unknown]>([
    ['an empty object', {}],
    ['an object of other methods', { list: () => [] }],
    ['a function without methods', () => {}]
  ])('cannot be made of %s', (_title, service) => {
    expect(() => createApp().use('/api/things/', service)).toThrow(
      'Invalid service object passed for path `api/things`'
    )
  })

  it('has its methods found on prototypes', async () => {
    class Base {
      async get() {
        return 'from the base'
      }
    }

    class Things extends Base {}

    expect(await createApp().use('things', new Things()).service('things').get(1)).toBe('from the base')
  })
})

describeBoth('the options of a service', (createApp) => {
  const options = (service: unknown, given?: unknown) => {
    const registered = createApp().use('things', service, given).service('things')

    return registered[SERVICE]
  }

  it('are filled in from its methods', () => {
    expect(options({ find: async () => [], create: async () => ({}), other: () => {} })).toEqual({
      methods: ['find', 'create'],
      events: [],
      serviceEvents: ['created', 'updated', 'patched', 'removed']
    })
  })

  it('take the events that the service names', () => {
    expect(options({ find: async () => [], events: ['sent'] })).toMatchObject({
      events: ['sent'],
      serviceEvents: ['created', 'updated', 'patched', 'removed', 'sent']
    })
  })

  it('prefer what registration says', () => {
    expect(
      options(
        { find: async () => [], greet: async () => '', events: ['sent'] },
        { methods: ['greet'], events: ['seen'], serviceEvents: ['created'], colour: 'green' }
      )
    ).toEqual({ methods: ['greet'], events: ['seen'], serviceEvents: ['created'], colour: 'green' })
  })

  it.each([{}, { methods: ['get'] }, { methods: ['get'], events: [] }])(
    'are filled in where a plugin has marked the service itself: %o',
    async (marked) => {
      const marking = { get: async (id: number) => ({ id }), [SERVICE]: marked }
      const app = alula().use('things', marking)

      expect(getServiceOptions(app.service('things'))).toEqual({
        methods: ['get'],
        events: [],
        serviceEvents: ['created', 'updated', 'patched', 'removed']
      })
      expect(app.service('things')).toBe(marking)
      expect(await app.service('things').get(1)).toEqual({ id: 1 })
    }
  )

  it('may allow no method at all', async () => {
    const app = createApp().use('things', { get: async () => 'from inside' }, { methods: [] })

    expect(app.service('things')[SERVICE].methods).toEqual([])
    expect(await app.service('things').get(1)).toBe('from inside')
  })

  it('give hooks to standard methods that are not listed, and to custom ones that are', async () => {
    const seen: string[] = []
    const app = createApp().use(
      'things',
      { get: async () => ({}), greet: async () => 'hello', whisper: async () => 'psst' },
      { methods: ['greet'] }
    )

    app.service('things').hooks({ before: [(context: any) => void seen.push(context.method)] })

    await app.service('things').get(1)
    await app.service('things').greet({})
    await app.service('things').whisper({})

    expect(seen).toEqual(['get', 'greet'])
  })

  it.each([
    ...['on', 'once', 'off', 'emit', 'addListener', 'removeListener', 'removeAllListeners', 'listeners'],
    ...['eventNames', '_events', '_eventsCount', 'all', 'around', 'before', 'after', 'error', 'hooks'],
    ...['setup', 'teardown', 'publish']
  ])('cannot list %s as a method', (name) => {
    const service = { get: async () => ({}), [name]: async () => ({}) }

    expect(() => createApp().use('/things/', service, { methods: ['get', name] })).toThrow(
      `'${name}' on service 'things' is not allowed as a custom method name`
    )
  })

  it('cannot list what is not a function', () => {
    const service = { get: async () => ({}), greet: 'hello' }

    expect(() => createApp().use('things', service, { methods: ['get', 'greet'] })).toThrow(
      "Can not apply hooks. 'greet' is not a function"
    )
    expect(() => createApp().use('things', {}, { methods: ['greet'] })).toThrow(
      "Can not apply hooks. 'greet' is not a function"
    )
  })

  it('are not changed by registration', () => {
    const given = Object.freeze({ methods: Object.freeze(['get']), events: Object.freeze(['sent']) })

    expect(options({ get: async () => ({}) }, given)).toMatchObject({ methods: ['get'], events: ['sent'] })
  })
})

describe('a service of alula', () => {
  it.each(['_find', '_get', '_', 'constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf'])(
    'cannot list %s as a method: every object has it, or it goes round the hooks',
    (name) => {
      const service = { get: async () => ({}), _find: async () => [] }

      expect(() => alula().use('things', service, { methods: ['get', name] })).toThrow(
        `'${name}' on service 'things' is not allowed as a custom method name`
      )
    }
  )

  it('can be made of a frozen object', async () => {
    const seen: unknown[] = []
    const things = Object.freeze({ create: async (data: unknown) => data, greet: async () => 'hello' })
    const app = alula().use('things', things, { methods: ['create', 'greet'] })
    const service: any = app.service('things')

    service.hooks({ before: [(context: any) => void seen.push(context.method)] })
    service.on('created', (item: unknown) => seen.push(item))

    await service.create({ n: 1 })
    expect(await service.greet({})).toBe('hello')
    expect(seen).toEqual(['create', { n: 1 }, 'greet'])
  })

  it.each([[null], [undefined], ['service'], [42]])('cannot be made of %o', (service: any) => {
    expect(() => alula().use('things', service)).toThrow('Invalid service object passed for path `things`')
  })

  it('has no keys but its methods', () => {
    const service = alula()
      .use('things', { get: async () => ({}) })
      .service('things')

    expect(Object.keys(service)).toEqual(['get'])
  })

  it.each([
    ['express', { befor: [] }, "Unknown option 'express.befor' of service 'things'. Did you mean 'before'?"],
    ['express', [() => undefined], "Invalid option 'express' of service 'things': expected an object"],
    ['express', { before: () => undefined }, "Invalid option 'express.before' of service 'things'"],
    ['koa', { befor: [] }, "Unknown option 'koa.befor' of service 'things'. Did you mean 'before'?"],
    ['koa', { after: [[() => undefined]] }, "Invalid option 'koa.after' of service 'things'"]
  ])(
    'has its middleware for %s checked, also where a server is put in front later',
    (name, given, message) => {
      expect(() => alula().use('things', { find: async () => [] }, { [name]: given } as any)).toThrow(message)
    }
  )

  it('is recognised by Feathers v5, and takes over services of it', async () => {
    const theirs = feathers().use('things', { get: async () => 'theirs' })
    const app = alula().use('things', theirs.service('things') as any)

    expect(app.service('things')).toBe(theirs.service('things'))
    expect(await app.service('things').get(1)).toBe('theirs')
    expect(SERVICE).toBe(Symbol.for('@feathersjs/service'))
  })
})

describe('wrapService', () => {
  it('gives an object its options', () => {
    const things = { get: async () => ({}) }
    const service = wrapService('things', things, { events: ['sent'] })

    expect(Object.getPrototypeOf(service)).toBe(things)
    expect(getServiceOptions(service)).toMatchObject({ methods: ['get'], events: ['sent'] })
    expect(getServiceOptions(things)).toBeUndefined()
  })

  it('returns a service that has options already', () => {
    const service = wrapService('things', { get: async () => ({}) })

    expect(wrapService('other', service, { methods: [] })).toBe(service)
    expect(getServiceOptions(service).methods).toEqual(['get'])
  })
})

describe('normalizeServiceOptions', () => {
  it('leaves the options as they are', () => {
    const given = { routeParams: { a: 1 } }

    expect(normalizeServiceOptions({ get: async () => ({}) }, given)).toMatchObject({
      methods: ['get'],
      routeParams: { a: 1 }
    })
    expect(given).toEqual({ routeParams: { a: 1 } })
  })
})
