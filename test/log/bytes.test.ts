import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { startLog, texts } from './app.ts'

setFlagsFromString('--expose-gc')

const collect: () => void = runInNewContext('gc')

function measureHeap(): number {
  collect()

  return process.memoryUsage().heapUsed
}

it('what is kept of events of 90 kB is bounded in bytes, and the end of it is replayed', async () => {
  const { log, connect, things, toAll } = startLog()
  const emit = (n: number) =>
    things.emit('custom', { text: n, data: Buffer.alloc(90_000, n).toString('latin1') })

  things.publish(toAll)
  // Once the same, for what the first ones take besides.
  for (let n = 0; n < 100; n++) emit(n)

  const before = measureHeap()
  let position = ''

  for (let n = 0; n < 1000; n++) {
    if (n === 950) position = log.position
    emit(n)
  }

  // All of them are 90 MB. What other tests in this process leave is collected at some time, too.
  expect(measureHeap() - before).toBeLessThan(10_000_000)

  const { connection, heard } = connect()

  await log.resume(connection, position)
  expect(texts(heard)).toEqual(Array.from({ length: 50 }, (_, index) => 950 + index))
})
