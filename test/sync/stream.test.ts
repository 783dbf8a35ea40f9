import { describe, expect, it } from 'vitest'
import { parseEntry, readEpoch, StreamSize, toFields } from '../../src/sync/stream.ts'
import { createPrefix, describeOwnRedis, describeRedis, REDIS_URL, startRedis } from '../support/redis.ts'
import { connectTo } from './sending.ts'

describe('an entry of the stream', () => {
  it.each([
    { tx: 'abc-1', paths: ['a', 'b'], count: 2, text: '[{},{}]', revoked: undefined },
    { tx: 'abc-1', paths: ['a'], count: 3, text: undefined, revoked: undefined },
    { tx: 'abc-1', paths: [], count: 0, text: undefined, revoked: 'id' }
  ])('is read as it was written: %j', (entry) => {
    expect(parseEntry({ id: '1-0', message: toFields(entry) })).toEqual({ id: '1-0', ...entry })
  })
})

it('a stream may forget what is over its bytes, in parts, and never the last one', () => {
  const size = new StreamSize(64_000)

  expect(size.first).toBeUndefined()
  for (let n = 1; n <= 64; n++) size.add(`${n}-0`, 1000)
  expect(size.first).toBe('1-0')
  size.add('65-0', 1000)
  expect(size.first).toBe('2-0')
  size.add('66-0', 1_000_000)
  expect(size.first).toBe('66-0')
})

it('a stream that nothing is written to keeps no more of it in mind than its bytes', () => {
  const size = new StreamSize(64_000)

  for (let n = 1; n <= 1000; n++) size.add(`${n}-0`, 1000)
  expect((size as unknown as { parts: readonly unknown[] }).parts).toHaveLength(64)
  expect(size.first).toBe('937-0')
})

describeRedis('the name of a log', () => {
  it('stays the same until the data are gone', async () => {
    const client = await connectTo(REDIS_URL)
    const key = `${createPrefix()}:events`
    const epoch = await readEpoch(client as any, key)

    expect(epoch).toMatch(/^[0-9a-f]{16}$/)
    expect(await readEpoch(client as any, key)).toBe(epoch)
    await client.del(`${key}:epoch`)
    expect(await readEpoch(client as any, key)).not.toBe(epoch)
  })
})

describeOwnRedis('the name of a log', () => {
  it('is another one when the server was started again, whatever it kept', async () => {
    const redis = await startRedis({ isPersistent: true })
    const first = await readEpoch((await connectTo(redis.url)) as any, 'events')

    await redis.kill()
    await redis.start()
    expect(await readEpoch((await connectTo(redis.url)) as any, 'events')).not.toBe(first)
  })
})
