import { generateKeyPairSync } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it } from 'vitest'
import { AuthenticationService } from '../../src/authentication.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { createApp, createAppWithUser, decode, LOGIN, OTHER_SECRET, SECRET } from './app.ts'

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

describe('an access token', () => {
  it('is made with the options of the configuration, and has a random id', async () => {
    const { service } = await createAppWithUser()
    const first = decode(await service.createAccessToken({ my: 'payload' }))
    const second = decode(await service.createAccessToken({ my: 'payload' }))

    expect(first.header).toEqual({ alg: 'HS256', typ: 'access' })
    expect(first.payload).toMatchObject({ my: 'payload', aud: 'https://yourdomain.com', iss: 'feathers' })
    expect(first.payload.exp - first.payload.iat).toBe(24 * 60 * 60)
    expect(first.payload.jti).toMatch(UUID)
    expect(second.payload.jti).toMatch(UUID)
    expect(second.payload.jti).not.toBe(first.payload.jti)
  })

  it('is made with options for one call, merged deeply over the others', async () => {
    const { service } = await createAppWithUser()
    const token = await service.createAccessToken(
      {},
      { jwtid: 'mine', subject: '7', expiresIn: 60, header: { extra: 'name' } }
    )
    const { header, payload } = decode(token)

    expect(header).toEqual({ alg: 'HS256', typ: 'access', extra: 'name' })
    expect(payload).toMatchObject({ jti: 'mine', sub: '7', iss: 'feathers' })
    expect(payload.exp - payload.iat).toBe(60)
  })

  it('has a random id when the one that is given is empty', async () => {
    const { service } = await createAppWithUser()

    for (const jwtid of ['', undefined, null]) {
      expect(decode(await service.createAccessToken({}, { jwtid })).payload.jti).toMatch(UUID)
    }
  })

  it('is not made with options that are not valid', async () => {
    const { service } = await createAppWithUser()

    await expect(service.createAccessToken({}, { audience: 5 })).rejects.toThrow(
      '"audience" must be a string or array'
    )
    await expect(service.createAccessToken({}, { algorithm: 'none' })).rejects.toThrow(
      'a token must be signed'
    )
    await expect(service.createAccessToken({}, { sold: true })).rejects.toThrow('"sold" is not allowed')
  })

  it('is signed with the first of several algorithms, and verified by any of them', async () => {
    const app = createApp({ settings: { jwtOptions: { algorithm: ['HS512', 'HS256'] } } })
    const service = app.service('authentication')
    const token = await service.createAccessToken({})
    const older = jsonwebtoken.sign({}, SECRET, { algorithm: 'HS256' })
    const foreign = jsonwebtoken.sign({}, SECRET, { algorithm: 'HS384' })

    expect(decode(token).header.alg).toBe('HS512')
    await service.verifyAccessToken(token)
    await service.verifyAccessToken(older)
    await expect(service.verifyAccessToken(foreign)).rejects.toThrow('invalid algorithm')
  })

  it('is signed and verified with keys', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const app = createApp({
      settings: {
        secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        jwtOptions: { algorithm: 'ES256' }
      }
    })
    const service = app.service('authentication')
    const token = await service.createAccessToken({ my: 'payload' })

    expect(await service.verifyAccessToken(token)).toMatchObject({ my: 'payload' })
    expect(jsonwebtoken.verify(token, publicKey)).toMatchObject({ my: 'payload' })
  })

  it('is verified by its signature, issuer, audience and time', async () => {
    const { service } = await createAppWithUser()
    const token = await service.createAccessToken({ my: 'payload' })
    const expired = await service.createAccessToken({}, { expiresIn: -5 })
    const early = await service.createAccessToken({}, { notBefore: 60 })

    expect(await service.verifyAccessToken(token)).toEqual(decode(token).payload)

    for (const [given, options, message] of [
      [token, { issuer: 'someone else' }, 'jwt issuer invalid. expected: someone else'],
      [token, { audience: 'someone else' }, 'jwt audience invalid. expected: someone else'],
      [token, { algorithm: 'HS512' }, 'invalid algorithm'],
      [token, { algorithm: ['HS384', 'HS512'] }, 'invalid algorithm'],
      [expired, {}, 'jwt expired'],
      [early, {}, 'jwt not active']
    ] as const) {
      const error = await service.verifyAccessToken(given, options).catch((error: unknown) => error)

      expect(error, message).toBeInstanceOf(NotAuthenticated)
      expect(error.message).toBe(message)
    }
  })

  it('is made and accepted when the setting says how to verify', async () => {
    const jwtOptions = {
      issuer: ['new', 'old'],
      clockTolerance: 60,
      maxAge: '1h',
      ignoreNotBefore: true,
      expiresIn: '1d'
    }
    const { service } = await createAppWithUser({ settings: { jwtOptions } })
    const now = Math.floor(Date.now() / 1000)
    const sign = (claims: object) => jsonwebtoken.sign({ iss: 'old', ...claims }, SECRET)
    const { accessToken } = await service.create(LOGIN)

    expect(decode(accessToken).payload.iss).toBe('new')
    expect(await service.create({ strategy: 'jwt', accessToken })).toHaveProperty('user')

    await service.verifyAccessToken(sign({}))
    await service.verifyAccessToken(sign({ exp: now - 30 }))
    await service.verifyAccessToken(sign({ nbf: now + 1000 }))

    for (const [claims, message] of [
      [{ iss: 'other' }, 'jwt issuer invalid. expected: new,old'],
      [{ exp: now - 90 }, 'jwt expired'],
      [{ iat: now - 7200 }, 'maxAge exceeded']
    ] as const) {
      await expect(service.verifyAccessToken(sign(claims)), message).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message
      })
    }
  })

  it('is signed and verified with another secret for one call', async () => {
    const { service } = await createAppWithUser()
    const token = await service.createAccessToken({ my: 'payload' }, undefined, OTHER_SECRET)

    await expect(service.verifyAccessToken(token)).rejects.toThrow('invalid signature')
    expect(await service.verifyAccessToken(token, {}, OTHER_SECRET)).toMatchObject({ my: 'payload' })
  })

  it('is neither made nor verified without a secret', async () => {
    const auth = new AuthenticationService(alula())
    const message = "A 'secret' must be provided in your authentication configuration"

    await expect(auth.createAccessToken({})).rejects.toThrow(message)
    await expect(auth.verifyAccessToken('a.b.c')).rejects.toThrow(message)
  })
})
