import { expect, it } from 'vitest'
import { AuthenticationService, authenticate, JWTStrategy, LocalStrategy } from '../../src/authentication.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { OBJECT_NAMES } from '../support/hostile.ts'
import { CountingHasher, configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'

// What a client could do with a token that should be good for nothing any more, or that was made for something else.

const ANN = { email: 'ann', password: 'open sesame' }

/** An application on a port, with the user `ann`. */
async function open(
  settings: { [option: string]: any } = {},
  configure: (app: any) => void = () => undefined
) {
  const app: any = express(alula()).configure(rest())
  const authentication = configureLogin(app, { settings })

  configure(app)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  await app.service('users').create({ id: 1, ...ANN })

  const send = (method: string, path: string, token?: string, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        Connection: 'close',
        ...(token !== undefined && { Authorization: `Bearer ${token}` })
      },
      ...(body && { body: JSON.stringify(body) })
    })

  async function logIn(path = '/authentication'): Promise<string> {
    const response = await send('POST', path, undefined, { strategy: 'local', ...ANN })
    const { accessToken } = (await response.json()) as any

    expect(response.status).toBe(201)

    return accessToken
  }

  const use = async (token: string, path = '/notes') => (await send('GET', path, token)).status
  const logOut = async (token: string, path = '/authentication') => (await send('DELETE', path, token)).status

  return { app, authentication, send, logIn, use, logOut }
}

const quick = () => ({ local: { hasher: new CountingHasher() } })

it('a token is that of a person and not of an id: who gets the id of a removed user does not get the tokens', async () => {
  const { app, logIn, use } = await open()
  const token = await logIn()

  expect(await use(token)).toBe(200)
  await app.service('users').remove(1)
  expect(await use(token)).toBe(401)

  // All that can be the same is the same.
  await app.service('users').create({ id: 1, ...ANN })
  expect(await use(token)).toBe(401)
  expect(await use(await logIn())).toBe(200)
})

it('a changed password ends sessions in another process too', async () => {
  const one = await open()
  const two = await open()
  const stored = await one.app.service('users').get(1)
  const token = await one.logIn()

  await two.app.service('users')._patch(1, stored)
  expect(await one.use(token)).toBe(200)
  expect(await two.use(token)).toBe(200)

  await two.app.service('users').patch(1, { password: 'changed' })
  expect(await two.use(token)).toBe(401)
  expect(await one.use(token)).toBe(200)
})

it('who is not active any more is out at once, and back in when that is taken back', async () => {
  const banned = new Set<unknown>()
  const { logIn, use, logOut } = await open({ ...quick(), isActive: async ({ id }: any) => !banned.has(id) })
  const token = await logIn()

  // Before the token was used, and after that.
  for (let round = 0; round < 2; round++) {
    banned.add(1)
    expect(await use(token)).toBe(401)
    expect(await logOut(token)).toBe(401)
    banned.delete(1)
    expect(await use(token)).toBe(200)
  }
})

it('a new secret ends all sessions, whether their tokens were used or not', async () => {
  const { app, logIn, use } = await open(quick())
  const [token, used] = [await logIn(), await logIn()]

  expect(await use(used)).toBe(200)
  app.set('authentication', {
    ...app.get('authentication'),
    secret: 'another secret that is longer than 32 bytes'
  })
  expect(await use(token)).toBe(401)
  expect(await use(used)).toBe(401)
  expect(await use(await logIn())).toBe(200)
})

it.each([
  ['another secret', { secret: 'the secret of the staff, longer than thirty-two bytes' }],
  ['another audience', { jwtOptions: { header: { typ: 'access' }, audience: 'staff', issuer: 'feathers' } }],
  [
    'another issuer',
    { jwtOptions: { header: { typ: 'access' }, audience: 'https://yourdomain.com', issuer: 'staff' } }
  ],
  [
    'another type',
    { jwtOptions: { header: { typ: 'staff' }, audience: 'https://yourdomain.com', issuer: 'feathers' } }
  ],
  [
    'another algorithm',
    {
      jwtOptions: {
        header: { typ: 'access' },
        audience: 'https://yourdomain.com',
        issuer: 'feathers',
        algorithm: 'HS512'
      }
    }
  ]
])('two services with %s do not take the tokens of each other', async (_title, changes) => {
  const { logIn, use, logOut, send } = await open(quick(), (app) => {
    app.set('staff', { ...app.get('authentication'), ...changes })

    const staff = new AuthenticationService(app, 'staff')

    staff.register('jwt', new JWTStrategy())
    staff.register('local', new LocalStrategy())
    app.use('staff', staff)
    app.use('safes', { find: async () => [] })
    app.service('safes').hooks({ before: { all: [authenticate({ service: 'staff', strategies: ['jwt'] })] } })
  })
  const usual = await logIn()
  const staff = await logIn('/staff')

  expect(await use(usual, '/notes')).toBe(200)
  expect(await use(staff, '/safes')).toBe(200)

  expect(await use(staff, '/notes')).toBe(401)
  expect(await use(usual, '/safes')).toBe(401)

  for (const [token, path] of [
    [usual, '/staff'],
    [staff, '/authentication']
  ] as const) {
    expect((await send('POST', path, undefined, { strategy: 'jwt', accessToken: token })).status).toBe(401)
    // A token of others is not logged out either.
    expect(await logOut(token, path)).toBe(401)
    expect(await logOut(token, `${path}/${token}`)).toBe(401)
  }

  expect(await use(usual, '/notes')).toBe(200)
  expect(await use(staff, '/safes')).toBe(200)
})

it.each([
  ['that is new', 0],
  ['that was used', 1]
])(
  'when the answer to the logout of a token %s is there, no use of it succeeds, whatever ran at the same time',
  async (_title, count) => {
    const { logIn, use, logOut } = await open(quick())
    const token = await logIn()
    const other = await logIn()

    for (let used = 0; used < count; used++) expect(await use(token)).toBe(200)

    const uses = Array.from({ length: 10 }, () => use(token))
    const logout = logOut(token).then(async (status) => ({
      status,
      after: await Promise.all(Array.from({ length: 10 }, () => use(token)))
    }))

    for (const status of await Promise.all(uses)) expect([200, 401]).toContain(status)

    expect(await logout).toEqual({ status: 200, after: Array(10).fill(401) })
    expect(await use(other)).toBe(200)
  }
)

it.each([
  ['that is new', 0],
  ['that was used', 1]
])('of many logouts of a token %s none fails, and a later one is refused', async (_title, count) => {
  const { logIn, use, logOut } = await open(quick())
  const token = await logIn()

  for (let used = 0; used < count; used++) expect(await use(token)).toBe(200)

  const statuses = await Promise.all(Array.from({ length: 20 }, () => logOut(token)))

  expect(statuses).toContain(200)
  for (const status of statuses) expect([200, 401]).toContain(status)
  expect(await logOut(token)).toBe(401)
  expect(await use(token)).toBe(401)
})

it('while a store does not answer, nobody gets in', async () => {
  let failure: Error | undefined
  const store = {
    revoke: async () => {
      if (failure) throw failure

      return true
    },
    isRevoked: async () => {
      if (failure) throw failure

      return false
    }
  }
  const { logIn, use, logOut } = await open({ ...quick(), revocation: store })
  const token = await logIn()

  failure = new Error('connection lost')
  expect(await use(token)).toBe(500)
  expect(await logOut(token)).toBe(500)
  failure = undefined
  expect(await use(token)).toBe(200)
})

it('names that every object has are ids of tokens like any other', async () => {
  const { authentication, use } = await open(quick())

  for (const jwtid of OBJECT_NAMES) {
    const token = await authentication.createAccessToken({ sub: '1' }, { jwtid })

    expect(await use(token)).toBe(200)
    await authentication.revokeAccessToken(token)
    expect(await use(token)).toBe(401)
  }
})

it('names that every object has are no strategies', async () => {
  const { app, authentication, send, logIn } = await open(quick())

  app.use('odd', { find: async () => [] })
  app.service('odd').hooks({ before: { all: [authenticate('__proto__', 'constructor', 'toString')] } })
  app.set('authentication', {
    ...app.get('authentication'),
    authStrategies: [...OBJECT_NAMES, 'local'],
    parseStrategies: [...OBJECT_NAMES, 'jwt']
  })

  expect(authentication.getStrategies(...OBJECT_NAMES)).toEqual([])
  expect((await send('GET', '/odd', await logIn())).status).toBe(401)

  for (const strategy of OBJECT_NAMES) {
    expect((await send('POST', '/authentication', undefined, { strategy, ...ANN })).status).toBe(401)
  }
})

it('in a service without entities a token is good for what it says alone', async () => {
  const { app, authentication, use, logOut } = await open({ ...quick(), entity: null })

  app.service('notes').hooks({
    after: {
      find: [
        ({ params, result }: any) => {
          result.sub = params.authentication.payload.sub ?? null
          result.user = params.user ?? null
        }
      ]
    }
  })

  for (const sub of ['1', 'nobody']) {
    const token = await authentication.createAccessToken({ sub })

    expect(await use(token)).toBe(200)
    expect(await logOut(token)).toBe(200)
    expect(await use(token)).toBe(401)
  }

  const forged = 'eyJhbGciOiJub25lIiwidHlwIjoiYWNjZXNzIn0.eyJzdWIiOiIxIn0.'

  expect(await use(forged)).toBe(401)
})
