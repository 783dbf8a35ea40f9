import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { startLog, texts } from './app.ts'

setFlagsFromString('--expose-gc')

const collect: () => void = runInNewContext('gc')

/** Collects until nothing more is freed: other tests in this process leave garbage that is not free at once. */
async function measureHeap(): Promise<number> {
  let used = Number.POSITIVE_INFINITY

  for (;;) {
    collect()

    const { heapUsed } = process.memoryUsage()

    if (heapUsed >= used) return used

    used = heapUsed
    await setImmediate()
  }
}

it('what is kept of events of 90 kB is bounded in bytes, and the end of it is replayed', async () => {
  const { log, connect, things, toAll } = startLog()
  const emit = (n: number) =>
    things.emit('custom', { text: n, data: Buffer.alloc(90_000, n).toString('latin1') })

  things.publish(toAll)
  // Once the same, for what the first ones take besides.
  for (let n = 0; n < 100; n++) emit(n)

  const before = await measureHeap()
  let position = ''

  for (let n = 0; n < 1000; n++) {
    if (n === 950) position = log.position
    emit(n)
  }

  expect((await measureHeap()) - before).toBeLessThan(2_000_000)

  const { connection, heard } = connect()

  await log.resume(connection, position)
  expect(texts(heard)).toEqual(Array.from({ length: 50 }, (_, index) => 950 + index))
})
