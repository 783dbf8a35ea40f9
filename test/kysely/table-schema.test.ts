import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { type KyselyOptions, KyselyService, kysely, table, withTransaction } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { onWrite } from '../../src/schema.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  POSTGRES,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'

const NAME = 'alula_declared'

const WEB = { provider: 'rest', query: {} } as const

/** A service whose schema is its table. */
async function open(
  database: TestDatabase,
  columns: string,
  settings?: object,
  options: Partial<KyselyOptions> = {}
) {
  const db = await createTable(database, NAME, columns)
  const declared = table<any>(settings)
  const app = alula()

  app.use('notes', kysely({ Model: db, name: NAME, ...options }), { schema: declared })

  return { app, db, declared, notes: app.service('notes') as any }
}

/** The errors of a call that is refused. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => 'not refused',
    ({ code, errors, message }) => errors ?? [code, message]
  )
}

describeDatabases('table()', (database) => {
  const { name, countedId, text, number, boolean, date, json } = database

  it('takes what data may be from the columns', async () => {
    const { app, notes } = await open(
      database,
      `id ${countedId}, title ${text} not null, done ${boolean} not null default false, size ${number},
       age integer, due ${date}, extra ${json}`
    )

    await app.setup()

    expect(await notes.create({ title: 'One' }, WEB)).toEqual({
      id: 1,
      title: 'One',
      done: false,
      size: null,
      age: null,
      due: null,
      extra: null
    })

    const whole = {
      title: 'Two',
      done: true,
      size: 0.5,
      age: 7,
      due: '2026-11-22T10:00:00Z',
      extra: [{ a: 1 }]
    }
    const stored = { ...whole, id: 2, due: new Date(whole.due) }

    expect(await notes.create(whole, WEB)).toEqual(stored)
    expect(await notes.patch(2, { due: stored.due, age: null })).toEqual({ ...stored, age: null })
    expect(await notes.patch(2, { due: '2026-11-22', extra: 'x' }, WEB)).toMatchObject({ extra: 'x' })
    expect(await refusal(notes.create({}, WEB))).toEqual({ title: 'is required' })
    expect(await refusal(notes.patch(1, { title: null, done: 1 }, WEB))).toEqual({
      title: 'expects a string, got null',
      done: 'expects a boolean, got a number'
    })
    expect(
      await refusal(notes.create({ id: 7, title: 1, size: 'x', age: 1.5, due: 'soon', colour: 'red' }, WEB))
    ).toEqual({
      id: 'is set by the server',
      title: 'expects a string, got a number',
      size: 'expects a number or null, got a string',
      age: 'expects an integer or null, got a number',
      due: "expects the format 'date-time'",
      colour: 'is not a known field'
    })
    expect(await notes.update(2, { title: 'Three' }, WEB)).toMatchObject({
      id: 2,
      title: 'Three',
      done: false,
      age: null
    })
  })

  it('takes what queries may be from the columns', async () => {
    const { app, notes } = await open(
      database,
      `id ${countedId}, title ${text} not null, done ${boolean} not null, due ${date}, secret ${text}`,
      { hidden: ['secret'] }
    )
    const find = (query: object) => notes.find({ provider: 'rest', query })
    const handle = createHandler(app)

    await app.setup()
    await notes.create({ title: 'One', done: true, due: new Date('2026-11-22'), secret: 'x' })

    for (const query of ['done=true', 'due=2026-11-22', 'due[$gt]=2026-11-21', 'id=1']) {
      const response = await handle(new Request(`http://localhost/notes?${query}`))

      expect(await response.json()).toEqual([
        { id: 1, title: 'One', done: true, due: '2026-11-22T00:00:00.000Z' }
      ])
    }
    expect(await refusal(find({ done: 'maybe' }))).toEqual({
      done: 'expects true or false, got a string'
    })
    expect(await refusal(find({ secret: 'x' }))).toHaveProperty('secret')
    expect(await refusal(find({ id: 'x' }))).toHaveProperty('id')
    await expect(notes.get('x', WEB)).rejects.toMatchObject({ code: 404 })
  })

  it('refines columns by `fields`, and takes the settings of schema()', async () => {
    const { app, notes, declared } = await open(
      database,
      `id ${countedId}, email ${text} not null, nick ${text}, address ${json}, owner ${text} not null, changed ${date} not null`,
      {
        fields: {
          email: { format: 'email' },
          nick: { enum: ['ada', 'bob'] },
          address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
        },
        server: { owner: () => 'ada', changed: onWrite(() => new Date()) },
        computed: { mark: { from: ['owner'], many: (rows: any[]) => rows.map(({ owner }) => `${owner}!`) } },
        unknown: 'drop',
        query: { fields: ['email', 'address.city'] }
      }
    )

    await app.setup()

    const created = await notes.create(
      { email: 'ada@example.org', address: { city: 'Rome' }, colour: 'red' },
      WEB
    )

    expect(created).toEqual({
      id: 1,
      email: 'ada@example.org',
      nick: null,
      address: { city: 'Rome' },
      owner: 'ada',
      changed: expect.any(Date),
      mark: 'ada!'
    })
    expect(
      await refusal(notes.create({ email: 'ada', nick: 'eve', address: { city: 1 }, owner: 'bob' }, WEB))
    ).toEqual({
      email: "expects the format 'email'",
      nick: 'expects one of "ada", "bob", null',
      'address.city': 'expects a string, got a number'
    })
    expect(await notes.patch(1, { address: null, nick: null }, WEB)).toMatchObject({ address: null })
    expect(await refusal(notes.find({ provider: 'rest', query: { nick: 'ada' } }))).toHaveProperty('nick')
    expect(declared.definition).toMatchObject({ server: ['owner', 'changed'], computed: ['mark'] })
  })

  it('leaves generated columns to the database', async () => {
    const generated = `integer generated always as (side * side)${name === 'SQLite' ? '' : ' stored'}`
    const { app, notes } = await open(database, `id ${countedId}, side integer not null, area ${generated}`)

    await app.setup()

    expect(await notes.create({ side: 3 }, WEB)).toEqual({ id: 1, side: 3, area: 9 })
    expect(await notes.update(1, { side: 4 }, WEB)).toEqual({ id: 1, side: 4, area: 16 })
    expect(await refusal(notes.create({ side: 3, area: 9 }, WEB))).toEqual({ area: 'is set by the server' })
    expect(await notes.find({ provider: 'rest', query: { area: '16' } })).toHaveLength(1)
  })

  it('describes large integers, decimals and bytes as they are read', async () => {
    const blob = { SQLite: 'blob', PostgreSQL: 'bytea', MariaDB: 'blob' }[name]
    const { app, notes } = await open(
      database,
      `id ${countedId}, large bigint not null, price numeric(10, 2), picture ${blob}`
    )
    const large = '9007199254740993'

    await app.setup()

    const created = await notes.create({ large, price: name === 'SQLite' ? 7.5 : '7.50' }, WEB)

    expect(created).toMatchObject({ large, price: name === 'SQLite' ? 7.5 : '7.50', picture: null })
    expect(await notes.patch(1, { large: 7, price: 8, picture: Buffer.from('x') })).toMatchObject({
      large: 7,
      picture: 'eA=='
    })
    expect(await notes.find({ provider: 'rest', query: { large: '7', price: '8' } })).toHaveLength(1)
    expect(await refusal(notes.create({ large: '07', price: 'x' }, WEB))).toEqual({
      large: expect.stringContaining('expects the pattern'),
      price: expect.stringContaining(name === 'SQLite' ? 'expects a number' : 'expects the pattern')
    })
    expect(await refusal(notes.create({ large: 7, price: true }, WEB))).toHaveProperty('price')
  })

  it('needs an id that neither the database nor the adapter makes', async () => {
    const { app, notes } = await open(
      database,
      'code integer not null, label integer, primary key (code, label)',
      {},
      { id: 'code' }
    )

    await app.setup()

    expect(await refusal(notes.create({ label: 1 }, WEB))).toEqual({ code: 'is required' })
    expect(await notes.create({ code: 7, label: 1 }, WEB)).toEqual({ code: 7, label: 1 })
  })

  it('takes HTML forms', async () => {
    const { app, notes } = await open(
      database,
      `id ${countedId}, age integer, large bigint, done ${boolean} not null default false, due ${date}`
    )
    const form = { ...WEB, headers: { 'content-type': 'application/x-www-form-urlencoded' } }

    await app.setup()

    expect(await notes.create({ age: '7', large: '8', done: 'on', due: '2026-11-22' }, form)).toEqual({
      id: 1,
      age: 7,
      large: 8,
      done: true,
      due: new Date('2026-11-22')
    })
    expect(await notes.create({ age: '', due: '' }, form)).toMatchObject({ age: null, due: null })
    expect(await refusal(notes.create({ due: 'soon' }, form))).toHaveProperty('due')
  })

  it('makes ids that are text', async () => {
    const { app, notes } = await open(database, 'id varchar(100) primary key, label integer')

    await app.setup()

    expect(await notes.create({ label: 1 }, WEB)).toEqual({ id: expect.any(String), label: 1 })
    expect(await refusal(notes.create({ id: 'x' }, WEB))).toEqual({ id: 'is set by the server' })
  })

  it('reads the table with the first call where that comes before the set-up, in a transaction too', async () => {
    const { app, db, notes } = await open(database, `id ${countedId}, title ${text} not null`)

    await withTransaction(db, async () => {
      await Promise.all([notes.create({ title: 'One' }, WEB), notes.create({ title: 'Two' }, WEB)])
      expect(await refusal(notes.create({}, WEB))).toEqual({ title: 'is required' })
    })
    await app.setup()

    expect(await notes.find(WEB)).toHaveLength(2)
  })

  it('refuses the start for names that are no columns, and for fields that the columns cannot hold', async () => {
    const start = async (settings: object) => {
      const { app } = await open(database, `id ${countedId}, title ${text} not null, age integer`, settings)

      return await app.setup().then(
        () => 'started',
        ({ message }) => message
      )
    }

    expect(await start({ fields: { titel: { maxLength: 5 } } })).toContain(
      "has no column 'titel', which 'fields' of table() names. Did you mean 'title'?"
    )
    expect(await start({ hidden: ['titel'] })).toContain("no field 'titel'")
    expect(await start({ server: { owner: () => 1 } })).toContain("no field 'owner'")
    expect(await start({ fields: { age: { type: 'string' } } })).toContain(
      "'age' is a string, and its column has the type"
    )
    expect(await start({ fields: { title: { type: 'string', maxLength: 5 } } })).toBe('started')
  })

  it('starts without its table, whose calls are errors until it is there', async () => {
    const db = database.open()
    const app = alula()

    onTestFinished(() => db.destroy())
    app.use('notes', new KyselyService({ Model: db, name: 'alula_nowhere' }), { schema: table() })

    await app.setup()
    await expect(app.service('notes').find()).rejects.toThrow("The table of service 'notes' is not there")
  })
})

describeDatabases(
  'table()',
  (database) => {
    it('knows the values of enums, domains, arrays and identities', async () => {
      const db = database.open()

      onTestFinished(async () => {
        await sql`drop type if exists alula_declared_mood, alula_declared_email cascade`.execute(db)
        await db.destroy()
      })
      await sql`drop type if exists alula_declared_mood, alula_declared_email cascade`.execute(db)
      await sql`create type alula_declared_mood as enum ('happy', 'sad')`.execute(db)
      await sql`create domain alula_declared_email as text not null default 'a@b.c'`.execute(db)

      const { app, notes, declared } = await open(
        database,
        `id integer generated always as identity primary key, mood alula_declared_mood, email alula_declared_email, tags text[] not null,
         key uuid not null, day date, at time, address inet`
      )

      await app.setup()

      const key = crypto.randomUUID()
      const row = { mood: 'sad', tags: ['a'], key, day: '2026-11-22', at: '10:00:00', address: '10.0.0.1' }

      expect(declared.definition?.data.create).toMatchObject({ required: ['tags', 'key'] })
      expect(await notes.create(row, WEB)).toEqual({ ...row, id: 1, email: 'a@b.c' })
      expect(await refusal(notes.create({ mood: 'odd', tags: 'a', key: 'x', email: null }, WEB))).toEqual({
        mood: 'expects one of "happy", "sad", null',
        tags: 'expects an array, got a string',
        key: "expects the format 'uuid'",
        email: 'expects a string, got null'
      })
      expect(await refusal(notes.create({ tags: ['a', null, 1], key }, WEB))).toEqual({
        'tags.2': 'expects a string or null, got a number'
      })
      expect(await refusal(notes.create({ tags: [1], key }, { schema: false }))).toEqual({
        tags: 'expects an array whose elements have its type'
      })
      expect(declared.definition?.record.properties).toMatchObject({
        tags: { items: { type: ['string', 'null'] } }
      })
      expect(await refusal(notes.find({ provider: 'rest', query: { mood: 'odd' } }))).toHaveProperty('mood')
    })
  },
  [POSTGRES]
)

describeDatabases(
  'table()',
  (database) => {
    it('knows the values of enums', async () => {
      const { app, notes, declared } = await open(
        database,
        `id ${database.countedId}, mood enum('it''s fine', 'sad, (so)')`
      )

      await app.setup()

      expect(await notes.create({ mood: "it's fine" }, WEB)).toEqual({ id: 1, mood: "it's fine" })
      expect(await refusal(notes.create({ mood: 'sad' }, WEB))).toHaveProperty('mood')
      expect(declared.definition?.record.properties).toMatchObject({
        mood: { enum: ["it's fine", 'sad, (so)', null] }
      })
    })
  },
  [MARIADB]
)

describe('table()', () => {
  it('refuses settings, services and a second service at once', async () => {
    const db = SQLITE.open()
    const declared = table()
    const app = alula()
    const service = () => kysely({ Model: db, name: 'a' })

    onTestFinished(() => db.destroy())
    app.use('one', service(), { schema: declared })

    expect(() => app.use('two', service(), { schema: declared })).toThrow(
      "The schema of service 'two' is the table() of service 'one': call table() for each"
    )
    expect(() => app.use('three', memory(), { schema: table() })).toThrow(
      "The schema of service 'three' is table(), which needs a service of alula/kysely: use schema() for others"
    )
    expect(() => table({ hiden: ['a'] } as object)).toThrow(
      "Unknown option 'hiden' of table(). Did you mean 'hidden'?"
    )
    expect(() => table({ fields: { a: 'string' } } as object)).toThrow("Invalid option 'fields' of table()")

    const errors: Error[] = []

    app.on('error', (error: Error) => errors.push(error))
    app.service('one').publish(() => [])
    app.service('one').emit('created', { id: 1 })
    expect(errors).toMatchObject([{ message: expect.stringContaining('before its table was read') }])
  })
})
