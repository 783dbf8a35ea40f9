import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createStrategy, JWTStrategy, protect } from '../../src/authentication.ts'
import { memory } from '../../src/memory.ts'
import { createApp, createAppWithUser, decode, LOGIN, REVOKED, SECRET, useToken, WREN } from './app.ts'

describe('the tokens of a user', () => {
  it('are void when the password was changed, the new ones are not', async () => {
    const { app, user, service } = await createAppWithUser()
    const before = [await service.create(LOGIN), await service.create(LOGIN)]

    await app.service('users').patch(user.id, { password: 'a new password' })

    for (const { accessToken } of before)
      await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)

    const { accessToken } = await service.create({ ...LOGIN, password: 'a new password' })

    expect(await useToken(app, accessToken)).toHaveProperty('user')
  })

  it('are void when the same password was set again', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(user.id, { password: WREN.password })

    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('are void when the password was taken away', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users')._patch(user.id, { password: null })

    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('stay good when something else was changed', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(user.id, { email: 'jay@example.org', name: 'Jay' })

    expect(await useToken(app, accessToken)).toHaveProperty('user')
  })

  it('stay good when somebody else changed a password', async () => {
    const { app, service } = await createAppWithUser()
    const { id } = await app.service('users').create({ email: 'jay@example.org', password: 'a password' })
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(id, { password: 'a new password' })

    expect(await useToken(app, accessToken)).toHaveProperty('user')
  })

  it('are good after a restart, unless the password was changed or the user was removed', async () => {
    const users = memory()
    const { app, user, service } = await createAppWithUser({ users })
    const { id } = await app.service('users').create({ email: 'jay@example.org', password: 'a password' })
    const wren = await service.create(LOGIN)
    const jay = await service.create({ strategy: 'local', email: 'jay@example.org', password: 'a password' })

    const second = createApp({ users })

    expect(await useToken(second, wren.accessToken)).toHaveProperty('user')
    expect(await useToken(second, jay.accessToken)).toHaveProperty('user')

    await second.service('users').patch(user.id, { password: 'a new password' })
    await second.service('users').remove(id)

    for (const restarted of [second, createApp({ users })]) {
      await expect(useToken(restarted, wren.accessToken)).rejects.toMatchObject(REVOKED)
      await expect(useToken(restarted, jay.accessToken)).rejects.toMatchObject({
        name: 'NotAuthenticated',
        code: 401
      })
    }
  })

  it('are void for a user who has the id of one that was removed', async () => {
    const { app, user, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').remove(user.id)
    await app.service('users').create({ id: user.id, email: 'jay@example.org', password: WREN.password })

    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('stay good after a change of the password when there is no revocation', async () => {
    const { app, user, service } = await createAppWithUser({ settings: { revocation: false } })
    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(user.id, { password: 'a new password' })

    expect(await useToken(app, accessToken)).toHaveProperty('user')
    expect(decode(accessToken).payload).not.toHaveProperty('fingerprint')
  })

  it('tell nothing of the hash, and something else with each secret', async () => {
    const users = memory()
    const { user, service } = await createAppWithUser({ users })
    const other = createApp({ users, settings: { secret: `${SECRET} of another application` } })
    const [first, second, foreign] = await Promise.all(
      [service, service, other.service('authentication')].map(async (service) => {
        const { accessToken } = await service.create(LOGIN)

        return decode(accessToken).payload.fingerprint.local
      })
    )

    expect(first).toMatch(/^[\w-]{22}$/)
    expect(second).toBe(first)
    expect(foreign).toMatch(/^[\w-]{22}$/)
    expect(foreign).not.toBe(first)
    expect(user.password).not.toContain(first.slice(0, 8))
  })

  it('from an application without fingerprints are accepted', async () => {
    const users = memory()
    const { app, user } = await createAppWithUser({ users })
    const other = createApp({ users, settings: { revocation: false } })
    const { accessToken } = await other.service('authentication').create(LOGIN)

    expect((await useToken(app, accessToken)).user).toEqual(user)
  })

  it.each([
    ['without revocation', { settings: { revocation: false } }],
    ['that sees no password', { strategies: { jwt: new JWTStrategy() } }]
  ])('with a fingerprint are accepted by an application %s', async (_title, options) => {
    const users = memory()
    const { app, user, service } = await createAppWithUser({ users })
    const other = createApp({ users, ...options })
    const { accessToken } = await service.create(LOGIN)

    expect(decode(accessToken).payload).toHaveProperty('fingerprint.local')
    expect((await useToken(other, accessToken)).user.id).toBe(user.id)

    await app.service('users').patch(user.id, { password: 'a new password' })
    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
    expect((await useToken(other, accessToken)).user.id).toBe(user.id)
  })

  it('stay good when a strategy comes that goes by something else, which ties the next ones', async () => {
    const { app, user, service } = await createAppWithUser()
    const before = await service.create(LOGIN)

    await app.service('users')._patch(user.id, { key: 'a key' })
    service.register('key', { getCredential: ({ key }: any) => key })

    const after = await service.create(LOGIN)

    expect(await useToken(app, before.accessToken)).toHaveProperty('user')
    expect(Object.keys(decode(after.accessToken).payload.fingerprint)).toEqual(['local', 'key'])

    await app.service('users')._patch(user.id, { key: 'another key' })
    expect(await useToken(app, before.accessToken)).toHaveProperty('user')
    await expect(useToken(app, after.accessToken)).rejects.toMatchObject(REVOKED)

    await app.service('users').patch(user.id, { password: 'a new password' })
    await expect(useToken(app, before.accessToken)).rejects.toMatchObject(REVOKED)
  })

  it.each([
    ['RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })]
  ])('are accepted by an application that has only the public key, with %s', async (algorithm, generate) => {
    const { publicKey, privateKey } = generate()
    const createSettings = (secret: string | Buffer) => ({
      secret: secret.toString(),
      jwtOptions: { algorithm, issuer: 'feathers', expiresIn: '1d' }
    })
    const users = memory()
    const issuer = createSettings(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const verifier = createSettings(publicKey.export({ type: 'spki', format: 'pem' }))
    const { app, user, service } = await createAppWithUser({ users, settings: issuer })
    const other = createApp({ users, settings: verifier })
    const { accessToken } = await service.create(LOGIN)

    await other.setup()
    expect(decode(accessToken).payload).toHaveProperty('fingerprint.local')
    expect((await useToken(other, accessToken)).user.id).toBe(user.id)

    await app.service('users').patch(user.id, { password: 'a new password' })
    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('of a user without a password are not tied to one', async () => {
    const test = { authenticate: async () => ({ authentication: { strategy: 'test' }, user: { id: 7 } }) }
    const { app } = await createAppWithUser()
    const service = app.service('authentication')

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['jwt', 'local', 'test'] })
    service.register('test', test)
    await app.service('users')._create({ id: 7, email: 'jay@example.org' })

    const { accessToken } = await service.create({ strategy: 'test' })

    expect(decode(accessToken).payload).not.toHaveProperty('fingerprint')
    expect((await useToken(app, accessToken)).user.id).toBe(7)
  })

  it('are tied to the password by every strategy that finds the user', async () => {
    const { app, user } = await createAppWithUser()
    const service = app.service('authentication')

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['jwt', 'local', 'test'] })
    service.register('test', {
      authenticate: async () => ({ authentication: { strategy: 'test' }, user: { id: user.id } })
    })

    const { accessToken } = await service.create({ strategy: 'test' })

    expect(await useToken(app, accessToken)).toHaveProperty('user')
    await app.service('users').patch(user.id, { password: 'a new password' })
    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('are not made for somebody who is not active, whichever strategy says so', async () => {
    const isActive = (entity: any) => !entity.banned
    const { app, user } = await createAppWithUser({ settings: { isActive } })
    const service = app.service('authentication')

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['test'] })
    service.register('test', {
      authenticate: async () => ({ authentication: { strategy: 'test' }, user: { id: user.id } })
    })

    expect(await service.create({ strategy: 'test' })).toHaveProperty('accessToken')
    await app.service('users')._patch(user.id, { banned: true })
    await expect(service.create({ strategy: 'test' })).rejects.toMatchObject({
      name: 'NotAuthenticated',
      code: 401
    })
  })

  it.each([
    ['without isActive', {}],
    ['before isActive is asked', { isActive: () => true }]
  ])(
    'are not made for a user whom a strategy remembers and who was removed, %s',
    async (_title, settings) => {
      const { app, user } = await createAppWithUser({ settings })
      const service = app.service('authentication')
      const users: any[] = [{ id: user.id }, { name: 'without an id' }]

      for (const found of users) {
        service.register('test', {
          authenticate: async () => ({ authentication: { strategy: 'test' }, user: found })
        })
        await app
          .service('users')
          ._remove(user.id)
          .catch(() => undefined)

        await expect(
          service.create({ strategy: 'test' }, { authStrategies: ['test'] })
        ).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })
      }
    }
  )

  it('are not made by a strategy that returns nothing', async () => {
    const { app, service } = await createAppWithUser()

    for (const nothing of [undefined, null, false]) {
      service.register('test', { authenticate: async () => nothing as any })

      await expect(
        app.service('authentication').create({ strategy: 'test' }, { authStrategies: ['test'] })
      ).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })
    }
  })

  it('are not made for somebody who is gone, whichever strategy says so', async () => {
    const { app, user } = await createAppWithUser()
    const service = app.service('authentication')

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['test'] })
    service.register('test', {
      authenticate: async () => ({ authentication: { strategy: 'test' }, user: { id: user.id } })
    })

    await app.service('users').remove(user.id)
    await expect(service.create({ strategy: 'test' })).rejects.toMatchObject({
      name: 'NotAuthenticated',
      code: 401
    })
  })
})

describe('isActive', () => {
  it.each([
    ['a class or an object', (get: any) => ({ authenticate: get })],
    ['a function', (get: any) => createStrategy(() => ({ authenticate: get }))]
  ])('is asked about what clients do not see when the strategy is %s', async (_title, make) => {
    const isActive = (entity: any) => entity.banned === false
    const { app, user } = await createAppWithUser({ settings: { isActive } })
    const service = app.service('authentication')
    const call = () => service.authenticate({ strategy: 'test' }, { provider: 'rest' }, 'test')

    app.service('users').hooks({ after: { all: [protect('banned')] } })
    service.register(
      'test',
      make(async () => ({
        authentication: { strategy: 'test' },
        user: await app.service('users').get(user.id, { provider: 'rest' })
      }))
    )

    await app.service('users')._patch(user.id, { banned: false })
    expect((await call()).user).not.toHaveProperty('banned')

    await app.service('users')._patch(user.id, { banned: true })
    await expect(call()).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })
  })
})
