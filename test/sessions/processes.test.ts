import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import bcrypt from 'bcryptjs'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { createClient } from 'redis'
import type { Socket } from 'socket.io-client'
import { expect, it, onTestFinished } from 'vitest'
import { createSessionTable } from '../../src/kysely.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { scaled } from '../support/scale.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'
import { POSTGRES_URL } from '../support/sql.ts'
import { LOGIN, WREN } from './app.ts'

const REQUESTS = Math.max(100, scaled(1000))

async function startProcess(env: NodeJS.ProcessEnv): Promise<string> {
  const child: ChildProcess = fork(resolve(import.meta.dirname, 'server.mjs'), {
    execArgv: [],
    env: { ...process.env, REDIS_URL, POSTGRES_URL, ...env }
  })

  onTestFinished(() => void child.kill('SIGKILL'))

  const [url] = await once(child, 'message')

  return url
}

async function post(url: string, data: object): Promise<any> {
  const response = await fetch(`${url}/authentication`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(data)
  })

  return response.json()
}

/** The rows of the sessions in Redis. */
async function readRedis(prefix: string): Promise<unknown[]> {
  const client = createClient({ url: REDIS_URL })
  const rows: unknown[] = []

  await client.connect()
  for await (const keys of client.scanIterator({ MATCH: `${prefix}:authentication:session:*` })) {
    for (const key of keys) rows.push({ counter: Number(await client.hGet(key, 'counter')) })
  }
  client.destroy()

  return rows
}

function openPostgres(table: string): Kysely<any> {
  const pool = new pg.Pool({ connectionString: POSTGRES_URL })
  const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })

  onTestFinished(async () => {
    await db.schema.dropTable(table).ifExists().execute()
    await db.destroy()
  })

  return db
}

/** Two processes with one store. */
async function startTwo(store: 'Redis' | 'PostgreSQL', prefix: string): Promise<[string, string]> {
  const env = { STORE: store, PREFIX: prefix, PASSWORD_HASH: await bcrypt.hash(WREN.password, 4) }

  return [await startProcess(env), await startProcess(env)]
}

/** What all do with one token at one moment, and what is left of it. */
async function assertOneToken(urls: readonly [string, string]): Promise<void> {
  const { refreshToken } = await post(urls[0], LOGIN)
  const all = await Promise.all(
    Array.from({ length: REQUESTS }, (_, index) =>
      post(urls[(index % 2) as 0 | 1], { strategy: 'refresh', refreshToken })
    )
  )
  const [current, ...others] = new Set(all.map((login) => login.refreshToken))

  expect(all.filter(({ code }) => code !== undefined)).toEqual([])
  expect(others).toEqual([])
  expect(await post(urls[1], { strategy: 'refresh', refreshToken: current })).toMatchObject({
    authentication: { payload: { session: { counter: 3 } } }
  })

  const sockets = await Promise.all(urls.map((url) => connect(url, all[0].accessToken)))
  const ends = sockets.map((socket) => next(socket, 'disconnect'))
  const begun = performance.now()

  // Two behind: it is over in both processes.
  expect(await post(urls[0], { strategy: 'refresh', refreshToken })).toMatchObject({
    data: { reason: 'reuse' }
  })
  expect(await post(urls[1], { strategy: 'refresh', refreshToken: current })).toMatchObject({
    data: { reason: 'ended' }
  })
  expect(await Promise.all(ends)).toEqual(['io server disconnect', 'io server disconnect'])
  expect(performance.now() - begun).toBeLessThan(1000)
}

async function connect(url: string, accessToken: string): Promise<Socket> {
  const socket = await connectSocket(url)
  const [error] = await ask(socket, 'create', 'authentication', { strategy: 'jwt', accessToken })

  expect(error).toBeNull()

  return socket
}

describeRedis(`${REQUESTS} requests with one refresh token at one moment over two processes`, () => {
  it('lead to one token and one row in Redis', async () => {
    const prefix = createPrefix()
    const urls = await startTwo('Redis', prefix)

    await assertOneToken(urls)
    expect(await readRedis(prefix)).toEqual([])
    await post(urls[0], LOGIN)
    expect(await readRedis(prefix)).toEqual([{ counter: 1 }])
  })

  it('lead to one token and one row in PostgreSQL', async () => {
    const prefix = createPrefix().replaceAll('-', '_')
    const db = openPostgres(prefix)

    await createSessionTable(prefix).up(db)

    const urls = await startTwo('PostgreSQL', prefix)

    await assertOneToken(urls)
    expect(await db.selectFrom(prefix).selectAll().execute()).toEqual([])
    await post(urls[0], LOGIN)
    expect(await db.selectFrom(prefix).selectAll().execute()).toMatchObject([{ userId: '1', counter: '1' }])
  })
})
