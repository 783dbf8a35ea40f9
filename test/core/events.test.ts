import { once } from 'events'
import { expect, it } from 'vitest'
import { describeBoth } from '../hooks/both.ts'
import { echo } from './echo.ts'

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
