import { createServer } from 'node:net'
import { createClient, createCluster } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { getInternals } from '../../src/core/internals.ts'
import { alula } from '../../src/index.ts'
import {
  type RedisLocation,
  type RedisRevocationOptions,
  RedisRevocationStore,
  type SyncOptions,
  sync
} from '../../src/sync.ts'
import {
  createPrefix,
  describeOwnRedis,
  describeRedis,
  findPort,
  REDIS_URL,
  startRedis
} from '../support/redis.ts'
import { until } from '../support/until.ts'
import { startProcess } from './app.ts'

const PARAMS = 'an array of names other than headers, authentication, connection'
const LOCATION = 'a URL, options of createClient (with host and port in socket), or a client of one server'

/** Options that have to do with Redis alone. */
const wrongOptions: [keyof RedisRevocationOptions, unknown, string][] = [
  ['redis', undefined, LOCATION],
  ['redis', '', LOCATION],
  ['redis', 6379, LOCATION],
  ['redis', [], LOCATION],
  ['redis', { host: 'redis.example' }, LOCATION],
  ['redis', { port: 6380 }, LOCATION],
  ['redis', { rootNodes: [{ url: 'redis://localhost' }] }, LOCATION],
  ['redis', createCluster({ rootNodes: [{ url: 'redis://localhost' }] }), LOCATION],
  ['prefix', '', 'a string that is not empty'],
  ['connectTimeout', 0, 'a number of milliseconds'],
  ['connectTimeout', '5 s', 'a number of milliseconds'],
  ['connectTimeout', '5000', 'a number of milliseconds']
]

describe('sync', () => {
  it.each<[keyof SyncOptions, unknown, string]>([
    ...wrongOptions,
    ['maxBytes', 0, 'a number of bytes'],
    ['maxDelay', '2s', 'a number of milliseconds'],
    ['params', 'tenant', PARAMS],
    ['params', [1], PARAMS],
    ['params', ['headers'], PARAMS],
    ['filter', true, 'a function'],
    ['revocation', {}, 'true or false']
  ])('refuses the option %s: %j', (name, value, expected) => {
    expect(() => sync({ redis: 'redis://localhost', [name]: value } as any)).toThrow(
      `Invalid option '${name}' of sync: expected ${expected}`
    )
  })

  it('refuses to be without options, or in an application that is set up already', async () => {
    expect(() => (sync as any)({})).toThrow("Invalid option 'redis' of sync")

    for (const options of [undefined, null, 'redis://localhost', alula()]) {
      expect(() => sync(options as any)).toThrow('sync expects options, as in app.configure(sync({ redis }))')
    }

    const app = alula()

    await app.setup()
    expect(() => app.configure(sync({ redis: 'redis://localhost' }))).toThrow(
      "'alula/sync' has to be configured before the application is set up"
    )
  })

  it('refuses an option that it does not know, and to be there twice', () => {
    expect(() => sync({ redis: 'redis://localhost', prefx: 'one' } as any)).toThrow(
      "Unknown option 'prefx' of sync"
    )

    const app = alula().configure(sync({ redis: 'redis://localhost' }))

    expect(() => app.configure(sync({ redis: 'redis://localhost' }))).toThrow(
      'configured on the application already'
    )
  })
})

describeRedis('sync', () => {
  it.each<[string, () => RedisLocation]>([
    ['options', () => ({ url: REDIS_URL })],
    ['options of the socket', () => ({ ...toOptions(REDIS_URL), RESP: 2 }) as RedisLocation],
    ['a client that is not connected', () => createClient({ url: REDIS_URL })]
  ])('finds Redis by %s', async (_title, locate) => {
    const prefix = createPrefix()
    const location = locate()
    const one = await startProcess({ redis: location, prefix })
    const other = await startProcess({ redis: REDIS_URL, prefix })

    await one.things.create({})
    await other.things.create({})
    await until(() => expect([one.heard.length, other.heard.length]).toEqual([2, 2]))
  })

  it('takes times for which timers have no room for long ones', async () => {
    const warnings: Error[] = []
    const note = (warning: Error) => warnings.push(warning)
    const times = { connectTimeout: Number.POSITIVE_INFINITY, maxDelay: 3_000_000_000 }

    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))

    const { things, heard } = await startProcess({ redis: REDIS_URL, prefix: createPrefix(), ...times })

    await things.create({})
    await until(() => expect(heard).toHaveLength(1))
    // A timer that begins with such a time warns, and fires after a millisecond.
    expect(warnings).toEqual([])
  })

  it('leaves a client that it was given alone', async () => {
    const client: any = createClient({
      url: REDIS_URL,
      commandOptions: { typeMapping: {} },
      socket: { reconnectStrategy: false }
    })

    await client.connect()
    onTestFinished(() => client.destroy())

    const { app } = await startProcess({ redis: client, prefix: createPrefix() })

    await app.teardown()
    expect(await client.ping()).toBe('PONG')
    expect(client.listenerCount('error') + client.listenerCount('ready')).toBe(0)
  })
})

describe('a store of revoked tokens', () => {
  it.each(wrongOptions)('refuses the option %s: %j', (name, value, expected) => {
    expect(() => new RedisRevocationStore({ redis: 'redis://localhost', [name]: value } as any)).toThrow(
      `Invalid option '${name}' of RedisRevocationStore: expected ${expected}`
    )
  })

  it('refuses to be without options', () => {
    expect(() => new (RedisRevocationStore as any)()).toThrow(
      "Invalid option 'redis' of RedisRevocationStore"
    )
  })
})

describe('the set-up of an application', () => {
  it('fails in time when there is no Redis', async () => {
    const port = await findPort()
    const app = alula().configure(sync({ redis: `redis://127.0.0.1:${port}`, connectTimeout: 300 }))
    const begin = performance.now()

    await expect(app.setup()).rejects.toThrow(
      `Redis cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`
    )
    expect(performance.now() - begin).toBeLessThan(15_000)
  })

  it('fails in time when something answers nothing', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')

    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))

    const { port } = server.address() as { port: number }
    const app = alula().configure(sync({ redis: `redis://127.0.0.1:${port}`, connectTimeout: 300 }))

    await expect(app.setup()).rejects.toThrow('Redis cannot be reached: Timed out after 300 ms')
  })

  describeOwnRedis('with Redis', () => {
    it('fails in time when the password is wrong, and does not show it', async () => {
      const redis = await startRedis()
      const url = redis.url.replace('redis://', 'redis://name:secret@')
      const app = alula().configure(sync({ redis: url, connectTimeout: 300 }))
      const error: any = await app.setup().catch((error: unknown) => error)

      expect(error.message).toMatch(/^Redis cannot be reached: WRONGPASS/)
      expect(error.message).not.toContain('secret')
    })

    it('ends what it began when something else fails', async () => {
      const redis = await startRedis()
      const app = alula().configure(sync({ redis: redis.url }))
      const errors: unknown[] = []

      app.on('error', (error) => errors.push(error))
      app.use('things', {
        find: async () => [],
        setup: async () => Promise.reject(new Error('broken'))
      })

      await expect(app.setup()).rejects.toThrow('broken')
      expect(getInternals(app).log).toBeUndefined()
      await redis.kill()
      // Whoever were still connected would say that Redis is away.
      await app.teardown()
      expect(errors).toEqual([])
    })
  })
})

function toOptions(url: string): object {
  const { hostname, port, pathname } = new URL(url)

  return { socket: { host: hostname, port: Number(port || 6379) }, database: Number(pathname.slice(1)) }
}
