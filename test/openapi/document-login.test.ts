import { describe, expect, it } from 'vitest'
import { access, anyone, closed, fresh, owner, role, user } from '../../src/access.ts'
import {
  AuthenticationBaseStrategy,
  AuthenticationService,
  authenticate,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { describeWho } from '../../src/openapi/security.ts'
import { configureUsers } from '../access/support/application.ts'
import { SECRET } from '../support/login.ts'
import { describeApp, toBody, toResult } from './support/describe.ts'

it('has the credentials that the pipeline demands, and no method that is closed', async () => {
  const app = alula()

  configureUsers(app)
  app.configure(closed())
  app.use('notes', memory(), {
    methods: ['find', 'get', 'create', 'patch', 'remove'],
    access: access({ find: anyone, create: user, patch: owner('ownerId'), remove: role('admin') })
  })
  app.use('hooked', memory(), { methods: ['find'] })
  app.service('hooked').hooks({ before: { find: [authenticate('jwt')] } })
  app.use('forgotten', memory())
  app.use('asked', memory(), { methods: ['find'], access: access({ find: () => true }) })

  const { paths, components, tags } = await describeApp(app)
  const demanded = [{ jwt: [] }]

  expect(components.securitySchemes).toEqual({ jwt: { type: 'http', scheme: 'bearer' } })
  expect(tags.map(({ name }: any) => name)).toEqual(['authentication', 'notes', 'hooked', 'asked'])
  expect(paths['/notes'].get.security).toEqual([])
  expect(paths['/notes'].post.security).toEqual(demanded)
  expect(paths['/notes/{id}'].patch.security).toEqual(demanded)
  expect(paths['/hooked'].get.security).toEqual(demanded)
  expect(paths['/asked'].get.security).toEqual([{}, ...demanded])
  expect(paths['/notes/{id}'].get).toBeUndefined()
  expect(Object.keys(paths['/notes/{id}'].delete.responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '404',
    '409',
    'default'
  ])
  // A later hook may refuse a user.
  expect(Object.keys(paths['/hooked'].get.responses)).toContain('403')
  expect(Object.keys(paths['/notes'].post.responses)).not.toContain('403')
  expect(JSON.stringify(paths)).not.toContain('ownerId')
})

it('demands credentials where a login has to be a late one', async () => {
  const app = alula()

  configureUsers(app)
  app.use('notes', memory(), { methods: ['remove'], access: access({ remove: fresh('10m') }) })

  const { security, summary } = (await describeApp(app)).paths['/notes/{id}'].delete

  expect(security).toEqual([{ jwt: [] }])
  expect(summary).toBe('Remove: for users who have logged in lately')
})

it('has a scheme for each strategy, also where their names differ in what no scheme may have', async () => {
  const app = alula()
  const names = ['a b', 'a_b', 'a/b']

  app.set('authentication', {
    secret: SECRET,
    entity: null,
    authStrategies: names,
    // A name that is there twice is that of one strategy.
    parseStrategies: [...names, 'a_b']
  })

  class HeaderStrategy extends AuthenticationBaseStrategy {
    override get configuration() {
      return { header: `X-${names.indexOf(this.name as string)}` }
    }

    async parse() {
      return null
    }
  }

  const authentication = new AuthenticationService(app)

  for (const name of names) authentication.register(name, new HeaderStrategy())
  app.use('authentication', authentication)
  app.use('notes', memory(), { methods: ['find'], access: access({ find: user }) })
  app.use('hooked', memory(), { methods: ['find'] })
  app.service('hooked').hooks({ before: { find: [authenticate('a_b')] } })

  const { paths, components } = await describeApp(app)
  const toHeaders = (security: object[]) =>
    security.flatMap(Object.keys).map((name) => components.securitySchemes[name].name)

  expect(toHeaders(paths['/notes'].get.security)).toEqual(['X-0', 'X-1', 'X-2'])
  expect(toHeaders(paths['/hooked'].get.security)).toEqual(['X-1'])
  expect(Object.keys(components.securitySchemes)).toHaveLength(3)
})

it('has what each strategy takes, and the headers of strategies of your own', async () => {
  const app = alula()

  app.set('authentication', {
    secret: SECRET,
    entity: null,
    authStrategies: ['jwt', 'local'],
    parseStrategies: ['jwt', 'key', 'plain', 'silent'],
    local: { usernameField: 'email', passwordField: 'secret' }
  })

  class KeyStrategy extends AuthenticationBaseStrategy {
    override get configuration() {
      return { header: 'X-Key' }
    }

    async parse() {
      return null
    }
  }

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('key', new KeyStrategy())
  // A strategy needs no more than its methods.
  authentication.register('local', new LocalStrategy())
  authentication.register('silent', { authenticate: async () => ({}) })
  authentication.register('plain', { authenticate: async () => ({}), parse: async () => null })
  app.use('authentication', authentication)
  app.use('notes', memory(), { methods: ['find'], access: access({ find: user }) })

  const { paths, components } = await describeApp(app)

  expect(components.securitySchemes).toEqual({
    jwt: { type: 'http', scheme: 'bearer' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    plain: { type: 'apiKey', in: 'header', name: 'Authorization' }
  })
  expect(paths['/notes'].get.security).toEqual([{ jwt: [] }, { key: [] }, { plain: [] }])

  const { schema: login } = paths['/authentication'].post.requestBody.content['application/json']

  expect(login.anyOf.map(({ required }: any) => required)).toEqual([
    ['strategy'],
    ['strategy', 'email', 'secret']
  ])
})

it('a login takes the credentials of a strategy, and returns a token', async () => {
  const app = alula()

  configureUsers(app)

  const { paths } = await describeApp(app)
  const { post, delete: logout } = { ...paths['/authentication'], ...paths['/authentication/{id}'] }
  const [jwt, local] = toBody(post).anyOf
  const result = {
    type: 'object',
    required: ['accessToken'],
    properties: { accessToken: { type: 'string' }, authentication: { type: 'object' } }
  }

  expect(post.requestBody.required).toBe(true)
  expect(jwt).toEqual({
    type: 'object',
    required: ['strategy'],
    properties: { strategy: { type: 'string', enum: ['jwt'] } }
  })
  expect(local).toEqual({
    type: 'object',
    required: ['strategy', 'email', 'password'],
    properties: {
      strategy: { type: 'string', enum: ['local'] },
      email: { type: 'string' },
      password: { type: 'string' }
    }
  })
  expect(toResult(post, '201')).toEqual(result)
  expect(toResult(logout)).toEqual(result)
  expect(Object.keys(post.responses)).toContain('401')
})

it('a method for credentials that no header has is not open', async () => {
  const app = alula()

  configureUsers(app)
  app.use('notes', memory(), { methods: ['find', 'get'] })
  app.service('notes').hooks({
    before: { find: [authenticate('local')], get: [authenticate('jwt', 'local')] }
  })

  const { paths } = await describeApp(app)

  expect(paths['/notes'].get.security).toEqual([{ jwt: [] }])
  expect(paths['/notes/{id}'].get.security).toEqual([{ jwt: [] }])
})

describe('sessions', () => {
  const STRING = { type: 'string' }
  const toStrategy = (name: string) => ({ type: 'string', enum: [name] })

  async function describeSessions(refresh: object) {
    const app = alula()

    configureUsers(app)
    app.set('authentication', { ...app.get('authentication'), refresh })

    const { paths } = await describeApp(app)
    const { post, delete: byHeader } = paths['/authentication']
    const { delete: byId } = paths['/authentication/{id}']

    return {
      login: toBody(post).anyOf,
      result: toResult(post, '201'),
      logouts: [byHeader, byId].map((one) => toResult(one))
    }
  }

  it('begin and end by refresh tokens in the body', async () => {
    const { login, result, logouts } = await describeSessions({ expiresIn: '1d' })
    const [jwt, local, refresh] = login

    expect(jwt.properties).toEqual({
      strategy: toStrategy('jwt'),
      refresh: { type: 'boolean' },
      refreshToken: STRING
    })
    expect(local.required).toEqual(['strategy', 'email', 'password'])
    expect(refresh).toEqual({
      type: 'object',
      required: ['strategy', 'refreshToken'],
      properties: { strategy: toStrategy('refresh'), refreshToken: STRING }
    })
    expect(result.required).toEqual(['accessToken'])
    expect(Object.keys(result.properties)).toEqual(['accessToken', 'refreshToken', 'authentication'])
    // What a logout with a refresh token returns has no access token.
    for (const logout of logouts) {
      expect(logout).toEqual({
        type: 'object',
        properties: { accessToken: STRING, authentication: { type: 'object' } }
      })
    }
  })

  it('begin and end by a cookie, which no body has', async () => {
    const { login, result } = await describeSessions({ cookie: true, always: true })
    const [jwt, , refresh] = login

    expect(Object.keys(jwt.properties)).toEqual(['strategy'])
    expect(refresh).toEqual({
      type: 'object',
      required: ['strategy'],
      properties: { strategy: toStrategy('refresh') }
    })
    expect(Object.keys(result.properties)).toEqual(['accessToken', 'authentication'])
  })
})

it.each([
  ["role('editor')", "users with the role 'editor'"],
  ["role('editor', { field: 'groups' })", "users with the role 'editor'"],
  ["role('it''s')", "users with the role 'it''s'"]
])('says what callers of %s are', (who, words) => {
  expect(describeWho(who)).toBe(words)
})
