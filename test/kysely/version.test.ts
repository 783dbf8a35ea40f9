import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { describeDatabases, MARIADB, POSTGRES } from '../support/sql.ts'

// `scripts/test-databases.mjs` says which version it is.
describeDatabases(
  'the version',
  ({ name, open }) => {
    it('is that of the table of results', async () => {
      const db = open()

      onTestFinished(() => db.destroy())

      const { rows } = await sql<{ version: string }>`select version() as version`.execute(db)
      const [, number] = /(\d+\.\d+)/.exec(rows[0]?.version ?? '') ?? []

      expect(`${name} ${number}.`).toContain(`${process.env.TEST_VERSION ?? name}`)
    })
  },
  [POSTGRES, MARIADB]
)
