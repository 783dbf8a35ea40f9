import { describe, expect, it } from 'vitest'
import { AuthenticationService, authenticate, createStrategy, JWTStrategy } from '../../src/authentication.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { createHandler } from '../../src/fetch.ts'
import type { Application } from '../../src/index.ts'
import { createKey, startIssuer } from '../support/issuer.ts'
import { configureNotes, createApp, getApiToken, getToken, RESOURCE } from './support/application.ts'
import { CLIENTS, connect, connectCurrent, post } from './support/clients.ts'

const list = async (app: Application, token?: string, headers: { [name: string]: string } = {}) =>
  (await post(app, 'tools/list', {}, { ...(token !== undefined && { token }), headers })).response

const send = (app: Application, path: string, init: RequestInit = {}) =>
  createHandler(app, { logger: false })(new Request(new URL(path, RESOURCE), init))

it('a caller without credentials gets a 401, and so does one with bad ones', async () => {
  const app = await createApp()
  const none = await list(app)
  const bad = await list(app, 'eyJhbGciOiJub25lIn0.e30.')

  expect(none.status).toBe(401)
  expect(none.headers.get('www-authenticate')).toBe('Bearer')
  expect(bad.status).toBe(401)
  expect(bad.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
})

it('a token for the API is none for MCP, and the other way round', async () => {
  const app = await createApp()
  const [ofApi, ofMcp] = [await getApiToken(app, 1), await getToken(app, 1)]
  const byRest = (token: string) => send(app, '/notes', { headers: { Authorization: `Bearer ${token}` } })

  expect((await list(app, ofApi)).status).toBe(401)
  expect((await byRest(ofApi)).status).toBe(200)
  expect((await list(app, ofMcp)).status).toBe(200)
  expect((await byRest(ofMcp)).status).toBe(401)
})

it('is so where the tokens of the API have no audience', async () => {
  const app = await createApp({}, (one) => {
    configureNotes(one)
    one.set('authentication', { ...one.get('authentication'), jwtOptions: { expiresIn: '1h' } })
  })
  const accessToken = await getApiToken(app, 1)
  const ofMcp = await getToken(app, 1)
  const byRest = (token: string) => send(app, '/notes', { headers: { Authorization: `Bearer ${token}` } })

  expect((await byRest(accessToken)).status).toBe(200)
  expect((await list(app, accessToken)).status).toBe(401)
  expect((await list(app, ofMcp)).status).toBe(200)
  expect((await byRest(ofMcp)).status).toBe(401)
})

it('is so where the audience of the API is the resource', async () => {
  const app = await createApp({}, (one) => {
    configureNotes(one)
    one.set('authentication', { ...one.get('authentication'), jwtOptions: { audience: RESOURCE } })
  })
  expect((await list(app, await getApiToken(app, 1))).status).toBe(401)
})

describe('a login with a resource', () => {
  const logIn = async (app: Application, data: object, headers: Record<string, string> = {}) => {
    const response = await send(app, '/authentication', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(data)
    })

    return { status: response.status, body: (await response.json()) as any }
  }
  const open = async (configure = configureNotes) => {
    const app = await createApp({}, configure)
    const password = await app
      .service('authentication')
      .getStrategy('local')
      .hashPassword('correct horse', {})

    await app.service('users').patch(1, { password })

    return app
  }
  const credentials = { strategy: 'local', email: 'ada@example.com', password: 'correct horse' }

  it('returns a token for MCP', async () => {
    const app = await open()
    const { status, body } = await logIn(app, { ...credentials, resource: RESOURCE })

    expect(status).toBe(201)
    expect((await list(app, body.accessToken)).status).toBe(200)
    expect(
      (await send(app, '/notes', { headers: { Authorization: `Bearer ${body.accessToken}` } })).status
    ).toBe(401)
  })

  it('ends no session of the one who asks', async () => {
    const app = await open((one) => {
      configureNotes(one)
      one.set('authentication', { ...one.get('authentication'), refresh: { always: true } })
    })
    const { body } = await logIn(app, credentials)
    const { refreshToken, accessToken } = body

    await logIn(app, { ...credentials, resource: RESOURCE }, { Authorization: `Bearer ${accessToken}` })

    expect((await logIn(app, { strategy: 'refresh', refreshToken })).status).toBe(201)
  })

  it('is refused for another resource, and for a token', async () => {
    const app = await open()

    expect((await logIn(app, { ...credentials, resource: 'https://other.example/mcp' })).body.message).toBe(
      `Invalid data: 'resource' expects '${RESOURCE}'`
    )
    const accessToken = await getApiToken(app, 1)

    expect((await logIn(app, { strategy: 'jwt', accessToken, resource: RESOURCE })).status).toBe(400)
  })

  it('ends with the password, as every token does', async () => {
    const app = await open()
    const { body } = await logIn(app, { ...credentials, resource: RESOURCE })

    await app.service('users').patch(1, { password: 'another hash' })
    expect((await list(app, body.accessToken)).status).toBe(401)
  })
})

it('an API key is used as over HTTP, and no service sees it', async () => {
  const app = await createApp({}, (one) => {
    configureNotes(one)
    one.set('authentication', { ...one.get('authentication'), parseStrategies: ['jwt', 'key'] })
    one.service('authentication').register(
      'key',
      createStrategy(() => ({
        parse: async ({ headers }) =>
          headers['x-api-key'] ? { strategy: 'key', key: headers['x-api-key'] } : null,
        authenticate: async ({ key }) => {
          if (key !== 'the key of ada')
            throw Object.assign(new Error('no'), {
              type: 'FeathersError',
              code: 401,
              name: 'NotAuthenticated'
            })

          return { authentication: { strategy: 'key' }, user: { id: 1, role: 'reader' } }
        }
      }))
    )
  })

  const seen: unknown[] = []

  app.service('notes').hooks({ before: { find: [({ params }: any) => void seen.push(params)] } })
  expect((await list(app, undefined, { 'X-Api-Key': 'another' })).status).toBe(401)

  const headers = { 'X-Api-Key': 'the key of ada', 'X-Trace': 'kept' }
  const { body } = await post(app, 'tools/call', { name: 'notes_find' }, { headers })

  expect(body.result.isError).toBeUndefined()
  expect(seen).toMatchObject([{ user: { id: 1 }, headers: { 'x-trace': 'kept' } }])
  expect(JSON.stringify(seen)).not.toContain('the key of ada')
})

it('a class of the application that refuses tokens refuses those for MCP too', async () => {
  const refused: unknown[] = []

  class SelectiveAuthentication extends AuthenticationService {
    override async authenticate(...args: Parameters<AuthenticationService['authenticate']>) {
      const result = await super.authenticate(...args)

      if (refused.includes(result.user.id)) throw new NotAuthenticated('Not at this hour')

      return result
    }
  }

  const issuer = await startIssuer(createKey('a'))
  const { issuer: name, jwks } = issuer
  const toUser = () => ({ id: 3, role: 'admin' })
  const audience = 'urn:alula:api'
  const app = await createApp({ issuers: [{ issuer: name, jwks, toUser, audience }] }, (one) => {
    configureNotes(one)

    one.set('selective', one.get('authentication'))
    one.set('defaultAuthentication', 'selective')

    const selective = new SelectiveAuthentication(one, 'selective')

    selective.register('jwt', new JWTStrategy())
    one.use('selective', selective)
  })
  const tokens = [await getToken(app, 1), await getToken(app, 2), await issuer.getToken()]
  const getStatuses = () => Promise.all(tokens.map(async (token) => (await list(app, token)).status))

  expect(await getStatuses()).toEqual([200, 200, 200])
  refused.push(1, 3)
  expect(await getStatuses()).toEqual([401, 200, 401])
})

describe('with issuers', () => {
  it('a document names them, and tokens have the audience of the resource', async () => {
    const issuer = await startIssuer(createKey('a'))
    const { issuer: name, jwks } = issuer
    const toUser = ({ sub }: any) => (sub === 'wren' ? { id: 1, role: 'reader' } : undefined)
    const app = await createApp({ issuers: [{ issuer: name, jwks, toUser }] })
    const document = await send(app, '/.well-known/oauth-protected-resource/mcp')

    expect(await document.json()).toEqual({
      resource: RESOURCE,
      authorization_servers: [name],
      bearer_methods_supported: ['header']
    })
    expect((await list(app)).headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"'
    )
    // The audience of the API.
    expect((await list(app, await issuer.getToken())).status).toBe(401)

    const both = await createApp({ issuers: [{ issuer: name, jwks, toUser, audience: 'urn:alula:api' }] })

    expect((await list(both, await issuer.getToken())).status).toBe(200)
    // The strategy of the API does not know the issuer.
    expect(
      (await send(both, '/notes', { headers: { Authorization: `Bearer ${await issuer.getToken()}` } })).status
    ).toBe(401)
  })

  it('there is no such document without them, and nothing below the endpoint', async () => {
    const app = await createApp()
    const headers = { Authorization: `Bearer ${await getToken(app, 1)}`, 'Content-Type': 'application/json' }

    expect((await send(app, '/.well-known/oauth-protected-resource/mcp')).status).toBe(404)
    expect((await send(app, '/mcp/more', { method: 'POST', headers, body: '{}' })).status).toBe(404)
  })
})

describe.each(Object.entries(CLIENTS))('anonymous callers, by %s', (_name, open) => {
  it('call what anyone may, and get both signs for what needs a login', async () => {
    const app = await createApp({ anonymous: true })
    const statuses: number[] = []
    const handler = createHandler(app, { logger: false })
    const challenges: (string | null)[] = []
    const client = await open(app, {
      send: async (request) => {
        const response = await handler(request)

        statuses.push(response.status)
        challenges.push(response.headers.get('www-authenticate'))

        return response
      }
    })

    expect((await client.list()).map(({ name }) => name)).toContain('notes_create')
    expect((await client.call('posts_find')).json).toEqual([])
    await expect(client.call('posts_create', { data: { title: 'a' } })).rejects.toThrow()
    expect([statuses.at(-1), challenges.at(-1)]).toEqual([401, 'Bearer'])
  })
})

it('the second sign is in the result, for clients that read no status', async () => {
  const app = await createApp({ anonymous: true })
  const { response, body } = await post(app, 'tools/call', { name: 'users_get', arguments: { id: 1 } })

  expect(response.status).toBe(401)
  expect(body.result).toMatchObject({ isError: true, _meta: { 'mcp/www_authenticate': ['Bearer'] } })
  expect((await list(app, 'no.token.at-all')).status).toBe(401)
})

it('requests of other hosts and of pages of others are refused', async () => {
  const app = await createApp()
  const token = await getToken(app, 1)
  const at = async (url: string, headers: { [name: string]: string } = {}) => {
    const response = await send(app, url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    })

    return [response.status, ((await response.text()).match(/Invalid (?:host|origin)/) ?? [])[0]]
  }

  expect(await at(RESOURCE)).toEqual([200, undefined])
  expect(await at('http://rebound.example/mcp')).toEqual([403, 'Invalid host'])
  expect(await at(RESOURCE, { Origin: 'https://evil.example' })).toEqual([403, 'Invalid origin'])
  expect(await at(RESOURCE, { Origin: 'null' })).toEqual([403, 'Invalid origin'])
  expect(await at(RESOURCE, { Origin: 'http://localhost' })).toEqual([200, undefined])
})

it('hooks inside authenticate by nothing else', async () => {
  const app = await createApp()

  app.service('notes').hooks({ before: { find: [authenticate('jwt')] } })
  expect((await (await connect(app, 1)).call('notes_find')).isError).toBe(false)

  app.service('posts').hooks({ before: { find: [authenticate('key')] } })
  expect(
    (await (await connectCurrent(app, { token: await getToken(app, 1) })).call('posts_find')).text
  ).toMatch(/^NotAuthenticated/)
})

it('hooks inside of a second authentication service let in no caller of the default one', async () => {
  const app = await createApp({}, (own) => {
    configureNotes(own)
    own.set('staff', {
      secret: 'a secret of the staff that is long enough',
      entity: null,
      authStrategies: ['jwt']
    })

    const staff = new AuthenticationService(own, 'staff')

    // Refuses nothing: no service has the token that it would have to verify.
    staff.register(
      'jwt',
      createStrategy(({ name }) => ({ authenticate: async () => ({ authentication: { strategy: name } }) }))
    )
    own.use('staff', staff)
  })

  for (const [path, optional] of [
    ['notes', false],
    ['posts', true]
  ] as const) {
    app
      .service(path)
      .hooks({ before: { find: [authenticate({ service: 'staff', strategies: ['jwt'], optional })] } })
    expect((await (await connect(app, 1)).call(`${path}_find`)).text).toMatch(/^NotAuthenticated/)
  }
})
