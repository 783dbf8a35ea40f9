import { Kysely, PostgresDialect, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import express, { errorHandler, json, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { getTransaction, kysely, transaction, withTransaction } from '../../src/kysely.ts'
import { serve } from '../support/server.ts'
import { createTable, describeDatabases, openPool, POSTGRES, POSTGRES_URL } from '../support/sql.ts'
import { until } from '../support/until.ts'

const REQUESTS = 200
const CONNECTIONS = 5

describeDatabases(
  'requests whose clients go away',
  (database) => {
    it('give their connections back: two hundred do not exhaust a pool of five', async () => {
      await createTable(database, 'alula_gone', `id ${database.countedId}, name ${database.text}`)

      const pool = openPool({ connectionString: POSTGRES_URL, max: CONNECTIONS })
      const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })
      const app = express(alula())
      const clients = Array.from({ length: REQUESTS }, () => new AbortController())

      /** The client goes away while its transaction has a connection. */
      async function leave(name: string, transaction: Kysely<any>): Promise<void> {
        clients[Number(name)]?.abort()
        await sql`select pg_sleep(0.01)`.execute(transaction)
      }

      onTestFinished(() => db.destroy())
      app.use(json())
      app.configure(rest())
      app.use('items', kysely({ Model: db, name: 'alula_gone' }))
      app.use('functions', {
        create: ({ name }: any) =>
          withTransaction(app, async () => {
            await app.service('items').create({ name })
            await leave(name, await getTransaction(db))

            return await app.service('items').create({ name })
          })
      })
      app.use('hooked', kysely({ Model: db, name: 'alula_gone' }))
      app.service('hooked').hooks({
        before: {
          create: [
            transaction.start(),
            async ({ data, params }: any) => leave(data.name, await getTransaction(db, params))
          ]
        },
        after: { create: [transaction.end()] },
        error: { create: [transaction.rollback()] }
      })
      app.use(errorHandler({ logger: false }))

      const url = await serve(app as any)
      const post = (path: string, name: string, signal?: AbortSignal) =>
        fetch(`${url}/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name }),
          ...(signal && { signal })
        })
      const outcomes = await Promise.allSettled(
        clients.map(({ signal }, index) => post(index % 2 === 0 ? 'functions' : 'hooked', `${index}`, signal))
      )

      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([])
      expect((await post('functions', 'stays')).status).toBe(201)
      expect((await post('hooked', 'stays')).status).toBe(201)
      await until(() => expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0]), 20_000)
      expect(pool.totalCount).toBeLessThanOrEqual(CONNECTIONS)

      // What a client has begun ends without it: with both of its records, or with none.
      const { rows } =
        await sql<any>`select name, count(*)::int as count from alula_gone group by name`.execute(db)

      expect(rows).toHaveLength(REQUESTS + 1)
      for (const { name, count } of rows) {
        expect(count).toBe(name === 'stays' ? 3 : Number(name) % 2 === 0 ? 2 : 1)
      }
    })
  },
  [POSTGRES]
)
