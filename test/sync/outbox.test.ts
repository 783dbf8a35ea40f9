import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Outbox } from '../../src/sync/outbox.ts'

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
  const outbox = await Outbox.create(connection, { key: 'events', maxLength: 80 }, () => undefined)

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
  const outbox = await Outbox.create(connection, { key: 'events', maxLength: 80 }, (missed) =>
    reports.push(missed)
  )

  for (let n = 1; n <= 100; n++) outbox.add('event', String(n))
  await outbox.start()
  expect(reports).toEqual([20])

  events.length = 0
  outbox.restore()
  await vi.waitFor(() => expect(events[0]).toBe('21'))
  expect(reports).toEqual([20])

  await outbox.close(1)
  expect(reports).toEqual([20, 80])
})
