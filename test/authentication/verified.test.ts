import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it, vi } from 'vitest'
import { SecretKeys } from '../../src/authentication/secret-keys.ts'
import { signToken } from '../../src/authentication/tokens.ts'
import { VerifiedTokens } from '../../src/authentication/verified.ts'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { createApp, createAppWithUser, decode, LOGIN, OTHER_SECRET, SECRET } from './app.ts'

// A token that was verified is remembered. Nothing of what follows may depend on whether it is.

const keys = new SecretKeys()

const REFUSED = { name: 'NotAuthenticated', code: 401 }

/** An application and a token of its user, which was used twice. */
async function createUsed(settings: { [option: string]: unknown } = {}, users: any = memory()) {
  const { app, user, service } = await createAppWithUser({ settings, users })
  const { accessToken } = await service.create(LOGIN)
  const use = () => service.create({ strategy: 'jwt', accessToken })

  await use()
  await use()

  return { app, user, service, accessToken, use }
}

describe('a token that was used is refused', () => {
  it.each([
    ['', {}, 0],
    [' and the tolerance is over', { clockTolerance: 30 }, 30]
  ])('when it has expired%s', async (_title, options, tolerance) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 })

    const { service, use } = await createUsed({ jwtOptions: { expiresIn: 60, ...options } })

    vi.setSystemTime(1_900_000_000_000 + (60 + tolerance) * 1000 - 1)
    expect(await use()).toHaveProperty('user')
    vi.setSystemTime(1_900_000_000_000 + (60 + tolerance) * 1000)
    await expect(use()).rejects.toMatchObject({
      ...REFUSED,
      message: 'jwt expired',
      data: { name: 'TokenExpiredError' }
    })
    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
  })

  it('when it was revoked by a logout, by the service or by somebody else', async () => {
    const revoked = new Set<string>()
    const revocation = {
      revoke: async (id: string) => {
        revoked.add(id)

        return true
      },
      isRevoked: async (id: string) => revoked.has(id)
    }

    for (const revoke of [
      ({ service, accessToken }: any) =>
        service.remove(null, { authentication: { strategy: 'jwt', accessToken } }),
      ({ service, accessToken }: any) => service.revokeAccessToken(accessToken),
      async ({ service, accessToken }: any) => revoked.add((await service.verifyAccessToken(accessToken)).jti)
    ]) {
      for (const settings of [{}, { revocation }]) {
        const used = await createUsed(settings)

        // Without the store of its own another process can not be heard of.
        if (!('revocation' in settings) && `${revoke}`.includes('revoked.add')) continue

        await revoke(used)
        await expect(used.use()).rejects.toMatchObject({ ...REFUSED, message: 'jwt revoked' })
        await expect(used.service.verifyAccessToken(used.accessToken)).rejects.toMatchObject(REFUSED)
      }
    }
  })

  it.each<[string, { [option: string]: any }]>([
    ['the secret', { secret: OTHER_SECRET }],
    ['the issuer', { jwtOptions: { issuer: 'somebody else' } }],
    ['the audience', { jwtOptions: { audience: 'somebody else' } }],
    ['the type', { jwtOptions: { header: { typ: 'JWT' } } }],
    ['the algorithm', { jwtOptions: { algorithm: 'HS512' } }],
    ['the name of the key', { jwtOptions: { header: { typ: 'other' }, keyid: 'one' } }]
  ])('when %s changes, by another setting and in place', async (_title, change) => {
    const jwtOptions = {
      header: { typ: 'access' },
      issuer: 'feathers',
      audience: 'here',
      algorithm: 'HS256',
      expiresIn: '1d'
    }
    const merge = (setting: any) => ({
      ...setting,
      ...change,
      jwtOptions: { ...setting.jwtOptions, ...change.jwtOptions }
    })

    for (const isInPlace of [false, true]) {
      const { app, service, use } = await createUsed({ jwtOptions: structuredClone(jwtOptions) })
      const setting = app.get('authentication')
      const before = structuredClone({ secret: setting.secret, jwtOptions: setting.jwtOptions })

      if (isInPlace) {
        Object.assign(setting.jwtOptions, change.jwtOptions)
        if (change.secret) setting.secret = change.secret
      } else {
        app.set('authentication', merge(setting))
      }

      await expect(use()).rejects.toMatchObject(REFUSED)
      expect(await service.create(LOGIN)).toHaveProperty('accessToken')

      // Back again, and the token is as good as it was.
      app.set('authentication', { ...app.get('authentication'), ...before })
      expect(await use()).toHaveProperty('user')
    }
  })

  it('when what is nested in the options changes in place', async () => {
    const { app, use } = await createUsed({ jwtOptions: { header: { typ: 'access' }, audience: ['a', 'b'] } })

    app.get('authentication').jwtOptions.header.typ = 'JWT'
    await expect(use()).rejects.toMatchObject(REFUSED)

    app.get('authentication').jwtOptions.header.typ = 'access'
    expect(await use()).toHaveProperty('user')

    app.get('authentication').jwtOptions.audience.splice(0, 2, 'c')
    await expect(use()).rejects.toMatchObject(REFUSED)
  })

  it('when its user was removed, has another password, or is not active any more', async () => {
    const isActive = ({ banned }: any) => !banned

    for (const change of [
      (users: any, id: number) => users.remove(id),
      (users: any, id: number) => users.patch(id, { password: 'a new password' }),
      (users: any, id: number) => users._patch(id, { password: null }),
      (users: any, id: number) => users.patch(id, { banned: true })
    ]) {
      const { app, user, use } = await createUsed({ isActive })

      await change(app.service('users'), user.id)
      await expect(use()).rejects.toMatchObject(REFUSED)
    }
  })

  it('by a service that never saw it and has another secret', async () => {
    const { accessToken } = await createUsed()
    const other = createApp({ settings: { secret: OTHER_SECRET } }).service('authentication')

    await expect(other.verifyAccessToken(accessToken)).rejects.toMatchObject(REFUSED)
  })

  it('when a single letter of it is another one', async () => {
    const { service, accessToken } = await createUsed()

    for (let position = 0; position < accessToken.length; position += 7) {
      const letter = accessToken[position] === 'A' ? 'B' : 'A'
      const twin = accessToken.slice(0, position) + letter + accessToken.slice(position + 1)

      await expect(service.verifyAccessToken(twin), `${position}`).rejects.toMatchObject(REFUSED)
    }
    for (const twin of [[accessToken], { toString: () => accessToken }, Object(accessToken)] as any[]) {
      await expect(service.verifyAccessToken(twin)).rejects.toMatchObject(REFUSED)
    }

    expect(await service.verifyAccessToken(accessToken)).toHaveProperty('sub')
  })
})

describe('a token that was used', () => {
  it('still has its user loaded with each request, as the user is now', async () => {
    const { app, user, use } = await createUsed()
    const gets: unknown[] = []

    app.service('users').hooks({ before: { get: [({ id }: any) => void gets.push(id)] } })
    await app.service('users').patch(user.id, { name: 'Wren' })

    for (let count = 1; count <= 3; count++) {
      expect((await use()).user).toMatchObject({ id: user.id, name: 'Wren' })
      expect(gets.length).toBeGreaterThanOrEqual(count)
    }
  })

  it('has its revocation asked for with each request', async () => {
    const asked: string[] = []
    const { service, accessToken } = await createUsed({
      revocation: {
        revoke: () => true,
        isRevoked: (id: string) => {
          asked.push(id)

          return false
        }
      }
    })

    asked.length = 0

    const { jti } = await service.verifyAccessToken(accessToken)

    await service.verifyAccessToken(accessToken)
    expect(asked).toEqual([jti, jti])
  })

  it('says the same to each caller, whatever another one does with it', async () => {
    const { service } = await createUsed()
    const token = await service.createAccessToken({ roles: ['reader'], scope: { write: false } })
    const expected = decode(token).payload

    for (let count = 0; count < 3; count++) {
      const payload = await service.verifyAccessToken(token)

      expect(payload).toEqual(expected)
      payload.roles.push('admin')
      payload.scope.write = true
      payload.sub = '0'
      delete payload.exp
    }
  })

  it('is verified by the secret and the options of a call when that has its own', async () => {
    const { service, accessToken } = await createUsed()

    await expect(service.verifyAccessToken(accessToken, undefined, OTHER_SECRET)).rejects.toMatchObject(
      REFUSED
    )
    await expect(service.verifyAccessToken(accessToken, { issuer: 'another' })).rejects.toMatchObject(REFUSED)
    await expect(service.verifyAccessToken(accessToken, { algorithm: 'HS512' })).rejects.toMatchObject(
      REFUSED
    )
    await expect(service.verifyAccessToken(accessToken, { maxAge: -1 })).rejects.toMatchObject(REFUSED)
    await expect(
      service.create(
        { strategy: 'jwt', accessToken },
        { jwt: { clockTimestamp: Math.floor(Date.now() / 1000) + 1e7 } }
      )
    ).rejects.toMatchObject(REFUSED)
    expect(await service.verifyAccessToken(accessToken)).toHaveProperty('sub')
  })

  it('with another secret for one call is refused by all others', async () => {
    const { service } = await createUsed()
    const token = await service.createAccessToken({}, {}, OTHER_SECRET)

    for (let count = 0; count < 2; count++) {
      expect(await service.verifyAccessToken(token, undefined, OTHER_SECRET)).toHaveProperty('jti')
      await expect(service.verifyAccessToken(token)).rejects.toMatchObject(REFUSED)
    }
  })

  it.each([
    ['maxAge', { maxAge: '10s' }],
    ['maxAge as a number', { maxAge: 10 }]
  ])('is measured against the time of each request when the options have %s', async (_title, options) => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 })

    const { use } = await createUsed({ jwtOptions: { expiresIn: '1d', ...options } })

    vi.setSystemTime(1_900_000_009_000)
    expect(await use()).toHaveProperty('user')
    vi.setSystemTime(1_900_000_011_000)
    await expect(use()).rejects.toMatchObject({ ...REFUSED, message: 'maxAge exceeded' })
  })

  it('never expires where expiration is ignored', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 })

    const { use } = await createUsed({ jwtOptions: { expiresIn: 60, ignoreExpiration: true } })

    vi.setSystemTime(1_910_000_000_000)
    expect(await use()).toHaveProperty('user')
  })

  it('does not keep one waiting that is not valid yet', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 })

    const service = new AuthenticationService(alula() as any, 'authentication', {
      secret: SECRET,
      entity: null
    })

    service.register('jwt', new JWTStrategy())

    const token = await service.createAccessToken({}, { notBefore: 60 })

    await expect(service.verifyAccessToken(token)).rejects.toMatchObject({ message: 'jwt not active' })
    vi.setSystemTime(1_900_000_060_000)
    expect(await service.verifyAccessToken(token)).toHaveProperty('nbf')
  })
})

it('a token that was used is refused when an expression for its audience has changed', async () => {
  const verified = new VerifiedTokens(keys)
  const token = signToken({}, SECRET, { audience: 'ada', algorithm: 'HS256' }, keys)

  expect(verified.verify(token, SECRET, { audience: /^a/ as any }).payload.aud).toBe('ada')
  expect(() => verified.verify(token, SECRET, { audience: /^b/ as any })).toThrow('jwt audience invalid')
})

describe('the memory of tokens', () => {
  const OPTIONS = { algorithm: 'HS256', header: { typ: 'access' } }
  const sign = (payload: object = {}, secret = SECRET) =>
    signToken(payload, secret, { ...OPTIONS, expiresIn: '1d' }, keys)

  /** How many signatures are verified meanwhile. */
  function count(run: () => void): number {
    const verify = vi.spyOn(jsonwebtoken, 'verify')

    try {
      run()

      return verify.mock.calls.length
    } finally {
      verify.mockRestore()
    }
  }

  it('holds 5000 of them and no more, and those that it lost are verified again', () => {
    const verified = new VerifiedTokens(keys)
    const tokens = Array.from({ length: 6000 }, (_, n) => sign({ n }))

    for (const [n, token] of tokens.entries()) {
      expect(verified.verify(token, SECRET, OPTIONS).payload.n).toBe(n)
    }

    const verifyAgain = (...listed: string[]) =>
      count(() => {
        for (const token of listed) verified.verify(token, SECRET, OPTIONS)
      })

    expect(verifyAgain(...tokens.slice(1000))).toBe(0)
    expect(verifyAgain(tokens[999] as string)).toBe(1)
    // It took the place of the oldest one.
    expect(verifyAgain(tokens[1000] as string)).toBe(1)
  })

  it('holds none that was refused', () => {
    const verified = new VerifiedTokens(keys)
    const wrong = sign({}, OTHER_SECRET)
    const refuse = (token: unknown) => expect(() => verified.verify(token, SECRET, OPTIONS)).toThrow()

    for (const token of ['nonsense', '', null, undefined, 5, [wrong], {}])
      for (const _ of [1, 2]) refuse(token)
    for (const _ of [1, 2]) expect(count(() => refuse(wrong))).toBe(1)
  })

  it('saves verifying one of them again', () => {
    const verified = new VerifiedTokens(keys)
    const token = sign({ aud: 'a' })

    for (const options of [OPTIONS, { ...OPTIONS, audience: ['a', 'b'] }]) {
      const results: unknown[] = []
      const verify = () => void results.push(verified.verify(token, SECRET, options))

      expect(count(verify)).toBe(1)
      expect(count(verify)).toBe(0)
      expect(results[1]).toEqual(results[0])
    }
  })

  it('holds none that has expired once it was asked for', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 })

    const verified = new VerifiedTokens(keys)
    const token = signToken({}, SECRET, { ...OPTIONS, expiresIn: 1 }, keys)

    verified.verify(token, SECRET, OPTIONS)
    vi.setSystemTime(1_900_000_001_000)
    expect(() => verified.verify(token, SECRET, OPTIONS)).toThrow('jwt expired')
    vi.setSystemTime(1_900_000_000_000)
    expect(count(() => verified.verify(token, SECRET, OPTIONS))).toBe(1)
  })

  it('is empty after another secret and after other options', () => {
    const verified = new VerifiedTokens(keys)
    const token = sign()

    verified.verify(token, SECRET, OPTIONS)
    expect(() => verified.verify(token, OTHER_SECRET, OPTIONS)).toThrow('invalid signature')
    expect(count(() => verified.verify(token, SECRET, OPTIONS))).toBe(1)
    expect(() => verified.verify(token, SECRET, { ...OPTIONS, issuer: 'x' })).toThrow('jwt issuer invalid')
    expect(count(() => verified.verify(token, SECRET, OPTIONS))).toBe(1)
  })

  it.each<[string, object]>([
    ['maxAge', { maxAge: '1d' }],
    ['an expression for the audience', { audience: ['b', /a/] }],
    ['clockTimestamp', { clockTimestamp: Math.floor(Date.now() / 1000) }]
  ])('holds none that was verified with %s', (_name, options) => {
    const verified = new VerifiedTokens(keys)

    const token = sign({ aud: 'a' })

    for (const _ of [1, 2]) {
      expect(count(() => verified.verify(token, SECRET, { ...OPTIONS, ...options }))).toBe(1)
    }
  })
})
