import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  AuthenticationService,
  authenticate,
  createStrategy,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import express, { rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as restOfKoa } from '../../src/koa.ts'
import { toListener } from '../../src/node.ts'
import { mount } from '../express/mount.ts'
import { configureLogin } from '../support/login.ts'
import { listen, serve } from '../support/server.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  describeSocketTransports
} from '../support/transports.ts'
import { bearer, CREDENTIALS, getToken, MINE, openWithUser, outcome, post, quick } from './support/login.ts'

const MALFORMED: { [title: string]: string } = {
  'an empty header': '',
  'spaces only': '    ',
  'a scheme only': 'Bearer',
  'a scheme and spaces': 'Bearer      ',
  'a scheme twice': 'Bearer Bearer',
  'another scheme': 'Basic YW5uOm9wZW4gc2VzYW1l',
  'a scheme that is a name of every object': 'constructor x.y.z',
  'many spaces': `Bearer${' '.repeat(7000)}x`,
  'many spaces inside': `Bearer x${' '.repeat(7000)}y`,
  'many tabs': `Bearer${'\t'.repeat(7000)}x`,
  'many schemes': 'Bearer '.repeat(900),
  'a long text': `Bearer ${'a'.repeat(7000)}`,
  'a long token': `Bearer ${'a'.repeat(3000)}.${'b'.repeat(3000)}.${'c'.repeat(1000)}`,
  'many dots': `Bearer ${'.'.repeat(7000)}`,
  'three empty parts': 'Bearer ..',
  'letters beyond ASCII': 'Bearer éÿü.éÿü.éÿü',
  'no-break spaces': 'Bearer\u00a0x.y.z',
  'two values': 'Bearer a.b.c, Bearer d.e.f',
  'a JSON text': 'Bearer {"strategy":"jwt"}',
  'percent-escapes': 'Bearer %00%zz',
  'null as a text': 'null',
  '[object Object]': '[object Object]',
  'parts that are JSON of other kinds': `Bearer ${[null, [], 5]
    .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))
    .join('.')}`
}

describeHttpTransports('a malformed Authorization header', (open) => {
  it('is a 401 where a token is needed, and does not matter elsewhere', async () => {
    const client = await open((app) => void configureLogin(app, { settings: quick() }))

    expect((await post(client, '/users', { ...CREDENTIALS }, { Authorization: 'Bearer' })).status).toBe(201)

    for (const [title, value] of Object.entries(MALFORMED)) {
      const headers = { Authorization: value }
      const started = performance.now()
      const refused = await client.request('/notes', { headers })

      expect(refused.status, title).toBe(401)
      expect(refused.headers.get('www-authenticate')).toBe('Bearer')
      expect(Object.keys((await refused.json()) as any)).toEqual(
        expect.arrayContaining(['name', 'message', 'code', 'className'])
      )

      expect((await client.request('/authentication', { method: 'DELETE', headers })).status).toBe(401)
      expect(await (await client.request('/things', { headers })).json()).toEqual({ open: true })
      expect(
        (await post(client, '/authentication', { strategy: 'local', ...CREDENTIALS }, headers)).status,
        title
      ).toBe(201)
      expect(performance.now() - started, title).toBeLessThan(15_000)
    }
  })
})

// A connection that begins with a token that is not valid does not begin, as in Feathers: it is somebody's, or nobody's.
describeSocketTransports('a malformed Authorization header', (open) => {
  it('is nobody', async () => {
    const client = await open((app) => void configureLogin(app, { settings: quick() }))

    for (const [title, value] of Object.entries(MALFORMED)) {
      const headers = { Authorization: value }
      const started = performance.now()

      for (const [method, path] of [
        ['find', 'notes'],
        ['remove', 'authentication']
      ] as const) {
        const error = await client.fail(method, path, { headers })

        expect(error, title).toMatchObject({ name: 'NotAuthenticated', code: 401 })
        expect(Object.keys(error)).toEqual(expect.arrayContaining(['message', 'className']))
      }

      expect(await client.call('find', 'things')).toEqual({ open: true })
      expect(performance.now() - started, title).toBeLessThan(15_000)
    }
  })
})

describeRemoteTransports('how credentials are found in a request', (open) => {
  it('the token stands in the header and behind the schemes of the configuration', async () => {
    const { client } = await openWithUser(open, { jwt: { header: 'X-Token', schemes: ['Ticket'] } })
    const token = await getToken(client)

    for (const [headers, answer] of [
      [{ 'X-Token': token }, MINE],
      [{ 'X-Token': `Ticket ${token}` }, MINE],
      [{ 'x-token': `tICKET   ${token} ` }, MINE],
      [{ 'X-Token': `Bearer ${token}` }, 401],
      [bearer(token), 401]
    ] as [Record<string, string>, unknown][]) {
      expect(await outcome(client, 'find', 'notes', { headers })).toEqual(answer)
    }
  })

  it('both schemes of Feathers, in any case, and no scheme at all lead to the token', async () => {
    const { client } = await openWithUser(open)
    const token = await getToken(client)

    for (const value of [
      `Bearer ${token}`,
      `bearer ${token}`,
      `JWT ${token}`,
      `  Bearer   ${token}  `,
      token
    ]) {
      expect(await client.call('find', 'notes', { headers: { Authorization: value } })).toEqual(MINE)
    }
  })

  it('only parse strategies look at a request', async () => {
    const { client } = await openWithUser(open, { ...quick(), parseStrategies: [] })
    const token = await getToken(client)

    expect(await outcome(client, 'find', 'notes', { headers: bearer(token) })).toBe(401)
  })
})

// What a request shows is looked at when a service asks for it. What a connection begins with is a login by the default
// authentication service at once: it needs a strategy that may log in, and is verified before there are params.
describeHttpTransports('the credentials of a request', (open) => {
  it('the first strategy that finds something counts, and only a listed one may look or log in', async () => {
    const apiKey = () =>
      createStrategy(() => ({
        parse: async ({ headers }) =>
          headers['x-api-key'] ? { strategy: 'apiKey', key: headers['x-api-key'] } : null,
        authenticate: async ({ key }) => ({ authentication: { strategy: 'apiKey' }, key })
      }))
    const client = await open((app) => {
      const authentication = configureLogin(app, {
        settings: { ...quick(), authStrategies: ['local', 'jwt'], parseStrategies: ['apiKey', 'jwt'] }
      })

      authentication.register('apiKey', apiKey())
      authentication.register('unlisted', apiKey())
      app.use('either', {
        find: async ({ key, user }: any) => ({ key: key ?? null, email: user?.email ?? null })
      })
      app.service('either').hooks({ before: { all: [authenticate('jwt', 'apiKey')] } })
    })

    await client.call('create', 'users', { data: CREDENTIALS })

    const headers = { ...bearer(await getToken(client)), 'X-API-Key': 'k' }
    const find = async (path: string, headers: Record<string, string>) => {
      const response = await client.request(path, { headers })

      return { status: response.status, body: (await response.json()) as any }
    }

    expect(await find('/either', headers)).toMatchObject({ body: { key: 'k', email: null } })
    expect(await find('/either', bearer(headers.Authorization.slice(7)))).toMatchObject({
      body: { key: null, email: CREDENTIALS.email }
    })
    // The hook of `notes` lets in `jwt` alone.
    expect((await find('/notes', headers)).status).toBe(401)

    for (const strategy of ['apiKey', 'unlisted']) {
      expect(await outcome(client, 'create', 'authentication', { data: { strategy, key: 'k' } })).toBe(401)
    }
  })

  it('what is found is on the params of every service, unverified', async () => {
    const client = await open((app) => {
      configureLogin(app)
      app.use('mirror', {
        find: async ({ authentication = null, authenticated = null, user = null }: any) => ({
          authentication,
          authenticated,
          user
        })
      })
    })
    const mirror = async (path: string, headers: Record<string, string> = {}) =>
      (await client.request(path, { headers })).json()
    const nobody = { authentication: null, authenticated: null, user: null }

    expect(await mirror('/mirror')).toEqual(nobody)
    expect(await mirror('/mirror', bearer('anything'))).toEqual({
      ...nobody,
      authentication: { strategy: 'jwt', accessToken: 'anything' }
    })
    // Neither a query nor a header becomes a param.
    expect(
      await mirror(
        '/mirror?authenticated=true&user[id]=0&authentication[strategy]=jwt&provider=&authentication[accessToken]=x',
        { authenticated: 'true', user: '0', provider: '' }
      )
    ).toEqual(nobody)
  })

  it('a service of its own settings takes only tokens of its own', async () => {
    const client = await open((app: any) => {
      configureLogin(app)
      app.set('staff', {
        ...app.get('authentication'),
        jwtOptions: { ...app.get('authentication').jwtOptions, audience: 'staff', expiresIn: '1h' }
      })

      const staff = new AuthenticationService(app, 'staff')

      staff.register('jwt', new JWTStrategy())
      staff.register('local', new LocalStrategy())
      app.use('staff/authentication', staff)
      app.use('safes', { find: async () => ({ gold: true }) })
      app
        .service('safes')
        .hooks({ before: { all: [authenticate({ service: 'staff/authentication', strategies: ['jwt'] })] } })
    })

    await client.call('create', 'users', { data: CREDENTIALS })

    const usual = await getToken(client)
    const { accessToken: staff } = await client.call('create', 'staff/authentication', {
      data: { strategy: 'local', ...CREDENTIALS }
    })
    const status = async (path: string, token: string) =>
      (await client.request(path, { headers: bearer(token) })).status

    expect(await status('/notes', usual)).toBe(200)
    expect(await status('/safes', staff)).toBe(200)
    expect(await status('/safes', usual)).toBe(401)
    expect(await status('/notes', staff)).toBe(401)
  })
})

describe('credentials of a header', () => {
  const leftOut = { params: () => ({ authentication: undefined }) }
  const open: {
    readonly [title: string]: (app: any) => Promise<(path: string, init?: RequestInit) => Promise<Response>>
  } = {
    createHandler: async (app) => {
      const handle = createHandler(app, leftOut)

      return (path, init) => handle(new Request(`http://a${path}`, init))
    },
    toListener: async (app) => {
      const url = await listen(createServer(toListener(app, leftOut)))

      return (path, init) => fetch(url + path, init)
    },
    'toMiddleware after middleware': async (app) => {
      const url = await mount((server) => {
        server.use((request, _response, next) => {
          request.feathers = { authentication: undefined }
          next()
        })
        server.use(toMiddleware(app))
      })

      return (path, init) => fetch(url + path, init)
    },
    'rest() of Express': async (app) => {
      const url = await serve(express(app).configure(rest(leftOut)))

      return (path, init) => fetch(url + path, init)
    },
    'rest() of Koa': async (app) => {
      const url = await serve(koa(app).configure(restOfKoa(leftOut)))

      return (path, init) => fetch(url + path, init)
    }
  }

  it.each(Object.entries(open))('count where params have none that is defined: %s', async (_name, start) => {
    const app: any = alula()

    configureLogin(app, { settings: quick() })

    const request = await start(app)

    await app.setup()
    await app.service('users').create({ ...CREDENTIALS })

    const { accessToken } = await app.service('authentication').create({ strategy: 'local', ...CREDENTIALS })

    expect(await (await request('/notes', { headers: bearer(accessToken) })).json()).toEqual(MINE)
  })

  it('count for nothing where middleware has set null', async () => {
    const app: any = alula()

    configureLogin(app, { settings: quick() })

    const url = await mount((server) => {
      server.use((request, _response, next) => {
        request.feathers = { authentication: null as any }
        next()
      })
      server.use(toMiddleware(app, leftOut))
    })

    await app.setup()
    await app.service('users').create({ ...CREDENTIALS })

    const { accessToken } = await app.service('authentication').create({ strategy: 'local', ...CREDENTIALS })

    expect(await fetch(`${url}/notes`, { headers: bearer(accessToken) })).toMatchObject({ status: 401 })
  })
})
