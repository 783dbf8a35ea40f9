import { generateKeyPairSync } from 'node:crypto'
import * as official from '@feathersjs/authentication'
import * as officialLocal from '@feathersjs/authentication-local'
import { feathers as officialFeathers } from '@feathersjs/feathers'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as ours from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'

// Access tokens and password hashes go from Feathers v5 to us and back: users stay logged in while an application
// moves, and may be served by both in the meantime.

const SECRET = 'a secret of the tests that is long enough to be one'
const PASSWORD = 'correct horse'

const FEATHERS = {
  create: officialFeathers as () => any,
  parts: { ...official, LocalStrategy: officialLocal.LocalStrategy }
}
const ALULA = { create: alula as () => any, parts: ours }

type Implementation = typeof FEATHERS | typeof ALULA

const directions: [string, { from: Implementation; to: Implementation }][] = [
  ['from Feathers to alula', { from: FEATHERS, to: ALULA }],
  ['from alula to Feathers', { from: ALULA, to: FEATHERS }]
]

/** An application with authentication, one user with a password hash, and notes for who has logged in. */
async function start(
  { create, parts }: Implementation,
  configuration: { [option: string]: unknown } = {},
  password?: string
) {
  const app = create()
  const user = { id: 7, email: 'wren@example.org', password }

  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4 },
    ...configuration
  })

  const authentication: any = new (parts.AuthenticationService as any)(app)

  authentication.register('jwt', new parts.JWTStrategy() as any)
  authentication.register('local', new parts.LocalStrategy() as any)
  app.use('authentication', authentication)
  app.use('users', {
    id: 'id',
    find: async ({ query }: any) => (query.email === user.email ? [user] : []),
    get: async () => user
  })
  app.use('notes', { find: async (params: any) => [params.user.email] })
  app.service('notes').hooks({ before: { all: [parts.authenticate('jwt')] } })

  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  return { app, user, authentication, local: authentication.getStrategy('local') }
}

function logIn(app: any, password = PASSWORD, params: object = {}): Promise<any> {
  return app
    .service('authentication')
    .create({ strategy: 'local', email: 'wren@example.org', password }, { provider: 'rest', ...params })
}

function readNotes(app: any, accessToken: string): Promise<string[]> {
  return app.service('notes').find({ provider: 'rest', authentication: { strategy: 'jwt', accessToken } })
}

const rsa = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
})
const elliptic = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
})

const configurations: [string, { [option: string]: unknown }][] = [
  ['the default options', {}],
  ['HS384', { jwtOptions: { header: { typ: 'access' }, algorithm: 'HS384', expiresIn: '1h' } }],
  ['HS512', { jwtOptions: { header: { typ: 'access' }, algorithm: 'HS512' } }],
  ['RS256', { secret: rsa.privateKey, jwtOptions: { algorithm: 'RS256', expiresIn: 60 } }],
  ['PS256', { secret: rsa.privateKey, jwtOptions: { algorithm: 'PS256', expiresIn: 60 } }],
  ['ES256', { secret: elliptic.privateKey, jwtOptions: { algorithm: 'ES256', expiresIn: 60 } }],
  ['no options', { jwtOptions: {} }],
  [
    'several audiences',
    { jwtOptions: { audience: ['https://a.example', 'https://b.example'], issuer: 'me' } }
  ],
  ['a header of its own', { jwtOptions: { header: { typ: 'at+jwt' }, keyid: 'first', expiresIn: '2 days' } }],
  ['a token without a type', { jwtOptions: { header: {} } }],
  ['a start', { jwtOptions: { notBefore: 0 } }]
]

describe.each(directions)('%s', (_title, { from, to }) => {
  describe.each(configurations)('with %s', (_name, configuration) => {
    it('a token verifies, and logs in', async () => {
      const [source, target] = await Promise.all([start(from, configuration), start(to, configuration)])
      const hash = await source.local.hashPassword(PASSWORD)

      for (const { user } of [source, target]) user.password = hash

      const { accessToken, authentication } = await logIn(source.app)
      const payload = await target.authentication.verifyAccessToken(accessToken)

      expect(payload).toEqual(authentication.payload)
      expect(payload).toMatchObject({ sub: '7', jti: expect.any(String), iat: expect.any(Number) })
      expect(await readNotes(target.app, accessToken)).toEqual(['wren@example.org'])
      expect(
        await target.app
          .service('authentication')
          .create({ strategy: 'jwt', accessToken }, { provider: 'rest' })
      ).toMatchObject({ accessToken, user: { id: 7 } })
    })
  })

  it('a token keeps its payload, and a secret that was given for it', async () => {
    const [source, target] = await Promise.all([start(from), start(to)])
    const secret = 'another secret of the tests, just as long as that one'
    const token = await source.authentication.createAccessToken(
      { role: 'reader', teams: [1, 2] },
      { subject: '7', jwtid: 'chosen', expiresIn: '5m' },
      secret
    )
    const payload = await target.authentication.verifyAccessToken(token, undefined, secret)

    expect(payload).toMatchObject({ role: 'reader', teams: [1, 2], sub: '7', jti: 'chosen' })
    expect(payload.exp - payload.iat).toBe(300)
    await expect(target.authentication.verifyAccessToken(token)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'invalid signature'
    })
  })

  it('a token for others is refused', async () => {
    const [source, target] = await Promise.all([start(from), start(to)])
    const read = async (options: object) =>
      readNotes(target.app, await source.authentication.createAccessToken({}, { subject: '7', ...options }))

    expect(await read({})).toEqual(['wren@example.org'])
    await expect(read({ expiresIn: -1 })).rejects.toThrow('jwt expired')
    await expect(read({ issuer: 'me' })).rejects.toThrow('jwt issuer invalid. expected: feathers')
    await expect(read({ audience: 'you' })).rejects.toThrow('jwt audience invalid')
    await expect(read({ notBefore: 60 })).rejects.toThrow('jwt not active')
    await expect(read({ algorithm: 'HS512' })).rejects.toThrow('invalid algorithm')
  })

  it.each([
    ['an ordinary one', PASSWORD],
    ['one character', 'x'],
    ['spaces around', '  a b  '],
    ['letters of many scripts', 'žluťoučký 鳥 🐦'],
    ['72 bytes', 'x'.repeat(72)],
    ['72 bytes in 24 characters', '鳥'.repeat(24)],
    ['what a bcrypt hash looks like', `$2b$04$${'.'.repeat(53)}`]
  ])('a password hash logs in: %s', async (_name, password) => {
    const source = await start(from)
    const hash = await source.local.hashPassword(password)
    const target = await start(to, {}, hash)

    expect((await logIn(target.app, password)).user.id).toBe(7)
    await expect(logIn(target.app, `${password.slice(0, -1)}?`)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'Invalid login'
    })
  })
})

it('an access token of Feathers is good until it expires, or the user logs out with us', async () => {
  const feathers = await start(FEATHERS)
  const target = await start(ALULA)
  const accessToken = await feathers.authentication.createAccessToken({}, { subject: '7' })
  const remove = () =>
    target.app
      .service('authentication')
      .remove(null, { provider: 'rest', authentication: { strategy: 'jwt', accessToken } })

  expect(await readNotes(target.app, accessToken)).toEqual(['wren@example.org'])
  expect(await remove()).toMatchObject({ accessToken })
  await expect(readNotes(target.app, accessToken)).rejects.toMatchObject({
    code: 401,
    message: 'jwt revoked'
  })
  expect(await readNotes(feathers.app, accessToken)).toEqual(['wren@example.org'])
})

it('a token of ours is void with us when the password has changed, and not with Feathers', async () => {
  const hash = await (await start(FEATHERS)).local.hashPassword(PASSWORD)
  const [feathers, target] = await Promise.all([start(FEATHERS, {}, hash), start(ALULA, {}, hash)])
  const { accessToken } = await logIn(target.app)
  const ofFeathers = (await logIn(feathers.app)).accessToken

  for (const { user, local } of [feathers, target]) user.password = await local.hashPassword('another horse')

  await expect(readNotes(target.app, accessToken)).rejects.toMatchObject({
    code: 401,
    message: 'jwt revoked'
  })
  expect(await readNotes(feathers.app, accessToken)).toEqual(['wren@example.org'])
  // It says nothing of the password.
  expect(await readNotes(target.app, ofFeathers)).toEqual(['wren@example.org'])
})
