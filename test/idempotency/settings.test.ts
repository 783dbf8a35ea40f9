import { expect, it, vi } from 'vitest'
import { MemoryIdempotencyStore } from '../../src/idempotency/memory-store.ts'
import { idempotency } from '../../src/idempotency.ts'
import { alula } from '../../src/index.ts'

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
