import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { describeHttpTransports } from '../support/transports.ts'
import { start } from './support/idempotency.ts'

describeHttpTransports('a response with an idempotency key', (open) => {
  it('is the same with status, headers and body, and without hidden fields', async () => {
    const { app, client } = await start(open, (opened) => {
      opened.use('orders', memory(), {
        schema: schema(
          {
            type: 'object',
            properties: {
              id: { type: 'integer' },
              text: { type: 'string' },
              secret: { type: 'string' },
              at: { type: 'string', format: 'date-time' }
            },
            additionalProperties: false
          },
          { hidden: ['secret'] }
        )
      })
    })

    app.service('orders').hooks({
      after: {
        create: [
          (context: any) => {
            Object.assign(context.http, { status: 202, headers: { 'X-Order': String(context.result.id) } })
          }
        ]
      }
    })

    const send = () =>
      client.request('/orders', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': '"0123456789abcdefghijkl"' },
        body: JSON.stringify({ text: 'tea', secret: 'x', at: '2026-05-01T00:00:00.000Z' })
      })
    const [first, second] = [await send(), await send()]

    expect(second.status).toBe(202)
    expect(toHeaders(second)).toEqual(toHeaders(first))
    expect(second.headers.get('x-order')).toBe('0')

    const body = await second.text()

    expect(body).toBe(await first.text())
    expect(body).not.toContain('secret')
    expect(await app.service('orders').find()).toMatchObject([{ secret: 'x' }])
  })
})

describeHttpTransports('a conditional call with an idempotency key', (open) => {
  it('is repeated though its first response has changed the tag, and fails with another key', async () => {
    const { app, client } = await start(open, (opened) => {
      opened.use('orders', memory({ store: { 1: { id: 1, n: 1 } } }))
    })
    const tag = (await client.request('/orders/1')).headers.get('etag') as string
    const patch = async (key: string, data: object) => {
      const response = await client.request('/orders/1', {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json', 'If-Match': tag, 'Idempotency-Key': key },
        body: JSON.stringify(data)
      })

      return [response.status, await response.json()]
    }
    const [one, two] = [randomUUID(), randomUUID()]

    expect(await patch(one, { n: 2 })).toEqual([200, { id: 1, n: 2 }])
    expect(await patch(one, { n: 2 })).toEqual([200, { id: 1, n: 2 }])
    expect(await patch(two, { n: 3 })).toMatchObject([412, { code: 412 }])
    expect(await app.service('orders').get(1)).toEqual({ id: 1, n: 2 })
    // The key is free again.
    await app.service('orders').patch(1, { n: 1 })
    expect(await patch(two, { n: 3 })).toEqual([200, { id: 1, n: 3 }])
  })
})

function toHeaders({ headers }: Response): object {
  const { date, ...others } = Object.fromEntries(headers)

  return others
}
