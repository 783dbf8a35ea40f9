import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Outbox } from '../../src/sync/outbox.ts'
import { until } from '../support/until.ts'

/** A connection to a Redis that takes everything, and confirms it in time or never; and the events that it was given. */
function createConnection(isConfirming = true) {
  const events: string[] = []
  const client = {
    isReady: true,
    on: () => undefined,
    time: async () => ['1', '0'],
    set: async () => null,
    get: async () => 'identity',
    xRange: async () => [],
    xLen: async () => 0,
    xAdd: async (_key: string, _id: string, { kind, text }: { kind: string; text: string }) => {
      if (kind !== 'event') return '0-1'

      events.push(text)

      return isConfirming ? `${events.length}-0` : new Promise(() => undefined)
    }
  }
  const connection = {
    client,
    async keep(begin: () => Promise<void>) {
      this.beginAgain = begin
      await begin()
    },
    beginAgain: async () => undefined as void
  }

  return { events, connection: connection as any }
}

it('the time in which a process was busy itself is none in which others did not read', async () => {
  const { events, connection } = createConnection()
  const outbox = await Outbox.create(
    connection,
    { key: 'events', maxLength: 80, maxBytes: 1e9 },
    () => undefined
  )

  onTestFinished(() => outbox.close(1))
  await outbox.start()
  for (let n = 1; n <= 30; n++) outbox.add('event', String(n))
  // An eighth of the stream: so many may be unread.
  expect(events).toHaveLength(10)

  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3100)
  await pause(1)
  expect(events).toHaveLength(10)

  for (let n = 1; n <= 10; n++) outbox.markFound(n, `${n}-0`, n)
  outbox.proceed('10-0', 10)
  expect(events).toHaveLength(20)
})

it('what had to make room is reported once, though what is behind it is written again', async () => {
  const { events, connection } = createConnection(false)
  const reports: number[] = []
  const outbox = await Outbox.create(connection, { key: 'events', maxLength: 80, maxBytes: 1e9 }, (missed) =>
    reports.push(missed)
  )

  for (let n = 1; n <= 100; n++) outbox.add('event', String(n))
  await outbox.start()
  expect(reports).toEqual([20])

  events.length = 0
  outbox.restore()
  await until(() => expect(events[0]).toBe('21'))
  expect(reports).toEqual([20])

  await outbox.close(1)
  expect(reports).toEqual([20, 80])
})

it('what weighs too much makes room, is reported, and what is left is written', async () => {
  const { events, connection } = createConnection()
  const reports: number[] = []
  const stream = { key: 'events', maxLength: 800, maxBytes: 1000 }
  const outbox = await Outbox.create(connection, stream, (missed) => reports.push(missed))

  onTestFinished(() => outbox.close(1))
  // Of 100 bytes each, and one that is larger than all may be.
  for (let n = 1; n <= 15; n++) outbox.add('event', String(n).padEnd(100, '€').slice(0, 34))
  await outbox.start()
  await until(() => expect(events.length).toBeGreaterThan(0))
  expect(reports[0]).toBeGreaterThan(4)
  expect(events[0]?.startsWith(String((reports[0] as number) + 1))).toBe(true)

  outbox.add('event', 'x'.repeat(5000))
  await until(() => expect(events.at(-1)).toHaveLength(5000))
})

it('Redis is given no more bytes at once than it takes', async () => {
  const { events, connection } = createConnection(false)
  const stream = { key: 'events', maxLength: 8000, maxBytes: 8000 }
  const outbox = await Outbox.create(connection, stream, () => undefined)

  onTestFinished(() => outbox.close(1))
  await outbox.start()
  for (let n = 1; n <= 50; n++) outbox.add('event', 'x'.repeat(100))
  // An eighth of 8000 bytes, and the entry that was more.
  expect(events).toHaveLength(11)
})
