import { type Kysely, sql } from 'kysely'
import { onTestFinished } from 'vitest'
import type { TestDatabase } from '../../support/sql.ts'

/**
 * Creates tables with an `id` and these columns, none of which is null, with an index for each of their integers, for one test. Files that run at the same time have
 * different prefixes.
 */
export async function openTables(
  database: TestDatabase,
  prefix: string,
  columns: { readonly [name: string]: string },
  log?: (statement: string) => void
): Promise<Kysely<any>> {
  const db = database.open((event: any) => log?.(event.query.sql))
  const run = (statement: string) => sql.raw(statement).execute(db)
  const drop = async () => {
    for (const name of Object.keys(columns)) await run(`drop table if exists ${prefix}${name}`)
  }

  await drop()
  onTestFinished(async () => {
    await drop()
    await db.destroy()
  })

  for (const [name, list] of Object.entries(columns)) {
    const defined = list.split(', ').map((column) => `${column} not null`)

    await run(`create table ${prefix}${name} (id integer primary key, ${defined.join()})`)

    for (const [, column] of list.matchAll(/(\w+) integer/g)) {
      await run(`create index ${prefix}${name}_${column} on ${prefix}${name} (${column})`)
    }
  }

  return db
}
