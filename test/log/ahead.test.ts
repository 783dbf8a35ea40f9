import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { shareLog } from '../../src/log/log.ts'
import { defer } from '../support/deferred.ts'
import { startLog, texts } from './app.ts'

/** The position after some of the entries to come, which another process has read. */
function toAhead(position: string, entries: number): string {
  return position.replace(/-\d+\.\d+$/, `-${entries}.1`)
}

describe('a connection that has events which its process has not read', () => {
  it('gets only those after them, and keeps its position', async () => {
    const { log, connect, things, toAll } = startLog()
    const ahead = toAhead(log.position, 2)
    const [behind, { connection, heard }] = [connect(), connect()]

    things.publish(toAll)
    await log.resume(connection, ahead)
    for (const text of ['a', 'b', 'c']) await things.create({ text })
    expect(texts(behind.heard)).toEqual(['a', 'b', 'c'])
    expect(heard.map(({ name, payload }) => [name, payload.text ?? payload])).toEqual([
      ['$position', ahead],
      ['things created', 'c']
    ])
  })

  it('does not get them again either while they wait for their publishers', async () => {
    const { log, connect, things, toAll } = startLog()
    const slow = defer<void>()
    const { connection, heard } = connect()

    things.publish(async () => {
      await slow.promise

      return toAll()
    })
    await log.resume(connection, toAhead(log.position, 2))
    for (const text of ['a', 'b', 'c']) await things.create({ text })
    slow.resolve()
    while (texts(heard).length < 1) await turn()
    expect(texts(heard)).toEqual(['c'])
  })

  it('gets all events of another log, which begins meanwhile', async () => {
    const { app, log, connect, things, toAll } = startLog()
    const { connection, heard } = connect()

    things.publish(toAll)
    await log.resume(connection, toAhead(log.position, 100))

    const shared = shareLog(app, {
      ...{ params: [], takes: () => true, encode: JSON.stringify, decode: JSON.parse },
      ...{ write: () => undefined, readAfter: async () => [] }
    })
    const text = JSON.stringify([{ path: 'things', event: 'created', data: { text: 'a' } }])

    shared.receive({ id: '1', tx: 'other-1', paths: ['things'], count: 1, text })
    expect(texts(heard)).toEqual(['a'])
  })

  it('is forgotten once it has closed', async () => {
    const { log, connect, things, toAll } = startLog({ heartbeat: 0.01 })
    const [behind, { connection, close }] = [connect(), connect()]

    things.publish(toAll)
    await log.resume(connection, toAhead(log.position, 100))
    close()
    await things.create({ text: 'a' })
    while (behind.heard.at(-1)?.name !== '$position') await turn()

    const { heard } = connect('all', connection)

    await things.create({ text: 'b' })
    expect(texts(heard)).toEqual(['b'])
  })

  it('has heartbeats again from there on', async () => {
    const { log, connect, things, toAll } = startLog({ heartbeat: 0.01 })
    const ahead = toAhead(log.position, 2)
    const [behind, { connection, heard }] = [connect(), connect()]

    things.publish(toAll)
    await log.resume(connection, ahead)
    await things.create({ text: 'a' })
    while (behind.heard.at(-1)?.name !== '$position') await turn()
    expect(heard).toEqual([{ name: '$position', payload: ahead }])
    for (const text of ['b', 'c']) await things.create({ text })
    while (heard.at(-1)?.payload !== log.position) await turn()
    expect(texts(heard)).toEqual(['c'])
  })
})
