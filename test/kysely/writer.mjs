// A process that writes until it is killed, and says what was acknowledged: `ready`, then an id for each line.

import { writeSync } from 'node:fs'
import { alula } from 'alula'
import { kysely, withTransaction } from 'alula/kysely'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'

const { DATABASE, JOURNAL, TABLE, ROUND } = process.env
const db = new Kysely({ dialect: await createDialect() })
const app = alula()
let count = 0

async function createDialect() {
  if (DATABASE.startsWith('postgres:')) {
    const { Pool } = await import('pg')

    return new PostgresDialect({ pool: new Pool({ connectionString: DATABASE, max: 4 }) })
  }

  const { default: Database } = await import('libsql')
  const database = new Database(DATABASE)

  database.pragma(`journal_mode = ${JOURNAL}`)

  return new SqliteDialect({ database })
}

/** Says which records the service has acknowledged, at once: what waits in a buffer dies with the process. */
function acknowledge(...records) {
  writeSync(1, records.map(({ id, name }) => `${id} ${name}\n`).join(''))
}

/** What nobody else writes, long enough that a record does not fit a write of the disk by chance. */
function next() {
  return { name: `${ROUND}-${++count}`, text: 'x'.repeat((count * 37) % 2000) }
}

async function write(turn) {
  const records = app.service('records')

  switch (turn % 4) {
    case 0:
      return acknowledge(await records.create(next()))
    case 1:
      return acknowledge(...(await records.create([next(), next(), next()])))
    case 2: {
      const both = await withTransaction(app, async () => [
        await records.create(next()),
        await records.create(next())
      ])

      return acknowledge(...both)
    }
    default: {
      const { id } = await records.create({ name: `${ROUND}-draft-${++count}` })

      return acknowledge(await records.patch(id, next()))
    }
  }
}

app.use('records', kysely({ Model: db, name: TABLE, multi: true }))
await sql`select 1`.execute(db)
writeSync(1, 'ready\n')

async function writeOn(first) {
  for (let turn = first; ; turn++) await write(turn)
}

await Promise.all([0, 1, 2, 3].map(writeOn))
