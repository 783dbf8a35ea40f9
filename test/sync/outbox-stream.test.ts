import { expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/redis/connection.ts'
import { Outbox } from '../../src/sync/outbox.ts'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { connectTo, numbers, readAll } from './sending.ts'

/** An outbox over a line that can be cut, what stands in its stream, and what it reports as missed. */
async function startOutbox({ maxLength = 80, maxBytes = 1e6 } = {}) {
  const client = await connectTo(REDIS_URL)
  const proxy = await startProxy(REDIS_URL)
  const stream = { key: `${createPrefix()}:events`, maxLength, maxBytes }
  const reports: number[] = []
  const statuses: string[] = []
  const connection = await RedisConnection.open(proxy.url, 5000, {
    away: () => void statuses.push('away'),
    back: () => void statuses.push('back')
  })
  const outbox = await Outbox.create(connection, stream, (missed) => void reports.push(missed))

  onTestFinished(async () => {
    await outbox.close(1)
    connection.close()
  })
  await outbox.start()

  const read = async () => (await readAll(client, stream.key)).map(({ message }) => message)
  /** The entries of a kind, each with its number. */
  const written = async (kind = 'event') =>
    (await read()).filter((entry) => entry.kind === kind).map(({ sequence }) => Number(sequence))
  const add = (from: number, to: number) => {
    for (const number of numbers(from, to + 1)) outbox.add('event', String(number))
  }

  return { client, proxy, stream, outbox, reports, statuses, read, written, add }
}

type Started = Awaited<ReturnType<typeof startOutbox>>

/** Has this process read its own entries, as its inbox does. */
async function readOwn({ client, stream, outbox, written }: Started, last: number): Promise<void> {
  await until(async () => expect((await written()).at(-1)).toBeGreaterThanOrEqual(last))

  for (const { id, message } of await readAll(client, stream.key)) {
    const sequence = Number(message.sequence)

    if (message.kind === 'event' && sequence <= last) outbox.markFound(sequence, id, sequence)
  }
}

/** The id of an event in the stream. */
async function idOf({ client, stream }: Started, sequence: number): Promise<string> {
  const entries = await readAll(client, stream.key)

  return entries.find(({ message }) => message.kind === 'event' && message.sequence === String(sequence))
    ?.id as string
}

/** Cuts the line, which is noticed. */
async function cut({ proxy, statuses }: Started): Promise<void> {
  proxy.cut()
  await until(() => expect(statuses).toContain('away'))
}

describeRedis('an outbox', () => {
  it('greets with what it has written and read, then writes each entry with its number', async () => {
    const { outbox, read, written, add } = await startOutbox()

    add(1, 2)
    await until(async () => expect(await written()).toEqual([1, 2]))
    outbox.add('revocation', 'id')
    outbox.proceed('5-0', 2)
    outbox.greet()
    await until(async () => expect(await written('hello')).toHaveLength(2))

    const { origin } = outbox

    expect(await read()).toEqual([
      { origin, kind: 'hello', sequence: '0', text: '0-0' },
      { origin, kind: 'event', sequence: '1', text: '1' },
      { origin, kind: 'event', sequence: '2', text: '2' },
      { origin, kind: 'revocation', sequence: '3', text: 'id' },
      { origin, kind: 'hello', sequence: '3', text: '5-0' }
    ])
  })

  it('says goodbye when all is written', async () => {
    const { outbox, read, reports, add } = await startOutbox()

    add(1, 3)
    await outbox.close(5000)
    expect((await read()).at(-1)).toEqual({ origin: outbox.origin, kind: 'bye', sequence: '3', text: '' })
    expect(reports).toEqual([])
  })

  it('that ends reports what Redis was not given', async () => {
    const started = await startOutbox()
    const { outbox, reports, written, add } = started

    add(1, 3)
    await until(async () => expect(await written()).toEqual([1, 2, 3]))
    await readOwn(started, 3)
    await cut(started)
    add(4, 5)
    await outbox.close(1)
    expect(reports).toEqual([2])
    expect(await written('bye')).toEqual([])
  })
})

describeRedis('an outbox writes no more than an eighth of the stream', () => {
  it('that this process has not read itself', async () => {
    const started = await startOutbox()
    const { outbox, written, add } = started

    add(1, 40)
    await readOwn(started, 10)
    expect(await written()).toEqual(numbers(1, 11))
    outbox.proceed('0-0', 10)
    await until(async () => expect(await written()).toEqual(numbers(1, 21)))
  })

  it('that another process has not read, until it is gone', async () => {
    const started = await startOutbox()
    const { outbox, written, add } = started

    outbox.acknowledge('other', '0-0')
    add(1, 40)
    await readOwn(started, 10)
    outbox.proceed('0-0', 10)
    outbox.acknowledge('other', await idOf(started, 4))
    outbox.proceed('0-0', 10)
    await until(async () => expect(await written()).toEqual(numbers(1, 15)))
    await readOwn(started, 14)
    outbox.acknowledge('other', `${(await idOf(started, 5)).split('-')[0]}-99999`)
    outbox.forget('other')
    outbox.proceed('0-0', 14)
    await until(async () => expect(await written()).toEqual(numbers(1, 25)))
  })

  it('that another process has not read, until it has said nothing for three seconds', async () => {
    const started = await startOutbox()
    const { outbox, written, add } = started

    outbox.acknowledge('silent', '0-0')
    add(1, 15)
    await readOwn(started, 10)
    outbox.proceed('0-0', 10)
    expect(await written()).toEqual(numbers(1, 11))
    await until(async () => expect(await written()).toEqual(numbers(1, 16)))
  })
})

describeRedis('after an outage an outbox writes', () => {
  it('nothing again that Redis has confirmed and kept', async () => {
    const started = await startOutbox()
    const { proxy, reports, statuses, written, add } = started

    add(1, 5)
    await readOwn(started, 5)
    await cut(started)
    add(6, 8)
    proxy.mend()
    await until(async () => expect(await written()).toEqual(numbers(1, 9)))
    await until(() => expect(statuses.at(-1)).toBe('back'))
    expect(await written('hello')).toEqual([0, 5])
    expect(reports).toEqual([])
  })

  it('what Redis has lost, but for what the stream would have forgotten anyway', async () => {
    const started = await startOutbox()
    const { client, outbox, proxy, stream, written, add, reports } = started

    add(1, 5)
    await readOwn(started, 5)
    // 2 entries are followed by as many as the stream holds.
    outbox.proceed('0-0', 82)
    await cut(started)
    await client.del(stream.key)
    proxy.mend()
    await until(async () => expect(await written()).toEqual([3, 4, 5]))
    expect(await written('hello')).toEqual([2])
    expect(reports).toEqual([])
  })

  it('as much as the stream holds, and reports the rest', async () => {
    const started = await startOutbox()
    const { outbox, proxy, reports, written, add } = started

    add(1, 5)
    await readOwn(started, 5)
    await cut(started)
    add(6, 100)
    proxy.mend()
    await until(async () => expect(await written()).toEqual([...numbers(1, 6), 21]))
    expect(reports).toEqual([15])
    await readOwn(started, 21)
    outbox.proceed('0-0', 6)
    await until(async () => expect(await written()).toEqual([...numbers(1, 6), ...numbers(21, 32)]))
    expect(reports).toEqual([15])
  })

  it('what is small enough together, and the last entry whatever its size', async () => {
    const started = await startOutbox({ maxBytes: 100 })
    const { outbox, proxy, reports, read, add } = started

    add(1, 1)
    await readOwn(started, 1)
    await cut(started)
    for (const letter of 'abc') outbox.add('event', letter.repeat(40))
    proxy.mend()

    const texts = async () =>
      (await read()).filter(({ kind }) => kind === 'event').map(({ text }) => text?.slice(0, 1))

    await until(async () => expect(await texts()).toEqual(['1', 'b', 'c']))
    expect(reports).toEqual([1])
    outbox.add('event', 'd'.repeat(500))
    await until(async () => expect(await texts()).toEqual(['1', 'b', 'c', 'd']))
  })
})
