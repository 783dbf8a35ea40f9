import { randomUUID } from 'node:crypto'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { MemoryIdempotencyStore } from '../../src/idempotency/memory-store.ts'
import { RedisIdempotencyStore } from '../../src/idempotency/redis-store.ts'
import { ServiceIdempotencyStore } from '../../src/idempotency/service-store.ts'
import { type Claim, type IdempotencyStore, STORE_TIMES } from '../../src/idempotency/types.ts'
import { createIdempotencyTable, type Dialect, kysely, mysql, registerDialect } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { toRedisSettings } from '../../src/redis/options.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { describeDatabases, MARIADB, type TestDatabase } from '../support/sql.ts'

/** A store whose time passes as a test says. */
interface TimedStore {
  readonly store: IdempotencyStore
  /** @param time In milliseconds */
  pass(time: number): Promise<void>
}

function createClaim(id: string = randomUUID(), hash = 'a'.repeat(43)): Claim {
  return { id, hash, token: randomUUID() }
}

/** What each store has to do. */
function testStore(open: () => Promise<TimedStore>): void {
  it('begins one of a hundred calls with one key, and returns what is stored', async () => {
    const { store } = await open()
    const claims = Array.from({ length: 100 }, () => createClaim('key'))
    const found = await Promise.all(claims.map((claim) => store.begin(claim, {})))
    const first = claims[found.indexOf(undefined)] as Claim

    expect(found.filter((one) => one === undefined)).toHaveLength(1)
    expect(found.find((one) => one !== undefined)).toMatchObject({ hash: first.hash, response: undefined })

    await store.finish(first, '{"body":"é"}')
    expect(await store.begin(createClaim('key', 'b'), {})).toMatchObject({
      hash: first.hash,
      response: '{"body":"é"}'
    })
    expect(await store.begin(createClaim('other'), {})).toBeUndefined()
  })

  it('keeps an empty response, and a large one', async () => {
    const { store } = await open()

    for (const response of ['', `"${'x'.repeat(1024 * 1024)}"`]) {
      const claim = createClaim()

      await store.begin(claim, {})
      await store.finish(claim, response)
      expect((await store.begin(createClaim(claim.id), {}))?.response).toBe(response)
    }
  })

  it('can begin again after a release', async () => {
    const { store } = await open()
    const claim = createClaim()

    await store.begin(claim, {})
    await store.release(claim)
    expect(await store.begin(createClaim(claim.id), {})).toBeUndefined()
    // Of a run that is over.
    await store.release(claim)
    expect(await store.begin(createClaim(claim.id), {})).toMatchObject({ response: undefined })
  })

  it('can begin again after the lease, and one of fifty does; the first run stores nothing any more', async () => {
    const { store, pass } = await open()
    const lost = createClaim()

    await store.begin(lost, {})
    await pass(STORE_TIMES.lease - 1000)
    expect(await store.begin(createClaim(lost.id), {})).toMatchObject({ response: undefined })
    await pass(1001)

    const claims = Array.from({ length: 50 }, () => createClaim(lost.id))
    const found = await Promise.all(claims.map((claim) => store.begin(claim, {})))

    expect(found.filter((one) => one === undefined)).toHaveLength(1)
    await store.finish(lost, '"late"')
    await store.release(lost)
    expect(await store.begin(createClaim(lost.id), {})).toMatchObject({ response: undefined })
    await store.finish(claims[found.indexOf(undefined)] as Claim, '"second"')
    expect((await store.begin(createClaim(lost.id), {}))?.response).toBe('"second"')
  })

  it('keeps the response of a run that has outlived its lease, where no other has begun', async () => {
    const { store, pass } = await open()
    const claim = createClaim()

    await store.begin(claim, {})
    await pass(STORE_TIMES.lease + 1)
    expect(await store.finish(claim, '"slow"')).toBe(true)

    const repetition = createClaim(claim.id, 'b')

    expect(await store.begin(repetition, {})).toMatchObject({ hash: claim.hash, response: '"slow"' })
    expect(await store.finish(repetition, '"other"')).toBe(false)
    await pass(STORE_TIMES.lifetime - 1000)
    expect(await store.begin(repetition, {})).toMatchObject({ response: '"slow"' })
    await pass(1001)
    expect(await store.begin(repetition, {})).toBeUndefined()
  })

  it('keeps a response for 24 hours', async () => {
    const { store, pass } = await open()
    const claim = createClaim()

    await store.begin(claim, {})
    await store.finish(claim, '1')
    await pass(STORE_TIMES.lifetime - 1000)
    expect(await store.begin(createClaim(claim.id), {})).toMatchObject({ response: '1' })
    await pass(1001)
    expect(await store.begin(createClaim(claim.id), {})).toBeUndefined()
  })
}

/** What a store has to do whose keys are written in the transaction of a record. */
function testMark(open: () => Promise<TimedStore>): void {
  it('has a call run until its lease ends once it is marked, and keeps that it has run', async () => {
    const { store, pass } = await open()
    const claim = createClaim()
    const find = async () => (await store.begin(createClaim(claim.id), {}))?.response

    expect(await store.mark?.(claim, {})).toBe(false)
    await store.begin(claim, {})
    await pass(STORE_TIMES.lease - 1000)
    expect(await store.mark?.(claim, {})).toBe(true)
    await pass(STORE_TIMES.lease - 1000)
    expect(await store.begin(createClaim(claim.id), {})).toMatchObject({ response: undefined })
    await pass(1001)
    expect(await find()).toBe('')
    await store.finish(claim, '"late"')
    expect(await find()).toBe('"late"')
  })
}

/** A clock for a store in this process. */
function createTimed(create: (now: () => number) => IdempotencyStore): TimedStore {
  let now = 1_800_000_000_000

  return {
    store: create(() => now),
    pass: async (time) => {
      now += time
    }
  }
}

describe('keys in memory', () => {
  testStore(async () => createTimed((now) => new MemoryIdempotencyStore(now)))

  it('are bounded: the oldest responses make room, and calls that run do not, nor those that have run', async () => {
    const memoryStore = new MemoryIdempotencyStore(undefined, { count: 3, size: 100 })
    const store: IdempotencyStore = memoryStore
    const running = createClaim()
    const claims = Array.from({ length: 5 }, () => createClaim())

    await store.begin(running, {})

    for (const claim of claims) {
      await store.begin(claim, {})
      await store.finish(claim, '"x"')
    }
    expect(memoryStore.count).toBe(4)
    expect(await store.begin(createClaim(running.id), {})).toMatchObject({ response: undefined })
    expect(await store.begin(createClaim(claims[4]?.id), {})).toMatchObject({ response: '"x"' })
    expect(await store.begin(createClaim(claims[0]?.id), {})).toBeUndefined()

    const large = createClaim()

    await store.begin(large, {})
    await store.finish(large, 'x'.repeat(99))
    // The responses of the others made room, and not that these calls have run.
    expect(memoryStore.count).toBe(3 + 2)
    expect(await store.begin(createClaim(claims[4]?.id), {})).toMatchObject({ response: '' })
    expect(await store.begin(createClaim(large.id), {})).toMatchObject({ response: 'x'.repeat(99) })
  })
})

describe('keys in a service in memory', () => {
  const open = async () => createTimed((now) => new ServiceIdempotencyStore(memory() as any, now))

  testStore(open)
  testMark(open)
})

describeDatabases('keys in a table', (database) => testTable(database))

describeDatabases(
  'keys in a table of a database with a registered dialect',
  (database) => testTable(database, { ...mysql, name: 'My database' }),
  [MARIADB]
)

/** What a store in a table has to do. */
function testTable(database: TestDatabase, dialect?: Dialect): void {
  const open = async () => {
    const db = database.open()

    if (dialect) registerDialect(db, dialect)

    const { up, down } = createIdempotencyTable('alula_idempotency')

    await db.schema.dropTable('alula_idempotency').ifExists().execute()
    await up(db)
    onTestFinished(async () => {
      await down?.(db)
      await db.destroy()
    })

    const service = kysely({ Model: db, name: 'alula_idempotency', id: 'id' })

    return createTimed((now) => new ServiceIdempotencyStore(service as any, now))
  }

  testStore(open)
  testMark(open)
}

describeRedis('keys in Redis', () => {
  testStore(async () => {
    const prefix = createPrefix()
    const store = new RedisIdempotencyStore(toRedisSettings('test', { redis: REDIS_URL, prefix }))
    const client = createClient({ url: REDIS_URL })

    await Promise.all([store.open(), client.connect()])
    onTestFinished(() => {
      store.close()
      client.destroy()
    })

    return {
      store,
      // Redis has the time: what is left of it becomes less.
      pass: async (time) => {
        for await (const keys of client.scanIterator({ MATCH: `${prefix}*` })) {
          for (const key of keys) await client.pExpire(key, (await client.pTTL(key)) - time)
        }
      }
    }
  })
})
