import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { officialSuite, useMochaGlobals } from '../support/official-adapter-tests.ts'
import { describeDatabases } from '../support/sql.ts'

useMochaGlobals()

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
    officialSuite(app, path, id)
  }
})
