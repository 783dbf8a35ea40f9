import { createClient } from 'redis'
import { expect, it, onTestFinished } from 'vitest'
import { memory } from '../../src/memory.ts'
import { RedisRevocationStore, sync } from '../../src/sync.ts'
import { describeOwnRedis, startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { configureUsers, LOGIN, startProcess } from './app.ts'

const UNAVAILABLE = { name: 'Unavailable', code: 503 }
const REVOKED = { name: 'NotAuthenticated', message: 'jwt revoked' }

/** What an operator does: says that Redis is whole. */
async function setWhole(url: string, prefix: string): Promise<void> {
  const client = createClient({ url })

  await client.connect()
  await client.set(`${prefix}:whole`, '1')
  client.destroy()
}

it('failClosed of sync is about its own store', () => {
  expect(() => sync({ redis: 'redis://localhost', failClosed: true, revocation: false })).toThrow(
    "Invalid option 'revocation' of sync: expected true with 'failClosed'"
  )
})

describeOwnRedis('a Redis that has lost its data', () => {
  /** An application whose user has logged in, and a token that was revoked before Redis came back empty. */
  async function lose(failClosed: boolean) {
    const redis = await startRedis()
    const options = { redis: redis.url, prefix: 'shop', failClosed }
    const users = memory()

    await setWhole(redis.url, 'shop')

    const { app, statuses } = await startProcess(options, (app) => configureUsers(app, users))
    const authentication = app.service('authentication')

    await app.service('users').create({ email: LOGIN.email, password: LOGIN.password })

    const { accessToken } = await authentication.create(LOGIN)

    expect(await authentication.verifyAccessToken(accessToken)).toHaveProperty('jti')
    await authentication.remove(null, { authentication: { strategy: 'jwt', accessToken } })
    await expect(authentication.verifyAccessToken(accessToken)).rejects.toMatchObject(REVOKED)
    await redis.kill()
    await redis.start()
    await until(() => expect(statuses).toContain('back'))

    return { redis, authentication, verify: () => authentication.verifyAccessToken(accessToken) }
  }

  it('lets nothing be used once more with failClosed', async () => {
    const { redis, authentication } = await lose(true)
    const end = Date.now() + 60_000
    const use = () => authentication.useOnce('code:used', end)

    await until(() => expect(use()).rejects.toMatchObject(UNAVAILABLE))
    await setWhole(redis.url, 'shop')
    expect([await use(), await use()]).toEqual([true, false])
  })

  it('makes revoked tokens valid again', async () => {
    const { verify } = await lose(false)

    // Its connections come back one by one.
    await until(async () => expect(await verify()).toHaveProperty('jti'))
  })

  it('accepts no token with failClosed, until it is said to be whole', async () => {
    const { redis, verify, authentication } = await lose(true)

    await until(async () => {
      await expect(verify()).rejects.toMatchObject({
        ...UNAVAILABLE,
        cause: expect.objectContaining({ message: expect.stringContaining("no key 'shop:whole'") })
      })
    })
    await setWhole(redis.url, 'shop')

    const { accessToken } = await authentication.create(LOGIN)

    expect(await authentication.verifyAccessToken(accessToken)).toHaveProperty('jti')
    await authentication.remove(null, { authentication: { strategy: 'jwt', accessToken } })
    await expect(authentication.verifyAccessToken(accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('is not whole for a process that starts, either', async () => {
    const redis = await startRedis()
    const store = new RedisRevocationStore({ redis: redis.url, prefix: 'shop', failClosed: true })

    onTestFinished(() => store.close())
    await store.connect()
    await expect(store.isRevoked('token')).rejects.toMatchObject(UNAVAILABLE)
    await setWhole(redis.url, 'shop')
    expect(await store.isRevoked('token')).toBe(false)
  })
})
