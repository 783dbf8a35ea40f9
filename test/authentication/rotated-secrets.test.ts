import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seal, unseal } from '../../src/authentication/seal.ts'
import { AuthenticationService } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import {
  createApp,
  createAppWithUser,
  decode,
  LOGIN,
  OTHER_SECRET,
  REVOKED,
  SECRET,
  useToken
} from './app.ts'

const NEW = 'the secret after a rotation, as long as the others are'

/** Sets other secrets on an application that runs. */
function rotate(app: any, secret: unknown): void {
  app.set('authentication', { ...app.get('authentication'), secret })
}

describe('a secret that is a list', () => {
  it('signs with the first, and verifies what a later one has signed', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken: old } = await service.create(LOGIN)

    rotate(app, [NEW, SECRET])

    const { accessToken } = await service.create(LOGIN)

    expect(await useToken(app, old)).toMatchObject({ user: { email: LOGIN.email } })
    expect(await useToken(app, accessToken)).toMatchObject({ user: { email: LOGIN.email } })

    rotate(app, NEW)
    await expect(useToken(app, old)).rejects.toMatchObject({ code: 401, message: 'invalid signature' })
    expect(await useToken(app, accessToken)).toMatchObject({ user: { email: LOGIN.email } })
  })

  it('ends tokens of a later one with a new password, by their fingerprint', async () => {
    const { app, service, user } = await createAppWithUser()
    const { accessToken: old } = await service.create(LOGIN)

    rotate(app, [NEW, SECRET])

    const { accessToken } = await service.create(LOGIN)

    await app.service('users').patch(user.id, { password: 'battery staple' })
    for (const token of [old, accessToken]) {
      await expect(useToken(app, token)).rejects.toMatchObject(REVOKED)
    }
  })

  it('revokes tokens of a later one', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    rotate(app, [NEW, SECRET])
    await service.remove(null, { authentication: { strategy: 'jwt', accessToken } })
    await expect(useToken(app, accessToken)).rejects.toMatchObject(REVOKED)
  })

  it('accepts no token of another secret, and checks everything else as before', async () => {
    const { app, service, user } = await createAppWithUser({ settings: { secret: [NEW, SECRET] } })
    const subject = `${user.id}`

    for (const secret of [NEW, SECRET]) {
      const expired = await service.createAccessToken({}, { subject, expiresIn: -1 }, secret)
      const foreign = await service.createAccessToken({}, { subject, audience: 'other' }, secret)

      await expect(useToken(app, expired)).rejects.toMatchObject({ message: 'jwt expired' })
      await expect(useToken(app, foreign)).rejects.toMatchObject({ message: /^jwt audience invalid/ })
    }

    const forged = await service.createAccessToken({}, { subject }, OTHER_SECRET)

    await expect(useToken(app, forged)).rejects.toMatchObject({ message: 'invalid signature' })
  })

  it('may be changed in place', async () => {
    const secret = [SECRET]
    const { app, service } = await createAppWithUser({ settings: { secret } })
    const { accessToken } = await service.create(LOGIN)

    expect(await useToken(app, accessToken)).toMatchObject({ user: {} })
    secret.splice(0, 1, NEW)
    await expect(useToken(app, accessToken)).rejects.toMatchObject({ message: 'invalid signature' })
  })

  it('may hold private keys', async () => {
    const [first, second] = [1, 2].map(
      () =>
        generateKeyPairSync('ec', {
          namedCurve: 'P-256',
          privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
          publicKeyEncoding: { type: 'spki', format: 'pem' }
        }).privateKey
    )
    const jwtOptions = { algorithm: 'ES256', audience: 'a', issuer: 'i' }
    const { app, service } = await createAppWithUser({ settings: { secret: second, jwtOptions } })
    const { accessToken } = await service.create(LOGIN)

    rotate(app, [first, second])
    expect(await useToken(app, accessToken)).toMatchObject({ user: { email: LOGIN.email } })
    expect(decode(accessToken).header.alg).toBe('ES256')
  })

  it.each([[[]], [['']], [[SECRET, '']], [[SECRET, 5]]])('%j is refused', (secret) => {
    expect(() => createApp({ settings: { secret } })).toThrow(
      "Invalid option 'secret' of authentication: expected a string that is not empty, or several in an array"
    )
  })

  it('is refused at set-up when a later one is no key', async () => {
    const app = createApp({ settings: { secret: [SECRET, 'x'], jwtOptions: { algorithm: 'RS256' } } })

    await expect(app.setup()).rejects.toThrow(
      "The 'secret' of the authentication configuration must be a key in PEM"
    )
  })

  it('is warned about when one of them is short, or another service has it', async () => {
    const codes: string[] = []
    const hear = ({ code }: any) => codes.push(code)

    process.on('warning', hear)
    onTestFinished(() => void process.off('warning', hear))

    const app: any = alula()

    app.set('authentication', { secret: [SECRET, 'short'], entity: null, authStrategies: [] })
    app.use('authentication', new AuthenticationService(app))
    app.set('staff', { secret: [NEW, SECRET], service: 'staff-users', entity: null, authStrategies: [] })
    app.use('staff', new AuthenticationService(app, 'staff'))
    await app.setup()
    await app.teardown()
    await new Promise(setImmediate)

    expect(codes).toEqual(expect.arrayContaining(['ALULA_SHORT_SECRET', 'ALULA_SHARED_TOKENS']))
  })
})

it.each([true, false])(
  'closes the socket with a removed secret, and no other of its session: first, %s',
  async (isFirst) => {
    const { app, service } = await createAppWithUser()
    const ended: unknown[] = []

    app.on('disconnect', (connection: unknown) => ended.push(connection))
    app.set('authentication', { ...app.get('authentication'), refresh: {} })

    const { accessToken: old, refreshToken } = await service.create({ ...LOGIN, refresh: true })

    rotate(app, [NEW, SECRET])

    const { accessToken } = await service.create({ strategy: 'refresh', refreshToken })
    const connections = new Map<string, object>()

    for (const token of isFirst ? [old, accessToken] : [accessToken, old]) {
      const connection = {}

      connections.set(token, connection)
      await service.create({ strategy: 'jwt', accessToken: token }, { connection })
    }

    rotate(app, NEW)
    await service.verifySessions()
    expect(ended).toHaveLength(1)
    expect(ended[0]).toBe(connections.get(old))
  }
)

it('what is sealed with a later secret is opened', () => {
  const sealed = seal({ a: 1 }, SECRET, 'purpose')

  expect(unseal(sealed, [NEW, SECRET], 'purpose')).toEqual({ a: 1 })
  expect(unseal(sealed, [NEW], 'purpose')).toBeUndefined()
  expect(unseal(seal({ a: 2 }, [NEW, SECRET], 'purpose'), NEW, 'purpose')).toEqual({ a: 2 })
})
