import { expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/redis/connection.ts'
import { type Gap, Inbox } from '../../src/sync/inbox.ts'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { connectTo, readAll } from './sending.ts'

const OWN = '1-own'

/** From before the inbox began, and from long after. */
const OLD = '1-old'
const YOUNG = `${Date.now() * 1000 + 1e12}-young`

/** An inbox, what it hears, and what it tells the outbox of its process. */
async function startInbox({ maxLength = 1000, url = REDIS_URL, before = [] as [string, string][] } = {}) {
  const client = await connectTo(REDIS_URL)
  const stream = { key: `${createPrefix()}:events`, maxLength, maxBytes: 1e9 }
  const heard: string[] = []
  const gaps: Gap[] = []
  const told: unknown[][] = []
  const proceeded: unknown[][] = []
  let flushes = 0
  const connection = await RedisConnection.open(url, 5000, { away: () => undefined, back: () => undefined })
  const tell =
    (name: string) =>
    (...args: unknown[]) =>
      void told.push([name, ...args])
  const outbox = {
    origin: OWN,
    greet: tell('greet'),
    markFound: tell('markFound'),
    acknowledge: tell('acknowledge'),
    forget: tell('forget'),
    restore: tell('restore'),
    proceed: (...args: unknown[]) => void proceeded.push(args)
  }
  const inbox = new Inbox(connection, stream, outbox as any, {
    entry: ({ origin, sequence }) => void heard.push(`${sequence} of ${origin}`),
    gap: (gap) => void gaps.push(gap),
    loss: () => void told.push(['loss'])
  })

  /** Writes an entry, as another process does. */
  const add = (origin: string, sequence: number | string, kind = 'event', text = '') =>
    client.xAdd(stream.key, '*', { origin, kind, sequence: String(sequence), text })

  /** Writes an event of one more process, and waits until it has come in. */
  async function flush(): Promise<void> {
    const origin = `1-flush-${++flushes}`

    await add(origin, 1)
    await until(() => expect(heard).toContain(`1 of ${origin}`))
  }

  for (const [origin, sequence] of before) await add(origin, sequence)
  onTestFinished(() => connection.close())
  await inbox.start()

  return {
    ...{ client, stream, add, flush, gaps, proceeded },
    heard: () => heard.filter((entry) => !entry.includes('flush')),
    told: (name: string) => told.filter(([first]) => first === name).map(([, ...args]) => args)
  }
}

describeRedis('what a process reads', () => {
  it('begins with the first entry after its start, at which it greets the others', async () => {
    const { add, flush, heard, told } = await startInbox({
      before: [
        [OLD, '1'],
        [OLD, '2']
      ]
    })

    expect(told('greet')).toEqual([[]])
    await add(OLD, 3)
    await flush()
    expect(heard()).toEqual([`3 of ${OLD}`])
  })

  it('is each entry of others once, in their order', async () => {
    const { add, flush, gaps, heard } = await startInbox()

    for (const sequence of [5, 6, 6, 5, 7]) await add(OLD, sequence)
    await flush()
    expect(heard()).toEqual([`5 of ${OLD}`, `6 of ${OLD}`, `7 of ${OLD}`])
    expect(gaps).toEqual([])
  })

  it('lacks what an older process has sent before, and nothing that a younger one has sent', async () => {
    const { add, flush, gaps, heard } = await startInbox()

    await add(OLD, 5)
    await flush()
    expect(gaps).toEqual([])
    await add(YOUNG, 3)
    await flush()
    expect(gaps).toEqual([{ origin: YOUNG, missed: 2 }])
    expect(heard()).toEqual([`5 of ${OLD}`, `3 of ${YOUNG}`])
  })

  it('lacks what a number or a greeting has left out, which is said once', async () => {
    const { add, flush, gaps } = await startInbox()

    await add(OLD, 1)
    await add(OLD, 4)
    await add(OLD, 4, 'hello', '0-0')
    await flush()
    expect(gaps).toEqual([{ origin: OLD, missed: 2 }])
    await add(OLD, 7, 'hello', '0-0')
    await add(OLD, 8)
    await add(OLD, 9, 'bye')
    await flush()
    expect(gaps.slice(1)).toEqual([
      { origin: OLD, missed: 3 },
      { origin: OLD, missed: 1 }
    ])
  })

  it('of its own is told to its outbox, and nobody else', async () => {
    const { add, flush, heard, told } = await startInbox()
    const id = await add(OWN, 1)

    await add(OWN, 1, 'hello', '0-0')
    await add(OWN, 1, 'bye')
    await flush()
    expect(heard()).toEqual([])
    expect(told('markFound')).toEqual([[1, id, 1]])
    expect([...told('acknowledge'), ...told('forget')]).toEqual([])
  })

  it('of others says how far they are, and that they end', async () => {
    const { add, flush, told } = await startInbox()

    await add(OLD, 1, 'hello', '5-0')
    await flush()
    expect(told('acknowledge')).toEqual([[OLD, '5-0']])
    expect(told('forget')).toEqual([])
    await add(OLD, 1, 'bye')
    await flush()
    expect(told('forget')).toEqual([[OLD]])
    expect(told('acknowledge')).toHaveLength(1)
  })

  it('is where it is, for its outbox', async () => {
    const { client, stream, add, flush, proceeded } = await startInbox({ before: [[OLD, '1']] })
    const [first] = await readAll(client, stream.key)

    expect(proceeded[0]).toEqual([first?.id, 0])
    await add(OLD, 2)
    await flush()

    const last = (await readAll(client, stream.key)).at(-1)

    await until(() => expect(proceeded.at(-1)).toEqual([last?.id, 2]))
  })
})

describeRedis('a process greets others', () => {
  it('that it does not know, once', async () => {
    const { add, flush, told } = await startInbox()

    await add(OLD, 0, 'hello', '0-0')
    await until(() => expect(told('greet')).toHaveLength(2))
    await add(OLD, 0, 'hello', '0-0')
    await flush()
    expect(told('greet')).toHaveLength(2)
  })

  it('after each sixteenth of the stream, in which events count', async () => {
    const { add, flush, told } = await startInbox({ maxLength: 160 })

    for (let n = 1; n <= 8; n++) await add(OLD, n)
    for (let n = 1; n <= 8; n++) await add(OLD, n, 'bye')
    await flush()
    expect(told('greet')).toHaveLength(1)
    await add(OLD, 9)
    await until(() => expect(told('greet')).toHaveLength(2))
    for (let n = 10; n <= 18; n++) await add(OLD, n)
    await flush()
    await until(() => expect(told('greet')).toHaveLength(3))
  })
})

describeRedis('a stream that loses entries', () => {
  it('as a whole is read from the beginning, and written again', async () => {
    const { client, stream, add, flush, heard, told } = await startInbox()

    await add(OLD, 1)
    await flush()
    await client.del(stream.key)
    await until(() => expect(told('loss')).toEqual([[]]))
    expect(told('restore')).toEqual([[]])
    await add(OLD, 1)
    await add(OLD, 2)
    await flush()
    expect(heard()).toEqual([`1 of ${OLD}`, `2 of ${OLD}`])
    expect(told('loss')).toHaveLength(1)
  })

  it('because it is full, before they were read, lacks something, though nobody says what', async () => {
    const proxy = await startProxy(REDIS_URL)
    const { client, stream, add, flush, gaps, heard } = await startInbox({ url: proxy.url, maxLength: 2 })

    await add(OLD, 1)
    await flush()
    proxy.cut()
    for (const origin of ['1-a', '1-b', '1-c']) await add(origin, 1)
    await client.xTrim(stream.key, 'MAXLEN', 2)
    proxy.mend()
    await until(() => expect(gaps).toEqual([{}]))
    await flush()
    expect(heard().slice(1)).toEqual(['1 of 1-b', '1 of 1-c'])
    expect(gaps).toEqual([{}])
  })

  it('because it is full, lacks what a number says, and then nothing else', async () => {
    const proxy = await startProxy(REDIS_URL)
    const { client, stream, add, flush, gaps } = await startInbox({ url: proxy.url, maxLength: 2 })

    await add(OLD, 1)
    await flush()
    proxy.cut()
    for (const sequence of [2, 3, 4]) await add(OLD, sequence)
    await client.xTrim(stream.key, 'MAXLEN', 2)
    proxy.mend()
    await until(() => expect(gaps).toEqual([{ origin: OLD, missed: 1 }]))
    await flush()
    expect(gaps).toHaveLength(1)
  })
})
