import { expect, it } from 'vitest'
import { readBlocks, readPage, toJavaScript } from '../support/page.ts'
import { runProgram } from '../support/program.ts'
import { createDatabase, describeDatabases, POSTGRES } from '../support/sql.ts'

const [cockroach, errors, , suite] = readBlocks(await readPage('writing-a-dialect'), 'ts') as [
  string,
  string,
  string,
  string
]

describeDatabases(
  'The page about dialects',
  (database) => {
    it('has a dialect that orders in its own way', async () => {
      const program = toJavaScript(
        cockroach,
        `
await sql\`create table people (id serial primary key, name text)\`.execute(db)

const people = app.service('people')

await people.create({ name: null })
await people.create({ name: 'Ada' })
console.log('sorted', JSON.stringify(await people.find({ query: { $sort: { name: 1 } } })))
await db.destroy()
`
      )
      const { waitFor, end } = runProgram(program, { DATABASE_URL: await createDatabase(database) })

      // PostgreSQL puts null last by itself.
      expect(await waitFor('sorted')).toBe('sorted [{"id":2,"name":"Ada"},{"id":1,"name":null}]')
      expect(await end()).toBe(0)
    })

    it('has a suite whose tests run on the dialect', async () => {
      // All of them would take too long here: each clears the table.
      const chosen =
        '{ describe, it: Object.assign((name, ...rest) => /^(null and|.sort)/.test(name) && it(name, ...rest), it) }'
      const program = toJavaScript(
        cockroach.replace(/^ {2}toOrder.*$/m, ''),
        suite.replace('{ describe, it },', () => `${chosen},`),
        "import { after } from 'node:test'\nafter(() => db.destroy())"
      )
      const { waitFor, end } = runProgram(program, { DATABASE_URL: await createDatabase(database) })

      expect(Number(/pass (\d+)/.exec(await waitFor(' pass '))?.[1])).toBeGreaterThan(3)
      expect(await end()).toBe(0)
    })

    it('tells what the errors of a driver become', async () => {
      const calls = `
console.log('kinds', ['UNIQUE', 'NOT_NULL', 'BUSY', 'OFFLINE', 'x'].map((code) => String(other.toErrorKind({ code }))).join())
console.log('names', other.toErrorNames({ message: 'duplicate value in people.email' }).join())
`
      const { waitFor } = runProgram(toJavaScript(errors, calls))

      expect(await waitFor('kinds')).toBe('kinds conflict,missing,deadlock,unavailable,undefined')
      expect(await waitFor('names')).toBe('names email')
    })
  },
  [POSTGRES]
)
