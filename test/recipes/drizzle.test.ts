import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { adapterTests } from 'alula-testing/adapters'
import { drizzle } from 'drizzle-orm/node-postgres'
import { boolean, doublePrecision, pgTable, serial, text, timestamp } from 'drizzle-orm/pg-core'
import { afterAll, describe, it } from 'vitest'
import { createPackageFolder } from '../support/package-folder.ts'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { expectSession } from '../support/session.ts'
import { createDatabase, describeDatabases, openPool, POSTGRES, POSTGRES_URL } from '../support/sql.ts'

const page = await readPage('recipes/19-drizzle')
const [adapter, program] = readBlocks(page, 'js') as [string, string]

describeDatabases('The adapter for Drizzle of the recipe', () => {
  it('responds as shown', async () => {
    const url = await createDatabase(POSTGRES)
    const db = POSTGRES.open(undefined, url)

    await db.schema
      .createTable('notes')
      .addColumn('id', 'integer', (column) => column.primaryKey().generatedByDefaultAsIdentity())
      .addColumn('text', 'text', (column) => column.notNull().unique())
      .addColumn('done', 'boolean', (column) => column.notNull().defaultTo(false))
      .addColumn('due', 'timestamptz')
      .execute()
    await db.destroy()

    const own = program.replace(/^import \{ DrizzleService.*$/m, '')
    const { address } = await runServer(toModule(adapter, own), { DATABASE_URL: url })

    await expectSession(readBlocks(page, 'console'), { 'localhost:3030': address })
  })

  const folder = createPackageFolder()
  const file = join(folder, 'drizzle-service.mjs')
  const pool = openPool({ connectionString: POSTGRES_URL, max: 2 })
  const db = drizzle(pool)
  const table = pgTable('recipe_drizzle', {
    id: serial().primaryKey(),
    name: text(),
    age: doublePrecision(),
    team: text(),
    position: doublePrecision(),
    active: boolean(),
    joined: timestamp({ withTimezone: true })
  })

  writeFileSync(file, adapter)
  afterAll(async () => {
    await pool.query('drop table if exists recipe_drizzle')
    await pool.end()
    rmSync(folder, { recursive: true })
  })

  adapterTests({ describe, it } as any, {
    name: 'the recipe',
    create: async (options) => {
      const { DrizzleService } = await import(pathToFileURL(file).href)

      await pool.query(`
          drop table if exists recipe_drizzle;
          create table recipe_drizzle (
            id serial primary key, name text collate "C", age double precision, team text collate "C",
            position double precision, active boolean, joined timestamptz
          )`)

      return new DrizzleService({ ...options, db, table })
    },
    ids: ['number'],
    features: {
      missing: false,
      mixedTypes: false,
      codeUnits: false,
      objects: false,
      insertionOrder: false
    },
    random: { runs: 5 },
    skip: [
      'every record without an id gets one of its own',
      'ids that the store makes skip those that are taken',
      'ids that the store makes skip those that are chosen in the same array',
      'a string that is exactly how a date is written finds the date',
      'a number that no id can be is a NotFound'
    ]
  })
}, [POSTGRES])
