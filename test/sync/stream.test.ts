import { expect, it } from 'vitest'
import { createOrigin, getTime, isBefore, isYounger, parseEntry, StreamWatch } from '../../src/sync/stream.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { connectTo } from './sending.ts'

const ENTRY = { origin: '1-other', kind: 'event', sequence: '1', text: '{}' }

/** A stream of its own, and a client to write to it. */
async function createStream(maxLength: number) {
  const client = await connectTo(REDIS_URL)
  const stream = { key: `${createPrefix()}:events`, maxLength, maxBytes: 1e6 }
  const add = (id: string) => client.xAdd(stream.key, id, ENTRY)

  return { client, stream, add, watch: new StreamWatch(client as any, stream) }
}

it.each<[string, object, unknown]>([
  ['of ours', ENTRY, ENTRY],
  ['with more than ours', { ...ENTRY, more: 'x' }, ENTRY],
  ['with the largest number', { ...ENTRY, sequence: '9'.repeat(15) }, { ...ENTRY, sequence: '9'.repeat(15) }],
  ['with a number that is too large', { ...ENTRY, sequence: '1'.repeat(16) }, undefined],
  ['with a number and more', { ...ENTRY, sequence: '1a' }, undefined],
  ['with more and a number', { ...ENTRY, sequence: 'a1' }, undefined],
  ['without a number', { origin: '1', kind: 'event', text: '' }, undefined],
  ['without an origin', { ...ENTRY, origin: undefined }, undefined],
  ['without a kind', { ...ENTRY, kind: undefined }, undefined],
  ['without a text', { ...ENTRY, text: undefined }, undefined]
])('an entry %s is read, or is none', (_title, fields, expected) => {
  expect(parseEntry(fields as any)).toEqual(expected)
})

it.each([
  ['1-0', '2-0', true],
  ['1-5', '2-0', true],
  ['9-0', '10-0', true],
  ['1-9', '1-10', true],
  ['1-1', '1-1', false],
  ['2-0', '1-5', false],
  ['1-2', '1-1', false]
])('whether %s is before %s: %s', (id, other, expected) => {
  expect(isBefore(id, other)).toBe(expected)
})

describeRedis('the name of a process', () => {
  it('says by the time of Redis when it was given, and no other process has it', async () => {
    const client = await connectTo(REDIS_URL)
    const before = await getTime(client as any)
    const [one, other] = [await createOrigin(client as any), await createOrigin(client as any)]
    const after = await getTime(client as any)
    const { 0: seconds } = await client.time()

    expect(Math.floor(after / 1e6)).toBeLessThanOrEqual(Number(seconds))
    expect(after / 1e6).toBeGreaterThan(Number(seconds) - 60)
    expect(one).not.toBe(other)
    expect(isYounger(one, before - 1)).toBe(true)
    expect(isYounger(one, after)).toBe(false)
    expect(isYounger('5-name', 5)).toBe(false)
  })
})

describeRedis('a stream', () => {
  it('has lost nothing as long as the entry is there, or none was read', async () => {
    const { watch, add } = await createStream(10)

    expect(await watch.isLost('0-0')).toBe(false)
    expect(await watch.isLost('0-0')).toBe(false)
    await add('5-0')
    expect(await watch.isLost('5-0')).toBe(false)
    expect(await watch.isLost('5-0')).toBe(false)
  })

  it('is another one when all was deleted, which is said once', async () => {
    const { client, stream, watch } = await createStream(10)
    const second = new StreamWatch(client as any, stream)

    await watch.isLost('0-0')
    await second.isLost('0-0')
    await client.del(`${stream.key}:identity`)

    for (const one of [watch, second]) {
      expect(await one.isLost('0-0')).toBe(true)
      expect(await one.isLost('0-0')).toBe(false)
    }
  })

  it('has lost an entry that is not there, unless it made room for others because the stream is full', async () => {
    const { watch, add } = await createStream(2)

    await add('5-0')
    expect(await watch.isLost('4-0'), 'before the first, and not full').toBe(true)
    await add('6-0')
    expect(await watch.isLost('4-0'), 'before the first, and full').toBe(false)
    await add('7-0')
    expect(await watch.isLost('4-0'), 'before the first, and more than full').toBe(false)
    expect(await watch.isLost('6-5'), 'between others').toBe(true)
    expect(await watch.isLost('8-0'), 'after the last one, as of an older copy').toBe(true)
  })

  it('has lost an entry when nothing is there', async () => {
    const { watch } = await createStream(0)

    expect(await watch.isLost('4-0')).toBe(true)
  })
})
