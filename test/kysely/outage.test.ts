import { setTimeout as pause } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import express, { errorHandler, json, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { kysely, withTransaction } from '../../src/kysely.ts'
import { describeOwnPostgres, startPostgres } from '../support/postgres.ts'
import { startProxy } from '../support/proxy.ts'
import { scaled } from '../support/scale.ts'
import { serve } from '../support/server.ts'
import { openPool } from '../support/sql.ts'
import { until } from '../support/until.ts'

const CLIENTS = 16
const CONNECTIONS = 8
/** How long an answer may take while the database is away, and how long it may be away when it is not. */
const PATIENCE = 15_000

interface Answer {
  readonly client: number
  readonly status: number
  readonly text: string
  readonly begin: number
  readonly end: number
  readonly names: readonly string[]
}

/** Starts a PostgreSQL with a table, which the application reads as soon as it is set up. */
async function startWithItems() {
  const postgres = await startPostgres()
  const pool = openPool({ connectionString: postgres.url })

  await pool.query('create table items (id serial primary key, name text unique, count integer)')
  await pool.end()

  return postgres
}

/** An application over HTTP whose records are in a PostgreSQL, as the documentation has it. */
async function startApp(connectionString: string) {
  const pool = openPool({
    connectionString,
    max: CONNECTIONS,
    connectionTimeoutMillis: 3000,
    query_timeout: 4000
  })
  const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })
  const app = express(alula())

  onTestFinished(() => db.destroy())
  app.use(json())
  app.configure(rest())
  app.use('items', kysely({ Model: db, name: 'items', multi: true, paginate: { default: 5, max: 10 } }))
  // What takes several calls to do.
  app.use('pairs', {
    create: ({ name }: any) =>
      withTransaction(app, async () => {
        const first = await app.service('items').create({ name })
        const second = await withTransaction(app, () => app.service('items').create({ name: `${name}'` }))

        return [first, second]
      })
  })
  app.use(errorHandler({ logger: false }))

  return { app, pool, db, url: await serve(app as any) }
}

/** What a client does, by turns. */
async function request(url: string, client: number, turn: number): Promise<Answer> {
  const name = `${client}-${turn}`
  const [path, method, body, names] = (
    [
      ['items', 'POST', { name }, [name]],
      ['items?$sort[id]=-1', 'GET', undefined, []],
      ['pairs', 'POST', { name }, [name, `${name}'`]],
      [
        'items',
        'POST',
        [{ name }, { name: `${name}'` }, { name: `${name}"` }],
        [name, `${name}'`, `${name}"`]
      ],
      [`items?name=${client}-${turn - 4}`, 'PATCH', { count: turn }, []]
    ] as const
  )[turn % 5] as readonly [string, string, unknown, readonly string[]]
  const begin = performance.now()
  const response = await fetch(`${url}/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(4 * PATIENCE)
  })

  const text = await response.text()

  return {
    client,
    status: response.status,
    text,
    begin,
    end: performance.now(),
    names: response.ok ? names : []
  }
}

describeOwnPostgres('a PostgreSQL that is away', () => {
  it('and back again and again under load: 503 at once, then answers; nothing hangs, leaks or is lost', async () => {
    const postgres = await startWithItems()
    const { pool, db, url } = await startApp(postgres.url)
    const answers: Answer[] = []
    let isOver = false

    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let turn = 0; !isOver; turn++) {
        answers.push(await request(url, client, turn))
        // Who is refused at once asks again at once.
        await pause(5)
      }
    })

    /** Waits until each client has got an answer of a kind to what it asked after a moment. */
    async function each(isOfKind: (status: number) => boolean, since: number): Promise<void> {
      await until(() => {
        const served = answers.filter(({ status, begin }) => begin > since && isOfKind(status))

        expect(new Set(served.map(({ client }) => client)).size).toBe(CLIENTS)
      }, 4 * PATIENCE)
    }

    const isGood = (status: number) => status < 300

    await each(isGood, 0)

    for (let round = 0; round < Math.max(3, scaled(20)); round++) {
      await postgres.stop((['SIGKILL', 'SIGINT', 'SIGQUIT'] as const)[round % 3] as 'SIGKILL')

      const gone = performance.now()

      await each((status) => status === 503, gone)
      expect(performance.now() - gone).toBeLessThan(PATIENCE)
      await postgres.start()

      const back = performance.now()

      await each(isGood, back)
      expect(performance.now() - back).toBeLessThan(PATIENCE)
    }

    isOver = true
    await Promise.all(clients)

    const unexpected = answers.filter(({ status }) => ![200, 201, 503].includes(status))

    expect(unexpected.map(({ text }) => text)).toEqual([])
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 201, 503])
    expect(Math.max(...answers.map(({ begin, end }) => end - begin))).toBeLessThan(PATIENCE)

    // What was acknowledged is there, and pairs are whole.
    const stored = new Set((await db.selectFrom('items').select('name').execute()).map(({ name }) => name))

    expect(answers.flatMap(({ names }) => names).filter((name) => !stored.has(name))).toEqual([])
    expect([...stored].filter((name) => name.endsWith("'") && !stored.has(name.slice(0, -1)))).toEqual([])

    // All connections are free, and the server has no others.
    expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0])
    expect(pool.totalCount).toBeLessThanOrEqual(CONNECTIONS)

    const { rows } = await sql<any>`select state from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db)

    expect(rows).toHaveLength(pool.totalCount - 1)
    expect(rows.filter(({ state }) => state !== 'idle')).toEqual([])
  }, 300_000)

  it('when the application starts: 503, and answers as soon as it is there', async () => {
    const postgres = await startWithItems()

    await postgres.stop('SIGINT')

    const { url } = await startApp(postgres.url)

    expect((await request(url, 0, 0)).status).toBe(503)
    expect((await request(url, 0, 2)).status).toBe(503)
    await postgres.start()
    expect((await request(url, 0, 0)).status).toBe(201)
    expect((await request(url, 0, 7)).status).toBe(201)
  })

  it('behind a network that swallows everything: 503 in time, and answers when it is mended', async () => {
    const postgres = await startWithItems()
    const proxy = await startProxy(postgres.url)
    const { app, pool, url } = await startApp(proxy.url.replace('//', '//postgres@'))

    // Opens as many connections as there can be: what is asked through them gets no response, and there are no others.
    const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()))

    for (const client of clients) client.release()
    expect(pool.totalCount).toBe(CONNECTIONS)
    proxy.mute()

    for (const answer of await Promise.all([0, 1, 2, 3, 4, 5].map((turn) => request(url, 99, turn)))) {
      expect(answer.status).toBe(503)
      expect(answer.end - answer.begin).toBeLessThan(PATIENCE)
    }

    proxy.mend()

    const begin = performance.now()

    await until(async () =>
      expect((await request(url, 2, Math.ceil(performance.now()) * 5)).status).toBe(201)
    )
    expect(performance.now() - begin).toBeLessThan(PATIENCE)
    await until(() => expect(pool.idleCount).toBe(pool.totalCount))
    expect(await app.service('items').find()).toMatchObject({ total: expect.any(Number) })
  })
})
