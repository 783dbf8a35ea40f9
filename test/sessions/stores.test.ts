import { createClient } from 'redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSessionTable, kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { toRedisSettings } from '../../src/redis/options.ts'
import { MemorySessionStore } from '../../src/sessions/memory-store.ts'
import { toRefreshSettings } from '../../src/sessions/options.ts'
import { RedisSessionStore } from '../../src/sessions/redis-store.ts'
import { ServiceSessionStore } from '../../src/sessions/service-store.ts'
import { Sessions } from '../../src/sessions/sessions.ts'
import type { EndedSession, SessionStore, StoredSession } from '../../src/sessions/types.ts'
import { createPrefix, describeOwnRedis, describeRedis, REDIS_URL, startRedis } from '../support/redis.ts'
import { describeDatabases } from '../support/sql.ts'
import { until } from '../support/until.ts'
import { configureSessions, createApp, createShared, DAY, MINUTE, WREN } from './app.ts'

const SESSION: StoredSession = {
  id: '5f0c3c5e-8f5c-4d0f-9d8e-0f6d6c0b6a11',
  userId: '1',
  counter: 1,
  seen: 0,
  refused: 0,
  fingerprints: '{"local":"a fingerprint"}',
  loginAt: 1_800_000_000_000,
  refreshedAt: 1_800_000_000_000,
  expiresAt: 1_802_592_000_000,
  device: null,
  address: '192.0.2.1'
}

/** What each store has to do. */
function testStore(open: () => Promise<SessionStore>): void {
  it('returns what was stored, by id and by user', async () => {
    const store = await open()

    await store.create(SESSION)
    await store.create({ ...SESSION, id: 'f3bb4a1c-5a7d-4a53-8f5a-5a0f4c3d2b1e', userId: '2' })
    expect(await store.get(SESSION.id)).toEqual(SESSION)
    expect(await store.get('00000000-0000-4000-8000-000000000000')).toBeUndefined()
    expect(await store.findByUser('1')).toEqual([SESSION])
    expect(await store.findByUser('3')).toEqual([])
  })

  it('lets one of sixty rivals change a session', async () => {
    const store = await open()

    await store.create(SESSION)

    for (let counter = 1; counter < 5; counter++) {
      const all = await Promise.all(
        Array.from({ length: 60 }, (_, rival) =>
          store.update(SESSION.id, { counter, refused: 0 }, { counter: counter + 1, seen: rival })
        )
      )

      expect(all.filter(Boolean)).toHaveLength(1)
      expect(await store.get(SESSION.id)).toMatchObject({ counter: counter + 1, seen: all.indexOf(true) })
    }
  })

  it('lets one of sixty remove a session, which is never changed again', async () => {
    const store = await open()

    await store.create(SESSION)

    const all = await Promise.all(Array.from({ length: 60 }, () => store.remove(SESSION.id)))

    expect(all.filter(Boolean)).toHaveLength(1)
    expect(await store.update(SESSION.id, {}, { seen: 1 })).toBe(false)
    expect(await store.findByUser('1')).toEqual([])
  })

  it('keeps as many sessions of a user as the limit says, of forty that begin at one moment', async () => {
    const store = await open()
    const ended = new Set<string>()
    const processes = [1, 2].map(() => createSessions(store, { limit: 3 }, ({ id }) => void ended.add(id)))
    const login = { userId: '1', fingerprints: null, device: null, address: null }
    const begun = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (processes[index % 2] as Sessions).begin(login))
    )
    const left = (await store.findByUser('1')).map(({ id }) => id)

    expect(left).toHaveLength(3)
    expect(new Set([...left, ...ended])).toEqual(new Set(begun.map(({ id }) => id)))
  })
}

/** The sessions of one process. */
function createSessions(
  store: SessionStore,
  options: object,
  onEnd: (ended: EndedSession) => void
): Sessions {
  return new Sessions({
    getSettings: () => toRefreshSettings(options, 'a test'),
    getStore: () => store,
    now: Date.now,
    onEnd: async (session) => onEnd(session)
  })
}

/** A store as one of several processes has it. */
async function openRedis(redis: string, prefix: string): Promise<RedisSessionStore> {
  const store = new RedisSessionStore(toRedisSettings('a test', { redis, prefix }), 'authentication')

  await store.open()
  onTestFinished(() => store.close())

  return store
}

describe('sessions in memory', () => {
  testStore(async () => new MemorySessionStore())

  it('are forgotten when they are over', async () => {
    const store = new MemorySessionStore(() => SESSION.expiresAt)

    for (let index = 0; index < 5000; index++) {
      await store.create({ ...SESSION, id: `${index}`, userId: `${index}` })
    }

    expect(store.size).toBeLessThan(1024)
  })

  it('are kept until they are over, however many there are', async () => {
    const store = new MemorySessionStore(() => SESSION.expiresAt - 1)

    for (let index = 0; index < 3000; index++) {
      await store.create({ ...SESSION, id: `${index}`, userId: `${index}` })
    }

    expect(store.size).toBe(3000)
  })
})

describe('sessions in a service', () => {
  testStore(async () => new ServiceSessionStore(memory() as any))
})

describeRedis('sessions in Redis', () => {
  testStore(() => openRedis(REDIS_URL, createPrefix()))

  it('are those of all processes, of which one changes a session', async () => {
    const prefix = createPrefix()
    const stores = [await openRedis(REDIS_URL, prefix), await openRedis(REDIS_URL, prefix)]

    await stores[0]?.create(SESSION)

    const all = await Promise.all(
      Array.from({ length: 100 }, (_, rival) =>
        stores[rival % 2]?.update(SESSION.id, { counter: 1 }, { counter: 2, seen: rival })
      )
    )

    expect(all.filter(Boolean)).toHaveLength(1)
    for (const store of stores) expect(await store.findByUser('1')).toMatchObject([{ counter: 2 }])
  })

  it('are deleted by Redis when they are over, with what is kept of their user', async () => {
    const prefix = createPrefix()
    const store = await openRedis(REDIS_URL, prefix)
    const client = createClient({ url: REDIS_URL })
    const now = Date.now()

    await client.connect()
    onTestFinished(() => client.destroy())
    await store.create({ ...SESSION, expiresAt: now + DAY })
    await store.create({ ...SESSION, id: '00000000-0000-4000-8000-000000000000', expiresAt: now + MINUTE })

    const times = [`session:${SESSION.id}`, 'sessions:1'].map((key) =>
      client.pTTL(`${prefix}:authentication:${key}`)
    )

    for (const time of await Promise.all(times)) {
      expect(time).toBeGreaterThan(DAY)
      expect(time).toBeLessThan(DAY + 10 * MINUTE)
    }

    await store.remove(SESSION.id)
    await store.findByUser('1')
    expect(await client.sMembers(`${prefix}:authentication:sessions:1`)).toEqual([
      '00000000-0000-4000-8000-000000000000'
    ])
  })
})

describeRedis('a Redis that options of a client name', () => {
  it('stays when the configuration is set again with the same options, and others are refused', async () => {
    const prefix = createPrefix()
    const toRefresh = (url: string) => ({ store: { redis: { url, socket: { keepAlive: true } }, prefix } })
    const { app, logIn, refresh } = await createApp({ refresh: toRefresh(REDIS_URL) })

    await app.service('users').create(WREN)

    const { refreshToken } = await logIn()
    const set = (url: string) =>
      app.set('authentication', { ...app.get('authentication'), refresh: toRefresh(url) })

    set(REDIS_URL)
    expect(await refresh(refreshToken)).toMatchObject({ user: { id: 1 } })
    expect(() => set('redis://127.0.0.1:1')).toThrow("'refresh.store' names a Redis that is not connected")
  })
})

describeOwnRedis('without Redis', () => {
  it('nobody is refreshed or logged in, and all are as before when it is back', async () => {
    const redis = await startRedis({ isPersistent: true })
    const app = await createApp({ refresh: { store: { redis: redis.url } } })

    await app.app.service('users').create(WREN)

    const { refreshToken } = await app.logIn()

    await redis.kill()
    await expect(app.refresh(refreshToken)).rejects.toMatchObject({ code: 503 })
    await expect(app.logIn()).rejects.toMatchObject({ code: 503 })
    await redis.start()
    await until(async () => void (await app.refresh(refreshToken)))
  })

  it('access tokens are valid, and the first call after that shows that they have arrived', async () => {
    const redis = await startRedis({ isPersistent: true })
    const { app, logIn, refresh, use } = await createApp({
      refresh: { store: { redis: redis.url }, grace: 0 }
    })
    const errors: any[] = []

    app.on('error', (error: any) => errors.push(error.code))
    await app.service('users').create(WREN)

    const { refreshToken } = await logIn()
    const { accessToken } = await refresh(refreshToken)

    await redis.kill()
    expect(await use(accessToken)).toEqual(['a note'])
    expect(errors).toEqual([503])
    await redis.start()
    await until(async () => void (await refresh(refreshToken)))
    await use(accessToken)
    await expect(refresh(refreshToken)).rejects.toMatchObject({ data: { reason: 'behind' } })
  })

  it('an application does not start', async () => {
    const store = { redis: 'redis://127.0.0.1:1', connectTimeout: 200 }

    await expect(createApp({ refresh: { store } })).rejects.toThrow('Redis cannot be reached')
  })
})

describeDatabases('sessions in a table', (database) => {
  testStore(async () => {
    const db = database.open()
    const { up, down } = createSessionTable('alula_sessions')

    await db.schema.dropTable('alula_sessions').ifExists().execute()
    await up(db)
    onTestFinished(async () => {
      await down?.(db)
      expect((await db.introspection.getTables()).map(({ name }) => name)).not.toContain('alula_sessions')
      await db.destroy()
    })

    return new ServiceSessionStore(kysely({ Model: db, name: 'alula_sessions', id: 'id' }) as any)
  })
})

it('a shared store is named at start where other processes do not learn what has ended, with the time', async () => {
  const warnings: string[] = []
  const note = ({ code, message }: any) => code === 'ALULA_OWN_REVOCATIONS' && warnings.push(message)
  const { sessions, ...others } = createShared()

  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  await createApp({ shared: { sessions, ...others } })
  await createApp({
    shared: { sessions, ...others, revocation: undefined as any },
    refresh: { accessExpiresIn: '5m' }
  })
  await until(() => expect(warnings).toHaveLength(1))
  expect(warnings[0]).toContain('are valid for another 300 seconds')
})

describe('an application does not start', () => {
  async function start(options: object, register: (app: any) => void = () => undefined): Promise<void> {
    const { alula } = await import('../../src/index.ts')
    const app = alula()

    configureSessions(app, options)
    register(app)
    await app.setup()
    await app.teardown()
  }

  it.each<[string, object, RegExp]>([
    ['without a store of revoked tokens', { revocation: false }, /remove 'revocation: false'/],
    ['without an entity', { entity: null }, /needs an 'entity'/],
    ['with an unknown option', { refresh: { idel: '1d' } }, /Did you mean 'idle'/],
    ['with a time without a unit', { refresh: { idle: '14' } }, /'refresh.idle'/],
    ['with a negative grace', { refresh: { grace: -1 } }, /'refresh.grace'/],
    ['with a grace that is no time', { refresh: { grace: 'soon' } }, /'refresh.grace'/],
    ['with half a second', { refresh: { accessExpiresIn: 0.5 } }, /'refresh.accessExpiresIn'/],
    ['with a store of another kind', { refresh: { store: 5 } }, /'refresh.store'.*the path of a service/],
    ['with a cookie that is a name', { refresh: { cookie: 'name' } }, /'refresh.cookie'.*secure: false/],
    ['with no session at all', { refresh: { limit: 0 } }, /'refresh.limit'/],
    [
      'with a Redis that is nowhere',
      { refresh: { store: { url: 'redis://localhost' } } },
      /'refresh.store.url'/
    ],
    [
      'with a cookie of another kind',
      { refresh: { cookie: { secure: 'no' } } },
      /'refresh.cookie.secure'.*true or false/
    ],
    [
      'with tokens that outlive the idle end',
      { refresh: { accessExpiresIn: '2d', idle: '1d' } },
      /accessExpiresIn/
    ]
  ])('%s', async (_name, options, message) => {
    await expect(start(options)).rejects.toThrow(message)
  })

  it('but not with the shortest times', async () => {
    await start({ refresh: { accessExpiresIn: '1s', idle: 1, grace: '1s' } })
  })

  it('with a store that clients can reach, or that is no adapter', async () => {
    const refresh = { store: 'stored' }

    await expect(start({ refresh }, (app) => app.use('stored', memory()))).rejects.toThrow(/methods: \[\]/)
    await expect(
      start({ refresh }, (app) => app.use('stored', { find: async () => [] }, { methods: [] }))
    ).rejects.toThrow(/expected an adapter/)
  })
})
