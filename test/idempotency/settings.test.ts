import { expect, it, vi } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { MemoryIdempotencyStore } from '../../src/idempotency/memory-store.ts'
import { idempotency } from '../../src/idempotency.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

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
