import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { createTable, describeDatabases, POSTGRES, SQLITE, type TestDatabase } from '../support/sql.ts'
import { openShop } from './fixtures/open.ts'
import { toTrading } from './fixtures/trading.ts'

const WEB = { provider: 'rest' } as const

/** A service whose schema is its table. */
async function open(database: TestDatabase, columns: string, options: object = {}): Promise<any> {
  const db = await createTable(database, 'alula_keys', columns)
  const app = alula()

  app.use('items', kysely({ Model: db, name: 'alula_keys', id: 'code', ...options }), { schema: table() })
  await app.setup()

  return app.service('items')
}

describeDatabases('a natural key', (database) => {
  it.each(['char(5) primary key', 'varchar(35) primary key', 'integer primary key check (code > 0)'])(
    'that no UUID fits in is for clients to give: %s',
    async (type) => {
      // SQLite numbers it.
      if (type.startsWith('integer') && database.name === 'SQLite') return

      const items = await open(database, `code ${type}, label varchar(20)`)
      const code = type.startsWith('integer') ? 7 : 'KELPO'

      await expect(items.create({ label: 'x' }, WEB)).rejects.toMatchObject({
        name: 'BadRequest',
        errors: { code: 'is required' }
      })
      await expect(items.create({ label: 'x' })).rejects.toMatchObject({
        name: 'BadRequest',
        errors: { code: 'is required' }
      })
      expect(await items.create({ code, label: 'x' }, WEB)).toEqual({ code, label: 'x' })
      await expect(items.create({ code, label: 'y' }, WEB)).rejects.toMatchObject({
        name: 'Conflict',
        errors: { code: 'is taken' }
      })
      expect(await items.update(code, { code, label: 'z' }, WEB)).toEqual({ code, label: 'z' })
      // The path has it.
      expect(await items.update(code, { label: 'q' }, WEB)).toEqual({ code, label: 'q' })
      expect(await items.update(code, { code, label: 'z' }, WEB)).toEqual({ code, label: 'z' })
      // It stays, as the id of every table does.
      expect(await items.patch(code, { code: type.startsWith('integer') ? 8 : 'OTHER' }, WEB)).toMatchObject({
        code
      })
      expect(await items.find(WEB)).toEqual([{ code, label: 'z' }])
    }
  )

  it('that a UUID fits in is for clients to give where the service has allowId', async () => {
    const columns = 'code varchar(36) primary key, label varchar(20)'
    const closed = await open(database, columns)

    await expect(closed.create({ code: 'a' }, WEB)).rejects.toMatchObject({
      errors: { code: 'is set by the server' }
    })

    const items = await open(database, columns, { allowId: true })

    expect(await items.create({ code: 'a', label: 'x' }, WEB)).toEqual({ code: 'a', label: 'x' })
    expect(await items.create({ label: 'y' }, WEB)).toEqual({
      code: expect.stringMatching(/^[\da-f-]{36}$/),
      label: 'y'
    })
  })

  it('is a number of the table where the service has allowId', async () => {
    const items = await open(database, database.countedId.replace(/^/, 'code '), { allowId: true })

    expect(await items.create({ code: 7 }, WEB)).toEqual({ code: 7 })
    expect(await items.create({}, WEB)).toEqual({ code: database === POSTGRES ? 1 : 8 })
  })
})

describeDatabases(
  'an integer as a key that is not the number of the row',
  (database) => {
    it.each([
      ['integer primary key desc', ''],
      ['integer primary key', 'without rowid']
    ])('is for clients to give: %s %s', async (type, option) => {
      const db = database.open()
      const app = alula()

      onTestFinished(() => db.destroy())
      await sql.raw(`create table alula_keys (code ${type}, label text) ${option}`).execute(db)
      app.use('items', kysely({ Model: db, name: 'alula_keys', id: 'code', multi: true }), {
        schema: table()
      })
      await app.setup()

      const items: any = app.service('items')

      for (const params of [WEB, undefined]) {
        await expect(items.create({ label: 'x' }, params)).rejects.toMatchObject({
          name: 'BadRequest',
          errors: { code: 'is required' }
        })
      }
      expect(await items.create([{ code: 7, label: 'x' }, { code: 3 }])).toHaveLength(2)
      expect(await items.create({ code: 5, label: 'y' }, WEB)).toEqual({ code: 5, label: 'y' })
      await expect(items.create({ code: 5 }, WEB)).rejects.toMatchObject({ errors: { code: 'is taken' } })
      expect((await items.find(WEB)).map(({ code }: any) => code)).toEqual([3, 5, 7])
    })
  },
  [SQLITE]
)

describeDatabases('a key of two columns', (database) => {
  it('names a record by one of them and a query', async () => {
    const { ask, snapshot, fixture } = await openShop(database, toTrading)
    const lines = fixture.tables.find(({ name }) => name === 'Order Details')
    const before = await snapshot(lines as NonNullable<typeof lines>)
    const several = {
      status: 409,
      body: expect.objectContaining({ message: expect.stringContaining("'10248'") })
    }

    for (const [method, body] of [['GET'], ['PATCH', { quantity: 1 }], ['DELETE']] as const) {
      expect(await ask(method, 'order-details/10248', body)).toEqual(several)
    }

    expect(await snapshot(lines as NonNullable<typeof lines>)).toEqual(before)
    expect(await ask('GET', 'order-details/10249')).toMatchObject({ status: 200, body: { product_id: 1 } })
    expect(await ask('PATCH', 'order-details/10248?product_id=2', { quantity: 1 })).toMatchObject({
      status: 200,
      body: { order_id: 10_248, product_id: 2, quantity: 1 }
    })
    expect((await ask('DELETE', 'order-details/10248?product_id=2')).status).toBe(200)
    expect((await ask('GET', 'order-details?order_id=10248')).body).toHaveLength(1)
  })

  it('is taken as a whole', async () => {
    const { ask } = await openShop(database, toTrading)
    const link = { employee_id: 9, territory_id: '01581' }

    expect(await ask('POST', 'employee_territories', link)).toMatchObject({
      status: 409,
      body: { errors: { employee_id: 'is taken', territory_id: 'is taken' } }
    })
    expect(await ask('POST', 'employee_territories', { ...link, territory_id: '98104' })).toMatchObject({
      status: 400
    })
  })
})

describeDatabases('a trigger that raises', (database) => {
  it('is a 400 that does not repeat its message', async () => {
    const { ask } = await openShop(database, toTrading)
    const line = { order_id: 10_249, product_id: 3, unit_price: 1, quantity: 101, discount: 0 }

    expect(await ask('POST', 'order-details', line)).toMatchObject({
      status: 400,
      body: { message: 'Invalid data: a value is not allowed' }
    })
    expect((await ask('POST', 'order-details', { ...line, quantity: 100 })).status).toBe(201)
  })
})

describeDatabases(
  'a natural key',
  (database) => {
    it('whose domain has no room for a UUID is for clients to give', async () => {
      const db = database.open()

      onTestFinished(async () => {
        await sql`drop domain if exists alula_code cascade`.execute(db)
        await db.destroy()
      })
      await sql`drop domain if exists alula_code cascade`.execute(db)
      await sql`create domain alula_code as varchar(5)`.execute(db)

      const items = await open(database, 'code alula_code primary key, label varchar(20)')

      await expect(items.create({ label: 'x' }, WEB)).rejects.toMatchObject({
        errors: { code: 'is required' }
      })
      expect(await items.create({ code: 'KELPO', label: 'x' }, WEB)).toEqual({ code: 'KELPO', label: 'x' })
    })
  },
  [POSTGRES]
)
