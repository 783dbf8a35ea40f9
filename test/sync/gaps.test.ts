import { expect, it } from 'vitest'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { payloads, startProcess } from './app.ts'
import { connectTo } from './sending.ts'

/** A process over a line that can be cut, and what writes entries of other processes. */
async function startReader() {
  const prefix = createPrefix()
  const proxy = await startProxy(REDIS_URL)
  const process = await startProcess({ redis: proxy.url, prefix, maxLength: 2 })
  const client = await connectTo(REDIS_URL)
  const write = (origin: string, sequence: number) => {
    const text = JSON.stringify({ path: 'things', event: 'custom', data: sequence })

    return client.xAdd(`${prefix}:events`, '*', { origin, kind: 'event', sequence: String(sequence), text })
  }

  return { process, proxy, client, write, key: `${prefix}:events` }
}

const REASON = 'one of the processes was away from Redis for too long, or the events were too large'

describeRedis('events that did not reach a process', () => {
  it('are counted, and what came after them arrives', async () => {
    const { process, write } = await startReader()

    await write('1-other', 1)
    await write('1-other', 3)
    await write('1-other', 6)
    await until(() => expect(payloads(process)).toEqual([1, 3, 6]))
    expect(process.gaps).toEqual([
      { origin: '1-other', missed: 1 },
      { origin: '1-other', missed: 2 }
    ])
    expect(process.errors.map(({ message }) => message)).toEqual([
      `1 event of other processes did not reach this one: ${REASON}`,
      `2 events of other processes did not reach this one: ${REASON}`
    ])
  })

  it('are reported without a number where nobody knows it', async () => {
    const { process, proxy, client, write, key } = await startReader()

    await write('1-other', 1)
    await until(() => expect(process.heard).toHaveLength(1))
    proxy.cut()
    for (const origin of ['1-a', '1-b', '1-c']) await write(origin, 1)
    await client.xTrim(key, 'MAXLEN', 2)
    proxy.mend()
    await until(() => expect(process.gaps).toEqual([{}]))
    expect(process.errors.at(-1).message).toBe(`Events of other processes did not reach this one: ${REASON}`)
  })
})
