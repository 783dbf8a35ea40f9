import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { sql } from 'kysely'
import { createClient } from 'redis'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createIdempotencyTable } from '../../src/kysely.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { createTable, POSTGRES, POSTGRES_URL } from '../support/sql.ts'

const TABLE = 'alula_idempotent_orders'

let env: NodeJS.ProcessEnv
let db: Awaited<ReturnType<typeof createTable>>

async function startProcess(): Promise<string> {
  const child = fork(resolve(import.meta.dirname, 'server.mjs'), {
    execArgv: [],
    env: { ...process.env, ...env }
  })

  onTestFinished(() => void child.kill('SIGKILL'))

  return (await once(child, 'message'))[0]
}

async function post(url: string, key: string, item: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ item })
  })

  return { status: response.status, text: await response.text() }
}

async function countOrders(): Promise<number> {
  return (await db.selectFrom(TABLE).selectAll().execute()).length
}

describeRedis('several processes', () => {
  beforeEach(async () => {
    db = await createTable(POSTGRES, TABLE, `id ${POSTGRES.countedId}, item text`)

    const { up, down } = createIdempotencyTable(`${TABLE}_keys`)

    await db.schema.dropTable(`${TABLE}_keys`).ifExists().execute()
    await up(db)
    onTestFinished(async () => void (await down?.(db)))
  })

  describe.each(['Redis', 'PostgreSQL'])('with the keys in %s', (STORE) => {
    beforeEach(() => {
      env = { REDIS_URL, POSTGRES_URL: POSTGRES_URL, PREFIX: createPrefix(), TABLE, STORE }
    })

    it('make one record of a hundred calls with one key', async () => {
      const urls = await Promise.all([startProcess(), startProcess()])
      const key = randomUUID()
      const all = await Promise.all(
        Array.from({ length: 100 }, (_, index) => post(urls[index % 2] as string, key, 'tea'))
      )
      const made = all.filter(({ status }) => status === 201)

      expect(await countOrders()).toBe(1)
      expect(all.every(({ status }) => status === 201 || status === 409)).toBe(true)
      expect(new Set(made.map(({ text }) => text)).size).toBe(1)

      for (const url of urls) expect(await post(url, key, 'tea')).toEqual(made[0])
    })
  })

  it('never run a call again after a crash, where its record and its key are in one database', async () => {
    env = {
      REDIS_URL,
      POSTGRES_URL: POSTGRES_URL,
      PREFIX: createPrefix(),
      TABLE,
      STORE: 'PostgreSQL'
    }

    const [first, second] = [await startProcess(), await startProcess()]
    const key = randomUUID()

    await expect(post(first, key, 'a crash')).rejects.toThrow()
    expect(await countOrders()).toBe(1)

    const expectReason = async (reason: string) => {
      const { status, text } = await post(second, key, 'a crash')

      expect([status, JSON.parse(text).data]).toEqual([409, { reason }])
    }

    await expectReason('running')
    // A minute passes.
    await sql`update ${sql.id(`${TABLE}_keys`)} set "endsAt" = "endsAt" - 60000`.execute(db)
    await expectReason('not-kept')
    expect(await countOrders()).toBe(1)
  })

  it('run a call again after a crash and its lease, where the key is elsewhere', async () => {
    const prefix = createPrefix()

    env = { REDIS_URL, POSTGRES_URL: POSTGRES_URL, PREFIX: prefix, TABLE, STORE: 'Redis' }

    const [first, second, third] = [await startProcess(), await startProcess(), await startProcess()]
    const key = randomUUID()

    await expect(post(first, key, 'a crash')).rejects.toThrow()
    expect((await post(second, key, 'a crash')).status).toBe(409)

    // A minute passes.
    const client = createClient({ url: REDIS_URL })

    await client.connect()
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*` })) {
      for (const one of keys) await client.pExpire(one, (await client.pTTL(one)) - 60_000)
    }
    client.destroy()

    await expect(post(third, key, 'a crash')).rejects.toThrow()
    expect(await countOrders()).toBe(2)
  })
})
