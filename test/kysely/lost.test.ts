import { once } from 'node:events'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, type Transaction, transaction, withTransaction } from '../../src/kysely.ts'
import { defer } from '../support/deferred.ts'
import { startProxy } from '../support/proxy.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  openPool,
  POSTGRES,
  POSTGRES_URL,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'
import { until } from '../support/until.ts'

const LOST = {
  name: 'Unavailable',
  code: 503,
  message: 'The database has rolled the transaction back. Try again'
}

/** A service, and another whose calls to `run` are a transaction with hooks. */
async function open(database: TestDatabase, nameType = `${database.text} unique`, db?: Kysely<any>) {
  const { countedId } = database
  const owner = await createTable(database, 'alula_lost', `id ${countedId}, name ${nameType}, count integer`)
  const app = alula()
  const heard: string[] = []

  app.use('people', kysely({ Model: db ?? owner, name: 'alula_lost', multi: true }))
  app.use('tasks', {
    create: async ({ run }: any, params: any) => await run(params.transaction),
    getModel: () => db ?? owner
  } as any)
  app.service('tasks').hooks({
    before: { create: [transaction.start()] },
    after: { create: [transaction.end()] },
    error: { create: [transaction.rollback()] }
  })
  app.service('people').on('created', ({ name }: any) => heard.push(name))

  const people: any = app.service('people')

  return {
    app,
    db: owner,
    people,
    heard,
    names: async () => (await people.find({ query: { $sort: { id: 1 } } })).map(({ name }: any) => name),
    /** Runs a function in a transaction of the hooks. */
    inHooks: (run: (current: Transaction) => Promise<unknown>) => app.service('tasks').create({ run } as any)
  }
}

/** Has two transactions want what the other one has. Returns what became of each. */
async function deadlock(
  { people }: { people: any },
  begin: (run: (params: object) => Promise<unknown>) => Promise<unknown>
) {
  const [one, two] = await people.create([{ name: 'one' }, { name: 'two' }])
  const [first, second] = [defer(), defer()]

  const rival = (own: any, other: any, isReady: () => void, otherIsReady: Promise<void>) =>
    begin(async (params) => {
      await people.create({ name: `before ${own.name}` }, params)
      await people.patch(own.id, { count: 1 }, params)
      isReady()
      await otherIsReady
      await people.patch(other.id, { count: 1 }, params).catch(() => undefined)
      await people.create({ name: `after ${own.name}` }, params).catch(() => undefined)
    })

  return await Promise.allSettled([
    rival(one, two, first.resolve, second.promise),
    rival(two, one, second.resolve, first.promise)
  ])
}

describeDatabases(
  'a deadlock',
  (database) => {
    it.each(['withTransaction', 'hooks'])(
      'that is caught is the end of one transaction, and of all that was done in it: %s',
      async (way) => {
        const opened = await open(database)
        const { app, names, heard, inHooks } = opened
        const outcomes = await deadlock(opened, (run) =>
          way === 'hooks'
            ? inHooks((current) => run({ transaction: current }))
            : withTransaction(app, () => run({}))
        )
        const winner = outcomes[0].status === 'fulfilled' ? 'one' : 'two'

        expect(
          outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
        ).toEqual([expect.objectContaining(LOST)])
        expect(await names()).toEqual(['one', 'two', `before ${winner}`, `after ${winner}`])
        expect(heard).toEqual(['one', 'two', `before ${winner}`, `after ${winner}`])
      }
    )

    it('in a transaction in a transaction is the end of both', async () => {
      const opened = await open(database)
      const { app, people, names } = opened
      const outcomes = await deadlock(opened, (run) =>
        withTransaction(app, async () => {
          await withTransaction(app, () => run({})).catch(() => undefined)
          await people.create({ name: 'outside' }).catch(() => undefined)
        })
      )

      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(await names()).toHaveLength(5)
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases(
  'a database that takes a transaction back by itself',
  (database) => {
    it.each([
      [
        'a rule of the table',
        // https://sqlite.org/lang_conflict.html
        async ({ people }: any, params: object) => await people.create({ name: 'Ada' }, params)
      ],
      [
        'a disk that is full',
        async ({ people, db }: any, params: object) => {
          const { page_count: pages } = (await sql<any>`pragma page_count`.execute(db)).rows[0]

          await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(db)
          await people.create({ name: 'x'.repeat(100_000) }, params)
        }
      ]
    ])('because of %s gets no more statements of it, and no commit', async (_reason, fail) => {
      const opened = await open(database, 'text unique on conflict rollback')
      const { people, names, heard, inHooks } = opened
      const later: unknown[] = []
      let committed: Promise<boolean> | undefined

      await expect(
        inHooks(async (current) => {
          const params = { transaction: current }

          committed = current.committed
          await people.create({ name: 'Ada' }, params)
          await fail({ people, db: current.trx }, params).catch(() => undefined)
          for (const call of [
            () => people.create({ name: 'Bob' }, params),
            () => people.find(params),
            () => transaction.start()({ service: people, params, app: {} })
          ]) {
            await call().catch((error: unknown) => later.push(error))
          }
        })
      ).rejects.toMatchObject(LOST)

      expect(later).toEqual(Array(3).fill(expect.objectContaining(LOST)))
      expect(await committed).toBe(false)
      expect([await names(), heard]).toEqual([[], []])
      await withTransactionStill(opened)
    })
  },
  [SQLITE]
)

/** Transactions work as they did before. */
async function withTransactionStill({ app, people, names }: any): Promise<void> {
  await withTransaction(app, () => people.create({ name: 'Zoe' }))
  await withTransaction(app, async () => {
    await people.create({ name: 'nobody' })
    throw new Error('no')
  }).catch(() => undefined)
  expect(await names()).toEqual(['Zoe'])
}

describeDatabases('a transaction that statements of others have lost', (database) => {
  it('is not committed, though nobody has said a word', async () => {
    const rule = database.name === 'SQLite' ? ' on conflict rollback' : ''
    const opened = await open(database, `${database.text} unique${rule}`)
    const { people, names, heard, inHooks } = opened

    await expect(
      inHooks(async (current) => {
        await people.create({ name: 'Ada' }, { transaction: current })
        // MariaDB ends a transaction silently in few cases that can be brought about.
        const statement =
          database.name === 'MariaDB' ? sql`rollback` : sql`insert into alula_lost (name) values ('Ada')`

        await statement.execute(current.trx).catch(() => undefined)
      })
    ).rejects.toMatchObject(LOST)

    expect([await names(), heard]).toEqual([[], []])
    await withTransactionStill(opened)
  })
})

describeDatabases(
  'a call that reads and fails',
  (database) => {
    it('is the end of the transaction up to the savepoint around it', async () => {
      const { app, people, names, heard, inHooks } = await open(database)

      await withTransaction(app, async () => {
        await people.create({ name: 'Ada' })
        await expect(
          inHooks(async (current) => {
            const params = { transaction: current }

            await people.create({ name: 'Bob' }, params)
            await sql`alter table alula_lost rename column count to number`.execute(current.trx)
            await expect(people.find({ query: { count: 1 }, ...params })).rejects.toMatchObject({ code: 500 })
            await expect(people.create({ name: 'Cyd' }, params)).rejects.toMatchObject(LOST)
          })
        ).rejects.toMatchObject(LOST)
        await people.create({ name: 'Dan' })
      })

      expect(await names()).toEqual(['Ada', 'Dan'])
      expect(heard).toEqual(['Ada', 'Dan'])
    })
  },
  [POSTGRES]
)

describeDatabases(
  'a connection that breaks in a transaction',
  (database) => {
    it('is its end: nothing is stored, calls and commit are refused, and the pool has another one', async () => {
      const opened = await open(database)
      const { db, people, names, heard, inHooks } = opened
      const later: unknown[] = []

      await expect(
        inHooks(async (current) => {
          const params = { transaction: current }

          await people.create({ name: 'Ada' }, params)
          await kill(database, db, current)
          for (const name of ['Bob', 'Cyd']) {
            await people.create({ name }, params).catch((error: unknown) => later.push(error))
          }
        })
      ).rejects.toMatchObject(LOST)

      expect(later).toMatchObject([{ code: 503 }, LOST])
      expect([await names(), heard]).toEqual([[], []])
      await withTransactionStill(opened)
    })

    it('hides no error of the application', async () => {
      const { db, people, inHooks } = await open(database)

      await expect(
        inHooks(async (current) => {
          await people.create({ name: 'Ada' }, { transaction: current })
          await kill(database, db, current)
          throw new Error('no')
        })
      ).rejects.toThrow('no')
      // The pool may give the connection away once more before it hears of its end.
      await until(async () => expect(await people.find()).toEqual([]))
    })
  },
  [POSTGRES, MARIADB]
)

/** Has the server end the connection of a transaction. */
async function kill({ name }: TestDatabase, db: Kysely<any>, { trx }: Transaction): Promise<void> {
  if (name === 'PostgreSQL') {
    const { rows } = await sql<any>`select pg_backend_pid() as id`.execute(trx)

    await sql`select pg_terminate_backend(${rows[0].id}, 5000)`.execute(db)
  } else {
    const { rows } = await sql<any>`select connection_id() as id`.execute(trx)

    await sql`kill ${sql.lit(rows[0].id)}`.execute(db)
  }
}

describeDatabases(
  'a lock that does not come',
  (database) => {
    it('is an error that can be caught: the transaction is still there', async () => {
      const { people, names, inHooks } = await open(database)
      const [one] = await people.create([{ name: 'one' }])
      const isLocked = defer()
      const isDone = defer()
      const owner = inHooks(async (current) => {
        await people.patch(one.id, { count: 1 }, { transaction: current })
        isLocked.resolve()
        await isDone.promise
      })

      await isLocked.promise
      await inHooks(async (current) => {
        const params = { transaction: current }

        await people.create({ name: 'Ada' }, params)
        await (database.name === 'PostgreSQL'
          ? sql`set local lock_timeout = 50`
          : sql`set session innodb_lock_wait_timeout = 1`
        ).execute(current.trx)
        await expect(people.patch(one.id, { count: 2 }, params)).rejects.toMatchObject({ code: 503 })
        await people.create({ name: 'Bob' }, params)
      })
      isDone.resolve()
      await owner

      expect(await names()).toEqual(['one', 'Ada', 'Bob'])
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases(
  'an answer that does not come in time',
  (database) => {
    /** A pool with a single connection that does not wait long. */
    async function openImpatient(connectionString: string, patience: number) {
      const pool = openPool({ connectionString, max: 1, query_timeout: patience })
      const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })

      onTestFinished(() => db.destroy())

      return { pool, ...(await open(database, undefined, db)) }
    }

    it('does not leave a connection in the pool that is still in the transaction', async () => {
      const { app, pool, db, people, names } = await openImpatient(POSTGRES_URL, 400)
      const { id } = await people.create({ name: 'Ada' })
      const owner = await db.startTransaction().execute()
      const isBack = once(pool, 'release')

      await sql`select 1 from alula_lost for update`.execute(owner)
      await expect(
        withTransaction(app, async () => {
          await people.create({ name: 'Bob' })
          await people.patch(id, { count: 1 })
        })
      ).rejects.toMatchObject({ code: 503 })
      // Longer than it takes to give up an attempt to roll back.
      await sql`select pg_sleep(0.9)`.execute(db)
      await owner.rollback().execute()
      await isBack
      await people.create({ name: 'Cyd' })

      expect((await sql<any>`select name from alula_lost order by id`.execute(db)).rows).toEqual([
        { name: 'Ada' },
        { name: 'Cyd' }
      ])
      expect(await names()).toEqual(['Ada', 'Cyd'])
    })

    it('is waited for once, however much has to be undone', async () => {
      const proxy = await startProxy(POSTGRES_URL)
      const url = new URL(POSTGRES_URL)

      url.port = new URL(proxy.url).port

      const { app, pool, people, names } = await openImpatient(url.href, 3000)
      const begin = performance.now()

      await expect(
        withTransaction(app, async () => {
          await people.create({ name: 'Ada' })
          await withTransaction(app, async () => {
            await people.create({ name: 'Bob' })
            proxy.mute()
            await people.create([{ name: 'Cyd' }])
          })
        })
      ).rejects.toMatchObject({ code: 503 })

      expect(performance.now() - begin).toBeLessThan(6000)

      const isBack = once(pool, 'release')

      proxy.mend()
      await isBack
      expect(await names()).toEqual([])
    })
  },
  [POSTGRES]
)
