// The ways of a client to try credentials: one budget for all of them.
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { AuthenticationBaseStrategy } from '../../src/authentication.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import express, { authenticate, errorHandler, rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import {
  koa,
  authenticate as koaAuthenticate,
  errorHandler as koaErrorHandler,
  rest as koaRest
} from '../../src/koa.ts'
import { toListener } from '../../src/node.ts'
import { socketio } from '../../src/socketio.ts'
import { scaled } from '../support/scale.ts'
import { listen, serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'
import { describeRemoteTransports } from '../support/transports.ts'
import { until } from '../support/until.ts'
import { addUsers, logIn, logInTimes, PASSWORD } from './app.ts'

const WREN = 'wren@example.org'
const VIA = { 'X-Forwarded-For': '192.0.2.1' }

/** A name and a number in a header, which every call can have. */
class PinStrategy extends AuthenticationBaseStrategy {
  async parse({ headers }: any) {
    const [account, pin] = (headers['x-pin'] ?? '').split(' ')

    return account ? { strategy: this.name as string, account, pin } : null
  }

  getAccount({ account }: any) {
    return account
  }

  async authenticate({ account, pin }: any) {
    if (pin !== '1234') throw new NotAuthenticated('Wrong pin')

    return { authentication: { strategy: this.name }, user: { email: account } }
  }
}

/** Accounts that are written in JSON. */
class JsonPinStrategy extends PinStrategy {
  override getAccount({ account }: any) {
    return JSON.parse(account)
  }
}

/** Keys without an account. */
class KeyStrategy extends AuthenticationBaseStrategy {
  async authenticate({ key }: any) {
    if (key !== 'right') throw new NotAuthenticated('Wrong key')

    return { authentication: { strategy: this.name } }
  }
}

it('REST, sockets and Fetch share the budget', async () => {
  const app: any = addUsers(
    express(alula())
      .configure(rest())
      .configure(socketio({ trustProxy: 1 }))
  )

  app.set('trust proxy', 1)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)
  const socket = await connectSocket(url, { extraHeaders: VIA })
  const handle = createHandler(app, { trustProxy: 1, logger: false })
  const login = { strategy: 'local', email: WREN, password: 'wrong' }
  const request = () =>
    new Request(`${url}/authentication`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...VIA },
      body: JSON.stringify(login)
    })

  await app.service('users').create({ email: WREN, password: PASSWORD })
  expect(await logInTimes(4, url, WREN, 'wrong', '192.0.2.1')).toEqual(Array(4).fill(401))
  for (let i = 0; i < 3; i++) {
    expect(await ask(socket, 'create', 'authentication', login, {})).toMatchObject([{ code: 401 }])
    expect((await handle(request())).status).toBe(401)
  }

  expect(await ask(socket, 'create', 'authentication', login, {})).toMatchObject([
    { code: 429, data: { retryAfter: expect.any(Number) } }
  ])
  expect((await handle(request())).status).toBe(429)

  const { status, headers } = await logIn(url, WREN, PASSWORD, '192.0.2.1')

  expect(status).toBe(429)
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(800)
  // Another address, over a socket too.
  expect(
    await ask(
      await connectSocket(url, { extraHeaders: { 'X-Forwarded-For': '192.0.2.2' } }),
      'create',
      'authentication',
      { ...login, password: PASSWORD },
      {}
    )
  ).toMatchObject([null, { accessToken: expect.any(String) }])
})

it('a strategy with getAccount is counted in calls of all services, and in routes of Express', async () => {
  const app: any = express(alula()).configure(rest({ authentication: { strategies: ['pin'] } }))

  addUsers(app, {}, { pin: new PinStrategy() })
  app.get('/me', authenticate('pin'), (request: any, response: any) => response.json(request.feathers.user))
  app.set('trust proxy', 1)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)
  const call = async (path: string, pin: string, address: string) =>
    (await fetch(`${url}/${path}`, { headers: { 'X-Pin': pin, 'X-Forwarded-For': address } })).status

  for (let i = 0; i < 5; i++) {
    expect(await call('notes', `wren ${i}`, '192.0.2.1')).toBe(401)
    expect(await call('me', `wren ${i}`, '192.0.2.1')).toBe(401)
  }

  for (const path of ['notes', 'me']) {
    expect(await call(path, 'wren 1234', '192.0.2.1')).toBe(429)
    expect(await call(path, 'wren 1234', '192.0.2.2')).toBe(200)
  }
})

it('an account that is a number counts as its string', async () => {
  const app: any = addUsers(undefined, {}, { pin: new JsonPinStrategy() })
  const url = await listen(createServer(toListener(app, { trustProxy: 1, logger: false })))
  const tryPin = async (account: string, pin: string) =>
    (
      await fetch(`${url}/authentication`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...VIA },
        body: JSON.stringify({ strategy: 'pin', account, pin })
      })
    ).status

  await app.service('users').create({ email: '8', password: PASSWORD })
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  for (let i = 0; i < 5; i++) {
    expect(await tryPin('7', 'wrong')).toBe(401)
    expect(await tryPin('"7"', 'wrong')).toBe(401)
  }

  expect(await tryPin('7', '1234')).toBe(429)
  expect(await tryPin('"7"', '1234')).toBe(429)
  expect(await tryPin('8', '1234')).toBe(201)
})

it.each(['null', 'true', '["7"]', '{}', '1e999'])('an account that is %s is an error', async (account) => {
  const app: any = addUsers(undefined, {}, { pin: new JsonPinStrategy() })

  await expect(
    app.service('authentication').create({ strategy: 'pin', account, pin: '1234' }, { provider: 'rest' })
  ).rejects.toThrow(
    "'getAccount' of a strategy has to return a string, a finite number or undefined (ALULA_INVALID_RETURN_VALUE)"
  )
})

it('a strategy without it is counted at the login, by address', async () => {
  const app: any = addUsers(undefined, { addressPoints: 5 }, { key: new KeyStrategy() })
  const url = await listen(createServer(toListener(app, { trustProxy: 1, logger: false })))
  const tryKey = async (key: string, address: string) =>
    (
      await fetch(`${url}/authentication`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
        body: JSON.stringify({ strategy: 'key', key })
      })
    ).status

  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  for (let i = 0; i < 5; i++) expect(await tryKey('wrong', '192.0.2.1')).toBe(401)
  expect(await tryKey('right', '192.0.2.1')).toBe(429)
  expect(await tryKey('right', '192.0.2.2')).toBe(201)
})

it('a strategy without it that calls one with it is counted by account too, and once by address', async () => {
  class SecondFactorStrategy extends AuthenticationBaseStrategy {
    async authenticate(data: any, params: any) {
      return this.auth.authenticate({ ...data, strategy: 'local' }, params, 'local')
    }
  }
  const app: any = addUsers(undefined, { addressPoints: 11 }, { second: new SecondFactorStrategy() })
  const url = await listen(createServer(toListener(app, { trustProxy: 1, logger: false })))
  const logInAs = async (email: string, password: string) =>
    (
      await fetch(`${url}/authentication`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...VIA },
        body: JSON.stringify({ strategy: 'second', email, password })
      })
    ).status

  await app.service('users').create({ email: WREN, password: PASSWORD })
  await app.service('users').create({ email: 'ada@example.org', password: PASSWORD })
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  for (let i = 0; i < 10; i++) expect(await logInAs(WREN, 'wrong')).toBe(401)
  expect(await logInAs(WREN, PASSWORD)).toBe(429)
  expect(await logInAs('ada@example.org', PASSWORD)).toBe(201)
})

it('internal calls count where they are made with the params of a call', async () => {
  const app: any = addUsers()
  const url = await listen(createServer(toListener(app, { trustProxy: 1, logger: false })))

  app.use('checks', {
    async create({ password, counted }: any, params: any) {
      const login = { strategy: 'local', email: WREN, password }

      await app.service('authentication').authenticate(login, counted ? params : {}, 'local')

      return { right: true }
    }
  })
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  const check = async (counted: boolean) =>
    (
      await fetch(`${url}/checks`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...VIA },
        body: JSON.stringify({ password: 'wrong', counted })
      })
    ).status

  for (let i = 0; i < 20; i++) expect(await check(false)).toBe(401)
  for (let i = 0; i < 10; i++) expect(await check(true)).toBe(401)
  expect(await check(true)).toBe(429)
})

describeRemoteTransports('behind a proxy that no setting names', (open) => {
  it('failed logins shut out no other user, and a warning says what to set', async () => {
    const warnings: string[] = []
    const hear = ({ code, message }: any) => code === 'ALULA_UNKNOWN_ADDRESS' && warnings.push(message)
    let app: any
    const { call, fail } = await open((configured) => {
      app = addUsers(configured, { accountPoints: 10 })
      // Each attempt over a socket has a connection of its own.
      app.set('connectionRate', 10_000)
    })
    const login = (email: string, password: string) => ({
      data: { strategy: 'local', email, password },
      headers: VIA
    })

    process.on('warning', hear)
    onTestFinished(() => void process.off('warning', hear))
    await app.service('users').create({ email: WREN, password: PASSWORD })
    await app.service('users').create({ email: 'ada@example.org', password: PASSWORD })

    for (let i = 0; i < 10; i++) {
      expect(await fail('create', 'authentication', login('ada@example.org', 'wrong'))).toMatchObject({
        code: 401
      })
    }
    for (let i = 0; i < scaled(1000); i++)
      expect(await fail('create', 'authentication', login(`${i}@example.org`, 'wrong'))).toMatchObject({
        code: 401
      })

    // The account itself lets through one attempt in half a minute.
    await fail('create', 'authentication', login('ada@example.org', 'wrong'))
    expect(await fail('create', 'authentication', login('ada@example.org', PASSWORD))).toMatchObject({
      code: 429
    })
    expect(await call('create', 'authentication', login(WREN, PASSWORD))).toMatchObject({
      user: { email: WREN }
    })
    await until(() => expect(warnings).toHaveLength(1))
    expect(warnings[0]).toContain("set 'trustProxy'")
  })
})

it.each([
  ['trustProxy: 0', (app: any) => toListener(app, { trustProxy: 0, logger: false })],
  [
    "app.set('trust proxy', 0)",
    (app: any) => {
      const outer: any = express(app).configure(rest())

      outer.set('trust proxy', 0)
      outer.use(errorHandler({ logger: false }))

      return outer
    }
  ],
  [
    'trustProxy: 0 of Koa',
    (app: any) => {
      const outer: any = koa(app)

      outer.use(koaErrorHandler({ logger: false }))

      return outer.configure(koaRest({ trustProxy: 0 })).callback()
    }
  ]
])('with %s a header that a client writes counts for nothing', async (_title, toServer) => {
  const app: any = addUsers()
  const url = await listen(createServer(toServer(app) as any))

  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  for (let i = 0; i < 10; i++) expect((await logIn(url, WREN, 'wrong', `192.0.2.${i}`)).status).toBe(401)
  expect((await logIn(url, WREN, 'wrong', '192.0.2.99')).status).toBe(429)
})

it('so it does for middleware of Koa after rest() that authenticates', async () => {
  const app: any = koa(alula())

  app.use(koaErrorHandler({ logger: false }))
  app.configure(koaRest({ trustProxy: 0, authentication: { strategies: ['pin'] } }))
  addUsers(app, {}, { pin: new PinStrategy() })
  app.use(koaAuthenticate('pin'))

  const url = await serve(app)
  const call = async (pin: string, address: string) =>
    (await fetch(`${url}/me`, { headers: { 'X-Pin': pin, 'X-Forwarded-For': address } })).status

  for (let i = 0; i < 10; i++) expect(await call(`wren ${i}`, `192.0.2.${i}`)).toBe(401)
  expect(await call('wren 1234', '192.0.2.99')).toBe(429)
})

it('credentials in a query are counted by address', async () => {
  const app: any = addUsers(undefined, { addressPoints: 5 })
  const url = await listen(createServer(toListener(app, { trustProxy: 1, logger: false })))
  const verify = async (email: string, password: string) =>
    (await fetch(`${url}/links?email=${email}&password=${password}`, { headers: VIA })).status

  app.use('links', {
    find: ({ query, ...params }: any) =>
      app.service('authentication').authenticate({ strategy: 'local', ...query }, params, 'local')
  })
  await app.service('users').create({ email: WREN, password: PASSWORD })

  for (let i = 0; i < 5; i++) expect(await verify(`somebody-${i}@example.org`, 'wrong')).toBe(401)
  expect(await verify(WREN, 'right')).toBe(429)
})
