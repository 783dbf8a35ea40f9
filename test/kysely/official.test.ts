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

  beforeAll(async () => {
    await sql`drop table if exists alula_people`.execute(db)
    await sql`create table alula_people (customid ${sql.raw(database.countedId)}, name ${sql.raw(database.text)},
      age integer, time integer, created ${sql.raw(database.boolean)})`.execute(db)
  })

  afterAll(async () => {
    await sql`drop table alula_people`.execute(db)
  })

  app.use('alula_people', kysely({ Model: db, name: 'alula_people', id: 'customid', events: ['testing'] }))
  // The suite of alula runs with the usual name of the id.
  officialSuite(app, 'alula_people', 'customid')
})
