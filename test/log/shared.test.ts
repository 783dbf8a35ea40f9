import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type LogSource, type OwnEntry, openLog, type ReceivedEntry, shareLog } from '../../src/log/log.ts'
import { defer } from '../support/deferred.ts'
import { startLog, texts } from './app.ts'

/** An application whose log processes share, as far as the application can tell: entries come back when a test says so. */
function startShared(source: Partial<LogSource> = {}) {
  const started = startLog()
  const { app, things, toAll } = started
  const written: OwnEntry[] = []
  const errors: any[] = []
  let id = 0

  const shared = shareLog(app, {
    ...{ params: [], takes: () => true, encode: (event) => JSON.stringify([event]), decode: JSON.parse },
    ...{ write: (entry) => written.push(entry), readAfter: async () => [] },
    ...source
  })

  app.on('error', (error: unknown) => errors.push(error))
  things.publish(toAll)

  return {
    ...started,
    ...{ shared, written, errors },
    /** An entry comes out of the log. */
    receive: (entry: Partial<ReceivedEntry>) =>
      shared.receive({
        ...{ id: String(++id), tx: `other-${id}`, paths: ['things'], count: 1, text: undefined },
        ...entry
      })
  }
}

/** What a shared log has of events of `things`. */
function toText(...names: string[]): string {
  return JSON.stringify(names.map((text) => ({ path: 'things', event: 'custom', data: { text } })))
}

describe('an event of this process', () => {
  it('reaches connections when it comes out of the log, and has its place there', async () => {
    const { connect, things, written, receive, log } = startShared()
    const { heard } = connect()

    await things.create([{ text: 'a' }, { text: 'b' }])
    await turn()
    expect(heard).toEqual([])
    expect(written).toHaveLength(1)

    const [own] = written as [OwnEntry]

    expect(own.events.map(({ kept }) => kept.data)).toEqual([
      { id: 0, text: 'a' },
      { id: 1, text: 'b' }
    ])
    receive({ id: '7-1', tx: own.tx, count: 2, own })
    expect(heard.map(({ payload, stamp }) => [payload.text, stamp])).toEqual([
      ['a', { position: expect.stringMatching(/-7-1\.1$/), tx: own.tx }],
      ['b', { position: expect.stringMatching(/-7-1\.2$/), tx: own.tx }]
    ])
    expect(log.position).toBe(heard[1]?.stamp.position)
  })

  it('that could not be written yet reaches them once, without a position', async () => {
    const { connect, things, written, shared, receive, log } = startShared()
    const { heard } = connect()

    await things.create([{ text: 'a' }, { text: 'b' }])
    await turn()

    const [own] = written as [OwnEntry]

    shared.publishOwn(own)
    shared.publishOwn(own)
    receive({ id: '7-1', tx: own.tx, count: 2, own })
    expect(heard.map(({ payload, stamp }) => [payload.text, stamp])).toEqual([
      ['a', { tx: own.tx, index: 0 }],
      ['b', { tx: own.tx, index: 1 }]
    ])
    // A connection that comes back gets it all the same.
    expect(log.position).toMatch(/-7-1\.2$/)
  })

  it('reaches them without a position where its publisher takes its time, too', async () => {
    const { connect, things, written, shared, errors, toAll } = startShared()
    const { heard } = connect()

    things.publish(async () => toAll())
    await things.create({ text: 'a' })
    await turn()
    shared.publishOwn(written[0] as OwnEntry)
    await turn()
    expect(heard.map(({ stamp }) => stamp)).toEqual([{ tx: written[0]?.tx, index: 0 }])
    expect(errors).toEqual([])
  })

  it('goes to other processes where it has no publisher here', async () => {
    const { app, written } = startShared()

    app.use('silent', { create: async (data: unknown) => data })
    await app.service('silent').create({ text: 'a' })
    await turn()
    expect(written.map(({ events }) => events.map(({ kept }) => kept.path))).toEqual([['silent']])
  })

  it('that does not belong into the log reaches connections at once, without a place', async () => {
    const { connect, things, written, log } = startShared({ takes: ({ data }: any) => data.text !== 'here' })
    const { heard } = connect()
    const { position } = log

    things.emit('custom', { text: 'here' })
    expect(heard).toEqual([{ name: 'things custom', payload: { text: 'here' }, stamp: undefined }])
    await turn()
    expect(written).toEqual([])
    expect(log.position).toBe(position)
  })

  it('that cannot be written reaches connections at once, and this is reported with the reason', async () => {
    const cause = new Error('broken')
    const { connect, things, written, errors } = startShared({
      encode: () => {
        throw cause
      }
    })
    const { heard } = connect()

    things.emit('custom', { text: 'a' })
    expect(heard.map(({ payload }) => payload)).toEqual([{ text: 'a' }])
    expect(errors).toEqual([
      expect.objectContaining({
        ...{ code: 'ALULA_UNSENDABLE_EVENT', cause },
        message: expect.stringContaining("The event 'custom' of 'things' cannot be sent to other processes")
      })
    ])
    await turn()
    expect(written).toEqual([])
  })
})

describe('an event of another process', () => {
  it('of a service that is not here is no matter, and has its place', () => {
    const { connect, receive, log, errors } = startShared()
    const { heard } = connect()

    receive({ id: '1', paths: ['elsewhere', 'things'], count: 2, text: toText('a', 'b') })
    receive({ id: '2', paths: ['elsewhere'], count: 3, text: '[]' })
    expect(texts(heard)).toEqual(['a', 'b'])
    expect(log.position).toMatch(/-2\.3$/)
    expect(errors).toEqual([])
  })

  it('that was too large is a gap, once, for a connection that gets what it missed', async () => {
    const { connect, receive, log, things, toAll } = startShared()
    const slow = defer()
    const waits = [slow.promise]

    receive({ id: '1', text: toText('a') })

    const { position } = log

    receive({ id: '2', text: toText('b') })
    things.publish(async () => {
      await waits.shift()

      return toAll()
    })

    const [other, { connection, heard }] = [connect(), connect()]
    const resumed = log.resume(connection, position)

    await turn()
    receive({ id: '3' })
    expect(other.heard.map(({ name }) => name)).toEqual(['gap'])
    expect(heard).toEqual([])
    slow.resolve()
    await resumed
    expect(heard.map(({ name, payload }) => payload.text ?? name)).toEqual(['b', 'gap', '$position'])
    expect(heard[1]?.payload).toEqual({ services: ['things'], position: log.position })
  })
})

it('a gap is told where there are connections', () => {
  const { app, shared } = startShared()
  const connections = new Set<object>()
  const told: unknown[] = []
  const log = openLog(app, {
    connections,
    tellPosition: () => undefined,
    tellGap: (gap, receivers) => told.push([gap, receivers])
  })

  shared.tellGap()
  expect(told).toEqual([])

  const connection = {}

  connections.add(connection)
  shared.tellGap(['others'])
  expect(told).toEqual([[{ services: ['others'], position: log.position }, [connection]]])
  log.close()
})
