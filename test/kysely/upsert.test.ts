import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { findDatabase } from '../../src/kysely/databases.ts'
import { kysely, withTransaction } from '../../src/kysely.ts'
import { createTable, describeDatabases, MARIADB } from '../support/sql.ts'

const RIVALS = 100
const EVENTS = ['created', 'patched', 'updated', 'removed']

describeDatabases('upsert', (database) => {
  const { text, countedId } = database

  /** A service of users with two keys, and the events that it sends. */
  async function open(keys = 'unique (email), unique (name)', by: readonly string[] = ['email']) {
    const columns = `id ${countedId}, email ${text}, name ${text}, age integer, ${keys}`
    const db = await createTable(database, 'alula_upserts', columns.replace(/, $/, ''))
    const app = alula()
    const events: string[] = []

    app.use('users', kysely({ Model: db, name: 'alula_upserts', upsert: { by } }))
    const users = app.service('users')
    for (const event of EVENTS) users.on(event, () => void events.push(event))
    onTestFinished(async () => void (await app.teardown()))

    return { app, db, users, events }
  }

  it('of a hundred of one key, one creates and the others patch', async () => {
    const { users, events } = await open()
    const records = await Promise.all(
      Array.from({ length: RIVALS }, (_, age) => users.upsert({ email: 'ada@x.org', age }))
    )

    expect(await users.find()).toHaveLength(1)
    expect(new Set(records.map(({ id }) => id)).size).toBe(1)
    expect(events.filter((event) => event === 'created')).toHaveLength(1)
    expect(events.filter((event) => event === 'patched')).toHaveLength(RIVALS - 1)
  })

  it('of mixed keys make a record of each, while some are removed', async () => {
    const { users, events } = await open()
    const results = await Promise.allSettled(
      Array.from({ length: RIVALS * 2 }, async (_, age) => {
        const { id } = await users.upsert({ email: `${age % 7}@x.org`, age })

        if (age % 5 === 0) await users.remove(id).catch(() => undefined)
      })
    )
    const count = (name: string) => events.filter((event) => event === name).length
    const records: any[] = await users.find()

    expect(results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))).toEqual([])
    expect(new Set(records.map(({ email }) => email)).size).toBe(records.length)
    expect(count('created') - count('removed')).toBe(records.length)
    expect(count('created') + count('patched')).toBe(RIVALS * 2)
  })

  it('of two keys that are crossed is a conflict, and rewrites nobody', async () => {
    const { users, events } = await open()
    const ada = await users.create({ email: 'ada@x.org', name: 'Ada', age: 1 })
    const bob = await users.create({ email: 'bob@x.org', name: 'Bob', age: 2 })

    for (const email of ['new@x.org', 'bob@x.org']) {
      await expect(users.upsert({ email, name: 'Ada', age: 9 })).rejects.toMatchObject({
        code: 409,
        errors: { name: 'is taken' }
      })
    }
    expect(await users.find()).toEqual([ada, bob])
    expect(events).toEqual(['created', 'created'])
  })

  it('in a transaction sees what others have stored since that began', async () => {
    const { app, users, db } = await open()

    // SQLite and PGlite have no other connection.
    if (findDatabase(db).dialect.hasOneConnection) return

    await withTransaction(app, async () => {
      // The transaction has read before another connection stores the record.
      await users.find()
      await db.insertInto('alula_upserts').values({ email: 'ada@x.org', name: 'Ada', age: 1 }).execute()
      await users.upsert({ email: 'ada@x.org', age: 2 })
    })
    expect(await users.find()).toMatchObject([{ name: 'Ada', age: 2 }])
  })

  it('in a transaction that fails leaves nothing, and sends nothing', async () => {
    const { app, users, events } = await open()

    await users.upsert({ email: 'ada@x.org', age: 1 })
    await expect(
      withTransaction(app, async () => {
        await users.upsert({ email: 'ada@x.org', age: 2 })
        await users.upsert({ email: 'bob@x.org', age: 2 })
        throw new Error('no')
      })
    ).rejects.toThrow('no')
    expect(await users.find()).toMatchObject([{ email: 'ada@x.org', age: 1 }])
    expect(events).toEqual(['created'])
  })

  it('in a hundred transactions at once makes one record', async () => {
    const { app, users, events } = await open()
    const results = await Promise.allSettled(
      Array.from({ length: RIVALS }, (_, age) =>
        withTransaction(app, () => users.upsert({ email: 'ada@x.org', age }))
      )
    )
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))

    // InnoDB gives up some of the transactions that wait for each other, as for any write in them.
    expect(failures.filter(({ code }) => database !== MARIADB || code !== 503)).toEqual([])
    expect(await users.find()).toHaveLength(1)
    expect(events).toHaveLength(RIVALS - failures.length)
  })

  it('needs a unique index on its key, or on a part of it', async () => {
    const index = (columns: string) => open(`unique (${columns})`, ['email', 'name'])
    const data = { email: 'ada@x.org', name: 'Ada' }

    for (const columns of ['email, name', 'name, email', 'name']) {
      const { users } = await index(columns)

      await users.upsert(data)
      expect(await users.find()).toHaveLength(1)
    }
    for (const columns of ['email, age', 'email, name, age']) {
      const { users } = await index(columns)

      await expect(users.upsert(data)).rejects.toMatchObject({
        code: 500,
        cause: { code: 'ALULA_KEY_NOT_UNIQUE' }
      })
      expect(await users.find()).toEqual([])
    }
  })

  it('warns at the start of a key without an index, and of one without columns', async () => {
    const warnings: any[] = []
    const note = (warning: any) => void warnings.push(warning)

    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))

    for (const by of [['age'], ['mail']]) {
      const { app } = await open(undefined, by)

      await app.setup()
      await expect.poll(() => warnings.length).toBeGreaterThan(0)
      expect(warnings.splice(0).map(({ code, message }) => `${code} ${message}`)).toEqual([
        expect.stringMatching(
          by[0] === 'age'
            ? /^ALULA_KEY_NOT_UNIQUE 'upsert' of the service 'users' cannot be used: .* no unique index on 'age'/
            : /^ALULA_MISSING_TABLE .* no column 'mail', which the option 'upsert' names/
        )
      ])
    }
  })

  it('finds no index in one of some rows, of an expression, or that is checked late', async () => {
    const indexes: Partial<Record<typeof database.name, readonly string[]>> = {
      SQLite: [
        'create unique index alula_upserts_i on alula_upserts (email) where age > 1',
        'create unique index alula_upserts_i on alula_upserts (lower(email))'
      ],
      PostgreSQL: [
        'create unique index alula_upserts_i on alula_upserts (email) where age > 1',
        'create unique index alula_upserts_i on alula_upserts (lower(email))',
        'alter table alula_upserts add unique (email) deferrable initially deferred'
      ]
    }

    for (const index of indexes[database.name] ?? []) {
      const { users, db } = await open('unique (name)')

      await sql.raw(index).execute(db)
      await expect(users.upsert({ email: 'a' })).rejects.toMatchObject({ code: 500 })
    }
  })
})
