import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Client, ConnectionListener } from '../../src/redis/connection.ts'
import { toRedisSettings } from '../../src/redis/options.ts'
import { StoreConnection } from '../../src/redis/store.ts'
import { startProxy } from '../support/proxy.ts'
import { describeRedis, REDIS_URL } from '../support/redis.ts'
import { until } from '../support/until.ts'

/** A connection that is not made yet, and what its listener is told. */
function createStore(redis: string | object = REDIS_URL) {
  const store = new StoreConnection(toRedisSettings('a test', { redis }), { content: 'Things' })
  const told: string[] = []
  const listener: ConnectionListener = {
    away: (_connection, { message }) => told.push(message),
    back: () => told.push('back')
  }

  onTestFinished(() => store.close())

  return { store, told, listener }
}

/** Has a Redis say no, as a copy of another server does. */
function refuse(store: StoreConnection, error: string): Promise<unknown> {
  return store.ask((client) => client.eval(`return redis.error_reply('${error}')`))
}

const ping = (client: Client) => client.ping()

/** A server in front of Redis that refuses the first connections. */
async function startLate(refused: number): Promise<string> {
  const { hostname, port, pathname } = new URL(REDIS_URL)
  const server = createServer((socket) => {
    const upstream = connect(Number(port || 6379), hostname)

    for (const one of [socket, upstream]) one.on('error', () => undefined)
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
    if (refused-- > 0) socket.destroy()
    else socket.pipe(upstream).pipe(socket)
  }).listen(0, '127.0.0.1')

  onTestFinished(() => void server.close())
  await once(server, 'listening')

  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
}

it('a store that is not connected cannot be asked, and says what it has', async () => {
  const { store } = createStore()

  expect(store.isReady).toBe(false)
  await expect(store.ask(ping)).rejects.toMatchObject({
    ...{ name: 'Unavailable', message: 'Things cannot be looked up: Redis is not connected' }
  })
  expect(() => store.close()).not.toThrow()
})

describeRedis('a store in Redis', () => {
  it('keeps no connection that was closed while it was made', async () => {
    const { store, listener } = createStore()
    const opening = store.open(listener)

    store.close()
    await expect(opening).rejects.toThrow('was closed while it was made')
    expect(store.isOpen).toBe(false)
  })

  it('can be asked from when it is open until it is closed', async () => {
    const { store, told, listener } = createStore()
    let client: Client | undefined
    let connections = 0

    await store.open(listener, () => connections++)
    expect([store.isReady, connections]).toEqual([true, 1])
    await store.ask(async (asked) => {
      client = asked
    })
    expect(await store.ask(ping)).toBe('PONG')
    store.close()
    expect([store.isReady, client?.isOpen]).toEqual([false, false])
    await expect(store.ask(ping)).rejects.toThrow('Redis is not connected')
    expect(told).toEqual([])
  })

  it('has one connection, of the last time that it was opened', async () => {
    const { store } = createStore()
    const clients: Client[] = []

    for (let n = 0; n < 2; n++) {
      await store.open()
      await store.ask(async (client) => clients.push(client))
    }

    expect(clients.map(({ isOpen }) => isOpen)).toEqual([false, true])
  })

  it('is not open where what it begins with fails', async () => {
    const { store, listener } = createStore()

    await expect(
      store.open(listener, () => {
        throw new Error('broken')
      })
    ).rejects.toThrow('broken')
  })

  it('waits for a Redis that is not there at first', async () => {
    const { store } = createStore(await startLate(2))

    await store.open()
    expect(await store.ask(ping)).toBe('PONG')
  })

  it('asks a client that it was given for another one, and sends its commands over that', async () => {
    const { store } = createStore({
      duplicate: (options: object) => createClient({ url: REDIS_URL, name: 'wren', ...options })
    })

    await store.open()
    expect(await store.ask((client) => client.clientGetName())).toBe('wren')
  })

  it('says what went wrong as the cause, and keeps its connection', async () => {
    const { store, told, listener } = createStore()

    await store.open(listener)
    await expect(refuse(store, 'OOM no memory')).rejects.toMatchObject({
      ...{ name: 'Unavailable', message: 'Things cannot be looked up at the moment' },
      cause: expect.objectContaining({ message: expect.stringContaining('OOM no memory') })
    })
    expect(told).toEqual([])
  })

  it('connects again, once, when Redis has become a copy of another server', async () => {
    const { store, told, listener } = createStore()
    const ids: number[] = []
    const ask = async () => void ids.push(await store.ask((client) => client.clientId()))

    await store.open(listener)
    await ask()

    for (let n = 0; n < 3; n++)
      await expect(refuse(store, 'READONLY a copy')).rejects.toThrow('at the moment')

    expect(told).toEqual([expect.stringContaining('READONLY a copy')])
    await until(() => expect(told.at(-1)).toBe('back'))
    await ask()
    expect(ids[1]).not.toBe(ids[0])
  })

  it('begins again after its connection was lost, until it succeeds', async () => {
    const proxy = await startProxy(REDIS_URL)
    const { store, told, listener } = createStore(proxy.url)
    let attempts = 0

    await store.open(listener, () => {
      if (++attempts === 2) throw new Error('broken')
    })
    proxy.cut()
    await until(() => expect(told.length).toBeGreaterThan(0))
    proxy.mend()
    await until(() => expect(told.at(-1)).toBe('back'))
    expect(told).toContain('broken')
    expect(attempts).toBe(3)
    expect(await store.ask(ping)).toBe('PONG')
  })
})

describe('the settings of Redis', () => {
  it('have a prefix and a time where these are left out', () => {
    const redis = { socket: { host: 'localhost', port: 6379 } }

    expect(toRedisSettings('a test', { redis })).toEqual({ redis, prefix: 'alula', connectTimeout: 5000 })
    expect(toRedisSettings('a test', { redis, prefix: 'shop', connectTimeout: 0.5 })).toEqual({
      ...{ redis, prefix: 'shop', connectTimeout: 0.5 }
    })
  })

  it('are named with the option that holds them', () => {
    const open = () => toRedisSettings('sessions', { redis: 'redis://localhost', prefix: '' }, {}, 'store')

    expect(open).toThrow("Invalid option 'store.prefix' of sessions: expected a string that is not empty")
  })
})
