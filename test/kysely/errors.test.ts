import { Kysely, PostgresDialect, sql } from 'kysely'
import { Pool } from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { createError } from '../../src/utils/developer-error.ts'
import { createTable, describeDatabases, MARIADB, POSTGRES, type TestDatabase } from '../support/sql.ts'
import { nextWarning } from '../support/warnings.ts'

/** A service for a table with every kind of rule. */
async function openUsers(database: TestDatabase) {
  const { countedId, text, json } = database
  const db = await createTable(
    database,
    'alula_errors',
    `id ${countedId}, email ${text} not null, team ${text} default 'red', age integer, leader integer, extra ${json},
    constraint alula_errors_key unique (email, team), constraint alula_errors_age check (age > 0),
    foreign key (leader) references alula_errors (id)`
  )

  return { db, users: kysely({ Model: db, name: 'alula_errors', multi: true, operators: ['$like'] }) }
}

async function failureOf(call: Promise<unknown>): Promise<any> {
  return await call.then(
    (result) => expect.unreachable(`expected an error, got ${JSON.stringify(result)}`),
    (error) => error
  )
}

describeDatabases('what a database objects to', (database) => {
  it('a value that is taken is a Conflict with its fields', async () => {
    const { users } = await openUsers(database)
    const ada = await users.create({ email: 'ada@example.com' })
    const bob = await users.create({ email: 'bob@example.com' })
    const taken = { email: 'ada@example.com', team: 'red' }

    for (const call of [
      () => users.create(taken),
      () => users.create([{ email: 'new' }, taken]),
      () => users.patch(bob.id, taken),
      () => users.patch(null, taken),
      () => users.update(bob.id, taken)
    ]) {
      const error = await failureOf(call())

      expect(error).toMatchObject({
        name: 'Conflict',
        code: 409,
        message: "A record with the same 'email', 'team' exists already"
      })
      expect(error.errors).toEqual({ email: 'is taken', team: 'is taken' })
    }

    expect(await users.find()).toEqual([ada, bob])
  })

  it('a key of several fields may have the name of one of them', async () => {
    const constraint = database === MARIADB ? 'unique key (a, b)' : 'constraint a unique (a, b)'
    const db = await createTable(
      database,
      'alula_keys',
      `id integer primary key, a integer, b integer, ${constraint}`
    )
    const keys = kysely({ Model: db, name: 'alula_keys' })

    await keys.create({ id: 1, a: 1, b: 2 })

    expect((await failureOf(keys.create({ id: 2, a: 1, b: 2 }))).errors).toEqual({
      a: 'is taken',
      b: 'is taken'
    })
  })

  it('an id that is taken is a Conflict with the id', async () => {
    const { users } = await openUsers(database)
    const { id } = await users.create({ email: 'ada' })

    expect((await failureOf(users.create({ id, email: 'bob' }))).errors).toEqual({ id: 'is taken' })
  })

  it('null where there must be a value is a BadRequest with the field', async () => {
    const { users } = await openUsers(database)
    const { id } = await users.create({ email: 'ada' })

    for (const call of [
      () => users.create({ age: 1 }),
      () => users.create([{ email: 'bob' }, { email: null }]),
      () => users.patch(id, { email: null }),
      () => users.update(id, { age: 1 })
    ]) {
      const error = await failureOf(call())

      expect(error).toMatchObject({ name: 'BadRequest', message: "Invalid data: 'email' must not be null" })
      expect(error.errors).toEqual({ email: 'is required' })
    }

    expect(await users.find({ query: { $select: ['email'] } })).toEqual([{ id, email: 'ada' }])
  })

  it('a value that a check refuses is a BadRequest with the field', async () => {
    const { users } = await openUsers(database)
    const error = await failureOf(users.create({ email: 'ada', age: -1 }))

    // SQLite tells the name of a check, and not what it is about.
    const isTold = database.name !== 'SQLite'

    expect(error).toMatchObject({
      name: 'BadRequest',
      message: `Invalid data: ${isTold ? "'age'" : 'a value'} is not allowed`
    })
    expect(error.errors).toEqual(isTold ? { age: 'is not allowed' } : undefined)
  })

  it('a reference to nothing is a BadRequest with the field', async () => {
    const { users } = await openUsers(database)
    const error = await failureOf(users.create({ email: 'ada', leader: 99 }))

    // SQLite does not tell which reference it is.
    const isTold = database.name !== 'SQLite'

    expect(error).toMatchObject({
      name: 'BadRequest',
      message: `Invalid data: ${isTold ? "'leader'" : 'a reference'} refers to a record that does not exist`
    })
    expect(error.errors).toEqual(isTold ? { leader: 'refers to no record' } : undefined)
  })

  it('data of another type is a BadRequest with the field', async () => {
    const { users } = await openUsers(database)
    const { id } = await users.create({ email: 'ada' })

    for (const [field, value] of [
      ['age', 'old'],
      ['age', 1.5],
      ['age', 2 ** 60],
      ['age', Number.POSITIVE_INFINITY],
      ['age', true],
      ['age', {}],
      ['age', [1]],
      ['age', new Date()],
      ['email', 7],
      ['email', { $ne: null }],
      ['email', ['ada']],
      ['email', 'a\0b'],
      ['email', '\ud800'],
      ['extra', { nested: 'a\0b' }],
      ['extra', { nested: 1n }],
      ['extra', () => 1]
    ] as const) {
      for (const call of [
        () => users.create({ email: 'bob', [field]: value }),
        () => users.patch(id, { [field]: value }),
        () => users.update(id, { email: 'ada', [field]: value })
      ]) {
        const error = await failureOf(call())

        expect(error, `${field}: ${String(value)}`).toMatchObject({ name: 'BadRequest', code: 400 })
        expect(Object.keys(error.errors)).toEqual([field])
      }
    }

    expect(await users.find()).toHaveLength(1)
  })

  it('half of a surrogate pair is refused as text that is not well-formed', async () => {
    const { users } = await openUsers(database)

    expect((await failureOf(users.create({ email: '\ud800' }))).message).toBe(
      "Invalid data: 'email' expects well-formed text without NUL, got a string"
    )
  })

  it('a name that is no column is a BadRequest that says so, wherever it stands', async () => {
    const { users } = await openUsers(database)
    const { id } = await users.create({ email: 'ada' })
    const odd = [
      'nothing',
      'ID',
      'email"',
      'email`',
      "email'",
      'id; drop table alula_errors',
      'constructor',
      'a\0',
      '\\'
    ]

    for (const name of odd) {
      for (const query of [
        { [name]: 1 },
        { [name]: { $in: [] } },
        { $sort: { [name]: 1 } },
        { $select: [name] },
        { $or: [{ [name]: null }] }
      ]) {
        const error = await failureOf(users.find({ query: query as any }))

        expect(error).toMatchObject({ name: 'BadRequest', message: `Unknown column '${name}'` })
      }

      for (const call of [
        () => users.create({ email: 'bob', [name]: 1 }),
        () => users.patch(id, { [name]: 1 }),
        () => users.update(id, { email: 'bob', [name]: 1 })
      ]) {
        expect(await failureOf(call())).toMatchObject({
          name: 'BadRequest',
          message: `Unknown column '${name}'`
        })
      }
    }

    expect(await users.find({ query: { $select: ['email'] } })).toEqual([{ id, email: 'ada' }])
  })

  it('a word of queries without its $ is met by a suggestion, and no column is suggested', async () => {
    const { users } = await openUsers(database)
    const fail = async (query: object) => (await failureOf(users.find({ query: query as any }))).message

    expect(await fail({ limit: 1 })).toBe("Unknown column 'limit'. Did you mean '$limit'?")
    expect(await fail({ sort: 'email' })).toBe("Unknown column 'sort'. Did you mean '$sort'?")
    expect(await fail({ emial: 'ada' })).toBe("Unknown column 'emial'")
  })

  it('a path through a column that holds no objects is a BadRequest', async () => {
    const { users } = await openUsers(database)

    expect(await failureOf(users.find({ query: { 'email.length': 3 } }))).toMatchObject({
      name: 'BadRequest',
      message: "Invalid query: 'email' has no fields"
    })
  })

  it('what is not the fault of a client is masked in production, and kept as the cause', async () => {
    const { db, users } = await openUsers(database)

    await users.find()
    await sql`alter table alula_errors rename column age to lived`.execute(db)

    const error = await failureOf(users.find({ query: { age: 1 } }))

    expect(error).toMatchObject({ name: 'GeneralError', code: 500 })
    expect(error.message).toBe(`The database failed: ${error.cause.message}`)

    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())

    const masked = await failureOf(users.find({ query: { age: 1 } }))

    expect(masked).toMatchObject({ name: 'GeneralError', code: 500, message: 'The database failed' })
    expect(masked.cause.message).toContain('age')
    expect(JSON.stringify(masked)).not.toMatch(/column|where/)
  })

  it('a table that is not there is an error of the developer, and is found when it comes', async () => {
    const { db } = await openUsers(database)
    const later = kysely({ Model: db, name: 'alula_errors_later' })

    expect((await failureOf(later.find())).message).toBe(
      "The service failed: The database has no table 'alula_errors_later' (ALULA_MISSING_TABLE)"
    )

    onTestFinished(async () => void (await sql`drop table if exists alula_errors_later`.execute(db)))
    await sql`create table alula_errors_later (id integer primary key)`.execute(db)
    expect(await later.find()).toEqual([])
  })

  it('a table that is not there is named when the application is set up, which goes on', async () => {
    const { db, users } = await openUsers(database)
    const app = alula()
    const warned = nextWarning('ALULA_MISSING_TABLE')

    app.use('users', users)
    app.use('lost', kysely({ Model: db, name: 'alula_errors_lost' }))
    await app.setup()

    expect((await warned).message).toBe(
      "The service 'lost' cannot be used: The database has no table 'alula_errors_lost' (ALULA_MISSING_TABLE)"
    )
  })

  it('a column that is not there, and that `by` names, is named then too', async () => {
    const { users } = await openUsers(database)
    const app = alula()
    const warned = nextWarning('ALULA_MISSING_TABLE')

    app.use('users', users, { by: 'slug' })
    await app.setup()

    expect((await warned).message).toBe(
      "The service 'users' cannot be used: The table 'alula_errors' has no column 'slug', which the option 'by' names (ALULA_MISSING_TABLE)"
    )
  })

  it('an id that is no column is an error of the developer', async () => {
    const db = await createTable(database, 'alula_errors', `key_of_user ${database.countedId}`)

    for (const call of [
      (service: any) => service.find(),
      (service: any) => service.get(1),
      (service: any) => service.create({})
    ]) {
      const error = await failureOf(call(kysely({ Model: db, name: 'alula_errors' })))

      expect(error).toMatchObject({ name: 'GeneralError', code: 500 })
      expect(error.cause).toEqual(
        createError(
          'ALULA_MISSING_TABLE',
          "The table 'alula_errors' has no column 'id': set the option 'id' to the one that it has"
        )
      )
    }
  })

  it('no error that a client sees holds text of SQL', async () => {
    const { users } = await openUsers(database)

    await users.create({ email: 'ada' })

    for (const call of [
      () => users.create({ email: 'ada' }),
      () => users.create({}),
      () => users.create({ email: 'b', age: -1 })
    ]) {
      expect(JSON.stringify(await failureOf(call()))).not.toMatch(/insert|alula_errors|constraint/i)
    }
  })
})

describeDatabases(
  'what a column has no room for',
  (database) => {
    it('is a BadRequest with the field', async () => {
      const columns = `id ${database.countedId}, name varchar(3)`
      const db = await createTable(database, 'alula_errors', columns)
      const error = await failureOf(kysely({ Model: db, name: 'alula_errors' }).create({ name: 'long' }))

      expect(error).toMatchObject({
        name: 'BadRequest',
        message: "Invalid data: 'name' expects at most 3 characters",
        errors: { name: 'expects at most 3 characters' }
      })
    })
  },
  [POSTGRES, MARIADB]
)

it('a database that is not there is Unavailable', async () => {
  const db = new Kysely<any>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: 'postgres://127.0.0.1:1/test' }) })
  })

  onTestFinished(() => db.destroy())

  expect(await failureOf(kysely({ Model: db, name: 'people' }).find())).toMatchObject({
    name: 'Unavailable',
    code: 503,
    message: 'The database is not available: connect ECONNREFUSED 127.0.0.1:1'
  })
})
