import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, transaction, withTransaction } from '../../src/kysely.ts'
import { createTable, describeDatabases, MARIADB_URL, POSTGRES, type TestDatabase } from '../support/sql.ts'

/** A name with everything that has a meaning in SQL. */
const ODD_SCHEMA = 'alula o\'dd";-- `schema`'

/** Where a table is when nobody says where. */
const USUAL_SCHEMAS = {
  SQLite: 'main',
  PostgreSQL: 'public',
  MariaDB: new URL(MARIADB_URL).pathname.slice(1)
}

describeDatabases('the option schema', (database) => {
  it.each(['alula_tenant', ODD_SCHEMA])(
    '%s is where the table is, for all methods, and no other is touched',
    async (schema) => {
      const { db, people, outside } = await openSchema(database, schema)

      await outside.create({ id: 1, name: 'outside', since: null })

      const ada = await people.create({ name: 'Ada' })

      expect(ada).toEqual({ id: 1, name: 'Ada', note: null })
      expect(await people.create([{ name: 'Bob' }, { id: 7, name: 'Cyd' }, { name: 'Dan' }])).toHaveLength(3)
      await expect(people.create({ name: 'Ada' })).rejects.toMatchObject({
        name: 'Conflict',
        errors: { name: 'is taken' }
      })
      expect(await people.find({ query: { name: 'Ada', $select: ['name'] } })).toEqual([
        { id: 1, name: 'Ada' }
      ])
      expect(await people.get(1, { query: { note: null } })).toEqual(ada)
      expect(await people.update(1, { name: 'Eve' })).toEqual({ id: 1, name: 'Eve', note: null })
      expect(await people.patch(null, { note: 'x' }, { query: { id: { $gt: 6 } } })).not.toEqual([])
      expect(await people.remove(1)).toEqual({ id: 1, name: 'Eve', note: null })
      // It is a column of the other table of this name.
      await expect(people.find({ query: { since: null } })).rejects.toMatchObject({ name: 'BadRequest' })
      expect(await outside.find()).toEqual([{ id: 1, name: 'outside', since: null }])
      expect(await countRows(db, schema)).toBe(3)
    }
  )

  it('holds in a transaction too, and together with services without one', async () => {
    const { app, people, outside } = await openSchema(database, 'alula_tenant')

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      await outside.create({ id: 5, name: 'Bob' })
    })
    await withTransaction(app, async () => {
      await people.remove(null)
      await outside.remove(null)
      throw new Error('no')
    }).catch(() => undefined)

    expect(await people.find()).toMatchObject([{ name: 'Ada' }])
    expect(await outside.find()).toMatchObject([{ name: 'Bob' }])
  })

  it('can be another one for a call: tenants see their own', async () => {
    const { people } = await openSchema(database, 'alula_tenant')
    const usual = { adapter: { schema: USUAL_SCHEMAS[database.name] } }

    await people.create({ name: 'Ada' })
    await people.create({ id: 3, name: 'Bob' }, usual)

    expect(await people.find()).toMatchObject([{ name: 'Ada' }])
    expect(await people.find(usual)).toEqual([{ id: 3, name: 'Bob', since: null }])
  })

  it('that is not there is an error of the developer, and no text of SQL', async () => {
    const { db } = await openSchema(database, 'alula_tenant')
    const lost = kysely({ Model: db, name: 'alula_place', schema: 'alula_nowhere"; drop table alula_place' })

    await expect(lost.find()).rejects.toMatchObject({
      name: 'GeneralError',
      message: expect.stringMatching(
        /^The (?:service failed: The database has no table|database failed: unknown database)/
      )
    })
  })
})

async function openSchema(database: TestDatabase, schema: string) {
  const { countedId, text } = database
  const db = await createTable(database, 'alula_place', `id integer primary key, name ${text}, since ${text}`)
  const name = sql.id(schema)

  if (database.name === 'SQLite') {
    await sql`attach ':memory:' as ${name}`.execute(db)
  } else {
    const remove = () =>
      database.name === 'PostgreSQL'
        ? sql`drop schema if exists ${name} cascade`.execute(db)
        : sql`drop schema if exists ${name}`.execute(db)

    await remove()
    await sql`create schema ${name}`.execute(db)
    onTestFinished(async () => void (await remove()))
  }

  await sql`create table ${sql.id(schema, 'alula_place')}
    (id ${sql.raw(countedId)}, name ${sql.raw(text)} unique, note ${sql.raw(text)})`.execute(db)

  const app = alula()

  app.use('people', kysely({ Model: db, name: 'alula_place', schema, multi: true }))
  app.use('outside', kysely({ Model: db, name: 'alula_place', multi: true }))

  return { app, db, people: app.service('people') as any, outside: app.service('outside') as any }
}

async function countRows(db: any, schema: string): Promise<number> {
  const { rows } = await sql<any>`select count(*) as count from ${sql.id(schema, 'alula_place')}`.execute(db)

  return Number(rows[0].count)
}

describeDatabases('params.adapter.Model', (database) => {
  it('is the database of the call, with columns of its own', async () => {
    const one = await createTable(database, 'alula_model', `id ${database.countedId}, name ${database.text}`)
    const tenant = await openTenant(database)
    const service = kysely({ Model: one, name: 'alula_model', multi: true })
    const ofTenant = { adapter: { Model: tenant } }

    await service.create({ name: 'Ada' })
    await service.create({ name: 'Bob', team: 'red' }, ofTenant)

    expect(await service.find()).toEqual([{ id: 1, name: 'Ada' }])
    expect(await service.find(ofTenant)).toEqual([{ id: 1, name: 'Bob', team: 'red' }])
    expect(await service.patch(null, { team: 'blue' }, ofTenant)).toEqual([
      { id: 1, name: 'Bob', team: 'blue' }
    ])
    await expect(service.patch(1, { team: 'blue' })).rejects.toMatchObject({ name: 'BadRequest' })
    expect(await service.remove(1, ofTenant)).toEqual({ id: 1, name: 'Bob', team: 'blue' })
    expect(await service.find()).toEqual([{ id: 1, name: 'Ada' }])
  })

  it('has transactions of its own, and one of another database is refused', async () => {
    const one = await createTable(database, 'alula_model', `id ${database.countedId}, name ${database.text}`)
    const tenant = await openTenant(database)
    const app = alula()

    app.use('people', kysely({ Model: one, name: 'alula_model', multi: true }))

    const people: any = app.service('people')
    const ofTenant = { adapter: { Model: tenant } }

    await withTransaction(app, () => people.create({ name: 'Ada', team: 'red' }, ofTenant))
    await withTransaction(app, async () => {
      await people.create({ name: 'Bob', team: 'red' }, ofTenant)
      await people.create({ name: 'Cyd' })
    }).then(
      () => expect.unreachable(),
      (error) => expect(error).toMatchObject({ name: 'GeneralError' })
    )

    expect(await people.find()).toEqual([])
    expect(await people.find(ofTenant)).toMatchObject([{ name: 'Ada' }])
  })

  it('is not where a call with a transaction of another database writes: it is refused', async () => {
    const one = await createTable(database, 'alula_model', `id ${database.countedId}, name ${database.text}`)
    const tenant = await openTenant(database)
    const app = alula()

    app.use('people', kysely({ Model: one, name: 'alula_model' }))

    const people: any = app.service('people')

    async function createForTenant({ params: { transaction: current } }: any): Promise<void> {
      await people.create({ name: 'Bob' }, { transaction: current, adapter: { Model: tenant } })
    }

    app.use('tasks', { create: async (data: any) => data, getModel: () => one } as any)
    app.service('tasks').hooks({
      before: { create: [transaction.start(), createForTenant] },
      after: { create: [transaction.end()] },
      error: { create: [transaction.rollback()] }
    })

    await expect(app.service('tasks').create({})).rejects.toMatchObject({ name: 'GeneralError' })
    expect(await people.find()).toEqual([])
    expect(await people.find({ adapter: { Model: tenant } })).toEqual([])
  })
})

/** Another database of the same kind, with another table of the same name. */
async function openTenant(database: TestDatabase) {
  const schema = 'alula_other_tenant'
  const db = database.open()
  const columns = sql.raw(`id ${database.countedId}, name ${database.text}, team ${database.text}`)

  onTestFinished(async () => {
    if (database.name !== 'SQLite') {
      await sql`drop schema if exists ${sql.id(schema)} ${sql.raw(database === POSTGRES ? 'cascade' : '')}`.execute(
        db
      )
    }
    await db.destroy()
  })

  if (database.name === 'SQLite') {
    await sql`create table alula_model (${columns})`.execute(db)

    return db
  }

  await sql`drop schema if exists ${sql.id(schema)} ${sql.raw(database === POSTGRES ? 'cascade' : '')}`.execute(
    db
  )
  await sql`create schema ${sql.id(schema)}`.execute(db)
  await sql`create table ${sql.id(schema, 'alula_model')} (${columns})`.execute(db)

  return db.withSchema(schema)
}
