import { describe } from 'vitest'
import { kysely } from '../../../src/kysely.ts'
import { memory } from '../../../src/memory.ts'
import { createTable, describeDatabases } from '../../support/sql.ts'

/** Makes a service of notes in some store. Its statements are told to `onStatement`. */
export type CreateStore = (onStatement?: (sql: string) => void) => Promise<any>

const OPTIONS = { multi: true, operators: ['$not', '$nor'], paginate: { default: 50, max: 100 } }

/** Runs the same tests on memory and on three databases. */
export function describeStores(title: string, table: string, define: (create: CreateStore) => void): void {
  describe(`${title} in memory`, () => define(async () => memory(OPTIONS)))

  describeDatabases(title, (database) => {
    define(async (onStatement) => {
      const { countedId, text, boolean } = database
      const quote = (name: string) => (database.name === 'MariaDB' ? `\`${name}\`` : `"${name}"`)
      const db = await createTable(
        database,
        table,
        `id ${countedId}, text ${text}, age integer, open ${boolean}, ${quote('ownerId')} integer`,
        ({ query }) => onStatement?.(query.sql)
      )

      return kysely({ ...OPTIONS, Model: db, name: table })
    })
  })
}
