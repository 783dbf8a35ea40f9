import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { type Application, alula } from '../../src/index.ts'
import {
  createIdempotencyTable,
  getTransaction,
  KyselyService,
  kysely,
  transaction,
  withTransaction
} from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { defer } from '../support/deferred.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'

const TABLE = 'alula_idempotent'
const KEYS = `${TABLE}_keys`

/** An application with orders in a table, and their keys in the same database or in memory. */
async function createApp(database: TestDatabase, store?: string) {
  const db = await createTable(database, TABLE, `id ${database.countedId}, item ${database.text}`)
  const { up } = createIdempotencyTable(KEYS)

  await db.schema.dropTable(KEYS).ifExists().execute()
  await up(db)
  onTestFinished(async () => {
    const own = database.name === 'SQLite' ? undefined : database.open()

    await own?.schema.dropTable(KEYS).ifExists().execute()
    await own?.destroy()
  })

  const app: Application = alula()
  const events: unknown[] = []

  app.configure(idempotency(store === undefined ? {} : { store }))
  app.use('orders', kysely({ Model: db, name: TABLE, id: 'id' }))
  app.use('keys', kysely({ Model: db, name: KEYS, id: 'id' }), { methods: [] })
  app.use('others', memory())
  app.service('orders').on('created', (order: unknown) => void events.push(order))
  await app.setup()

  const handler = createHandler(app, { logger: false })
  const post = async (key: string, item: string, path = 'orders') => {
    const response = await handler(
      new Request(`http://localhost/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify({ item })
      })
    )

    return { status: response.status, text: await response.text() }
  }

  return { app, db, post, events, count: async () => (await app.service('orders').find()).length }
}

const withHooks = {
  before: { create: [transaction.start()] },
  after: { create: [transaction.end()] },
  error: { create: [transaction.rollback()] }
}

describeDatabases('calls with a key in transactions', (database) => {
  it('run the method of a class in one, and calls without a key do not', async () => {
    const { app, db, post } = await createApp(database, 'keys')
    const inTransaction: boolean[] = []

    class Orders extends KyselyService {
      override async create(data: any, params?: any): Promise<any> {
        inTransaction.push((await getTransaction(db)).isTransaction)

        return await super.create(data, params)
      }
    }

    app.use('own', new Orders({ Model: db, name: TABLE, id: 'id' }))
    await app.service('own').create({ item: 'tea' })
    expect((await post(randomUUID(), 'tea', 'own')).status).toBe(201)
    expect(inTransaction).toEqual([false, true])
  })

  for (const store of ['keys', undefined]) {
    const place = store ? 'the same database' : 'memory'

    it(`are repeated with their response, and the hooks commit once, with keys in ${place}`, async () => {
      const { app, post, events, count } = await createApp(database, store)
      const key = randomUUID()

      app.service('orders').hooks(withHooks)

      const first = await post(key, 'tea')

      expect(first.status).toBe(201)
      expect(await post(key, 'tea')).toEqual(first)
      expect((await post(key, 'milk')).status).toBe(422)
      expect(await count()).toBe(1)
      expect(events).toHaveLength(1)
      // Nothing holds the connection.
      expect((await post(randomUUID(), 'milk')).status).toBe(201)
    })

    it(`leave no response of a transaction that was rolled back, with keys in ${place}`, async () => {
      const { app, post, events, count } = await createApp(database, store)
      const key = randomUUID()
      let fails = true

      app.service('orders').hooks({
        before: { create: [transaction.start()] },
        after: {
          create: [
            () => {
              if (fails) throw new Error('Not this time')
            },
            transaction.end()
          ]
        },
        error: { create: [transaction.rollback()] }
      })

      expect((await post(key, 'tea')).status).toBe(500)
      expect(await count()).toBe(0)
      fails = false
      expect((await post(key, 'tea')).status).toBe(201)
      expect(await count()).toBe(1)
      expect(events).toHaveLength(1)
    })

    it(`are repeated inside withTransaction, with keys in ${place}`, async () => {
      const { app, post, count } = await createApp(database, store)
      const key = randomUUID()

      app.service('orders').hooks({
        around: { create: [async (_context: any, next: any) => await withTransaction(app, next)] }
      })

      const first = await post(key, 'tea')

      expect(first.status).toBe(201)
      expect(await post(key, 'tea')).toEqual(first)
      expect(await count()).toBe(1)
    })
  }

  it('write the record and the key together: without the one there is not the other', async () => {
    const { app, db, post, count } = await createApp(database, 'keys')
    const key = randomUUID()
    const keys: any = app.service('keys')
    const { _patch: patch } = keys

    // What the database refuses.
    keys._patch = (id: unknown, data: object, params: object) =>
      patch.call(keys, id, { ...data, lost: 1 }, params)
    expect((await post(key, 'tea')).status).toBeGreaterThanOrEqual(400)
    expect(await count()).toBe(0)

    keys._patch = patch
    expect((await post(key, 'tea')).status).toBe(201)
    expect(await count()).toBe(1)
    expect(await db.selectFrom(KEYS).selectAll().execute()).toHaveLength(1)
  })

  it('are running for others until the hooks after the method are through', async () => {
    const { app, post } = await createApp(database, 'keys')
    const [begun, ended] = [defer(), defer()]
    const key = randomUUID()

    app.service('orders').hooks({
      after: {
        create: [
          async () => {
            begun.resolve()
            await ended.promise
          }
        ]
      }
    })

    const first = post(key, 'tea')

    await begun.promise

    const { status, text } = await post(key, 'tea')

    expect([status, JSON.parse(text).data]).toEqual([409, { reason: 'running' }])
    ended.resolve()
    expect((await first).status).toBe(201)
    expect(await post(key, 'tea')).toEqual(await first)
  })

  it('write nothing for a run whose key another one has meanwhile', async () => {
    const { app, post, count } = await createApp(database, 'keys')
    const [orders, keys]: any[] = [app.service('orders'), app.service('keys')]
    const { _create: create } = orders

    // As if the lease were over, and another process had begun.
    orders._create = async (...args: unknown[]) => {
      const order = await create.apply(orders, args)

      await keys._patch(null, { token: 'another' }, { query: {} })

      return order
    }
    expect((await post(randomUUID(), 'tea')).status).toBe(409)
    expect(await count()).toBe(0)

    orders._create = create
    expect((await post(randomUUID(), 'tea')).status).toBe(201)
  })

  it('work for a service of another store, too', async () => {
    const { app, post } = await createApp(database, 'keys')
    const key = randomUUID()
    const first = await post(key, 'tea', 'others')

    expect(await post(key, 'tea', 'others')).toEqual(first)
    expect(await app.service('others').find()).toHaveLength(1)
  })
})
