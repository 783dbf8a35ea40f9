import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { alula as alulaClient, live } from '../../src/client.ts'
import { defer } from '../support/deferred.ts'
import { until } from '../support/until.ts'
import { connect, createTimers, cut, startServer, TRANSPORTS } from './app.ts'

const texts = (list: any) => list.getSnapshot().data.map(({ text }: any) => text)

/** Waits for the next change of a list that has something. */
async function show(list: any, expected: readonly unknown[]): Promise<void> {
  await until(() => expect(texts(list)).toEqual(expected))
}

const loaded = (list: any) => until(() => expect(list.getSnapshot().isLoading).toBe(false))

/** So many notes: `a`, `b`, … with a rank from 1 on. */
const createNotes = (notes: any, count: number) =>
  notes.create(
    Array.from({ length: count }, (_, index) => ({
      text: String.fromCharCode(97 + index),
      rank: index + 1,
      done: false
    }))
  )

describe.each(TRANSPORTS)('a live list over %s', (transport) => {
  it('has the records of its query, and those that come in and go out of it, with one find', async () => {
    const server = await startServer()
    const { notes, finds } = server

    await createNotes(notes, 3)
    await notes.patch(2, { done: true })

    const client = await connect(server, transport)
    const list = client.live('notes', { query: { done: false } })

    expect(list.getSnapshot()).toEqual({ data: [], isLoading: true, error: undefined })
    await show(list, ['a', 'c'])
    expect(list.getSnapshot()).toMatchObject({ isLoading: false, error: undefined })

    await notes.create({ text: 'd', rank: 4, done: false })
    await notes.create({ text: 'e', rank: 5, done: true })
    await show(list, ['a', 'c', 'd'])
    await notes.patch(2, { done: false })
    await show(list, ['a', 'b', 'c', 'd'])
    await notes.update(1, { text: 'A', rank: 1, done: false })
    await show(list, ['A', 'b', 'c', 'd'])
    await notes.patch(null, { done: true }, { query: { rank: { $lt: 3 } } })
    await show(list, ['c', 'd'])
    await notes.remove(3)
    await show(list, ['d'])
    expect(finds).toHaveLength(1)
  })

  it('keeps the order of $sort', async () => {
    const server = await startServer()
    const { notes, finds } = server

    await createNotes(notes, 3)

    const client = await connect(server, transport)
    const list = client.live('notes', { query: { $sort: { rank: -1 } } })

    await show(list, ['c', 'b', 'a'])
    await notes.create({ text: 'd', rank: 1.5, done: true })
    await show(list, ['c', 'b', 'd', 'a'])
    await notes.patch(1, { rank: 9 })
    await show(list, ['a', 'c', 'b', 'd'])
    // As equal as it was before.
    await notes.create({ text: 'e', rank: 2, done: true })
    await show(list, ['a', 'c', 'b', 'e', 'd'])
    expect(finds).toHaveLength(1)
  })

  it('fetches a window again when a record leaves it or may move in, and at no other time', async () => {
    const server = await startServer()
    const { notes, finds } = server

    await createNotes(notes, 5)

    const client = await connect(server, transport)
    const list = client.live('notes', { query: { $sort: { rank: 1 }, $limit: 2 } })

    await show(list, ['a', 'b'])
    // After the window, and inside it.
    await notes.create({ text: 'f', rank: 6, done: false })
    await notes.patch(4, { rank: 4.5 })
    await notes.create({ text: 'z', rank: 1.5, done: false })
    await show(list, ['a', 'z'])
    await notes.patch(1, { text: 'A' })
    await show(list, ['A', 'z'])
    expect(finds).toHaveLength(1)
    await notes.remove(1)
    await show(list, ['z', 'b'])
    expect(finds).toHaveLength(2)
    await notes.patch(2, { rank: 10 })
    await show(list, ['z', 'c'])
    expect(finds).toHaveLength(3)
  })

  it('fetches a window with $skip again when the records before it change', async () => {
    const server = await startServer()
    const { notes, finds } = server

    await createNotes(notes, 5)

    const client = await connect(server, transport)
    const list = client.live('notes', { query: { $sort: { rank: 1 }, $skip: 1, $limit: 2 } })

    await show(list, ['b', 'c'])
    await notes.create({ text: 'f', rank: 6, done: false })
    await notes.patch(2, { text: 'B' })
    await show(list, ['B', 'c'])
    expect(finds).toHaveLength(1)
    await notes.create({ text: 'y', rank: 0, done: false })
    await show(list, ['a', 'B'])
    await notes.remove(1)
    await show(list, ['B', 'c'])
    await notes.patch(6, { rank: 0 })
    await show(list, ['y', 'B'])
    // From before the window into it.
    await notes.patch(6, { rank: 1 })
    await show(list, ['f', 'B'])
    expect(finds).toHaveLength(5)
  })

  it.each([
    { query: { $select: ['text'] } },
    { query: { text: { $like: '%' } } },
    { query: { 'author.name': { $ne: 'Ada' } } },
    { query: { rank: { $gt: 0 }, $sort: { 'author.name': 1 } } }
  ])('fetches again after each event where it cannot decide: $query', async (params: any) => {
    const server = await startServer()
    const { notes } = server

    await createNotes(notes, 1)

    const client = await connect(server, transport)
    const list = client.live('notes', params)

    await show(list, ['a'])
    await notes.create({ text: 'b', rank: 2, done: false })
    await show(list, ['a', 'b'])
    expect(list.getSnapshot().data).toEqual(await client.service('notes').find(params))
  })

  it('fetches again for an event that has not all fields', async () => {
    const server = await startServer()
    const { notes, finds } = server

    await createNotes(notes, 2)

    const client = await connect(server, transport)
    const list = client.live('notes')

    await show(list, ['a', 'b'])
    await notes.patch(1, { text: 'A' }, { query: { $select: ['text'] } })
    await show(list, ['A', 'b'])
    expect(list.getSnapshot().data).toEqual(await notes.find())
    expect(finds).toHaveLength(2)
  })

  it('a find that loses a race against a remove does not bring the record back', async () => {
    const gate = defer()
    const read = defer()
    const server = await startServer((app) => {
      app.service('notes').hooks({
        around: {
          find: [
            async (_context: unknown, next: () => Promise<void>) => {
              await next()
              read.resolve()
              await gate.promise
            }
          ]
        }
      })
    })
    const { notes, finds } = server

    await createNotes(notes, 2)

    const client = await connect(server, transport)
    const removed = once(client.service('notes'), 'removed')
    const list = client.live('notes')

    await read.promise
    await notes.remove(1)
    await removed
    gate.resolve()
    await loaded(list)
    expect(texts(list)).toEqual(['b'])
    expect(finds).toHaveLength(1)
  })

  it('an event that comes late changes nothing that was read after it', async () => {
    const server = await startServer()
    const { notes } = server

    await createNotes(notes, 1)

    const client = await connect(server, transport)
    const service: any = client.service('notes')
    const heard = once(service, 'patched')

    await notes.patch(1, { text: 'A' })

    const [record, stamp] = await heard
    const heardAgain = once(service, 'patched')

    await notes.patch(1, { text: 'B' })
    await heardAgain

    const list = client.live('notes')

    await show(list, ['B'])
    if (transport === 'SSE') service.emit('patched', record, stamp)
    else client.io.onevent({ data: ['notes patched', record, stamp] })

    expect(texts(list)).toEqual(['B'])
  })

  it('gets what it missed during a short cut without a find', async () => {
    const server = await startServer()
    const { app, notes, finds } = server

    await createNotes(notes, 2)

    const client = await connect(server, transport)
    const list = client.live('notes')

    await show(list, ['a', 'b'])
    cut(app)
    await notes.create({ text: 'c', rank: 3, done: false })
    await notes.remove(1)
    await show(list, ['b', 'c'])
    expect(finds).toHaveLength(1)
  })

  it('fetches once after a gap', async () => {
    const server = await startServer((app) => app.set('eventLog', { maxBytes: 1000 }))
    const { app, notes, finds } = server

    await createNotes(notes, 2)

    const client = await connect(server, transport)
    const list = client.live('notes')

    await show(list, ['a', 'b'])

    const gap = once(client, 'gap')

    cut(app)
    await notes.create({ text: 'c', rank: 3, done: false, long: 'x'.repeat(1000) })
    await gap
    await show(list, ['a', 'b', 'c'])
    expect(finds).toHaveLength(2)
  })

  it('fetches after a minute at the latest, for what no event says', async () => {
    const server = await startServer()
    const { notes, finds } = server

    await createNotes(notes, 2)

    const clock = createTimers()
    const client = await connect(server, transport, { timers: clock.timers })
    const list = client.live('notes')

    await show(list, ['a', 'b'])
    await until(() => expect(clock.pauses).toEqual([60_000]))
    // A publisher that chooses nobody.
    notes.publish('removed', () => undefined)
    await notes.remove(1)
    clock.pass(59_999)
    expect(finds).toHaveLength(1)
    clock.pass(60_000)
    await show(list, ['b'])
    expect(finds).toHaveLength(2)
  })

  it('waits as long as a timer can when its interval is infinite', async () => {
    const clock = createTimers()
    const interval = Number.POSITIVE_INFINITY
    const client = await connect(await startServer(), transport, { timers: clock.timers, interval })

    client.live('notes')
    await until(() => expect(clock.pauses).toEqual([2 ** 31 - 1]))
  })

  it('says why a fetch has failed, keeps its records and tries again', async () => {
    let isBroken = true
    const server = await startServer((app) => {
      app.service('notes').hooks({
        before: {
          find: [
            async () => {
              if (isBroken) throw new Error('The database is away')
            }
          ]
        }
      })
    })
    const { timers, pass } = createTimers()
    const client = await connect(server, transport, { timers })
    const list = client.live('notes')

    await until(() => expect(list.getSnapshot().error).toMatchObject({ code: 500 }))
    expect(list.getSnapshot()).toMatchObject({ data: [], isLoading: false })
    isBroken = false
    await createNotes(server.notes, 1)
    pass(1000)
    await show(list, ['a'])
    expect(list.getSnapshot().error).toBeUndefined()
    isBroken = true
    pass(60_000)
    await until(() => expect(list.getSnapshot().error).toMatchObject({ code: 500 }))
    expect(texts(list)).toEqual(['a'])
  })

  it('is the same snapshot until something changes, with the same records', async () => {
    const server = await startServer()
    const { notes, finds } = server

    await createNotes(notes, 2)

    const { timers, pass } = createTimers()
    const client = await connect(server, transport, { timers })
    const list = client.live('notes')
    let calls = 0

    await show(list, ['a', 'b'])

    const before = list.getSnapshot()
    const unsubscribe = list.subscribe(() => calls++)

    pass(60_000)
    await until(() => expect(finds).toHaveLength(2))
    await notes.create({ text: 'c', rank: 3, done: false })
    await show(list, ['a', 'b', 'c'])
    expect(calls).toBe(1)
    expect(list.getSnapshot().data[0]).toBe(before.data[0])
    unsubscribe()
    await notes.remove(3)
    await show(list, ['a', 'b'])
    expect(calls).toBe(1)
  })

  it('is iterated: what it is, then each change, until it is closed', async () => {
    const server = await startServer()
    const { notes } = server
    const client = await connect(server, transport)
    const list = client.live('notes')
    const seen: number[] = []

    for await (const { data } of list) {
      seen.push(data.length)
      if (data.length < 2) await notes.create({ text: 'a', rank: 1, done: false })
      else list.close()
    }

    expect(seen).toEqual([0, 1, 2])
  })

  it('leaves no listener and no timer behind when it is closed', async () => {
    const server = await startServer()

    await createNotes(server.notes, 1)

    const clock = createTimers()
    const client = await connect(server, transport, { timers: clock.timers })
    const service = client.service('notes')
    const count = () =>
      ['created', 'updated', 'patched', 'removed'].map((event) => service.listeners(event).length)
    const before = [count(), client.eventNames().map((name) => client.listenerCount(name))]
    const [list, other] = [client.live('notes'), client.live('notes')]
    let closings = 0

    await show(list, ['a'])
    await show(other, ['a'])
    list.subscribe(() => closings++)
    list.close()
    expect(closings).toBe(0)
    expect(count()).toEqual([1, 1, 1, 1])
    await server.notes.remove(1)
    await show(other, [])
    expect(texts(list)).toEqual(['a'])
    other.close()
    other.close()
    expect([count(), client.eventNames().map((name) => client.listenerCount(name))]).toEqual(before)
    expect(clock.pauses).toEqual([])
  })
})

it('live() needs a connection', () => {
  expect(() => alulaClient().configure(live())).toThrow('configure rest(…) or socketio(…) before it')
  expect(() => live({ interval: 0 })).toThrow("'interval'")
})
