// Kills processes while they write, and looks for what they had acknowledged. Needs the built package, and for
// PostgreSQL the server of the tests.
//
//   node scripts/kill-writers.mjs [rounds]      500 for each database by default

import { join } from 'node:path'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'
import { findLosses, killWriter } from '../test/support/writers.mjs'
import { createReport } from './support/report.mjs'
import { createTempFolder } from './support/temp.mjs'

const ROUNDS = Number(process.argv[2] ?? 500)
const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
const TABLE = 'alula_kill_script'

const report = createReport()
const folder = createTempFolder()

for (const journal of ['delete', 'wal']) {
  const database = join(folder, `${journal}.db`)
  const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(database) }) })

  await report.check(`SQLite with the journal ${journal}`, () =>
    killWriters(db, 'integer primary key autoincrement', Math.ceil(ROUNDS / 2), { database, journal })
  )
}

await report.check('PostgreSQL', () => {
  const pool = new Pool({ connectionString: POSTGRES_URL })

  return killWriters(new Kysely({ dialect: new PostgresDialect({ pool }) }), 'serial primary key', ROUNDS, {
    database: POSTGRES_URL
  })
})

report.finish()

/** Kills writers round after round; throws when a record is gone that one of them had acknowledged. */
async function killWriters(db, idType, rounds, target) {
  const all = new Map()

  try {
    await sql`drop table if exists ${sql.table(TABLE)}`.execute(db)
    await sql`create table ${sql.table(TABLE)} (id ${sql.raw(idType)}, name text unique, text text)`.execute(
      db
    )

    for (let round = 0; round < rounds; round++) {
      for (const [id, name] of await killWriter({ ...target, table: TABLE, round })) {
        if (all.has(id)) throw new Error(`The id ${id} was given twice`)
        all.set(id, name)
      }

      const losses = findLosses(all, await db.selectFrom(TABLE).select(['id', 'name']).execute())

      if (losses.length > 0) throw new Error(`After ${round + 1} kills:\n${losses.join('\n')}`)
    }

    return `${rounds} kills, ${all.size} acknowledged records, all there`
  } finally {
    await sql`drop table if exists ${sql.table(TABLE)}`.execute(db)
    await db.destroy()
  }
}
