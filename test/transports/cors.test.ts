import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Conflict } from '../../src/errors.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import type { CorsOptions } from '../../src/transport.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { listen, toUrl } from '../support/server.ts'

const APP = 'https://app.example'
const OTHER = 'https://other.example'

type Ask = (path: string, init?: RequestInit) => Promise<Response>

function createApp() {
  const app = alula()

  app.use('things', {
    find: async () => ['a'],
    get: async () => Promise.reject(new Conflict('Taken')),
    create: async (data: any) => data
  })
  app.service('things').hooks({
    after: {
      find: [
        (context: any) => {
          context.http = {
            headers: { vary: 'Accept', 'access-control-allow-origin': 'https://hook.example' }
          }
        }
      ]
    }
  })
  app.use('counted', { find: async () => [], get: async () => ({}) })
  app.service('counted').hooks({
    after: {
      all: [
        (context: any) => {
          context.http = { headers: { 'access-control-expose-headers': 'X-Total' } }
        }
      ]
    }
  })
  app.mount('docs', () => new Response('docs', { headers: { Vary: 'Cookie' } }))

  return app
}

const openers: { readonly [name: string]: (cors?: boolean | CorsOptions) => Promise<Ask> } = {
  toListener: async (cors) => {
    const server = createServer(
      toListener(createApp(), { logger: false, ...(cors !== undefined && { cors }) })
    )

    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })

    return (path, init) => fetch(toUrl(server) + path, init)
  },
  createHandler: async (cors) => {
    const handle = createHandler(createApp(), { logger: false, ...(cors !== undefined && { cors }) })

    return (path, init) => handle(new Request(`http://localhost${path}`, init))
  }
}

/** The headers about CORS of a response. */
const toCors = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name === 'vary' || name.startsWith('access-control-')))

const from = (origin: string, headers: object = {}): RequestInit => ({
  headers: { Origin: origin, ...headers }
})
const preflight = (origin: string, headers: object = {}): RequestInit => ({
  method: 'OPTIONS',
  headers: { Origin: origin, 'Access-Control-Request-Method': 'PATCH', ...headers }
})

describe.each(Object.entries(openers))('the option cors of %s', (name, open) => {
  it('lets pages of any origin read responses, errors too, without cookies', async () => {
    const ask = await open(true)

    for (const [path, status] of [
      ['/things', 200],
      ['/things/1', 409],
      ['/nowhere', 404],
      ['/things?a=%', 400],
      ['/docs', 200]
    ] as const) {
      const response = await ask(path, from(APP))

      expect(response.status).toBe(status)
      expect(response.headers.get('access-control-allow-origin'), path).toBe('*')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  it('lets pages of any origin read what a cache has stored for a request without an origin', async () => {
    for (const cors of [true, { origin: '*' }, { origin: [APP, '*'] }]) {
      const ask = await open(cors)

      expect(toCors(await ask('/things/1'))).toEqual({ 'access-control-allow-origin': '*' })
      expect(toCors(await ask('/things/1', from('null')))).toEqual({ 'access-control-allow-origin': '*' })
      expect(toCors(await ask('/things'))).toMatchObject({
        'access-control-allow-origin': '*',
        vary: 'Accept'
      })
    }
    for (const cors of [{ origin: APP }, { origin: () => true }]) {
      expect(toCors(await (await open(cors))('/things/1'))).toEqual({ vary: 'Origin' })
    }
  })

  it('responds to a preflight, whatever its path', async () => {
    const ask = await open({ origin: [APP, OTHER], maxAge: 600, credentials: true })

    for (const path of ['/things', '/docs', '/nowhere', '/%']) {
      const response = await ask(
        path,
        preflight(OTHER, { 'Access-Control-Request-Headers': 'content-type,x-a' })
      )

      expect([response.status, await response.text()]).toEqual([204, ''])
      expect(toCors(response)).toEqual({
        'access-control-allow-origin': OTHER,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'content-type,x-a',
        'access-control-max-age': '600',
        vary: 'Origin, Access-Control-Request-Headers'
      })
    }
  })

  it('lets pages of other origins read nothing', async () => {
    for (const origin of [APP, [APP], (sent: string) => sent === APP]) {
      const ask = await open({ origin })

      for (const other of [
        OTHER,
        'null',
        `${APP}:8443`,
        'http://app.example',
        'https://app.example.evil',
        'https://APP.example',
        ''
      ]) {
        expect(toCors(await ask('/things/1', from(other)))).toEqual({ vary: 'Origin' })
        expect(toCors(await ask('/things', preflight(other)))).toEqual({
          vary: 'Origin, Access-Control-Request-Headers'
        })
      }
      expect(toCors(await ask('/things/1', from(APP)))).toEqual({
        vary: 'Origin',
        'access-control-allow-origin': APP
      })
    }
  })

  it('is the one that decides, once, beside hooks and mounted functions', async () => {
    const ask = await open({ origin: APP, exposedHeaders: ['ETag', 'X-A'] })

    expect(toCors(await ask('/things', from(APP)))).toEqual({
      'access-control-allow-origin': APP,
      'access-control-expose-headers': 'ETag, X-A, Accept-Query',
      vary: 'Accept, Origin'
    })
    expect(toCors(await ask('/docs', from(APP))).vary).toBe('Cookie, Origin')
  })

  it('adds to the headers that a hook exposes', async () => {
    const exposed = async (cors: boolean | CorsOptions, path: string) =>
      toCors(await (await open(cors))(path, from(APP)))['access-control-expose-headers']

    expect(await exposed(true, '/counted')).toBe('X-Total, Accept-Query')
    expect(await exposed(true, '/counted/1')).toBe('X-Total')
    expect(await exposed({ exposedHeaders: ['x-total', 'ETag'] }, '/counted/1')).toBe('X-Total, ETag')
  })

  it('with a function that returns anything but true or false is a 500', async () => {
    for (const origin of [
      async () => true,
      () => 'yes',
      () => undefined,
      () => Promise.reject(new Error('no'))
    ] as any[]) {
      const ask = await open({ origin })

      for (const response of [await ask('/things', from(APP)), await ask('/things', preflight(APP))]) {
        expect(response.status).toBe(500)
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
      }
    }
  })

  it('with a function that throws is a 500', async () => {
    const ask = await open({
      origin: () => {
        throw new Error('no')
      }
    })

    expect((await ask('/things', preflight(APP))).status).toBe(500)
    expect((await ask('/things')).status).toBe(200)
  })

  it('with a function that fails is asked before the call', async () => {
    const created: unknown[] = []
    const app = alula().use('things', { create: async (data: any) => created.push(data) })
    // A page in a sandbox has the origin `null`, which is no URL.
    const cors = { origin: (sent: string) => new URL(sent).origin === APP }
    const response = await createHandler(app, { cors, logger: false })(
      new Request('http://localhost/things', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: 'null' },
        body: '{}'
      })
    )

    expect(response.status).toBe(500)
    expect(created).toEqual([])
  })

  it.each([undefined, false])('that is %s sets nothing', async (cors) => {
    const ask = await open(cors)

    expect(toCors(await ask('/things/1', from(APP)))).toEqual({})
  })

  it('is named where a preflight finds no such option', async () => {
    const response = await (await open())('/things', preflight(APP))

    expect(response.status).toBe(405)
    expect(((await response.json()) as any).message).toBe(
      "Method OPTIONS not allowed: this is a CORS preflight, which the middleware or option 'cors' of the server has to respond to"
    )
  })

  it.each([
    [{ credentials: true }, 'cors.origin'],
    [{ credentials: true, origin: '*' }, 'cors.origin'],
    [{ credentials: true, origin: [APP, '*'] }, 'cors.origin'],
    [{ origin: `${APP}/` }, 'cors.origin'],
    [{ origin: 'app.example' }, 'cors.origin'],
    [{ origin: [], credentials: 'yes' }, 'cors.credentials'],
    [{ origin: /a/ }, 'cors.origin'],
    [{ origin: [5] }, 'cors.origin'],
    [{ origin: 'null' }, 'cors.origin'],
    [{ origin: true }, 'cors.origin'],
    [{ maxAge: -1 }, 'cors.maxAge'],
    [{ maxAge: '1' }, 'cors.maxAge'],
    [{ exposedHeaders: 'ETag' }, 'cors.exposedHeaders'],
    [{ exposedHeaders: ['a b'] }, 'cors.exposedHeaders'],
    [{ exposedHeaders: ['a\r\nb'] }, 'cors.exposedHeaders'],
    ['yes', 'cors'],
    [null, 'cors'],
    [[], 'cors']
  ])('refuses %j', async (cors, option) => {
    await expect(open(cors as any)).rejects.toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringContaining(`Invalid option '${option}' of ${name}: expected `)
      })
    )
  })

  it('refuses an option that there is not', async () => {
    await expect(open({ origins: [APP] } as any)).rejects.toThrow(
      createTypeError(
        'ALULA_UNKNOWN_OPTION',
        `Unknown option 'cors.origins' of ${name}. Did you mean 'origin'?`
      )
    )
  })
})

it('the option cors adds to what earlier code of a server has set', async () => {
  const listener = toListener(createApp(), { logger: false, cors: { origin: APP } })
  const server = createServer((request, response) => {
    response.setHeader('Vary', request.url === '/things/2' ? '*' : ['Accept-Encoding', 'origin'])
    response.setHeader('Access-Control-Expose-Headers', 'X-Server')
    listener(request, response)
  })
  const url = await listen(server)
  const ask = async (path: string) => toCors(await fetch(url + path, from(APP)))

  expect(await ask('/counted/1')).toMatchObject({ vary: 'Accept-Encoding, origin' })
  expect(await ask('/things/1')).toMatchObject({
    vary: 'Accept-Encoding, origin',
    'access-control-expose-headers': 'X-Server'
  })
  expect(await ask('/things/2')).toMatchObject({ vary: '*' })
  expect(await ask('/things')).toEqual({
    'access-control-allow-origin': APP,
    'access-control-expose-headers': 'X-Server, Accept-Query',
    vary: 'Accept, Origin'
  })
})
