import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { defer } from '../support/deferred.ts'
import { type Heard, startLog, texts } from './app.ts'

/** Waits until what was heard last is a position, and another one than before. */
async function nextPosition(heard: readonly Heard[], before: string): Promise<string> {
  for (;;) {
    const last = heard.at(-1)

    if (last?.name === '$position' && last.payload !== before) return last.payload

    await turn()
  }
}

it('a heartbeat has the position, when it is another one than before', async () => {
  const { log, connect, things } = startLog({ heartbeat: 0.01 })

  things.publish(() => [])

  const { heard } = connect()

  await things.create({ text: 'a' })
  while (heard.length < 1) await turn()
  expect(heard).toEqual([{ name: '$position', payload: log.position }])
})

it('a heartbeat does not go past an event that waits for its publisher', async () => {
  const { log, connect, things, toAll } = startLog({ heartbeat: 0.01 })
  const slow = defer<void>()
  const waits = [slow.promise]

  things.publish(async () => {
    await waits.shift()

    return toAll()
  })

  const { heard } = connect()
  const { position: start } = log

  await things.create({ text: 'a' })

  const position = await nextPosition(heard, start)

  expect(position).toMatch(/-1\.0$/)
  slow.resolve()
  while (texts(heard).length < 1) await turn()
  // A heartbeat may have come already.
  expect(await nextPosition(heard, position)).toBe(log.position)
})

it('a connection that gets what it missed has no heartbeat before it has all', async () => {
  const { log, connect, things, toAll } = startLog({ heartbeat: 0.01 })
  const asked = defer<void>()
  const slow = defer<void>()
  const { position: start } = log

  things.publish(toAll)
  await things.create({ text: 'a' })
  things.publish(async ({ text }: any) => {
    if (text === 'a') {
      asked.resolve()
      await slow.promise
    }

    return toAll()
  })

  const { connection, heard } = connect()
  const resumed = log.resume(connection, start)

  const other = connect()

  await asked.promise
  await things.create({ text: 'b' })
  while (!other.heard.some(({ payload }) => payload === log.position)) await turn()
  expect(heard).toEqual([])
  slow.resolve()
  await resumed
  expect(texts(heard)).toEqual(['a', 'b'])
})
