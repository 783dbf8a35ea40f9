import adapterTests from '@feathersjs/adapter-tests'
import { type Kysely, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest'
import * as errors from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { officialNames } from '../support/official-adapter-tests.ts'
import { describeDatabases } from '../support/sql.ts'

// The suite of Feathers v5 for adapters. It registers its cases with the globals of mocha.
Object.assign(globalThis, { describe, it, before: beforeAll, after: afterAll, beforeEach, afterEach })

// Its types are those of a CommonJS module.
const suite: any = (adapterTests as any).default ?? adapterTests

describeDatabases('the official suite', (database) => {
  const app = alula()
  const db: Kysely<any> = database.open()

  // What is registered last runs first.
  afterAll(() => db.destroy())

  for (const [path, id] of [
    ['alula_people', 'id'],
    ['alula_people_customid', 'customid']
  ] as const) {
    beforeAll(async () => {
      await sql`drop table if exists ${sql.table(path)}`.execute(db)
      await sql`create table ${sql.table(path)} (${sql.id(id)} ${sql.raw(database.countedId)},
        name ${sql.raw(database.text)}, age integer, time integer, created ${sql.raw(database.boolean)})`.execute(
        db
      )
    })

    afterAll(async () => {
      await sql`drop table ${sql.table(path)}`.execute(db)
    })

    app.use(path, kysely({ Model: db, name: path, id, events: ['testing'] }))
    suite(officialNames)(app, errors, path, id)
  }
})
