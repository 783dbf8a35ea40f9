import { createClient } from 'redis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { MemoryRevocationStore } from '../../src/authentication.ts'
import { memory } from '../../src/memory.ts'
import { SharedRevocationStore } from '../../src/sync/revocation.ts'
import { RedisRevocationStore } from '../../src/sync.ts'
import { startProxy } from '../support/proxy.ts'
import { createPrefix, describeOwnRedis, describeRedis, REDIS_URL, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { configureUsers, LOGIN, type Process, startProcess } from './app.ts'
import { connectTo, hears, refuse, send } from './sending.ts'

const UNAVAILABLE = { name: 'Unavailable', code: 503 }
const REVOKED = { name: 'NotAuthenticated', message: 'jwt revoked' }

/** The users of all processes: their database. */
async function startWithUsers(redis: string, prefix: string, users: any, settings: object = {}) {
  const process = await startProcess({ redis, prefix }, (app) => configureUsers(app, users, settings))
  const ended: any[] = []

  process.app.on('disconnect', (connection: any) => ended.push(connection))

  return { ...process, ended, authentication: process.app.service('authentication') }
}

async function startTwoWithUsers(redis = REDIS_URL, otherRedis = redis, prefix = createPrefix()) {
  const users = memory()
  const one = await startWithUsers(redis, prefix, users)
  const other = await startWithUsers(otherRedis, prefix, users)

  await one.app.service('users').create({ email: LOGIN.email, password: LOGIN.password })

  return { one, other, prefix }
}

/** Logs in over a connection that stays open; returns the connection. */
async function open({ app }: Pick<Process, 'app'>, accessToken: string): Promise<any> {
  const connection: any = { provider: 'socketio' }

  app.emit('connection', connection)
  await app
    .service('authentication')
    .create({ strategy: 'jwt', accessToken }, { provider: 'socketio', connection })

  return connection
}

function logOut({ app }: Pick<Process, 'app'>, accessToken: string): Promise<any> {
  return app
    .service('authentication')
    .remove(null, { provider: 'rest', authentication: { strategy: 'jwt', accessToken } })
}

async function createStore(options: object = {}) {
  const store = new RedisRevocationStore({ redis: REDIS_URL, prefix: createPrefix(), ...options })

  await store.connect()
  onTestFinished(() => store.close())

  return store
}

const minutes = (count: number) => count * 60_000
const inAnHour = () => Date.now() + minutes(60)

describeRedis('a store of revoked tokens in Redis', () => {
  it('knows what was revoked, by whom it was first, and nothing else', async () => {
    const store = await createStore()

    expect(await store.isRevoked('id')).toBe(false)
    expect(await Promise.all([1, 2, 3].map(() => store.revoke('id', inAnHour())))).toEqual([
      true,
      false,
      false
    ])
    expect(await store.isRevoked('id')).toBe(true)
    expect(await store.isRevoked('other')).toBe(false)
  })

  it('forgets an id when it means nothing any more, and not before', async () => {
    const prefix = createPrefix()
    const store = await createStore({ prefix })
    const client = createClient({ url: REDIS_URL })
    const expiresAt = inAnHour()

    await client.connect()
    onTestFinished(() => client.destroy())
    await store.revoke('an hour', expiresAt + 0.5)
    await store.revoke('for good', Number.POSITIVE_INFINITY)
    await store.revoke('for a very long time', 1e300)
    await store.revoke('over', 1)
    await store.revoke('over since ever', -1)

    expect(await client.pExpireTime(`${prefix}:revoked:an hour`)).toBeGreaterThan(expiresAt)
    expect(await client.pExpireTime(`${prefix}:revoked:an hour`)).toBeLessThan(expiresAt + minutes(10))
    expect(await client.pExpireTime(`${prefix}:revoked:for good`)).toBe(-1)
    expect(await store.isRevoked('for a very long time')).toBe(true)
    await until(async () => expect(await store.isRevoked('over')).toBe(false))
    await until(async () => expect(await store.isRevoked('over since ever')).toBe(false))
  })

  it.each([
    ['behind', -minutes(60)],
    ['ahead of', minutes(60)]
  ])(
    'keeps an id for as long as it means something by a clock that is %s that of Redis',
    async (_title, skew) => {
      const store = await createStore()

      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + skew })

      expect(await store.revoke('id', Date.now() + minutes(1))).toBe(true)
      expect(await store.revoke('id', Date.now() + minutes(1))).toBe(false)
      expect(await store.isRevoked('id')).toBe(true)
    }
  )

  it('keeps an id for processes whose clocks are four minutes behind', async () => {
    const store = await createStore()

    await store.revoke('id', Date.now() - minutes(4))
    expect(await store.isRevoked('id')).toBe(true)
  })

  it('does not answer before it is connected, or when it is closed', async () => {
    const store = new RedisRevocationStore({ redis: REDIS_URL, prefix: createPrefix() })

    await expect(store.isRevoked('id')).rejects.toMatchObject(UNAVAILABLE)
    await store.connect()
    expect(await store.isRevoked('id')).toBe(false)
    store.close()
    await expect(store.isRevoked('id')).rejects.toMatchObject(UNAVAILABLE)
    await store.connect()
    expect(await store.isRevoked('id')).toBe(false)
    store.close()
  })
})

describeRedis('a store that is shared', () => {
  it('has all looked up again once it can be asked', async () => {
    const proxy = await startProxy(REDIS_URL)
    const store = new SharedRevocationStore({ redis: proxy.url, prefix: createPrefix() })
    const heard: unknown[] = []

    await store.connect()
    onTestFinished(() => store.close())

    const unsubscribe = store.subscribe((id) => heard.push(id))

    store.notify('id')
    store.notify()
    expect(heard).toEqual(['id', undefined])
    proxy.cut()
    await until(() => expect(store.isRevoked('id')).rejects.toMatchObject(UNAVAILABLE))
    // Who would be told now could find out nothing.
    store.notify()
    expect(heard).toHaveLength(2)
    proxy.mend()
    await until(() => expect(heard).toEqual(['id', undefined, undefined]))
    unsubscribe()
    store.notify('id')
    expect(heard).toHaveLength(3)
  })
})

describeOwnRedis('a store of revoked tokens, when Redis', () => {
  it.each([
    ['is away', 'kill'],
    ['hangs', 'pause']
  ] as const)(
    '%s, refuses within a short time, and never says that a token is good',
    async (_title, fail) => {
      const redis = await startRedis()
      const store = await createStore({ redis: redis.url })

      await redis[fail]()

      const begin = performance.now()

      await Promise.all([
        expect(store.isRevoked('id')).rejects.toMatchObject(UNAVAILABLE),
        expect(store.revoke('id', inAnHour())).rejects.toMatchObject(UNAVAILABLE)
      ])
      expect(performance.now() - begin).toBeLessThan(15_000)

      if (fail === 'kill') await redis.start()
      else redis.resume()
      await until(async () => expect(await store.isRevoked('other')).toBe(false))
    }
  )

  it('is another server, because the former one only has a copy by now, revokes there', async () => {
    const [former, next] = [await startRedis(), await startRedis()]
    const proxy = await startProxy(former.url)
    const store = await createStore({ redis: proxy.url })
    const client = createClient({ url: former.url })
    const { hostname, port } = new URL(next.url)

    await client.connect()
    onTestFinished(() => client.destroy())
    await client.sendCommand(['REPLICAOF', hostname, port])
    proxy.lead(next.url)

    await expect(store.revoke('id', inAnHour())).rejects.toMatchObject(UNAVAILABLE)
    await until(async () => expect(await store.revoke('id', inAnHour())).toBe(true))
  })

  it('does not confirm a logout in time, the connections of the token end all the same', async () => {
    const redis = await startRedis()
    const { one, other } = await startTwoWithUsers(redis.url, redis.url, 'alula')
    const { accessToken } = await one.authentication.create(LOGIN)
    const connections = [await open(one, accessToken), await open(other, accessToken)]
    const client = createClient({ url: redis.url })

    await client.connect()
    onTestFinished(() => client.destroy())
    // As in a failover: reads are answered.
    await client.sendCommand(['CLIENT', 'PAUSE', '3000', 'WRITE'])
    await expect(logOut(one, accessToken)).rejects.toMatchObject(UNAVAILABLE)
    await until(() => expect([...one.ended, ...other.ended]).toEqual(connections))
    await until(async () =>
      expect(
        await one.authentication.create({ strategy: 'jwt', accessToken }).catch((error: any) => error)
      ).toMatchObject(REVOKED)
    )
  })

  it('refuses only the announcement of a logout, and takes what comes later, connections elsewhere end', async () => {
    const redis = await startRedis()
    const proxy = await startProxy(redis.url)
    const { one, other } = await startTwoWithUsers(proxy.url, redis.url, 'alula')
    const { accessToken } = await one.authentication.create(LOGIN)
    const connection = await open(other, accessToken)
    const client = await connectTo(redis.url)

    proxy.mute()

    const revoked = one.authentication.revokeAccessToken(accessToken).catch((error: any) => error)

    await until(async () => expect(await client.keys('alula:revoked:*')).toHaveLength(1))
    await refuse(client, 1)
    send(one, 0, 1)
    await hears(other, [0])
    expect(await revoked).toMatchObject(UNAVAILABLE)
    expect(other.ended).toEqual([])
    proxy.mend()
    await until(() => expect(other.ended).toEqual([connection]))
    expect([...one.gaps, ...other.gaps]).toEqual([])
  })

  it('is away, no token is let in', async () => {
    const redis = await startRedis()
    const { one } = await startTwoWithUsers(redis.url, redis.url, 'alula')
    const { accessToken } = await one.authentication.create(LOGIN)

    await redis.kill()
    await expect(one.authentication.create({ strategy: 'jwt', accessToken })).rejects.toMatchObject(
      UNAVAILABLE
    )
    await expect(logOut(one, accessToken)).rejects.toMatchObject(UNAVAILABLE)
    await redis.start()
    await until(async () => expect(await logOut(one, accessToken)).toHaveProperty('user'))
    await expect(one.authentication.create({ strategy: 'jwt', accessToken })).rejects.toMatchObject(REVOKED)
  })
})

describeRedis('a token that is revoked', () => {
  it('in one process is good for nothing in the others, and ends their connections within a second', async () => {
    const { one, other } = await startTwoWithUsers()
    const [first, second] = [await one.authentication.create(LOGIN), await one.authentication.create(LOGIN)]
    const connections = await Promise.all([1, 2].map(() => open(other, first.accessToken)))
    const staying = await open(other, second.accessToken)

    expect(connections[0].user).toMatchObject({ email: LOGIN.email })

    const begin = performance.now()

    await logOut(one, first.accessToken)
    await until(() => expect(other.ended).toHaveLength(2))
    expect(performance.now() - begin).toBeLessThan(15_000)
    expect(new Set(other.ended)).toEqual(new Set(connections))
    await until(() => expect(connections.map(({ user }) => user)).toEqual([undefined, undefined]))
    expect(staying.user).toMatchObject({ email: LOGIN.email })
    expect(one.ended).toEqual([])
    await expect(
      other.authentication.create({ strategy: 'jwt', accessToken: first.accessToken })
    ).rejects.toMatchObject(REVOKED)
  })

  it('while a process was cut off for too long ends its connections once it is back', async () => {
    const proxy = await startProxy(REDIS_URL)
    const prefix = createPrefix()
    const users = memory()
    const one = await startWithUsers(REDIS_URL, prefix, users)
    const other = await startWithUsers(proxy.url, prefix, users)

    await one.app.service('users').create({ email: LOGIN.email, password: LOGIN.password })

    const { accessToken } = await one.authentication.create(LOGIN)
    const connection = await open(other, accessToken)
    const client = createClient({ url: REDIS_URL })

    await client.connect()
    onTestFinished(() => client.destroy())
    proxy.cut()
    await until(() => expect(other.statuses).toEqual(['away']))
    await logOut(one, accessToken)
    // What was announced is gone when the process is back.
    await client.del(`${prefix}:events`)
    proxy.mend()
    await until(() => expect(other.ended).toEqual([connection]))
  })
})

describe('sync and authentication services', () => {
  const own = new MemoryRevocationStore()

  describeRedis('with Redis', () => {
    it.each<[string, object, object, unknown]>([
      ['that says nothing gets its store', {}, {}, expect.any(RedisRevocationStore)],
      ['with a store keeps that', { revocation: own }, {}, own],
      ['that revokes nothing goes on like that', { revocation: false }, {}, false],
      ['is left alone when told so', {}, { revocation: false }, undefined]
    ])('a service %s', async (_title, settings, options, expected) => {
      const { app } = await startProcess({ redis: REDIS_URL, prefix: createPrefix(), ...options }, (app) =>
        configureUsers(app, memory(), settings)
      )

      expect(app.service('authentication').configuration.revocation).toEqual(expected)
    })

    it('the store lasts over an end and another beginning', async () => {
      const { one } = await startTwoWithUsers()
      const { accessToken } = await one.authentication.create(LOGIN)

      await one.app.teardown()
      await one.app.setup()
      await logOut(one, accessToken)
      await expect(one.authentication.create({ strategy: 'jwt', accessToken })).rejects.toMatchObject(REVOKED)
    })
  })
})
