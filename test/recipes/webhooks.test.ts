import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { shareProcess } from '../support/shared-process.ts'

const secret = 'the secret of one receiver'
const { runServer } = shareProcess({ WEBHOOK_SECRET: secret })
const page = await readPage('recipes/13-webhooks')
const [signature, sender, outbox, receiver] = readBlocks(page, 'js') as [...[string, string, string, string]]

const APP = `
import { alula } from 'alula'
import express, { errorHandler, rest } from 'alula/express'
import { memory } from 'alula/memory'

const app = express(alula())

app.configure(rest({ logger: false }))
app.use('orders', memory({ startId: 1 }))
app.use('invoices', memory({ startId: 1 }))`

const START = `app.use(errorHandler({ logger: false }))\nawait app.listen(3030)`

/** The first invoice cannot be written. */
const FAILING = `
let failed = false

app.service('invoices').hooks({
  before: {
    create: [
      () => {
        if (failed) return

        failed = true
        throw new Error('The database is away')
      }
    ]
  }
})
app.service('invoices').on('created', ({ total }) => console.log('invoice', total))`

async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const type = { 'Content-Type': 'application/json' }

  return (await fetch(url, { method: 'POST', body, headers: { ...type, ...headers } })).status
}

it('webhooks arrive after a failure, once, and only with a signature that is new', async () => {
  const { address, waitFor } = await runServer(toModule(APP, signature, receiver, FAILING, START))
  const url = `http://${address}/webhooks/orders`
  const sending = await runServer(
    toModule(APP, signature, sender, START)
      .replace('[1, 5, 30, 300, 1800]', '[0.01, 0.01]')
      .replace('process.env.WEBHOOK_URL', JSON.stringify(url))
  )
  const readInvoices = async () => await (await fetch(`http://${address}/invoices`)).json()

  expect(await post(`http://${sending.address}/orders`, '{"total":7}')).toBe(201)
  await waitFor('invoice 7')
  expect(await readInvoices()).toEqual([{ order: 1, total: 7, id: 1 }])

  const body = '{"data": {"id":2,"total":9}}'
  const sign = (id: string, age = 0) => {
    const timestamp = String(Math.floor(Date.now() / 1000) - age)
    const hash = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')

    return { 'Webhook-Id': id, 'Webhook-Timestamp': timestamp, 'Webhook-Signature': `v1,AAAA v1,${hash}` }
  }

  expect(await post(url, body, sign('a'))).toBe(204)
  expect(await post(url, body, sign('a'))).toBe(204)
  expect(await post(url, body.replace('9', '8'), sign('b'))).toBe(401)
  expect(await post(url, body, { ...sign('b'), 'Webhook-Id': 'c' })).toBe(401)
  expect(await post(url, body)).toBe(401)
  expect(await post(url, body, sign('b', 400))).toBe(400)
  expect(await post(url, body, sign('b', -400))).toBe(400)
  expect(await post(url, ' '.repeat(200_000), sign('b'))).toBe(413)
  expect(await readInvoices()).toEqual([
    { order: 1, total: 7, id: 1 },
    { order: 2, total: 9, id: 2 }
  ])
})

it('an order and its delivery are written together, without the fields that clients do not see', async () => {
  const { address, waitFor } = await runServer(
    toModule(
      APP.replace(/^app\.use\('orders'.*$/m, ''),
      `
import { schema } from 'alula/schema'
import { Kysely, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { z } from 'zod'

const db = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })

await sql\`create table orders (id integer primary key, total integer not null, margin integer not null)\`.execute(db)
await sql\`create table outbox (id integer primary key, type text, data text check (data not like '%13%'))\`.execute(db)`,
      outbox.replace(
        /^(?=app\.service\('orders'\))/m,
        `
const Order = z.object({ id: z.int(), total: z.int(), margin: z.int() })

app.use('orders', kysely({ Model: db, name: 'orders' }), { schema: schema(Order, { hidden: ['margin'] }) })
app.service('orders').hooks({
  around: {
    create: [
      async (context, next) => {
        await next()
        console.log('hook', context.result.margin, context.dispatch)
      }
    ]
  }
})
app.service('orders').on('created', (_order, { dispatch }) => console.log('listener', JSON.stringify(dispatch)))
app.use('rows', { find: () => app.service('outbox').find() })
`
      ),
      START
    )
  )
  const read = async (path: string) => await (await fetch(`http://${address}/${path}`)).json()

  expect(await post(`http://${address}/orders`, '{"total":7,"margin":2}')).toBe(201)
  expect(await waitFor('hook')).toBe('hook 2 undefined')
  expect(await waitFor('listener')).toBe('listener {"id":1,"total":7}')
  expect(await post(`http://${address}/orders`, '{"total":13,"margin":2}')).toBe(400)
  expect(await read('orders')).toEqual([{ id: 1, total: 7 }])
  expect(await read('rows')).toEqual([{ id: 1, type: 'order.created', data: '{"id":1,"total":7}' }])
})
