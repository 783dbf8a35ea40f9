import { expect, it, vi } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { MemoryIdempotencyStore } from '../../src/idempotency/memory-store.ts'
import { idempotency } from '../../src/idempotency.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { defer } from '../support/deferred.ts'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { serve } from '../support/server.ts'

it.each([
  [{ store: 5 }, /'store'.*the path of a service, or \{ redis \} with a URL/],
  [{ maxSize: '1' }, /'maxSize'.*a number of bytes/]
])('%j is refused when it is configured', (options, message) => {
  expect(() => idempotency(options as object)).toThrow(message)
})

it('a teardown reaches the services', async () => {
  const teardown = vi.fn(async () => {})
  const app = alula().configure(idempotency())

  app.use('notes', { find: async () => [], teardown })
  await app.setup()
  await app.teardown()

  expect(teardown).toHaveBeenCalledOnce()
})

it('a store that is exactly full forgets no response, and one more makes room for itself', async () => {
  const store = new MemoryIdempotencyStore(undefined, { count: 10, size: 4 })
  const finish = async (id: string, response: string) => {
    const claim = { id, hash: id, token: id }

    await store.begin(claim)
    expect(await store.finish(claim, response)).toBe(true)
  }
  const read = async (id: string) => (await store.begin({ id, hash: id, token: 'other' }))?.response

  await finish('a', '12')
  await finish('b', '34')
  expect([await read('a'), await read('b')]).toEqual(['12', '34'])

  await finish('c', '5')
  expect(await read('a')).not.toBe('12')
  expect([await read('b'), await read('c')]).toEqual(['34', '5'])
})

it('a store releases what it does not have without a fault', async () => {
  const store = new MemoryIdempotencyStore()

  await expect(store.release({ id: 'a', hash: 'a', token: 'a' })).resolves.toBeUndefined()
})

it('a service keeps the keys of a sub-application, which is not set up itself', async () => {
  const inner = alula().configure(idempotency({ store: 'keys' }))
  const app = alula()

  inner.use('keys', memory(), { methods: [] })
  inner.use('orders', memory())
  app.use('v1', inner)
  await app.setup()

  const handle = createHandler(app, { logger: false })
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': 'a'.repeat(22) }
  const create = async () => {
    const response = await handle(
      new Request('http://localhost/v1/orders', { method: 'POST', headers, body: '{"item":"tea"}' })
    )

    return await response.json()
  }

  expect(await create()).toEqual({ item: 'tea', id: 0 })
  expect(await create()).toEqual({ item: 'tea', id: 0 })
  expect(await inner.service('keys').find()).toHaveLength(1)
})

it.each([
  ['that is not there', undefined],
  ['that clients can call', { methods: ['find' as const] }]
])('a sub-application whose keys are in a service %s makes no call with a key', async (_what, options) => {
  const inner = alula().configure(idempotency({ store: 'keys' }))
  const app = alula()

  if (options) inner.use('keys', memory(), options)
  inner.use('orders', memory())
  app.use('v1', inner)
  await app.setup()

  const response = await createHandler(app, { logger: false })(
    new Request('http://localhost/v1/orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'a'.repeat(22) },
      body: '{"item":"tea"}'
    })
  )

  expect(response.status).toBe(500)
  expect(await app.service('v1/orders').find()).toEqual([])
})

describeRedis('keys in Redis', () => {
  it('are asked over the same connection when another server is set up during a request', async () => {
    const proxy = await startProxy(REDIS_URL)
    const running = defer()
    const create = vi.fn(async (data: object) => data)
    const app: any = express(alula())

    app.configure(rest()).configure(idempotency({ store: { redis: proxy.url, prefix: createPrefix() } }))
    app.use('orders', { create })
    app.service('orders').hooks({ before: { create: [async () => running.resolve()] } })

    const url = await serve(app)
    const order = async () => {
      const { status } = await fetch(`${url}/orders`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'a'.repeat(22) },
        body: '{"item":"tea"}'
      })

      return status
    }

    // Redis does not reply over this connection, and would over another one.
    proxy.hold()

    const ordered = order()

    await running.promise
    await app.setup()
    proxy.mend()

    expect([await ordered, await order()]).toEqual([201, 201])
    expect(create).toHaveBeenCalledOnce()
  })
})
