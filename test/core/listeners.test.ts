import { EventEmitter, once } from 'events'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeBoth } from '../hooks/both.ts'
import { echo } from './echo.ts'

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
