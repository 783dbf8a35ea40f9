import * as official from '@feathersjs/authentication'
import * as officialLocal from '@feathersjs/authentication-local'
import { describe, expect, it } from 'vitest'
import * as ours from '../../src/authentication.ts'
import express, { errorHandler, authenticate as expressAuthenticate, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { serve } from '../support/server.ts'
import { describeHttpTransports } from '../support/transports.ts'
import {
  CREDENTIALS,
  install,
  logIn,
  type Requester,
  send,
  supported,
  theirs
} from './feathers-authentication.ts'

// Someone moves from Feathers v5 step by step: its authentication runs unchanged in an application of ours, and so do
// mixtures of its parts and ours.

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
