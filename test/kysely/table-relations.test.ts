// What a start, and the first call after it, say of relations between tables.
import { once } from 'node:events'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { alula, type HookContext } from '../../src/index.ts'
import { kysely, table, transaction, withTransaction } from '../../src/kysely.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'
import { findPort } from '../support/redis.ts'
import { describeDatabases, openPool, SQLITE, type TestDatabase } from '../support/sql.ts'
import { until } from '../support/until.ts'

const TABLES = {
  notes: 'id integer primary key, body varchar(100), parent integer, owner integer',
  users: 'id integer primary key, name varchar(100)',
  links: 'id integer primary key, note integer, person integer, label varchar(100)'
}

type Path = keyof typeof TABLES

const PATHS = Object.keys(TABLES) as Path[]

/** The schemas of the same services, where they are written. */
const RECORDS = {
  notes: z.object({
    id: z.int(),
    body: z.string().nullable(),
    parent: z.int().nullable(),
    owner: z.int().nullable()
  }),
  users: z.object({ id: z.int(), name: z.string().nullable() }),
  links: z.object({
    id: z.int(),
    note: z.int().nullable(),
    person: z.int().nullable(),
    label: z.string().nullable()
  })
}

const INVALID: [mistake: string, of: Path, relation: any][] = [
  [
    "compares 'body' of 'notes' (a string) with 'id' of 'notes' (an integer)",
    'notes',
    one('notes', { from: 'body' })
  ],
  ["asks 'notes' for 'parnt'", 'notes', many('notes', { to: 'parnt' })],
  ["asks 'notes' for 'txt'", 'notes', many('notes', { to: 'parent', filter: ['txt'] })],
  ["asks 'notes' for 'parnt'", 'notes', count('notes', { to: 'parnt' })],
  ["asks 'users' for 'nick'", 'notes', one('users', { from: 'owner', filter: ['nick'] })],
  ["asks 'users' for 'key'", 'notes', one('users', { from: 'owner', to: 'key' })],
  [
    "compares 'id' of 'users' (an integer) with 'body' of 'notes' (a string)",
    'users',
    exists('notes', { to: 'body' })
  ],
  ["asks 'links' for 'nte'", 'notes', through('nte', 'person')],
  ["asks 'links' for 'persn'", 'notes', through('note', 'persn')],
  [
    "compares 'label' of 'links' (a string) with 'id' of 'users' (an integer)",
    'notes',
    through('note', 'label')
  ]
]

function through(from: string, to: string) {
  return many('users', { through: { path: 'links', from, to } })
}

/** Makes tables in one database, which are gone after the test. */
async function createTables(database: TestDatabase, tables: Partial<Record<Path, string>>) {
  const db = database.open()

  onTestFinished(async () => {
    for (const path of PATHS) await drop(db, path)
    await db.destroy()
  })
  for (const path of PATHS) await drop(db, path)
  for (const [path, columns] of Object.entries(tables)) await create(db, path, columns)

  return db
}

async function create(db: Kysely<any>, path: string, columns: string): Promise<void> {
  await sql`create table ${sql.table(`alula_rel_${path}`)} (${sql.raw(columns)})`.execute(db)
}

async function drop(db: Kysely<any>, path: string): Promise<void> {
  await sql`drop table if exists ${sql.table(`alula_rel_${path}`)}`.execute(db)
}

function use(app: any, db: Kysely<any>, path: Path, declared: any): void {
  app.use(path, kysely({ Model: db, name: `alula_rel_${path}`, multi: true }), { schema: declared })
}

/** An application whose services are registered in an order. */
function open(db: Kysely<any>, paths: readonly Path[], declare: (path: Path) => unknown): any {
  const app = alula()

  for (const path of paths) use(app, db, path, declare(path))

  return app
}

/** Tables of which one has a relation, and no other. */
const relate = (owner: Path, related: any) => (path: Path) =>
  table(path === owner ? { relations: { related } } : {})

describeDatabases('relations of table()', (database) => {
  it.each(INVALID)('refuse the start, in any order of services: %s', async (mistake, owner, related) => {
    const db = await createTables(database, TABLES)
    const toSchema = (path: Path) =>
      schema(RECORDS[path] as any, (path === owner ? { relations: { related } } : {}) as any)
    const toTable = relate(owner, related)

    for (const declare of [
      toTable,
      (path: Path) => (path === owner ? toTable(path) : toSchema(path)),
      (path: Path) => (path === owner ? toSchema(path) : toTable(path)),
      toSchema
    ]) {
      for (const paths of [PATHS, PATHS.toReversed()]) {
        await expect(open(db, paths, declare).setup()).rejects.toThrow(
          `The relation 'related' of service '${owner}' ${mistake}`
        )
      }
    }
  })

  it.each([
    ['integer', 'bigint', 7],
    ['bigint', 'integer', 7],
    ['numeric(10)', 'integer', 7],
    ['integer', 'numeric(10)', 7],
    ['double precision', 'integer', 7],
    ['integer', 'double precision', 7],
    ['uuid', 'uuid', '1b9d6bcd-bbfd-4b2d-9b5d-1b8dfbbd4bed'],
    ['uuid', 'varchar(40)', '1b9d6bcd-bbfd-4b2d-9b5d-1b8dfbbd4bed'],
    ['varchar(40)', 'uuid', '1b9d6bcd-bbfd-4b2d-9b5d-1b8dfbbd4bed'],
    ['varchar(40)', 'text', 'ada'],
    ['integer', 'json', 7]
  ])('start where the values of columns may be equal: %s and %s', async (idType, ownerType, value) => {
    const db = await createTables(database, {
      users: `id ${idType} primary key, boss ${ownerType}`,
      notes: `id integer primary key, owner ${ownerType} not null`
    })
    const app = open(db, ['notes', 'users'], (path) =>
      path === 'notes'
        ? table({ relations: { author: one('users', { from: 'owner', filter: ['id'] }) } })
        : table({
            relations: {
              notes: many('notes', { to: 'owner', filter: ['id'] }),
              count: count('notes', { to: 'owner' }),
              boss_: one('users', { from: 'boss' }),
              team: many('users', { to: 'boss' })
            }
          })
    )

    await app.setup()

    if (ownerType === 'json') return

    await app.service('users').create({ id: value })
    await app.service('notes').create({ id: 1, owner: value })

    const [note] = await app.service('notes').find({ query: { $include: ['author'] } })
    const [user] = await app.service('users').find({ query: { $include: ['notes', 'count'] } })

    expect(note.author?.id).toEqual(user.id)
    expect(user).toMatchObject({ count: 1, notes: [{ id: 1 }] })
  })

  it.each([{}, { notes: TABLES.notes }, { users: TABLES.users, links: TABLES.links }])(
    'keep no application from starting where a table is missing; then the first call says what is wrong: with %o',
    async (tables) => {
      for (const prepare of [alone, withinFunction, withinHooks]) {
        const db = await createTables(database, tables)
        const app = open(db, PATHS, relate('notes', one('users', { from: 'owner', filter: ['nick'] })))

        await app.setup()
        for (const path of PATHS) if (!(path in tables)) await create(db, path, TABLES[path])

        const call = prepare(app, db)

        // The start waits for no table: what it reads may still say that one is missing.
        await until(async () => {
          // What was read at the start could only be compared with what was there.
          if ('notes' in tables) await call()
          else await expect(call()).rejects.toThrow("asks 'users' for 'nick'")
        })
      }
    }
  )

  it('refuse the start after a call that came before it', async () => {
    const db = await createTables(database, { notes: TABLES.notes, links: TABLES.links })
    const app = open(db, PATHS, relate('notes', one('users', { from: 'owner', filter: ['nick'] })))

    expect(await app.service('notes').find()).toEqual([])
    await create(db, 'users', TABLES.users)

    await expect(app.setup()).rejects.toThrow("asks 'users' for 'nick'")
  })

  it.each<[string, (path: Path, relations: any) => unknown]>([
    ['table()', (_path, relations) => table({ relations })],
    ['schema()', (path, relations) => schema(RECORDS[path] as any, { relations })]
  ])('are checked where services with %s are registered after the start', async (_kind, declare) => {
    const db = await createTables(database, TABLES)
    const app = alula()
    const errors: Error[] = []
    const register = (filter: readonly string[]) => {
      use(app, db, 'notes', declare('notes', { author: one('users', { from: 'owner', filter }) }))
      use(app, db, 'users', declare('users', { notes: many('notes', { to: 'owner' }) }))
    }

    app.on('error', (error: Error) => errors.push(error))
    await app.setup()
    register(['name'])
    await app.setup()
    expect(errors).toEqual([])

    await Promise.all([app.unuse('notes'), app.unuse('users')])

    const failing = once(app as any, 'error')

    register(['nick'])
    expect((await failing)[0].message).toContain("asks 'users' for 'nick'")
  })
})

it('relations to and from a service whose database is away keep no application from starting', async () => {
  const pool = openPool({ host: '127.0.0.1', port: await findPort() })
  const away = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })
  const db = await createTables(SQLITE, TABLES)
  const app = alula()

  onTestFinished(() => away.destroy())
  use(app, db, 'notes', table({ relations: { author: one('users', { from: 'owner' }) } }))
  use(app, away, 'users', table({ relations: { notes: many('notes', { to: 'owner' }) } }))

  await app.setup()
  expect(await app.service('notes').find()).toEqual([])
})

function alone(app: any): () => Promise<void> {
  return async () => expect(await app.service('notes').find()).toEqual([])
}

function withinFunction(app: any, db: Kysely<any>): () => Promise<void> {
  return () => withTransaction(db, alone(app))
}

/** In a transaction that only params lead to. */
function withinHooks(app: any): () => Promise<void> {
  const findNotes = ({ params }: HookContext) =>
    app.service('notes').find({ transaction: params.transaction })

  app.service('links').hooks({
    before: { find: [transaction.start(), findNotes] },
    after: { find: [transaction.end()] },
    error: { find: [transaction.rollback()] }
  })

  return () => app.service('links').find()
}
