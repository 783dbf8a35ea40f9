import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { Kysely, Migrator, PostgresDialect, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { Type } from 'typebox'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { schema } from '../../src/schema.ts'
import { findPort } from '../support/redis.ts'
import { scaled } from '../support/scale.ts'
import {
  createDatabase,
  createTable,
  describeDatabases,
  openPool,
  POSTGRES,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'
import { until } from '../support/until.ts'

const NAME = 'alula_drift'

/** A module without types. */
const EXAMPLE: string = '../../examples/sql/migrations.js'

/** What is said of a schema when the application starts: the lines of the error, none where it starts. */
async function start(db: Kysely<any>, declared: any, name = NAME): Promise<readonly string[]> {
  const app = alula()

  app.use('notes', kysely({ Model: db, name }), { schema: declared })

  return await app.setup().then(
    () => [],
    ({ message }: Error) =>
      message
        .split('\n')
        .filter((line) => line.startsWith('- '))
        .map((line) => line.slice(2))
  )
}

async function compare(database: TestDatabase, columns: string, record: any, settings: object = {}) {
  return await start(await createTable(database, NAME, columns), schema(record, settings))
}

describeDatabases('drift', (database) => {
  const { name: databaseName, countedId, text, number, boolean, date, json } = database

  it('names what differs, a line each, and refuses the start', async () => {
    const Note = z.object({
      id: z.int(),
      title: z.string(),
      body: z.string(),
      done: z.boolean(),
      age: z.int(),
      due: z.date().nullable(),
      size: z.number(),
      extra: z.object({ a: z.string() }),
      mark: z.string().optional()
    })
    const lines = await compare(
      database,
      `id ${countedId}, titel ${text} not null, body ${text}, done ${text} not null, age ${date} not null,
       due ${date} not null, size ${boolean} not null, extra ${text} not null, mark ${text} not null`,
      Note
    )
    const type = { SQLite: 'text', PostgreSQL: 'text', MariaDB: 'varchar' }[databaseName]
    const dateType = { SQLite: 'timestamp', PostgreSQL: 'timestamptz', MariaDB: 'datetime' }[databaseName]
    const booleanType = { SQLite: 'boolean', PostgreSQL: 'bool', MariaDB: 'tinyint' }[databaseName]

    expect(lines).toEqual([
      "'title' has no column. Did you mean 'titel'?",
      "'body' is never null, and its column can be",
      `'done' is a boolean, and its column has the type ${type}`,
      `'age' is an integer, and its column has the type ${dateType}`,
      "'due' can be null, and its column cannot",
      `'size' is a number, and its column has the type ${booleanType}`,
      `'extra' is an object, and its column has the type ${type}: it needs a column of the type json`,
      "'mark' can be left out, and its column needs a value"
    ])
  })

  it('is none where a result may lack what every new record has', async () => {
    const record = z.object({ id: z.int(), mark: z.string().optional() })
    const db = await createTable(database, NAME, `id ${countedId}, mark ${text} not null`)
    const toSchema = (create: any) => schema({ record, create, patch: create.partial() })

    expect(await start(db, toSchema(z.object({ mark: z.string() })))).toEqual([])
    expect(await start(db, toSchema(z.object({ mark: z.string().optional() })))).toEqual([
      "'mark' can be left out, and its column needs a value"
    ])
  })

  it("warns and starts with drift: 'warn'", async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue()

    onTestFinished(() => emitWarning.mockRestore())

    expect(
      await compare(database, `id ${countedId}`, z.object({ id: z.int(), title: z.string() }), {
        drift: 'warn'
      })
    ).toEqual([])
    expect(emitWarning).toHaveBeenCalledWith(
      "The schema of service 'notes' and its table differ:\n- 'title' has no column",
      { code: 'ALULA_DRIFT' }
    )
  })

  it('says nothing of what fits, and of what the database cannot tell', async () => {
    const uuid = { SQLite: 'text', PostgreSQL: 'uuid', MariaDB: 'uuid' }[databaseName]
    const blob = { SQLite: 'blob', PostgreSQL: 'bytea', MariaDB: 'blob' }[databaseName]
    const columns = `id bigint primary key, a ${text} not null, b ${number} not null, c ${boolean} not null,
      d ${date} not null, e ${json} not null, f ${json}, g numeric(10, 2) not null, h numeric(10, 2) not null, i ${uuid} not null,
      j ${blob} not null, k ${text} not null default 'x', l ${date} not null, m ${text}, n integer not null,
      o integer not null default 7, p ${text} not null, extra ${text} not null`
    const Record = z.object({
      id: z.int(),
      a: z.enum(['x', 'y']).default('x'),
      b: z.number(),
      c: z.boolean(),
      d: z.date(),
      e: z.array(z.string()),
      f: z.unknown(),
      g: z.number(),
      h: databaseName === 'SQLite' ? z.number() : z.string(),
      i: z.uuid(),
      j: z.instanceof(Uint8Array),
      k: z.string().optional(),
      l: z.iso.datetime(),
      m: z.string().nullish(),
      n: z.union([z.string(), z.number()]),
      o: z.number().optional(),
      p: z.string().optional(),
      shown: z.string().optional()
    })

    expect(
      await compare(database, columns, Record, {
        server: { p: () => 'x' },
        computed: { shown: { from: ['a'], many: (records: any[]) => records.map(() => 'x') } }
      })
    ).toEqual([])
  })

  it('names all kinds that a field may have', async () => {
    expect(
      await compare(database, `id ${countedId}, n ${date} not null`, {
        type: 'object',
        properties: { id: { type: 'integer' }, n: { type: ['string', 'number'] } },
        required: ['id', 'n']
      })
    ).toEqual([expect.stringMatching(/^'n' is a string or a number, and its column has the type /)])
  })

  it('says nothing of what any value is, of defaults, and of what only some records must have', async () => {
    const columns = `id ${countedId}, a ${boolean} not null, b ${text} not null, c ${text} not null, d ${text}, e ${date}`

    expect(
      await compare(database, columns, {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          a: {},
          b: { default: 1 },
          c: { type: 'string', default: 'x' },
          d: { type: 'string' },
          e: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] }
        },
        anyOf: [{ required: ['id', 'd'] }, { required: ['id'] }]
      })
    ).toEqual([])
  })

  it('says nothing of views but for columns and kinds', async () => {
    const db = await createTable(database, NAME, `id ${countedId}, title ${text} not null, age integer`)
    const view = `${NAME}_view`

    onTestFinished(() => sql`drop view if exists ${sql.table(view)}`.execute(db).then(() => undefined))
    await sql`drop view if exists ${sql.table(view)}`.execute(db)
    await sql`create view ${sql.table(view)} as select id, upper(title) as title from ${sql.table(NAME)}`.execute(
      db
    )

    const Title = z.object({ id: z.int(), title: z.string() })

    expect(await start(db, schema(Title), view)).toEqual([])
    expect(await start(db, schema(Title.extend({ age: z.int() })), view)).toEqual(["'age' has no column"])
    await sql`drop view ${sql.table(view)}`.execute(db)
  })

  it('names each of the differences of altered tables, and no other', { timeout: 300_000 }, async () => {
    const db = database.open()
    let count = 0

    onTestFinished(() => db.destroy())

    await fc.assert(
      fc.asyncProperty(fc.array(alterations(database), { minLength: 1, maxLength: 8 }), async (fields) => {
        const name = `alula_drift_${count++}`
        const columns = fields.flatMap(({ column }, index) => (column ? [`f${index} ${column}`] : []))
        const shape = Object.fromEntries(fields.map(({ type }, index) => [`f${index}`, type]))
        const named = fields.flatMap(({ isDrift }, index) => (isDrift ? [`f${index}`] : []))

        await sql`drop table if exists ${sql.table(name)}`.execute(db)
        await sql`create table ${sql.table(name)} (${sql.raw([`id ${countedId}`, ...columns].join(', '))})`.execute(
          db
        )

        try {
          const lines = await start(db, schema(z.object({ id: z.int(), ...shape })), name)

          expect(lines.map((line) => line.split("'")[1])).toEqual(named)
        } finally {
          await sql`drop table ${sql.table(name)}`.execute(db)
        }
      }),
      { numRuns: scaled(200) }
    )
  })
})

describeDatabases(
  'drift of lists',
  (database) => {
    it('names lists whose elements are of another kind', async () => {
      const columns = `id serial primary key, a text[] not null, b integer[] not null, c text[] not null,
        d bigint[] not null, e numeric[] not null, f timestamptz[] not null, g jsonb[] not null, h inet[] not null`

      expect(
        await compare(
          database,
          columns,
          z.object({
            id: z.int(),
            a: z.array(z.int()),
            b: z.array(z.union([z.string(), z.boolean()])),
            c: z.array(z.array(z.string()))
          })
        )
      ).toEqual([
        "each element of 'a' is an integer, and the column has the type text[]",
        "each element of 'b' is a string or a boolean, and the column has the type int4[]",
        "each element of 'c' is a list, and the column has the type text[]"
      ])
      expect(
        await compare(
          database,
          columns,
          z.object({
            id: z.int(),
            a: z.array(z.enum(['x', 'y'])),
            b: z.array(z.number()),
            c: z.array(z.unknown()),
            d: z.array(z.int()),
            e: z.array(z.number()),
            f: z.array(z.iso.datetime()),
            g: z.array(z.object({ a: z.string() })),
            h: z.array(z.string())
          })
        )
      ).toEqual([])
    })
  },
  [POSTGRES]
)

/** A field with its column: as it should be, or altered. */
interface Altered {
  readonly type: z.ZodType
  /** `undefined` for one that is missing. */
  readonly column: string | undefined
  readonly isDrift: boolean
}

const FORMS = {
  required: (type: z.ZodType) => type,
  nullable: (type: z.ZodType) => type.nullable(),
  optional: (type: z.ZodType) => type.optional(),
  nullish: (type: z.ZodType) => type.nullish()
}

function alterations({ name, text, number, boolean, date, json }: TestDatabase): fc.Arbitrary<Altered> {
  const columns = { text, integer: 'integer', number, boolean, date, json }
  const kinds: readonly (readonly [type: z.ZodType, fitting: readonly (keyof typeof columns)[]])[] = [
    [z.string(), ['text', 'json']],
    [z.enum(['a', 'b']), ['text', 'json']],
    [z.int(), ['integer', 'number', 'json']],
    [z.number(), ['number', 'integer', 'json']],
    // SQLite has no booleans: those of some applications are integers.
    [z.boolean(), ['boolean', 'json', ...(name === 'SQLite' ? (['integer'] as const) : [])]],
    [z.date(), ['date']],
    [z.object({ a: z.string() }), ['json']],
    [z.array(z.string()), ['json']]
  ]

  return fc
    .record({
      kind: fc.constantFrom(...kinds),
      column: fc.constantFrom(...(Object.keys(columns) as (keyof typeof columns)[])),
      form: fc.constantFrom(...(Object.keys(FORMS) as (keyof typeof FORMS)[])),
      isFitting: fc.boolean(),
      isNullable: fc.boolean(),
      isMissing: fc.integer({ min: 0, max: 7 }).map((one) => one === 0)
    })
    .map(({ kind: [type, fitting], column, form, isFitting, isNullable, isMissing }) => {
      const chosen = isFitting ? (fitting[0] as keyof typeof columns) : column
      const hasWrongKind = !fitting.includes(chosen)
      const hasWrongNull = form === 'optional' || (form === 'required' ? isNullable : !isNullable)

      return {
        type: FORMS[form](type),
        column: isMissing ? undefined : `${columns[chosen]}${isNullable ? '' : ' not null'}`,
        isDrift: isMissing || hasWrongKind || hasWrongNull
      }
    })
}

describeDatabases(
  'drift of the example for SQL',
  (database) => {
    it('says nothing', async () => {
      const db = database.open()
      const { toMigrations } = await import(EXAMPLE)
      const migrations = toMigrations(database === POSTGRES)
      const names = { migrationTableName: 'alula_drift_m', migrationLockTableName: 'alula_drift_l' }
      const migrator = new Migrator({
        db,
        provider: { getMigrations: async () => migrations },
        ...names
      })
      const drop = async () => {
        for (const name of ['messages', 'users', ...Object.values(names)]) {
          await sql`drop table if exists ${sql.table(name)}`.execute(db)
        }
      }

      onTestFinished(async () => {
        await drop()
        await db.destroy()
      })
      await drop()
      // It describes all tables, and other tests drop theirs meanwhile.
      await until(async () => expect(await migrator.migrateToLatest()).not.toHaveProperty('error'))

      const messages = [
        schema(z.object({ id: z.int(), author: z.string(), text: z.string(), createdAt: z.date() })),
        schema(
          Type.Object({
            id: Type.Number(),
            author: Type.String(),
            text: Type.String(),
            createdAt: Type.String({ format: 'date-time' })
          })
        ),
        table()
      ]
      const users = [
        schema(z.object({ id: z.int(), email: z.email(), name: z.string().nullable() })),
        table()
      ]

      for (const declared of messages) expect(await start(db, declared, 'messages')).toEqual([])
      for (const declared of users) expect(await start(db, declared, 'users')).toEqual([])
    })
  },
  [SQLITE, POSTGRES]
)

it('an application starts while its database is away, with a warning', async () => {
  const pool = openPool({ host: '127.0.0.1', port: await findPort() })
  const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue()

  onTestFinished(async () => {
    emitWarning.mockRestore()
    await db.destroy()
  })

  expect(await start(db, schema(z.object({ id: z.int() })))).toEqual([])
  expect(emitWarning).toHaveBeenCalledWith(
    expect.stringContaining("The schema of service 'notes' was not compared with its table: "),
    { code: 'ALULA_DRIFT' }
  )
  emitWarning.mockClear()
  expect(await start(db, table())).toEqual([])
  expect(emitWarning).not.toHaveBeenCalled()
})

it('an application does not start where its database is none', async () => {
  const path = await createDatabase(SQLITE)
  const app = alula()

  await writeFile(path, 'no database'.repeat(100))

  const db = new Kysely<any>({ dialect: new SqliteDialect({ database: new Database(path) as any }) })

  onTestFinished(() => db.destroy())
  app.use('notes', kysely({ Model: db, name: NAME }), { schema: schema(z.object({ id: z.int() })) })

  await expect(app.setup()).rejects.toMatchObject({
    name: 'GeneralError',
    message: 'The database failed: file is not a database'
  })
})
