import authenticationClient, { MemoryStorage } from '@feathersjs/authentication-client'
import { feathers as officialFeathers } from '@feathersjs/feathers'
import restClient from '@feathersjs/rest-client'
import { describe, expect, it } from 'vitest'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  protect
} from '../../src/authentication.ts'
import express, { errorHandler, rest as expressRest, notFound } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { serve } from '../support/server.ts'

// The official authentication client of Feathers v5, with its REST client, against our server: in an application of
// Feathers, and in one of ours.

const clients: { [name: string]: () => any } = { Feathers: officialFeathers, alula }

const SECRET = 'a secret of the tests that is long enough to be one'
const EMAIL = 'wren@example.org'
const LOGIN = { strategy: 'local', email: EMAIL, password: 'correct horse' }

interface Options {
  path?: string
  jwtStrategy?: string
  configuration?: { [option: string]: unknown }
}

/** A server with one user, and notes that are for who has logged in. */
async function start({ path = 'authentication', jwtStrategy = 'jwt', configuration }: Options = {}) {
  const app: any = express(alula())

  app.configure(expressRest())
  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: [jwtStrategy, 'local'],
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4 },
    ...configuration
  })

  const authentication = new AuthenticationService(app)

  authentication.register(jwtStrategy, new JWTStrategy())
  authentication.register('local', new LocalStrategy())
  app.use(path, authentication)
  app.use('users', memory())
  app.use('notes', {
    find: async ({ user }: any) => [{ owner: user.email }],
    create: async ({ text }: any, { user }: any) => ({ text, owner: user.email })
  })
  app.service('users').hooks({
    before: { create: [hashPassword('password')] },
    after: { all: [protect('password')] }
  })
  app.service('notes').hooks({ before: { all: [authenticate(jwtStrategy)] } })
  app.use(notFound())
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  await app.service('users').create({ email: EMAIL, password: LOGIN.password })

  return { app, url, authentication }
}

/** Keeps no connection, for which the end of the test would have to wait. */
function fetchOnce(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, headers: { ...init.headers, Connection: 'close' } })
}

/** What a promise is rejected with. */
function failure(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => {
      throw new Error('It was to fail')
    },
    (error: unknown) => error
  )
}

describe.each(Object.entries(clients))(
  'the official authentication client in an application of %s',
  (_name, create) => {
    // Their types are those of CommonJS modules.
    const connect = (url: string, options: { [option: string]: unknown } = {}) =>
      create()
        .configure((restClient as any)(url).fetch(fetchOnce))
        .configure((authenticationClient as any)({ storage: new MemoryStorage(), ...options }))

    it('logs in, and stores the token', async () => {
      const { url } = await start()
      const client = connect(url)
      const heard: [string, unknown][] = []

      client.on('login', (result: unknown) => heard.push(['login', result]))
      client.on('authenticated', (result: unknown) => heard.push(['authenticated', result]))

      const result = await client.authenticate(LOGIN)

      expect(result).toEqual({
        accessToken: expect.any(String),
        authentication: {
          strategy: 'local',
          payload: expect.objectContaining({ sub: '0', iss: 'feathers' })
        },
        user: { id: 0, email: EMAIL }
      })
      expect(heard).toEqual([
        ['login', result],
        ['authenticated', result]
      ])
      expect(client.authentication.authenticated).toBe(true)
      expect(await client.authentication.getAccessToken()).toBe(result.accessToken)
    })

    it('calls protected services once it has logged in', async () => {
      const { url } = await start()
      const client = connect(url)

      await expect(client.service('notes').find()).rejects.toMatchObject({
        name: 'NotAuthenticated',
        code: 401,
        message: 'Not authenticated'
      })

      await client.authenticate(LOGIN)

      expect(await client.service('notes').find()).toEqual([{ owner: EMAIL }])
      expect(await client.service('notes').create({ text: 'Hello' })).toEqual({ text: 'Hello', owner: EMAIL })
    })

    it('makes calls wait for the login that is on its way', async () => {
      const { url } = await start()
      const client = connect(url)
      const login = client.authenticate(LOGIN)

      expect(await client.service('notes').find()).toEqual([{ owner: EMAIL }])
      await login
    })

    it('authenticates again from its storage', async () => {
      const { url } = await start()
      const storage = new MemoryStorage()
      const { accessToken } = await connect(url, { storage }).authenticate(LOGIN)
      const client = connect(url, { storage })
      const result = await client.reAuthenticate()

      expect(result).toMatchObject({
        accessToken,
        authentication: { strategy: 'jwt', accessToken },
        user: { id: 0, email: EMAIL }
      })
      expect(result.user).not.toHaveProperty('password')
      expect(await client.service('notes').find()).toEqual([{ owner: EMAIL }])
      expect(await client.authenticate()).toBe(result)
    })

    it('has nothing to authenticate again with before the first login', async () => {
      const { url } = await start()

      await expect(connect(url).reAuthenticate()).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'No accessToken found in storage'
      })
    })

    it('tells of an unknown user and a wrong password in the same words', async () => {
      const { url } = await start()
      const client = connect(url)
      const wrong = await failure(client.authenticate({ ...LOGIN, password: 'wrong horse' }))
      const unknown = await failure(client.authenticate({ ...LOGIN, email: 'nobody@example.org' }))

      expect(wrong).toMatchObject({
        name: 'NotAuthenticated',
        code: 401,
        className: 'not-authenticated',
        message: 'Invalid login'
      })
      expect(wrong.constructor.name).toBe('NotAuthenticated')
      expect(unknown.toJSON()).toEqual(wrong.toJSON())
      expect(client.authentication.authenticated).toBe(false)
      await expect(client.service('notes').find()).rejects.toMatchObject({ message: 'Not authenticated' })
    })

    it('logs out, and the token is refused afterwards', async () => {
      const { app, url } = await start()
      const client = connect(url)
      const heard: unknown[] = []
      const events: string[] = []

      for (const event of ['login', 'logout']) {
        app.on(event, (result: any, params: any, context: any) =>
          events.push(`${event} ${result.user.email} ${params.provider} ${context.method}`)
        )
      }
      client.on('logout', (result: unknown) => heard.push(result))

      const { accessToken } = await client.authenticate(LOGIN)
      const result = await client.logout()

      expect(result).toMatchObject({ accessToken, user: { id: 0, email: EMAIL } })
      expect(result.user).not.toHaveProperty('password')
      expect(heard).toEqual([result])
      expect(events).toEqual([`login ${EMAIL} rest create`, `logout ${EMAIL} rest remove`])
      expect(client.authentication.authenticated).toBe(false)
      expect(await client.authentication.getAccessToken()).toBeNull()
      await expect(client.service('notes').find()).rejects.toMatchObject({ message: 'Not authenticated' })

      const storage = new MemoryStorage()

      await storage.setItem('feathers-jwt', accessToken)
      await expect(connect(url, { storage }).reAuthenticate()).rejects.toMatchObject({
        name: 'NotAuthenticated',
        code: 401,
        message: 'jwt revoked'
      })
      // The client forgets what was refused.
      expect(await storage.getItem('feathers-jwt')).toBeUndefined()

      const response = await fetchOnce(`${url}/notes`, {
        headers: { Authorization: `Bearer ${accessToken}` }
      })

      expect(response.status).toBe(401)
    })

    it('logs out nobody when nobody is logged in', async () => {
      const { url } = await start()

      expect(await connect(url).logout()).toBeNull()
    })

    it('logs out one client of a user, and not the other', async () => {
      const { url } = await start()
      const [one, other] = [connect(url), connect(url)]

      await one.authenticate(LOGIN)
      await other.authenticate(LOGIN)
      await one.logout()

      expect(await other.service('notes').find()).toEqual([{ owner: EMAIL }])
    })

    it('learns that a token has expired', async () => {
      const { url, authentication } = await start()
      const storage = new MemoryStorage()

      await storage.setItem(
        'feathers-jwt',
        await authentication.createAccessToken({}, { subject: '0', expiresIn: -1 })
      )
      await expect(connect(url, { storage }).reAuthenticate()).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'jwt expired',
        data: { name: 'TokenExpiredError', expiredAt: expect.any(String) }
      })
      expect(await storage.getItem('feathers-jwt')).toBeUndefined()
    })

    it('goes by a header, a scheme, a path and names of its own', async () => {
      const { url } = await start({
        path: 'api/session',
        jwtStrategy: 'token',
        configuration: { token: { header: 'X-Token', schemes: ['Token'] } }
      })
      const storage = new MemoryStorage()
      const options = {
        path: '/api/session',
        jwtStrategy: 'token',
        header: 'X-Token',
        scheme: 'Token',
        storageKey: 'session',
        storage
      }
      const { accessToken } = await connect(url, options).authenticate(LOGIN)
      const client = connect(url, options)

      expect(await storage.getItem('session')).toBe(accessToken)
      expect(await client.reAuthenticate()).toMatchObject({ authentication: { strategy: 'token' } })
      expect(await client.service('notes').find()).toEqual([{ owner: EMAIL }])

      // Another scheme is none of the server’s.
      const bearer = connect(url, { ...options, scheme: 'Bearer' })

      await bearer.reAuthenticate()
      await expect(bearer.service('notes').find()).rejects.toMatchObject({ message: 'Not authenticated' })

      await client.logout()
      await expect(
        connect(url, options).authenticate({ strategy: 'token', accessToken })
      ).rejects.toMatchObject({
        message: 'jwt revoked'
      })
    })
  }
)
