import { Kysely, PostgresDialect, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { createTable, describeDatabases, openPool, POSTGRES, POSTGRES_URL } from '../support/sql.ts'
import { until } from '../support/until.ts'

describeDatabases(
  'a statement that takes too long',
  (database) => {
    async function open(timeouts: object) {
      const owner = await createTable(database, 'alula_timeout', `id ${database.countedId}, number integer`)
      const pool = openPool({ connectionString: POSTGRES_URL, max: 3, ...timeouts })
      const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })
      const service: any = kysely({ Model: db, name: 'alula_timeout', multi: true })

      onTestFinished(() => db.destroy())
      await service.create([{ number: 1 }, { number: 2 }])
      // Connections that nobody uses: the next one is that which was used last.
      await Promise.all([service.find(), service.find(), service.find()])

      return { owner, pool, service }
    }

    /** Runs a function while a record is locked. */
    async function whileLocked(owner: Kysely<any>, run: () => Promise<void>): Promise<void> {
      await owner.transaction().execute(async (transaction) => {
        await sql`select * from alula_timeout where id = 1 for update`.execute(transaction)
        await run()
      })
    }

    it('keeps its connection, and others are served by the rest', async () => {
      const { owner, pool, service } = await open({ query_timeout: 300 })

      await whileLocked(owner, async () => {
        await expect(service.patch(1, { number: 3 })).rejects.toMatchObject({ name: 'Unavailable' })
        for (let turn = 0; turn < 3; turn++) expect(await service.get(2)).toEqual({ id: 2, number: 2 })
        expect(await service.create({ number: 4 })).toMatchObject({ number: 4 })
        expect(pool.idleCount).toBe(pool.totalCount - 1)
      })

      await until(() => expect(pool.idleCount).toBe(pool.totalCount))
      expect(await service.get(2)).toEqual({ id: 2, number: 2 })
    })

    it('is ended by the database with statement_timeout, and has changed nothing', async () => {
      const { owner, pool, service } = await open({ statement_timeout: 300, query_timeout: 3000 })

      await whileLocked(owner, async () => {
        await expect(service.patch(1, { number: 3 })).rejects.toMatchObject({ name: 'Unavailable' })
        expect(pool.idleCount).toBe(pool.totalCount)
      })

      expect(await service.get(1)).toEqual({ id: 1, number: 1 })
    })
  },
  [POSTGRES]
)
