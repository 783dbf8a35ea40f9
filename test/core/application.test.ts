import { EventEmitter } from 'events'
import { describe, expect, it } from 'vitest'
import * as entry from '../../src/index.ts'
import { describeBoth } from '../hooks/both.ts'

const { alula, feathers, Feathers } = entry

describe('the entry', () => {
  it('creates the same application under both of its names', () => {
    expect(feathers).toBe(alula)
    expect(alula()).toBeInstanceOf(Feathers)
  })

  it('says which version of Feathers it speaks', () => {
    expect(alula().version).toBe(entry.version)
    expect(entry.version > '5.0.0').toBe(true)
  })

  it('has on its function what plugins read from the module of Feathers v5', () => {
    expect(alula.version).toBe(entry.version)
    expect(alula.feathers).toBe(alula)
  })

  it('has the tables of methods and events', () => {
    expect(entry.defaultServiceMethods).toEqual(['find', 'get', 'create', 'update', 'patch', 'remove'])
    expect(entry.defaultServiceEvents).toEqual(['created', 'updated', 'patched', 'removed'])
    expect({ ...entry.defaultEventMap }).toEqual({
      create: 'created',
      update: 'updated',
      patch: 'patched',
      remove: 'removed'
    })
    expect({ ...entry.defaultServiceArguments }).toEqual({
      find: ['params'],
      get: ['id', 'params'],
      create: ['data', 'params'],
      update: ['id', 'data', 'params'],
      patch: ['id', 'data', 'params'],
      remove: ['id', 'params']
    })
  })

  it('has tables in which only methods are found', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(entry.defaultEventMap[name]).toBeUndefined()
      expect(entry.defaultServiceArguments[name]).toBeUndefined()
    }
  })
})

describeBoth('an application', (createApp) => {
  it('is an event emitter', () => {
    const app = createApp()
    const seen: unknown[] = []

    expect(app).toBeInstanceOf(EventEmitter)
    app.on('hello', (name: string) => seen.push(name))
    app.emit('hello', 'Ada')
    expect(seen).toEqual(['Ada'])
  })

  it('keeps settings', () => {
    const app = createApp()
    const value = { host: 'localhost' }

    expect(app.set('server', value)).toBe(app)
    expect(app.get('server')).toBe(value)
    expect(app.settings.server).toBe(value)
    expect(app.set('server', undefined)).toBe(app)
    expect(app.get('server')).toBeUndefined()
    expect(app.get('nothing')).toBeUndefined()
  })

  it('is configured by functions, which get it as this and as argument', () => {
    const app = createApp()
    const seen: unknown[] = []

    function plugin(this: unknown, argument: unknown) {
      seen.push(this, argument)

      return 'ignored'
    }

    expect(app.configure(plugin)).toBe(app)
    expect(seen).toHaveLength(2)
    expect(seen.every((value) => value === app)).toBe(true)
  })

  it('finds a service whatever slashes are around its path', async () => {
    const app = createApp()

    expect(app.use('/api/things/', { get: async () => 'found' })).toBe(app)

    for (const path of ['api/things', '/api/things', 'api/things/', '//api/things//']) {
      expect(await app.service(path).get(1)).toBe('found')
    }

    expect(Object.keys(app.services)).toEqual(['api/things'])
    expect(app.services['api/things']).toBe(app.service('api/things'))
  })

  it.each(['', '/', '///'])('has a service at its root: %j', async (path) => {
    const app = createApp().use(path, { get: async () => 'root' })

    expect(await app.service('/').get(1)).toBe('root')
    expect(await app.service('').get(1)).toBe('root')
    expect(Object.keys(app.services)).toEqual(['/'])
  })

  it.each(['something', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'has no service at %s that nobody registered',
    (path) => {
      expect(() => createApp().service(path)).toThrow(`Can not find service '${path}'`)
    }
  )

  it('asks for a default service where there is none, and registers it', async () => {
    const asked: string[] = []
    const app = createApp()

    app.defaultService = (path: string) => {
      asked.push(path)

      return { get: async (id: number) => `${path} ${id}` }
    }

    expect(await app.service('/things/').get(1)).toBe('things 1')
    expect(app.service('things')).toBe(app.services.things)
    expect(asked).toEqual(['things'])
  })

  it.each([[null], [undefined], [42], [{}], [() => {}]])('refuses %o for a path', (path) => {
    expect(() => createApp().use(path, { get: async () => ({}) })).toThrow(
      `'${path}' is not a valid service path.`
    )
  })

  it('runs its mixins in order, with service, path and options, before the service can be found', () => {
    const app = createApp()
    const seen: unknown[] = []

    app.mixins.push(
      function (this: unknown, service: any, path: string, options: any) {
        seen.push([
          this === app,
          path,
          options.methods,
          options.colour,
          typeof service.hooks,
          typeof service.on
        ])
        service.mixedIn = true
      },
      (service: any) => seen.push([service.mixedIn, Object.keys(app.services)])
    )

    app.use('/things/', { get: async () => ({}), mixedIn: false }, { colour: 'green' })

    expect(seen).toEqual([
      [true, 'things', ['get'], 'green', 'function', 'function'],
      [true, []]
    ])
    expect(app.service('things').mixedIn).toBe(true)
  })

  it('forgets a service that is taken out, and waits for its teardown', async () => {
    const seen: unknown[] = []
    const app = createApp().use('things', {
      get: async () => ({}),
      teardown: async (...args: unknown[]) => {
        await null
        seen.push(...args)
      }
    })
    const service = app.service('things')

    expect(await app.unuse('/things/')).toBe(service)
    expect(seen).toEqual([app, 'things'])
    expect(() => app.service('things')).toThrow("Can not find service 'things'")
    expect(await app.unuse('things')).toBeUndefined()
  })

  it('takes another service at a path that became free', async () => {
    const app = createApp().use('things', { get: async () => 'first' })

    await app.unuse('things')
    app.use('things', { get: async () => 'second' })

    expect(await app.service('things').get(1)).toBe('second')
  })
})

describeBoth('an application inside another', (createApp) => {
  it('lends its services, under a path', async () => {
    const inner = createApp()
      .use('things', { get: async () => 'thing' })
      .use('/', { get: async () => 'root' })
    const outer = createApp()

    expect(outer.use('/api/v1/', inner)).toBe(outer)

    expect(await outer.service('api/v1/things').get(1)).toBe('thing')
    expect(await outer.service('api/v1').get(1)).toBe('root')
    expect(outer.service('api/v1/things')).toBe(inner.service('things'))
  })

  it('lends them at the root too', () => {
    const inner = createApp().use('things', { get: async () => 'thing' })
    const outer = createApp().use('/', inner)

    expect(outer.service('things')).toBe(inner.service('things'))
  })

  it('shares hooks, events and contexts of its services, and stays their application', async () => {
    const seen: unknown[] = []
    const inner = createApp().use('things', { create: async (data: unknown) => data })
    const outer = createApp().use('api', inner)

    inner.hooks({ before: [() => void seen.push('inner app')] })
    outer.hooks({ before: [() => void seen.push('outer app')] })
    outer.service('api/things').hooks({
      before: [(context: any) => void seen.push(context.app === inner, context.path)]
    })
    inner.service('things').on('created', (item: unknown) => seen.push(item))

    await outer.service('api/things').create({ n: 1 })

    expect(seen).toEqual(['inner app', true, 'things', { n: 1 }])
  })

  it('may itself have taken over services', async () => {
    const innermost = createApp().use('c', { get: async () => 'deep' })
    const middle = createApp().use('b', innermost)
    const outer = createApp().use('a', middle)

    expect(await outer.service('a/b/c').get(1)).toBe('deep')
  })
})

describe('an application of alula', () => {
  it('refuses a second service at a path', async () => {
    const app = alula().use('things', { get: async () => 'first' })

    for (const path of ['things', '/things/']) {
      expect(() => app.use(path, { get: async () => 'second' })).toThrow('Path things already exists')
    }

    expect(await app.service('things').get(1)).toBe('first')
  })

  it('refuses it before any mixin has seen it', () => {
    const seen: string[] = []
    const app = alula().use('things', { get: async () => 'first' })

    app.mixins.unshift((_service, path) => seen.push(path))

    expect(() => app.use('things', { get: async () => 'second' })).toThrow()
    expect(seen).toEqual([])
  })

  it('refuses a sub-application whose path is taken', () => {
    const inner = alula().use('things', { get: async () => 'inner' })
    const outer = alula().use('api/things', { get: async () => 'outer' })

    expect(() => outer.use('api', inner)).toThrow('Path api/things already exists')
  })

  it('can have services under any name', async () => {
    for (const path of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__proto__/constructor']) {
      const app = alula().use(path, { get: async () => path })

      expect(await app.service(path).get(1)).toBe(path)
      expect(app.lookup(path)?.service).toBe(app.service(path))
      expect(Object.keys(app.services)).toEqual([path])
    }

    expect(({} as any).get).toBeUndefined()
  })

  it.each(['toString', 'constructor', '__proto__'])('has no setting %s that nobody made', (name) => {
    expect(alula().get(name)).toBeUndefined()
  })

  it('keeps no trace of a service that it refused', () => {
    const app = alula()

    expect(() => app.use('things', {} as any)).toThrow()
    expect(() => app.use('things', { get: async () => ({}) }, { methods: ['hooks'] })).toThrow()
    expect(() => app.use('things', { get: async () => ({}) }, { methods: ['nothing'] })).toThrow()

    expect(Object.keys(app.services)).toEqual([])
    expect(app.lookup('things')).toBeNull()
    expect(() => app.use('things', { get: async () => ({}) })).not.toThrow()
  })

  it('keeps no trace of a service that a mixin refused', () => {
    const app = alula()

    app.mixins.push(() => {
      throw new Error('Not this one')
    })

    expect(() => app.use('things', { get: async () => ({}) })).toThrow('Not this one')
    expect(app.lookup('things')).toBeNull()
    expect(app.lookup('things/1')).toBeNull()

    app.mixins.pop()
    expect(() => app.use('things', { get: async () => ({}) })).not.toThrow()
  })

  it('has a service out of reach while that is torn down', async () => {
    const seen: unknown[] = []
    const app = alula().use('things', {
      get: async () => ({}),
      teardown: async () => void seen.push(Object.keys(app.services), app.lookup('things/1'))
    })

    await app.unuse('things')

    expect(seen).toEqual([[], null])
  })

  it('has let go of a service whose teardown fails', async () => {
    const app = alula().use('things', {
      get: async () => ({}),
      teardown: async () => {
        throw new Error('Busy')
      }
    })

    await expect(app.unuse('things')).rejects.toThrow('Busy')
    expect(() => app.service('things')).toThrow("Can not find service 'things'")
  })

  it.each([[null], [undefined], [42]])('has no service at the path %o', async (path: any) => {
    const message = `'${path}' is not a valid service path.`

    expect(() => alula().service(path)).toThrow(message)
    await expect(alula().unuse(path)).rejects.toThrow(message)
  })

  it.each([[null], [undefined], ['service'], [42]])(
    'takes %o from defaultService for no service',
    (service) => {
      const app = alula()

      app.defaultService = () => service as any

      expect(() => app.service('things')).toThrow('Invalid service object passed for path `things`')
    }
  )
})

it('configure takes functions, and says so of anything else', () => {
  expect(() => alula().configure({} as any)).toThrow('app.configure expects a function, got object')
  expect(() => alula().configure(null as any)).toThrow('app.configure expects a function, got null')
})
