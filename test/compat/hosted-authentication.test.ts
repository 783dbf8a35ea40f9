import * as official from '@feathersjs/authentication'
import * as officialLocal from '@feathersjs/authentication-local'
import { NotAuthenticated } from '@feathersjs/errors'
import { memory as officialMemory } from '@feathersjs/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as ours from '../../src/authentication.ts'
import express, { errorHandler, authenticate as expressAuthenticate, rest } from '../../src/express.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { serve } from '../support/server.ts'
import { describeHttpTransports, type TransportClient } from '../support/transports.ts'

// Someone moves from Feathers v5 step by step: its authentication runs unchanged in an application of ours, and so do
// mixtures of its parts and ours.

const SECRET = 'a secret of the tests that is long enough to be one'
const CREDENTIALS = { email: 'wren@example.org', password: 'correct horse' }

const theirs = {
  AuthenticationService: official.AuthenticationService,
  JWTStrategy: official.JWTStrategy,
  LocalStrategy: officialLocal.LocalStrategy,
  authenticate: official.authenticate,
  hashPassword: officialLocal.hooks.hashPassword,
  protect: officialLocal.hooks.protect
}

interface Parts {
  service?: { AuthenticationService: any }
  strategies?: { JWTStrategy: any; LocalStrategy: any }
  hooks?: { authenticate: any; hashPassword: any; protect: any }
  createUsers?: (options: any) => any
}

/** Users, notes that are for who has logged in, and authentication made of the given parts; the rest is official. */
function install(
  app: Application,
  { service = theirs, strategies = theirs, hooks = theirs, createUsers = officialMemory }: Parts,
  configuration: { [option: string]: unknown } = {}
) {
  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4 },
    ...configuration
  })

  const authentication = new service.AuthenticationService(app)

  authentication.register('jwt', new strategies.JWTStrategy())
  authentication.register('local', new strategies.LocalStrategy())
  app.use('authentication', authentication)
  app.use('users', createUsers({ startId: 1 }))
  app.use('notes', { find: async ({ user }: any) => [{ owner: user.email }] })
  app.service('users').hooks({
    before: { create: [hooks.hashPassword('password')] },
    after: { all: [hooks.protect('password')] }
  })
  app.service('notes').hooks({ before: { all: [hooks.authenticate('jwt')] } })

  return authentication
}

/** What all transports with HTTP have. */
type Requester = Pick<TransportClient, 'request'>

async function send(
  client: Requester,
  verb: string,
  path: string,
  options: { token?: string; data?: any } = {}
) {
  const { token, data } = options
  const response = await client.request(path, {
    method: verb,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(data !== undefined && { 'Content-Type': 'application/json' })
    },
    ...(data !== undefined && { body: JSON.stringify(data) })
  })

  return { status: response.status, body: (await response.json()) as any }
}

/** Signs up and logs in. */
async function logIn(client: Requester) {
  const user = await send(client, 'POST', '/users', { data: CREDENTIALS })
  const login = await send(client, 'POST', '/authentication', { data: { strategy: 'local', ...CREDENTIALS } })

  return { user, login, token: login.body.accessToken as string }
}

const PARTS = { Feathers: theirs, alula: ours }

const mixtures = Object.entries(PARTS).flatMap(([serviceOf, service]) =>
  Object.entries(PARTS).flatMap(([strategiesOf, strategies]) =>
    Object.entries(PARTS).map(([hooksOf, hooks]) => ({
      title: `the service of ${serviceOf}, the strategies of ${strategiesOf} and the hooks of ${hooksOf}`,
      parts: { service, strategies, hooks }
    }))
  )
)

// Strategies of ours ask their service for more than that of Feathers knows, and say so at registration.
const supported = mixtures.filter(({ parts }) => parts.service === ours || parts.strategies === theirs)

for (const { title, parts } of supported) {
  describeHttpTransports(title, (open) => {
    it('sign up, log in, protect a service and log out', async () => {
      const events: string[] = []
      const client = await open((app) => {
        install(app, parts)

        for (const event of ['login', 'logout']) {
          app.on(event, (result, params, context) =>
            events.push(`${event} ${result.user.email} ${params.provider} ${context.path}.${context.method}`)
          )
        }
      })
      const { user, login, token } = await logIn(client)
      const authentication = { strategy: 'local', payload: expect.objectContaining({ sub: '1' }) }
      const visible = { id: 1, email: CREDENTIALS.email }

      expect(user).toEqual({ status: 201, body: visible })
      expect(login).toEqual({
        status: 201,
        body: { accessToken: expect.any(String), authentication, user: visible }
      })
      expect(await send(client, 'GET', '/notes', { token })).toEqual({
        status: 200,
        body: [{ owner: CREDENTIALS.email }]
      })

      const logout = await send(client, 'DELETE', '/authentication', { token })

      expect(logout).toMatchObject({ status: 200, body: { accessToken: token } })
      expect(logout.body.user).toEqual(visible)
      expect(events).toEqual([
        'login wren@example.org rest authentication.create',
        'logout wren@example.org rest authentication.remove'
      ])

      // Feathers forgets nothing, because it remembers nothing. Our service does for any strategy that asks it.
      const afterwards = await send(client, 'GET', '/notes', { token })

      expect(afterwards.status).toBe(parts.service === ours ? 401 : 200)
    })

    it('refuse what is not valid', async () => {
      const client = await open((app) => void install(app, parts))
      const { token } = await logIn(client)
      const forged = `${token.slice(0, -4)}AAAA`
      const wrong = { strategy: 'local', ...CREDENTIALS, password: 'wrong horse' }

      expect(await send(client, 'GET', '/notes')).toMatchObject({
        status: 401,
        body: { name: 'NotAuthenticated', message: 'Not authenticated' }
      })
      expect(await send(client, 'GET', '/notes', { token: forged })).toMatchObject({
        status: 401,
        body: { name: 'NotAuthenticated', message: 'invalid signature' }
      })
      expect(await send(client, 'POST', '/authentication', { data: wrong })).toMatchObject({
        status: 401,
        body: { name: 'NotAuthenticated', message: 'Invalid login' }
      })
      expect(await send(client, 'POST', '/authentication', { data: {} })).toMatchObject({
        status: 401,
        body: { message: 'Invalid authentication information (no `strategy` set)' }
      })
      expect(await send(client, 'DELETE', '/authentication/another', { token })).toMatchObject({
        status: 401,
        body: { message: 'Invalid access token' }
      })
    })
  })
}

describeHttpTransports('the authentication of Feathers', (open) => {
  it('finds users in a memory service of ours', async () => {
    const client = await open((app) => void install(app, { createUsers: memory }))
    const { token } = await logIn(client)

    expect(await send(client, 'GET', '/notes', { token })).toEqual({
      status: 200,
      body: [{ owner: CREDENTIALS.email }]
    })
  })

  it('keeps what a subclass of its service changes', async () => {
    class Service extends official.AuthenticationService {
      override async getPayload(result: any, params: any) {
        return { ...(await super.getPayload(result, params)), role: 'reader' }
      }

      override async getTokenOptions(result: any, params: any) {
        return { ...(await super.getTokenOptions(result, params)), issuer: 'elsewhere' }
      }
    }

    const client = await open(
      (app) => void install(app, { service: { ...theirs, AuthenticationService: Service } })
    )
    const { login } = await logIn(client)

    expect(login.body.authentication.payload).toMatchObject({ role: 'reader', iss: 'elsewhere', sub: '1' })
  })

  it('stands beside ours, and each takes the tokens of the other', async () => {
    const client = await open((app) => {
      install(app, { service: ours, strategies: ours, hooks: ours })

      const former = new official.AuthenticationService(app, 'former', app.get('authentication'))

      former.register('jwt', new official.JWTStrategy())
      former.register('local', new officialLocal.LocalStrategy())
      app.use('former', former as any)
      app.use('drafts', { find: async ({ user }: any) => [{ author: user.email }] })
      app.service('drafts').hooks({
        before: { all: [official.authenticate({ service: 'former', strategies: ['jwt'] }) as any] }
      })
    })
    const { token } = await logIn(client)
    const former = await send(client, 'POST', '/former', { data: { strategy: 'local', ...CREDENTIALS } })

    for (const accessToken of [token, former.body.accessToken]) {
      expect(await send(client, 'GET', '/notes', { token: accessToken })).toEqual({
        status: 200,
        body: [{ owner: CREDENTIALS.email }]
      })
      expect(await send(client, 'GET', '/drafts', { token: accessToken })).toEqual({
        status: 200,
        body: [{ author: CREDENTIALS.email }]
      })
    }
  })
})

describeHttpTransports('strategies that extend those of Feathers, on our service', (open) => {
  class InvitedStrategy extends officialLocal.LocalStrategy {
    override async getEntityQuery(query: any, params: any) {
      return { ...(await super.getEntityQuery(query, params)), invited: true }
    }
  }

  class TeamStrategy extends official.JWTStrategy {
    override async getEntityId(result: any) {
      return result.authentication.payload.member
    }

    override async getEntity(id: any, params: any) {
      return { ...(await super.getEntity(id, params)), team: 'birds' }
    }
  }

  class KeyStrategy extends official.AuthenticationBaseStrategy {
    override get configuration() {
      return { ...this.authentication?.configuration, ...super.configuration }
    }

    async authenticate({ key }: any) {
      if (key !== this.configuration.value) throw new NotAuthenticated('Invalid key')

      return {
        authentication: { strategy: this.name },
        [this.configuration.entity]: { id: 7, email: 'robot' }
      }
    }

    async parse({ headers }: any) {
      return headers['x-key'] ? { strategy: this.name, key: headers['x-key'] } : null
    }
  }

  it('find and change entities', async () => {
    const client = await open((app) => {
      const authentication = install(app, {
        service: ours,
        hooks: ours,
        strategies: { JWTStrategy: TeamStrategy, LocalStrategy: InvitedStrategy }
      })

      authentication.getPayload = async (result: any) => ({ member: result.user.id })
      app.use('teams', { find: async ({ user }: any) => [user.team] })
      app.service('teams').hooks({ before: { all: [ours.authenticate('jwt')] } })
    })

    expect((await logIn(client)).login).toMatchObject({ status: 401, body: { message: 'Invalid login' } })

    const invited = { ...CREDENTIALS, email: 'tit@example.org' }

    await send(client, 'POST', '/users', { data: { ...invited, invited: true } })

    const { body } = await send(client, 'POST', '/authentication', {
      data: { strategy: 'local', ...invited }
    })

    expect(await send(client, 'GET', '/teams', { token: body.accessToken })).toEqual({
      status: 200,
      body: ['birds']
    })
  })

  it('read headers of their own', async () => {
    const client = await open((app) => {
      const authentication = install(
        app,
        { service: ours },
        { key: { value: 'secret key' }, parseStrategies: ['key', 'jwt'] }
      )

      authentication.register('key', new KeyStrategy())
      app.use('machines', { find: async ({ user }: any) => [user.email] })
      app.service('machines').hooks({ before: { all: [official.authenticate('jwt', 'key') as any] } })
    })
    const response = await client.request('/machines', { headers: { 'X-Key': 'secret key' } })
    const refused = await client.request('/machines', { headers: { 'X-Key': 'another key' } })

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(['robot'])
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ message: 'Invalid key' })
  })
})

describe('the authentication of Feathers', () => {
  it('guards Express middleware of ours', async () => {
    const app: any = express(alula())

    app.configure(rest())
    install(app, {})
    app.get('/me', expressAuthenticate('jwt'), (request: any, response: any) =>
      response.json({ email: request.feathers.user.email })
    )
    app.use(errorHandler({ logger: false }))

    const url = await serve(app)
    const client: Requester = {
      request: (path, init) =>
        fetch(`${url}${path}`, { ...init, headers: { ...init?.headers, Connection: 'close' } })
    }
    const { token } = await logIn(client)

    expect(await send(client, 'GET', '/me', { token })).toEqual({
      status: 200,
      body: { email: CREDENTIALS.email }
    })
    expect(await send(client, 'GET', '/me')).toMatchObject({ status: 401 })
  })

  it.each([
    ['passwordHash of Feathers with a strategy of ours', officialLocal.passwordHash, ours],
    ['passwordHash of ours with a strategy of Feathers', ours.passwordHash, theirs]
  ])('hashes by %s', async (_title, passwordHash: any, parts) => {
    const app = alula()
    const resolve = passwordHash({ strategy: 'local' })

    install(app, { service: parts, strategies: parts, createUsers: memory })
    app.use('accounts', memory())
    app.service('accounts').hooks({
      before: {
        create: [
          async (context) => {
            context.data.password = await resolve(context.data.password, context.data, context)
          }
        ]
      }
    })

    const { password } = await app.service('accounts').create({ ...CREDENTIALS })
    const [local] = (app.service('authentication') as any).getStrategies('local')

    expect(password).toMatch(/^\$2[ab]\$04\$/)
    expect(await local.comparePassword({ password }, CREDENTIALS.password)).toEqual({ password })
    expect(await app.service('accounts').create({ email: 'x' })).not.toHaveProperty(
      'password',
      expect.anything()
    )
  })
})

it.each([ours.LocalStrategy, ours.JWTStrategy])(
  'a strategy of ours is refused by the service of Feathers, with a sentence',
  (Strategy: any) => {
    const app: any = alula()

    app.set('authentication', { local: { usernameField: 'email', passwordField: 'password' } })

    const authentication = new theirs.AuthenticationService(app)

    expect(() => authentication.register('mine', new Strategy())).toThrow(
      "The 'mine' strategy needs the AuthenticationService of the package that it comes from"
    )
  }
)

it.each([
  ['Feathers', theirs],
  ['alula', ours]
])(
  'isActive is asked for the strategies of %s, about what clients do not see',
  async (_title, strategies) => {
    const app: any = alula()

    install(
      app,
      { service: ours, strategies, hooks: ours, createUsers: memory },
      { isActive: (user: any) => user.banned !== true }
    )
    app.service('users').hooks({ after: { all: [ours.protect('banned')] } })
    await app.setup()
    onTestFinished(async () => void (await app.teardown()))

    const service = app.service('authentication')
    const user = await app.service('users').create({ ...CREDENTIALS })
    const outside = { provider: 'rest', query: {} }
    const logIn = () => service.create({ strategy: 'local', ...CREDENTIALS }, outside)
    const { accessToken } = await logIn()
    const useToken = () =>
      app.service('notes').find({ ...outside, authentication: { strategy: 'jwt', accessToken } })

    expect(await useToken()).toEqual([{ owner: CREDENTIALS.email }])

    await app.service('users')._patch(user.id, { banned: true })
    for (const call of [logIn, useToken]) {
      await expect(call()).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })
    }

    await app.service('users')._patch(user.id, { banned: false })
    for (const call of [logIn, useToken]) await call()
  }
)

describe.each(supported)('$title', ({ parts }) => {
  it('note on a connection who it belongs to, and take it back', async () => {
    const app = alula()

    install(app, parts)
    await app.setup()
    onTestFinished(async () => void (await app.teardown()))
    await app.service('users').create({ ...CREDENTIALS })

    const connection: any = {}
    const seen: unknown[] = []
    const service: any = app.service('authentication')

    app.on('disconnect', ({ user }) => seen.push(user.email))

    const { accessToken } = await service.create(
      { strategy: 'local', ...CREDENTIALS },
      { provider: 'socketio', connection }
    )

    expect(connection).toMatchObject({
      authentication: { strategy: 'jwt', accessToken },
      user: { email: CREDENTIALS.email }
    })

    app.emit('disconnect', connection)
    expect(seen).toEqual([CREDENTIALS.email])
    await expect.poll(() => Object.keys(connection)).toEqual([])
  })
})
