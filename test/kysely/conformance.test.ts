import { type AdapterTestOptions, adapterTests } from 'alula-testing/adapters'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { adapterGroups } from '../support/adapter-groups.ts'
import { scaled } from '../support/scale.ts'
import { describeDatabases, type TestDatabase } from '../support/sql.ts'

/** What a table cannot keep: the difference of null and missing, several types in a column, an order of its own. */
const FEATURES = {
  ...{ missing: false, mixedTypes: false, codeUnits: false, insertionOrder: false },
  ...{ cursors: true, lists: true, upsert: true }
}

/** What can differ where ids are text. */
const ABOUT_IDS = [
  'create',
  'ids',
  'several records at once',
  'calls at the same time',
  'beside the reference'
]

describeDatabases('the suite for adapters', (database) => {
  adapterTests({ describe, it }, open(database, 'id', database.countedId, ['number']))
  adapterGroups(ABOUT_IDS, open(database, '_id', database.textId, ['text']))
})

/** Options of the suite, for a table that is there while its tests run. */
function open(
  database: TestDatabase,
  id: string,
  idType: string,
  ids: readonly ('number' | 'text')[]
): AdapterTestOptions {
  const { text, number, boolean, date, json } = database
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

  return {
    name: `kysely with ids that are ${idType}`,
    id,
    ids,
    features: FEATURES,
    // Four random tests for each database: 5,000 programs.
    random: { runs: scaled(1_250) },
    create: async (wanted) => {
      await sql`drop index if exists alula_conformance_key ${
        database.name === 'MariaDB' ? sql`on ${sql.table(table)}` : sql``
      }`.execute(db)
      await db.deleteFrom(table).execute()

      if (wanted.upsert) {
        const key = sql.join(wanted.upsert.by.map((name) => sql.id(name)))

        await sql`create unique index alula_conformance_key on ${sql.table(table)} (${key})`.execute(db)
      }

      return kysely({ ...wanted, Model: db, name: table })
    }
  }
}
