import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type ReceivedEntry, shareLog } from '../../src/log/log.ts'
import { defer } from '../support/deferred.ts'
import { startLog, texts } from './app.ts'

/** What a shared log has, of which the ring of the process has nothing. */
const OLDER: readonly ReceivedEntry[] = ['ab', 'cd', 'ef'].map((names, index) => ({
  ...{ id: String(index + 1), tx: `other-${index + 1}`, paths: ['things'], count: 2 },
  text: JSON.stringify([...names].map((text) => ({ path: 'things', event: 'custom', data: { text } })))
}))

/**
 * An application of which a connection takes one event, and then has to read before it takes another one.
 *
 * @param read Resolves when it has read
 */
function startFull(read: () => Promise<unknown>) {
  let isFull = false

  async function makeRoom(): Promise<void> {
    await read()
    isFull = false
  }

  const started = startLog({}, () => (isFull ? makeRoom() : undefined))

  started.app.on('publish', () => {
    isFull = true
  })
  started.things.publish(started.toAll)

  return started
}

describe.each<[string, () => Promise<unknown>]>([
  ['after some time', turn],
  ['almost at once', async () => undefined]
])('a connection that takes one event at a time, and reads it %s', (_title, read) => {
  it('gets each event of this process that it missed', async () => {
    const { log, connect, things } = startFull(read)
    const { position } = log

    for (const names of ['ab', 'cd', 'ef']) await things.create([...names].map((text) => ({ text })))

    const { connection, heard } = connect()

    await log.resume(connection, position)
    expect(texts(heard)).toEqual([...'abcdef'])
  })

  it('gets each event of a shared log that it missed', async () => {
    const { app, log, connect } = startFull(read)
    const shared = shareLog(app, {
      ...{
        params: [],
        takes: () => true,
        encode: JSON.stringify,
        decode: JSON.parse,
        write: () => undefined
      },
      readAfter: async ({ id, count }) =>
        OLDER.filter((entry) => Number(entry.id) > Number(id) || (entry.id === id && entry.count > count))
    })
    const { position } = log

    shared.skip({ id: '3', count: 2 })

    const { connection, heard } = connect()

    await log.resume(connection, position)
    expect(texts(heard)).toEqual([...'abcdef'])
    expect(heard.at(-1)).toEqual({ name: '$position', payload: log.position })
  })
})

it('a connection that goes before it has read gets nothing more, and publishers are not asked', async () => {
  const gone = defer()
  const { log, connect, things, toAll } = startFull(() => gone.promise)
  const { position } = log
  const asked: string[] = []

  // The first one fills the connection.
  for (const text of ['a', 'b', 'c']) await things.create({ text })
  things.publish(({ text }: any) => {
    asked.push(text)

    return toAll()
  })

  const { connection, heard, close } = connect()
  const resumed = log.resume(connection, position)

  await turn()
  close()
  gone.resolve()
  await resumed
  expect(texts(heard)).toEqual(['a'])
  expect(asked).toEqual(['a'])
})

it('other work has its turn while a connection gets many events', async () => {
  const { log, connect, things, toAll } = startLog()
  const { position } = log

  things.publish(toAll)
  for (let n = 0; n < 1000; n++) things.emit('custom', { text: n })

  const { connection, heard } = connect()
  const resumed = log.resume(connection, position)

  await turn()

  const sent = heard.length

  await resumed
  expect(sent).toBeLessThan(500)
  expect(texts(heard)).toEqual(Array.from({ length: 1000 }, (_, n) => n))
})
