import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { scaled } from '../support/scale.ts'
import { createTable, describeDatabases, POSTGRES, POSTGRES_URL, SQLITE } from '../support/sql.ts'
import { findLosses, killWriter } from '../support/writers.mjs'

const COLUMNS = 'name text unique, text text'
const TABLE = 'alula_kill'

/** Kills writers one after another; what each has acknowledged must be there. */
async function killWriters(
  db: Kysely<any>,
  rounds: number,
  target: { database: string; journal?: string }
): Promise<void> {
  const all = new Map<number, string>()

  for (let round = 0; round < rounds; round++) {
    const acknowledged = await killWriter({ ...target, table: TABLE, round })

    for (const [id, name] of acknowledged) {
      expect(all.has(id)).toBe(false)
      all.set(id, name)
    }

    expect(findLosses(all, await db.selectFrom(TABLE).select(['id', 'name']).execute())).toEqual([])
  }

  expect(all.size).toBeGreaterThan(0)
}

describeDatabases('a process that is killed while it writes to', () => {
  it.each(['delete', 'wal'])(
    'loses nothing that was acknowledged, with the journal %s',
    async (journal) => {
      const directory = await mkdtemp(join(tmpdir(), 'alula-kill-'))
      const database = join(directory, 'records.db')
      const db = new Kysely<any>({ dialect: new SqliteDialect({ database: new Database(database) as any }) })

      onTestFinished(async () => {
        await db.destroy()
        await rm(directory, { recursive: true })
      })
      await sql`create table ${sql.table(TABLE)} (id ${sql.raw(SQLITE.countedId)}, ${sql.raw(COLUMNS)})`.execute(
        db
      )
      await killWriters(db, scaled(25), { database, journal })
      expect((await sql<any>`pragma integrity_check`.execute(db)).rows).toEqual([{ integrity_check: 'ok' }])
    },
    600_000
  )
}, [SQLITE])

describeDatabases('a process that is killed while it writes to', () => {
  it('loses nothing that was acknowledged', async () => {
    const db = await createTable(POSTGRES, TABLE, `id ${POSTGRES.countedId}, ${COLUMNS}`)

    await killWriters(db, scaled(50), { database: POSTGRES_URL })
  }, 600_000)
}, [POSTGRES])
