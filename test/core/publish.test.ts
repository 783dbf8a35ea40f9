import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { getInternals } from '../../src/core/internals.ts'
import { type Application, alula, CombinedChannel } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { defer } from '../support/deferred.ts'

const connection = { id: 'connection' }

/** An application with a service, somebody who listens, and what was published. */
function createApp(): { app: Application; things: any; published: any[] } {
  const app = alula()
  const published: any[] = []

  app.use('things', memory({ multi: true }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove'],
    events: ['custom']
  })
  app.channel('all').join(connection)
  app.on('publish', (event, channel, context, data) => published.push({ event, channel, context, data }))

  return { app, things: app.service('things'), published }
}

const toAll = (_data: unknown, { app }: any) => app.channel('all')

describe('publish', () => {
  it('tells the application of each event, its channels, its context and its data', async () => {
    const { things, published } = createApp()

    expect(things.publish(toAll)).toBe(things)

    const created = await things.create([{ n: 1 }, { n: 2 }])

    expect(published.map(({ event, data }) => [event, data])).toEqual([
      ['created', created[0]],
      ['created', created[1]]
    ])
    expect(published[0].channel).toBeInstanceOf(CombinedChannel)
    expect(published[0].channel.connections).toEqual([connection])
    expect(published[0].context).toMatchObject({ path: 'things', method: 'create' })
  })

  it('listens to the events of a service itself', () => {
    const { things } = createApp()

    expect(things.listenerCount('created')).toBe(1)
    expect(things.listenerCount('custom')).toBe(1)
    expect(things.listenerCount('other')).toBe(0)
  })

  it('prefers the service to the application, and an event to all events', async () => {
    const { app, things, published } = createApp()
    const as = (name: string) => () => app.channel('all').send(name)
    const heard = async () => {
      await things.create({})

      return published.splice(0).map(({ channel }) => channel.dataFor(connection))
    }

    expect(await heard()).toEqual([])
    app.publish(as('app, all'))
    expect(await heard()).toEqual(['app, all'])
    app.publish('created', as('app, event'))
    expect(await heard()).toEqual(['app, event'])
    things.publish(as('service, all'))
    expect(await heard()).toEqual(['service, all'])
    things.registerPublisher('created', as('service, event'))
    expect(await heard()).toEqual(['service, event'])
    // The last one counts.
    things.publish('created', as('another'))
    expect(await heard()).toEqual(['another'])
    things.publish('created', () => null)
    expect(await heard()).toEqual([])
  })

  it('is for events of the service, and on the application for the standard ones', () => {
    const { app, things } = createApp()

    expect(() => things.publish('custom', toAll)).not.toThrow()
    expect(() => things.publish('unknown', toAll)).toThrow("'unknown' is not a valid service event")
    expect(() => app.publish('custom', toAll)).toThrow("'custom' is not a valid service event")
    expect(() => things.publish('created')).toThrow('Invalid publisher: expected a function, got string')
    expect(() => app.publish('created', null as any)).toThrow('Invalid publisher: expected a function')
  })

  it('leaves a service alone that publishes itself', () => {
    const publish = () => 'own'
    const service: any = alula()
      .use('things', { find: async () => [], publish })
      .service('things')

    expect(service.publish()).toBe('own')
    expect(service.listenerCount('created')).toBe(0)
  })

  it('gives an event that a service sends itself a context of four', async () => {
    const { app, things, published } = createApp()
    const seen: any[] = []

    things.publish('custom', (...args: unknown[]) => {
      seen.push(...args)

      return app.channel('all')
    })
    things.emit('custom', 'data')

    expect(seen).toEqual(['data', { path: 'things', service: things, app, result: 'data' }])
    expect(published[0].data).toBe('data')
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['false', false],
    ['an empty list', []],
    ['a list of nothing', [null, [undefined, [false]]]]
  ])('tells nobody for %s', async (_title, result) => {
    const { things, published } = createApp()

    things.publish(() => result as any)
    await things.create({})
    expect(published).toEqual([])
  })

  it('takes lists in lists, and channels in which nobody is', async () => {
    const { app, things, published } = createApp()
    const other = { id: 'other' }

    app.channel('others').join(other)
    things.publish(async () => [[app.channel('all')], null, [[app.channel('others'), app.channel('none')]]])
    void things.create({})
    await once(app, 'publish')
    expect(published[0].channel.connections).toEqual([connection, other])
  })
})

describe('a publisher that fails', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
      'broken'
    ],
    ['rejects', async () => Promise.reject(new Error('broken')), 'broken'],
    ['returns what is no channel', () => connection, 'Invalid result of a publisher: expected channels']
  ])(
    'when it %s, is reported, and the call and other events go on',
    async (_title, publisher: any, message) => {
      const { app, things, published } = createApp()
      const errors: any[] = []

      app.on('error', (error) => errors.push(error))
      things.publish('created', publisher)
      things.publish('removed', toAll)

      const { id } = await things.create({})

      await things.remove(id)
      while (published.length === 0 || errors.length === 0) await turn()

      expect(errors.map((error) => error.message)).toEqual([expect.stringContaining(message)])
      expect(published.map(({ event }) => event)).toEqual(['removed'])
    }
  )
})

describe('the order of events', () => {
  it('is kept for each record, however long publishers take, and nobody waits for another record', async () => {
    const { app, things, published } = createApp()
    const slow = defer<void>()

    things.publish(async (data: any, context: any) => {
      if (data.id === 0 && context.method === 'create') await slow.promise

      return app.channel('all')
    })

    await things.create([{}, {}])
    await things.patch(0, { n: 1 })
    await things.patch(1, { n: 1 })
    await things.remove(0)
    while (published.length < 2) await turn()

    const list = () => published.map(({ event, data }) => `${event} ${data.id}`)

    expect(list()).toEqual(['created 1', 'patched 1'])
    slow.resolve()
    while (published.length < 5) await turn()
    expect(list().slice(2)).toEqual(['created 0', 'patched 0', 'removed 0'])
  })

  it('is kept when one fails, and when one that need not wait comes behind', async () => {
    const { app, things, published } = createApp()
    const slow = defer<void>()
    const errors: unknown[] = []

    app.on('error', (error) => errors.push(error))
    things.publish('created', () => slow.promise.then(() => app.channel('all')))
    things.publish('updated', async () => Promise.reject(new Error('broken')))
    things.publish('patched', toAll)

    await things.create({})
    await things.update(0, {})
    await things.patch(0, {})
    await turn()
    expect(published).toEqual([])
    slow.resolve()
    while (published.length < 2) await turn()

    expect(published.map(({ event }) => event)).toEqual(['created', 'patched'])
    expect(errors).toHaveLength(1)
  })
})

describe('who has left before an event is sent', () => {
  const ways: [string, (app: Application) => unknown][] = [
    ['a channel', (app) => app.channel('all')],
    ['several channels', (app) => app.channel('all', 'others')],
    ['some of a channel', (app) => app.channel('all').filter(() => true)],
    ['a channel with data', (app) => app.channel('all').send({ n: 2 })]
  ]

  it.each(ways)('does not hear of it, in %s, when the publisher was slow', async (_name, choose) => {
    const { app, things, published } = createApp()
    const slow = defer<void>()
    const staying = { id: 'staying' }

    app.channel('all').join(staying)
    things.publish(async () => {
      const channels = choose(app)

      await slow.promise

      return channels
    })

    await things.create({})
    app.emit('logout', {}, { connection })
    // As somebody else, who was not there when it happened.
    app.channel('all').join(connection)
    slow.resolve()
    while (published.length < 1) await turn()

    expect(published[0].channel.connections).toEqual([staying])
  })

  it.each(ways)('does not hear of it, in %s, when it waited for one before', async (_name, choose) => {
    const { app, things, published } = createApp()
    const slow = defer<void>()

    app.channel('all').join({ id: 'staying' })
    things.publish('created', () => slow.promise)
    things.publish('patched', () => choose(app) as any)

    await things.create({})
    await things.patch(0, {})
    app.emit('disconnect', connection)
    slow.resolve()
    while (published.length < 1) await turn()

    expect(published[0].channel.connections).toEqual([{ id: 'staying' }])
  })
})

describe('a log that processes share', () => {
  it('gets each event once and in order, also where there is no publisher', async () => {
    const { app, things, published } = createApp()
    const taken: any[] = []

    getInternals(app).log = {
      isShared: true,
      position: '',
      append: (_service, event) => void taken.push(event)
    }
    await things.create([{ n: 1 }, { n: 2 }])
    await things.remove(0)
    things.emit('custom', { n: 3 })

    expect(taken.map(({ path, event, data }) => [path, event, data.n])).toEqual([
      ['things', 'created', 1],
      ['things', 'created', 2],
      ['things', 'removed', 1],
      ['things', 'custom', 3]
    ])
    expect(taken[3].context).toMatchObject({ path: 'things', service: things, result: { n: 3 } })
    expect(published).toEqual([])
  })
})

describe('the order of events', () => {
  class Key {
    readonly text: string

    constructor(text: string) {
      this.text = text
    }

    toString(): string {
      return this.text
    }
  }

  it.each<[string, unknown, unknown, boolean]>([
    ['two instances of one id are one record', new Key('a'), new Key('a'), true],
    ['two ids are two records', new Key('a'), new Key('b'), false],
    ['an object and a list that a client has put there are no ids, and so of one kind', { a: 1 }, [1], true],
    ['nothing is of one kind too', undefined, {}, true],
    ['a number and its text are two', 1, '1', false]
  ])('%s', async (_title, first, second, isSame) => {
    const { app, things, published } = createApp()
    const gate = defer()

    things.publish((data: any) =>
      data.n === 1 ? gate.promise.then(() => app.channel('all')) : app.channel('all')
    )
    things.emit('custom', { id: first, n: 1 })
    things.emit('custom', { id: second, n: 2 })

    const numbers = () => published.map(({ data }) => data.n)

    await turn()
    expect(numbers()).toEqual(isSame ? [] : [2])
    gate.resolve()
    await turn()
    expect(numbers()).toEqual(isSame ? [1, 2] : [2, 1])

    // Nothing waits any more.
    things.emit('custom', { id: first, n: 3 })
    expect(numbers().at(-1)).toBe(3)
  })

  it('goes by the id field of the service', async () => {
    const app: any = alula()
    const gate = defer()
    const numbers: number[] = []

    app.use('things', memory({ id: '_id' }), { events: ['custom'] })
    app.channel('all').join(connection)
    app.on('publish', (_event: string, _channel: unknown, _context: unknown, data: any) =>
      numbers.push(data.n)
    )
    app.service('things').publish(async ({ n }: any) => {
      if (n === 1) await gate.promise

      return app.channel('all')
    })
    app.service('things').emit('custom', { _id: 1, id: 5, n: 1 })
    app.service('things').emit('custom', { _id: 2, id: 5, n: 2 })
    await turn()
    expect(numbers).toEqual([2])
    gate.resolve()
    await turn()
    expect(numbers).toEqual([2, 1])
  })
})
