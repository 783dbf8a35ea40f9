// Databases repeat values and words of triggers in the messages of errors: a client chooses the former.
import { Kysely, MysqlDialect, sql } from 'kysely'
import { createPool } from 'mysql2'
import { expect, it, onTestFinished } from 'vitest'
import { kysely, toFeathersError, withTransaction } from '../../src/kysely.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  MARIADB_URL,
  POSTGRES,
  type TestDatabase
} from '../support/sql.ts'

const TABLE = 'alula_messages'

/** What raises an error for the text 'paid'. */
const TRIGGERS: { readonly [name: string]: readonly string[] } = {
  SQLite: [
    `create trigger alula_closed before insert on ${TABLE} when new.text = 'paid' begin
      select raise(abort, 'An invoice in closed state cannot be changed'); end`
  ],
  PostgreSQL: [
    `create or replace function alula_closed() returns trigger language plpgsql as $$ begin
      if new.text = 'paid' then raise exception 'An invoice in closed state cannot be changed'; end if;
      return new; end $$`,
    `create trigger alula_closed before insert on ${TABLE} for each row execute function alula_closed()`
  ],
  MariaDB: [
    `create trigger alula_closed before insert on ${TABLE} for each row begin if new.text = 'paid' then
      signal sqlstate '45000' set message_text = 'An invoice in closed state cannot be changed'; end if; end`
  ]
}

async function open(database: TestDatabase, type = 'varchar(100) unique') {
  const db = await createTable(database, TABLE, `id ${database.countedId}, text ${type}`)

  return { db, records: kysely({ Model: db, name: TABLE, multi: true }) }
}

async function failureOf(call: Promise<unknown>): Promise<any> {
  return await call.then(
    (result) => expect.unreachable(`expected an error, got ${JSON.stringify(result)}`),
    (error) => error
  )
}

describeDatabases('words of a lost connection', (database) => {
  it('in a value that is taken, or said by a trigger, do not end the transaction', async () => {
    const { db, records } = await open(database)

    if (database === POSTGRES) {
      onTestFinished(async () => void (await sql`drop function alula_closed() cascade`.execute(db)))
    }
    for (const statement of TRIGGERS[database.name] ?? []) await sql.raw(statement).execute(db)
    await records.create({ text: 'connection lost' })
    await withTransaction(db, async () => {
      await records.create({ text: 'first' })
      expect(await failureOf(records.create({ text: 'connection lost' }))).toMatchObject({
        code: 409,
        errors: { text: 'is taken' }
      })
      expect(await failureOf(records.create({ text: 'paid' }))).toMatchObject({ code: 400 })
      await records.create({ text: 'last' })
    })

    expect((await records.find()).map(({ text }) => text)).toEqual(['connection lost', 'first', 'last'])
  })
})

describeDatabases(
  'words of a lost connection in a value that the type refuses',
  (database) => {
    it('are a BadRequest that leaves the transaction as it was', async () => {
      const { db, records } = await open(database, database === POSTGRES ? 'inet' : 'time')

      await withTransaction(db, async () => {
        for (const text of ['query read timeout', 'connection lost']) {
          expect(await failureOf(records.create({ text }))).toMatchObject({ code: 400 })
        }
        await records.create({})
      })

      expect(await records.find()).toHaveLength(1)
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases('a value with the words of an error', (database) => {
  it.each(["a' for key 'b", "a' for key 'b'", "'id'", 'key (id)=(1)'])(
    'does not change the field that a conflict names: %s',
    async (text) => {
      const { records } = await open(database)

      await records.create({ text })

      expect(await failureOf(records.create({ text }))).toMatchObject({
        code: 409,
        errors: { text: 'is taken' }
      })
    }
  )
})

describeDatabases(
  'a value that names another column',
  (database) => {
    it.each([
      "column 'text'",
      "Column 'text' cannot",
      "x' for column `t`.`text` at row 1",
      "' for column 'text' at row 1"
    ])('does not choose the field of the error: %s', async (value) => {
      const db = await createTable(database, TABLE, `id ${database.countedId}, text varchar(100), time time`)
      const records = kysely({ Model: db, name: TABLE })
      const { code, errors } = await failureOf(records.create({ time: value }))

      expect({ code, errors }).toEqual({ code: 400, errors: { time: 'cannot be stored' } })
    })
  },
  [MARIADB]
)

describeDatabases(
  'a database that is busy',
  (database) => {
    it.each([{ queueLimit: 1 }, { waitForConnections: false }])(
      'is a 503 where a pool takes no more calls: %o',
      async (options) => {
        await open(database)

        const pool = createPool({ uri: MARIADB_URL, connectionLimit: 1, ...options })
        const db = new Kysely<any>({ dialect: new MysqlDialect({ pool }) })
        const records = kysely({ Model: db, name: TABLE })

        onTestFinished(() => db.destroy())
        await records.find()

        const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => records.find()))
        const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))

        expect(reasons.length).toBeGreaterThan(0)
        for (const reason of reasons) expect(reason).toMatchObject({ code: 503 })
      }
    )

    it('is a 503 where others have changed a record since it was read', () => {
      const message = "Record has changed since last read in table 'people'"
      const error = Object.assign(new Error(message), { errno: 1020, sqlState: 'HY000' })

      expect(toFeathersError(error)).toMatchObject({ code: 503 })
    })
  },
  [MARIADB]
)
