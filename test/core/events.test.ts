import { EventEmitter, once } from 'events'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeBoth } from '../hooks/both.ts'

const echo = {
  find: async () => [{ found: true }],
  get: async (id: unknown) => ({ id }),
  create: async (data: unknown) => data,
  update: async (_id: unknown, data: unknown) => data,
  patch: async (_id: unknown, data: unknown) => data,
  remove: async (id: unknown) => ({ id }),
  greet: async (data: unknown) => data
}

describeBoth('the events of a service', (createApp) => {
  it('tell of create, update, patch and remove, and of nothing else', async () => {
    const app = createApp().use('things', echo, { methods: Object.keys(echo) })
    const service = app.service('things')
    const seen: unknown[] = []

    for (const event of [
      'created',
      'updated',
      'patched',
      'removed',
      'found',
      'greeted',
      'undefined',
      'null'
    ]) {
      service.on(event, (item: unknown) => seen.push([event, item]))
    }

    await service.find()
    await service.get(1)
    await service.create({ n: 1 })
    await service.update(1, { n: 2 })
    await service.patch(1, { n: 3 })
    await service.remove(1)
    await service.greet({ n: 4 })

    expect(seen).toEqual([
      ['created', { n: 1 }],
      ['updated', { n: 2 }],
      ['patched', { n: 3 }],
      ['removed', { id: 1 }]
    ])
  })

  it('come with the item and the context of the call, on the service', async () => {
    const app = createApp().use('things', echo)
    const service = app.service('things')
    const context = service.create.createContext()
    const seen: unknown[] = []

    service.on('created', function (this: unknown, ...args: any[]) {
      seen.push(this, ...args, args[1].type)
    })

    const data = { n: 1 }

    await service.create(data, {}, context)

    expect(seen).toEqual([service, data, context, 'around'])
    expect(seen[2]).toBe(context)
  })

  it('come after all hooks and before the call is over', async () => {
    const seen: string[] = []
    const app = createApp().use('things', echo)

    app.service('things').on('created', () => seen.push('event'))
    app.hooks([
      async (_context: any, next: any) => {
        await next()
        await null
        seen.push('app around')
      }
    ])
    app.hooks({ after: [() => void seen.push('app after')] })

    await app.service('things').create({})
    seen.push('call')

    expect(seen).toEqual(['app after', 'app around', 'event', 'call'])
  })

  it('tell of the result that hooks made', async () => {
    const app = createApp().use('things', echo)
    const created = once(app.service('things'), 'created')

    app.hooks({
      after: {
        create: [
          (context: any) => {
            context.result = { ...context.result, changed: true }
          }
        ]
      }
    })

    await app.service('things').create({ n: 1 })

    expect((await created)[0]).toEqual({ n: 1, changed: true })
  })

  it('come once for each item of a list, in its order, with one context', async () => {
    const app = createApp().use('things', echo)
    const items: unknown[] = []
    const contexts = new Set()

    app.service('things').on('created', (item: unknown, context: unknown) => {
      items.push(item)
      contexts.add(context)
    })

    await app.service('things').create([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(items).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(contexts.size).toBe(1)

    await app.service('things').create([])
    expect(items).toHaveLength(3)
  })

  it.each([[null], [undefined], [0], ['text']])('come once for the result %o', async (result) => {
    const app = createApp().use('things', { create: async () => result })
    const seen: unknown[] = []

    app.service('things').on('created', (item: unknown) => seen.push(item))
    await app.service('things').create({})

    expect(seen).toEqual([result])
  })

  it('do not come when the call fails', async () => {
    const seen: unknown[] = []
    const app = createApp().use('things', {
      create: async () => {
        throw new Error('Broken')
      },
      remove: async () => ({})
    })
    const service = app.service('things')

    service.on('created', () => seen.push('created')).on('removed', () => seen.push('removed'))
    service.hooks({ after: { remove: [() => Promise.reject(new Error('Too late'))] } })

    await expect(service.create({})).rejects.toThrow('Broken')
    await expect(service.remove(1)).rejects.toThrow('Too late')
    expect(seen).toEqual([])
  })

  it('come when an error hook ended the error', async () => {
    const app = createApp().use('things', { create: () => Promise.reject(new Error('Broken')) })
    const seen: unknown[] = []

    app.service('things').on('created', (item: unknown) => seen.push(item))
    app.service('things').hooks({
      error: [
        (context: any) => {
          context.result = 'rescued'
        }
      ]
    })

    await app.service('things').create({})

    expect(seen).toEqual(['rescued'])
  })

  it('are left out where a hook sets the event to null', async () => {
    const app = createApp().use('things', echo)
    const seen: unknown[] = []

    app.service('things').on('created', (item: unknown) => seen.push(item))
    app.service('things').hooks({
      before: [
        (context: any) => {
          if (context.params.silent) context.event = null
        }
      ]
    })

    await app.service('things').create({ n: 1 }, { silent: true })
    await app.service('things').create({ n: 2 })

    expect(seen).toEqual([{ n: 2 }])
  })

  it('have the name that a hook sets, for any method', async () => {
    const app = createApp().use('things', echo, { methods: Object.keys(echo) })
    const service = app.service('things')
    const seen: unknown[] = []

    service.on('created', () => seen.push('created'))
    service.on('other', (item: unknown, context: any) => seen.push([context.method, item]))
    service.hooks({
      after: [
        (context: any) => {
          context.event = 'other'
        }
      ]
    })

    await service.create({ n: 1 })
    await service.get(2)
    await service.find()
    await service.greet({ n: 3 })

    expect(seen).toEqual([
      ['create', { n: 1 }],
      ['get', { id: 2 }],
      ['find', { found: true }],
      ['greet', { n: 3 }]
    ])
  })

  it.each([
    ['its options', {}, { events: ['created'] }],
    ['the service itself', { events: ['created'] }, undefined]
  ])('are left to the service when they are listed in %s', async (_title, extra, options) => {
    const seen: unknown[] = []
    const things = {
      ...extra,
      async create(this: any, data: unknown) {
        this.emit('created', 'by itself')

        return data
      },
      remove: async () => 'removed'
    }
    const app = createApp().use('things', things, options)

    app.service('things').on('created', (item: unknown) => seen.push(item))
    app.service('things').on('removed', (item: unknown) => seen.push(item))

    await app.service('things').create({})
    await app.service('things').remove(1)

    expect(seen).toEqual(['by itself', 'removed'])
  })

  it('do not come for methods that go round the hooks', async () => {
    const app = createApp().use('things', { ...echo, _create: async (data: unknown) => data })
    const seen: unknown[] = []

    app.service('things').on('created', (item: unknown) => seen.push(item))

    await app.service('things')._create({})
    await app.service('things').create.original({})

    expect(seen).toEqual([])
  })

  it('may be of any kind when the service emits them itself', async () => {
    const mark = Symbol('mark')
    const service = createApp().use('things', echo).service('things')
    const seen: unknown[] = []

    service.on('sent', (...args: unknown[]) => seen.push(args)).on(mark, () => seen.push('marked'))

    expect(service.emit('sent', 1, 2, 3)).toBe(true)
    expect(service.emit(mark)).toBe(true)
    expect(service.emit('nobody listens')).toBe(false)
    expect(seen).toEqual([[1, 2, 3], 'marked'])
  })

  it('follow each other in the order of the calls', async () => {
    const service = createApp().use('things', echo).service('things')
    const seen: string[] = []

    for (const event of ['created', 'patched', 'removed']) service.on(event, () => seen.push(event))

    await service.create({})
    await service.patch(1, {})
    await service.remove(1)

    expect(seen).toEqual(['created', 'patched', 'removed'])
  })

  it('of one service are not those of another', async () => {
    const app = createApp().use('a', echo).use('b', echo)
    const seen: unknown[] = []

    app.service('a').on('created', () => seen.push('a'))
    app.service('b').on('created', () => seen.push('b'))

    await app.service('b').create({})

    expect(seen).toEqual(['b'])
  })
})

describeBoth('the listeners of a service', (createApp) => {
  it('are called in the order in which they were added, and not after they were removed', () => {
    const service = createApp().use('things', echo).service('things')
    const seen: string[] = []
    const removed = () => seen.push('removed')

    service.on('sent', () => seen.push('first')).on('sent', removed)
    service.on('sent', () => seen.push('second')).prependListener('sent', () => seen.push('before'))
    service.off('sent', removed)
    service.emit('sent')

    expect(seen).toEqual(['before', 'first', 'second'])
    expect(service.listenerCount('sent')).toBe(3)
  })

  it('are called once when they were added by once', () => {
    const service = createApp().use('things', echo).service('things')
    const seen: unknown[] = []

    service.once('sent', (value: unknown) => seen.push(value))
    service.emit('sent', 1)
    service.emit('sent', 2)

    expect(seen).toEqual([1])
  })

  it('may add and remove listeners while they run', () => {
    const service = createApp().use('things', echo).service('things')
    const seen: string[] = []
    const second = () => seen.push('second')

    service.on('sent', () => {
      seen.push('first')
      service.off('sent', second)
      service.on('sent', () => seen.push('late'))
    })
    service.on('sent', second)
    service.emit('sent')

    expect(seen).toEqual(['first', 'second'])
  })

  it('may be waited for', async () => {
    const service = createApp().use('things', echo).service('things')
    const created = once(service, 'created')

    await service.create({ n: 1 })

    expect((await created)[0]).toEqual({ n: 1 })
  })

  it('stay with a service that is an emitter already', async () => {
    class Things extends EventEmitter {
      async create(data: unknown) {
        return data
      }
    }

    const things = new Things()
    const seen: unknown[] = []

    things.on('created', (item) => seen.push(['early', item]))

    const service = createApp().use('things', things).service('things')

    service.on('created', (item: unknown) => seen.push(['late', item]))
    await service.create({ n: 1 })
    things.emit('created', 'from the object')

    expect(seen).toEqual([
      ['early', { n: 1 }],
      ['late', { n: 1 }],
      ['early', 'from the object'],
      ['late', 'from the object']
    ])
  })

  it('stay with a service that has an emitter of its own kind', async () => {
    const seen: unknown[] = []
    const things = {
      create: async (data: unknown) => data,
      on: (...args: unknown[]) => seen.push(['on', ...args]),
      emit: (...args: unknown[]) => seen.push(['emit', args[0], args[1]])
    }
    const service = createApp().use('things', things).service('things')
    const listener = () => {}

    // What listens to publish the events.
    seen.length = 0
    service.on('created', listener)
    await service.create({ n: 1 })

    expect(seen).toEqual([
      ['on', 'created', listener],
      ['emit', 'created', { n: 1 }]
    ])
  })
})

describe('a listener that fails', () => {
  class Emitting extends EventEmitter {
    async create(data: unknown) {
      return data
    }
  }

  const services: [string, () => any][] = [
    ['a plain service', () => ({ create: async (data: unknown) => data })],
    ['a service that is an emitter', () => new Emitting()]
  ]
  const failures: [string, () => unknown][] = [
    [
      'throws',
      () => {
        throw new Error('Bad listener')
      }
    ],
    ['rejects', () => Promise.reject(new Error('Bad listener'))],
    [
      'returns something that only looks like a promise',
      () => ({
        then() {
          throw new Error('Bad listener')
        }
      })
    ]
  ]

  for (const [kind, createService] of services) {
    it.each(failures)(`does no harm when it %s: ${kind}`, async (_title, fail) => {
      const app = alula().use('things', createService())
      const service = app.service('things')
      const seen: unknown[] = []
      const context = (service.create as any).createContext()
      const reported = new Promise((resolve) => {
        app.on('error', (...args) => resolve(args))
      })

      service.on('created', () => seen.push('before'))
      service.on('created', fail)
      service.on('created', () => seen.push('after'))

      await service.create({ n: 1 }, {}, context)

      expect(context.result).toEqual({ n: 1 })
      expect(seen).toEqual(['before', 'after'])
      expect(await reported).toEqual([new Error('Bad listener'), context])
    })
  }

  it('does not keep the other items of a list from being announced', async () => {
    const app = alula().use('things', { create: async (data: any) => data })
    const seen: number[] = []
    const errors: string[] = []

    app.on('error', (error) => errors.push(error.message))
    app.service('things').on('created', ({ n }) => {
      seen.push(n)
      throw new Error(`Bad listener ${n}`)
    })

    await app.service('things').create([{ n: 1 }, { n: 2 }])

    expect(seen).toEqual([1, 2])
    expect(errors).toEqual(['Bad listener 1', 'Bad listener 2'])
  })

  it('does no harm when nobody wants to know of it', async () => {
    const app = alula().use('things', { create: async (data: any) => data })

    app.service('things').on('created', () => {
      throw new Error('Bad listener')
    })

    expect(await app.service('things').create({ n: 1 })).toEqual({ n: 1 })
  })

  it('does no harm when the error listener fails as well', async () => {
    const app = alula().use('things', { create: async (data: any) => data })

    app.on('error', () => {
      throw new Error('Bad error listener')
    })
    app.service('things').on('created', () => {
      throw new Error('Bad listener')
    })

    expect(await app.service('things').create({ n: 1 })).toEqual({ n: 1 })
  })

  it('does no harm to a service that emits by itself, and is gone when it was added by once', async () => {
    const app = alula().use('things', {
      async create(this: any) {
        return this.emit('sent', 1)
      }
    })
    const errors: string[] = []

    app.on('error', (error) => errors.push(error.message))
    app.service('things').once('sent', () => {
      throw new Error('Bad listener')
    })

    expect(await app.service('things').create({})).toBe(true)
    expect(await app.service('things').create({})).toBe(false)
    expect(errors).toEqual(['Bad listener'])
  })

  it('is reported to the first application of a service that two share', async () => {
    const inner = alula().use('things', { create: async (data: any) => data })
    const outer = alula().use('api', inner)
    const seen: string[] = []

    inner.on('error', () => seen.push('inner'))
    outer.on('error', () => seen.push('outer'))
    outer.service('api/things').on('created', () => {
      throw new Error('Bad listener')
    })

    await outer.service('api/things').create({})

    expect(seen).toEqual(['inner'])
  })

  it('does not fail the call when the service has an emit of its own that throws', async () => {
    const app = alula().use('things', {
      create: async (data: any) => data,
      on: () => {},
      emit: () => {
        throw new Error('Bad emit')
      }
    } as any)
    const errors: string[] = []

    app.on('error', (error) => errors.push(error.message))

    expect(await app.service('things').create({ n: 1 })).toEqual({ n: 1 })
    expect(errors).toEqual(['Bad emit'])
  })
})

describe('an error event of a service', () => {
  it('goes to its listeners like any other', () => {
    const service = alula()
      .use('things', { get: async () => ({}) })
      .service('things')
    const seen: unknown[] = []

    service.on('error', (error) => seen.push(error))

    expect(service.emit('error', 'Broken')).toBe(true)
    expect(seen).toEqual(['Broken'])
  })

  it('goes to the application when nobody listens on the service', () => {
    const app = alula().use('things', { get: async () => ({}) })
    const seen: unknown[] = []

    app.on('error', (error) => seen.push(error))

    expect(app.service('things').emit('error', 'Broken')).toBe(false)
    expect(seen).toEqual(['Broken'])
  })

  it('throws nothing when nobody listens at all', async () => {
    const app = alula().use('things', { create: async (data: any) => data })
    const service = app.service('things')

    expect(service.emit('error', new Error('Broken'))).toBe(false)

    service.hooks({
      after: [
        (context) => {
          context.event = 'error'
        }
      ]
    })
    expect(await service.create({ n: 1 })).toEqual({ n: 1 })
  })
})
