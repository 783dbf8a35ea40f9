import { Kysely, MysqlDialect, PostgresDialect, type SqliteDatabase, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { createPool } from 'mysql2'
import { types } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { checkout } from '../../src/kysely/checkout.ts'
import { kysely, table } from '../../src/kysely.ts'
import { many } from '../../src/schema.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  MARIADB_URL,
  openPool,
  POSTGRES,
  POSTGRES_URL,
  SQLITE
} from '../support/sql.ts'
import { nextWarning } from '../support/warnings.ts'

const NAME = 'alula_driven'
const BYTEA = 17
const JSON_TYPES = [114, 3802]

/** Opens PostgreSQL with a driver that leaves some types as the server sends them. */
function openRaw(oids: readonly number[]): Kysely<any> {
  const getTypeParser = (oid: number, format: any) =>
    oids.includes(oid) ? (text: string) => text : types.getTypeParser(oid, format)

  return new Kysely({
    dialect: new PostgresDialect({
      pool: openPool({ connectionString: POSTGRES_URL, types: { getTypeParser } as any })
    })
  })
}

describeDatabases(
  'a driver that returns another type',
  (database) => {
    it('is named when the application starts, with the column', async () => {
      const type = database === POSTGRES ? 'bytea' : 'blob'

      await createTable(database, NAME, `id ${database.countedId}, picture ${type}`)

      const db =
        database === POSTGRES
          ? openRaw([BYTEA])
          : new Kysely<any>({
              dialect: new MysqlDialect({
                pool: createPool({
                  uri: MARIADB_URL,
                  typeCast: (field, next) =>
                    field.type.endsWith('STRING') || field.type === 'BLOB' ? field.string('utf8') : next()
                })
              })
            })
      const sentence = `The driver returns a string for the column 'picture' of table '${NAME}', which has the type ${type}: expected bytes.`
      const warned = nextWarning('ALULA_UNSUPPORTED_DATABASE')
      const app = alula()

      onTestFinished(() => db.destroy())
      app.use('notes', kysely({ Model: db, name: NAME }))
      await app.setup()

      expect((await warned).message).toContain(sentence)
      await expect(app.service('notes').find()).rejects.toMatchObject({ code: 500 })

      const strict = alula()

      strict.use('notes', kysely({ Model: db, name: NAME }), { schema: table() })
      await expect(strict.setup()).rejects.toThrow(sentence)
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases(
  'a driver that does not parse JSON',
  (database) => {
    it('reads it all the same', async () => {
      await createTable(database, NAME, `id ${database.countedId}, one json, other jsonb`)

      const db = openRaw(JSON_TYPES)
      const notes: any = kysely({ Model: db, name: NAME })

      onTestFinished(() => db.destroy())
      for (const value of ['text', '"text"', 7, { a: [1] }]) {
        expect(await notes.create({ one: value, other: value })).toMatchObject({ one: value, other: value })
      }
    })

    it('reads it also of related records, whether a page reads them or not', async () => {
      await createTable(database, NAME, `id ${database.countedId}, owner integer, one json, other jsonb`)

      const db = openRaw(JSON_TYPES)
      const app: any = alula()
      const values = ['text', '"text"', '5', 7, true, { a: [1] }, null]

      onTestFinished(() => db.destroy())
      await sql`create index on ${sql.table(NAME)} (owner)`.execute(db)
      app.use('notes', kysely({ Model: db, name: NAME, multi: true, paginate: { default: 1 } }), {
        schema: table({ relations: { notes: many('notes', { to: 'owner' }) } })
      })
      await app.setup()
      await app.service('notes').create(values.map((value) => ({ owner: 1, one: value, other: value })))

      const query = { id: 1, $include: 'notes' }
      const { data } = await app.service('notes').find({ query })

      expect(data[0].notes.map(({ one, other }: any) => [one, other])).toEqual(
        values.map((value) => [value, value])
      )
      expect(await app.service('notes').find({ query, paginate: false })).toEqual(data)
    })
  },
  [POSTGRES]
)

/** Opens PostgreSQL with a setting of the server. */
function openWith(setting: string): Kysely<any> {
  const url = new URL(POSTGRES_URL)

  url.searchParams.set('options', `-c ${setting}`)

  return POSTGRES.open(undefined, url.href)
}

describeDatabases(
  'a server',
  (database) => {
    it.each(['hex', 'escape'])(
      'writes lists of bytes in the format %s, and they are read',
      async (format) => {
        await createTable(database, NAME, `id ${database.countedId}, bytes bytea[]`)

        const db = openWith(`bytea_output=${format}`)
        const service: any = kysely({ Model: db, name: NAME })
        const texts = ['\0\\\'"xa\u00ff', '\\x61', '\\\\', '\\101', '']
        const bytes = [...texts.map((text) => Buffer.from(text, 'latin1').toString('base64')), null]

        onTestFinished(() => db.destroy())
        await service.create({ bytes })
        expect((await service.get(1)).bytes).toEqual(bytes)
      }
    )

    it('that rounds numbers is named when the application starts, with the column', async () => {
      await createTable(database, NAME, `id ${database.countedId}, name text, sizes double precision[]`)

      const db = openWith('extra_float_digits=0')
      const app = alula()
      const warned = nextWarning('ALULA_UNSUPPORTED_DATABASE')
      const sentence = `The setting 'extra_float_digits' of the server is less than 1: it would round numbers in the column 'sizes' of table '${NAME}'.`

      onTestFinished(() => db.destroy())
      app.use('notes', kysely({ Model: db, name: NAME }))
      await app.setup()

      expect((await warned).message).toContain(sentence)
      await expect(app.service('notes').find()).rejects.toMatchObject({ code: 500 })
    })

    it('that rounds numbers serves tables without them', async () => {
      await createTable(database, NAME, `id ${database.countedId}, price numeric`)

      const db = openWith('extra_float_digits=0')
      const service: any = kysely({ Model: db, name: NAME })

      onTestFinished(() => db.destroy())
      expect(await service.create({ price: '0.1234567890123456789' })).toEqual({
        id: 1,
        price: '0.1234567890123456789'
      })
    })
  },
  [POSTGRES]
)

describeDatabases(
  'options that Kysely 0.29 has for a statement, such as an abort signal,',
  (database) => {
    const options = { signal: new AbortController().signal }

    it('come to the driver', async () => {
      const db = database.open()
      const executor: any = db.getExecutor()
      const given: unknown[] = []
      const provide = executor.provideConnection.bind(executor)

      onTestFinished(() => db.destroy())
      executor.provideConnection = (consumer: unknown, further: unknown) => {
        given.push(further)

        return provide(consumer)
      }
      kysely({ Model: db, name: 'alula_drivers' })
      await executor.provideConnection(async () => undefined, options)

      expect(given).toEqual([options])
    })

    it('come to the connection of a transaction', async () => {
      const db = database.open()
      const given: unknown[] = []

      onTestFinished(() => db.destroy())
      await db.transaction().execute(async (trx) => {
        const own: any = trx.getExecutor()

        Object.assign(own, {
          executeQuery: async (_query: unknown, further: unknown) => given.push(further),
          provideConnection: async (_consumer: unknown, further: unknown) => given.push(further)
        })

        const executor: any = checkout(trx as any, (run) => run()).getExecutor()

        await executor.executeQuery(sql`select 1`.compile(db), options)
        await executor.provideConnection(async () => undefined, options)
      })

      expect(given).toEqual([options, options])
    })
  },
  [SQLITE]
)

it('pages with cursors have a column named `__proto__`, of a driver whose rows have it', async () => {
  const source: any = new Database(':memory:')
  const database: SqliteDatabase = {
    prepare(text) {
      const statement = source.prepare(text)
      const names: string[] = statement.reader ? statement.columns().map(({ name }: any) => name) : []
      const toRow = (values: unknown[]) =>
        Object.fromEntries(names.map((name, index) => [name, values[index]]))

      return {
        reader: statement.reader,
        run: (values) => statement.run(values),
        all: (values) => statement.raw().all(values).map(toRow),
        iterate: (values) => statement.iterate(values)
      }
    },
    close: () => source.close()
  }
  const Model = new Kysely<any>({ dialect: new SqliteDialect({ database }) })
  const service: any = kysely({ Model, name: NAME, paginate: { default: 10, cursor: true } })

  onTestFinished(() => Model.destroy())
  await sql`create table ${sql.id(NAME)} (id integer primary key, "__proto__" text)`.execute(Model)
  await sql`insert into ${sql.id(NAME)} values (1, 'a')`.execute(Model)

  const [record] = await kysely({ Model, name: NAME }).find()
  const { data } = await service.find()

  expect(Object.entries(record)).toEqual([
    ['id', 1],
    ['__proto__', 'a']
  ])
  expect(Object.entries(data[0])).toEqual(Object.entries(record))
})
