import { type AdapterTestOptions, adapterTests } from 'alula-testing/adapters'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { scaled } from '../support/scale.ts'
import { describeDatabases, type TestDatabase } from '../support/sql.ts'

/** What a table cannot keep: the difference of null and missing, several types in a column, an order of its own. */
const FEATURES = { missing: false, mixedTypes: false, codeUnits: false, insertionOrder: false }

describeDatabases('the suite for adapters', (database) => {
  suite(database, { name: 'kysely with ids that are counted', ids: ['number'] }, database.countedId)
  suite(database, { name: 'kysely with ids that are text', id: '_id', ids: ['text'] }, database.textId)
})

function suite(
  database: TestDatabase,
  options: Pick<AdapterTestOptions, 'name' | 'id' | 'ids'>,
  idType: string
): void {
  const { text, number, boolean, date, json } = database
  const { id = 'id' } = options
  const table = `alula_conformance${id}`
  let db: Kysely<any>

  beforeAll(async () => {
    db = database.open()
    await sql`drop table if exists ${sql.table(table)}`.execute(db)
    await sql`create table ${sql.table(table)} (${sql.id(id)} ${sql.raw(idType)}, name ${sql.raw(text)},
      age ${sql.raw(number)}, team ${sql.raw(text)}, position integer, active ${sql.raw(boolean)},
      joined ${sql.raw(date)}, address ${sql.raw(json)}, tags ${sql.raw(json)})`.execute(db)
  })

  afterAll(async () => {
    await sql`drop table ${sql.table(table)}`.execute(db)
    await db.destroy()
  })

  adapterTests(
    { describe, it },
    {
      ...options,
      features: FEATURES,
      // Four random tests for each database: 5,000 programs.
      random: { runs: scaled(1_250) },
      create: async (wanted) => {
        await db.deleteFrom(table).execute()

        return kysely({ ...wanted, Model: db, name: table })
      }
    }
  )
}
