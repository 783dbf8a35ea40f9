import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import compression from 'compression'
import corsOfExpress from 'cors'
import { expect, it, onTestFinished } from 'vitest'
import express, { errorHandler, rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { configureLogin } from '../support/login.ts'
import { describeHttpTransports, type OpenTransport, type TransportClient } from '../support/transports.ts'
import { bearer, CREDENTIALS, getToken, post, quick } from './support/login.ts'

/** An application with a login, whose services `things` and `authentication` set these headers. */
async function openWith(
  open: OpenTransport,
  {
    headers = {},
    settings = {},
    options = {}
  }: { headers?: object; settings?: object; options?: object } = {}
) {
  const client = await open((app) => {
    configureLogin(app, { settings: { ...quick(), ...settings } })
    for (const path of ['things', 'authentication']) {
      app.service(path).hooks({
        after: {
          all: [
            ({ http }: any) => {
              http.headers = headers
            }
          ]
        }
      })
    }
  }, options)

  await client.call('create', 'users', { data: CREDENTIALS })

  return { client, token: await getToken(client) }
}

/** What caches see of a response. */
async function ask(client: TransportClient, path: string, headers: { [name: string]: string } = {}) {
  const response = await client.request(path, { headers })

  return {
    status: response.status,
    cacheControl: response.headers.get('cache-control'),
    vary: response.headers.get('vary'),
    etag: response.headers.get('etag')
  }
}

const PRIVATE = { cacheControl: 'private', vary: 'Authorization' }
const NOTHING = { cacheControl: null, vary: null }

describeHttpTransports('the headers for caches', (open) => {
  it('make responses to calls with a login private, and name Authorization', async () => {
    const { client, token } = await openWith(open)

    expect(await ask(client, '/notes', bearer(token))).toMatchObject({ status: 200, ...PRIVATE })
    // Nothing has asked for the login.
    expect(await ask(client, '/things', bearer(token))).toMatchObject({ status: 200, ...PRIVATE })
    expect(await ask(client, '/things')).toMatchObject({ status: 200, ...NOTHING })
    expect(await ask(client, '/notes')).toMatchObject({ status: 401, ...NOTHING })
  })

  it('make errors of calls with a login private', async () => {
    const { client, token } = await openWith(open)

    expect(await ask(client, '/users/99', bearer(token))).toMatchObject({ status: 404, ...PRIVATE })
    expect(await ask(client, '/notes', bearer('a.b.c'))).toMatchObject({ status: 401, ...PRIVATE })
  })

  it('are the same for a 304', async () => {
    const { client, token } = await openWith(open)
    const { etag } = await ask(client, '/notes', bearer(token))

    expect(etag).toEqual(expect.any(String))

    const headers = { ...bearer(token), 'If-None-Match': String(etag), 'Cache-Control': 'max-age=0' }

    expect(await ask(client, '/notes', headers)).toEqual({ status: 304, etag, ...PRIVATE })
  })

  it('are not left out where a hook sets them to undefined', async () => {
    for (const headers of [
      { 'Cache-Control': undefined, Vary: undefined },
      { 'cache-control': undefined, vary: undefined }
    ]) {
      const { client, token } = await openWith(open, { headers })

      expect(await ask(client, '/things', bearer(token))).toMatchObject({ status: 200, ...PRIVATE })

      const login = await post(client, '/authentication', { strategy: 'local', ...CREDENTIALS })

      expect([login.status, login.headers.get('cache-control')]).toEqual([201, 'no-store'])
    }
  })

  it('are those of a hook, with the header of the login added to Vary', async () => {
    const headers = { 'cache-control': 'max-age=60', vary: 'Accept-Language' }
    const { client, token } = await openWith(open, { headers })

    expect(await ask(client, '/things', bearer(token))).toMatchObject({
      cacheControl: 'max-age=60',
      vary: 'Accept-Language, Authorization'
    })
    expect(await ask(client, '/things')).toMatchObject({
      cacheControl: 'max-age=60',
      vary: 'Accept-Language'
    })
  })

  it.each(['*', 'Accept, authorization'])('do not repeat a name in Vary: %s', async (vary) => {
    const { client, token } = await openWith(open, { headers: { Vary: vary } })

    expect(await ask(client, '/things', bearer(token))).toMatchObject({ vary })
  })

  it('forbid storing a response with a token', async () => {
    const { client, token } = await openWith(open)
    const response = await client.request('/authentication', {
      method: 'POST',
      headers: { ...bearer(token), 'Content-Type': 'application/json' },
      body: JSON.stringify({ strategy: 'local', ...CREDENTIALS })
    })

    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('name Cookie where the credentials come from one', async () => {
    const { client, token } = await openWith(open, { settings: { jwt: { cookie: 'session' } } })
    const Cookie = `session=${token}`

    expect(await ask(client, '/notes', { Cookie })).toMatchObject({
      status: 200,
      cacheControl: 'private',
      vary: 'Authorization, Cookie'
    })
    expect(await ask(client, '/notes', { ...bearer(token), Cookie: 'theme=dark' })).toMatchObject(PRIVATE)
  })

  it('name the header of the strategy', async () => {
    const { client, token } = await openWith(open, { settings: { jwt: { header: 'X-Token' } } })

    expect(await ask(client, '/notes', { 'X-Token': token })).toMatchObject({
      status: 200,
      cacheControl: 'private',
      vary: 'X-Token'
    })
  })

  it('have the value of the option, or are left out', async () => {
    const strict = await openWith(open, { options: { cacheControl: 'no-store' } })
    const none = await openWith(open, { options: { cacheControl: false } })

    expect(await ask(strict.client, '/notes', bearer(strict.token))).toMatchObject({
      cacheControl: 'no-store',
      vary: 'Authorization'
    })
    expect(await ask(none.client, '/notes', bearer(none.token))).toMatchObject({ status: 200, ...NOTHING })
  })
})

it.each(['', 'private\r\nX-Evil: 1', true, 5])(
  'a transport refuses cacheControl: %j',
  (cacheControl: any) => {
    expect(() => createHandler(alula(), { cacheControl })).toThrow(
      "Invalid option 'cacheControl' of createHandler: expected a value of the header 'Cache-Control', or false"
    )
  }
)

/** Asks a server for the notes of a user. */
async function askServer(app: any, listener: RequestListener): Promise<Response> {
  await app.setup()
  await app.service('users').create(CREDENTIALS)

  const { accessToken } = await app.service('authentication').create({ strategy: 'local', ...CREDENTIALS })
  const server = createServer(listener)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())

  return await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`, {
    headers: { ...bearer(accessToken), Origin: 'https://app.example.org', Connection: 'close' }
  })
}

it('headers for caches that middleware of Express has set stay', async () => {
  const app: any = express(alula())

  app.use(corsOfExpress({ origin: ['https://app.example.org'] }))
  app.use(compression({ threshold: 0 }))
  app.use((_request: unknown, response: any, next: () => void) => {
    response.set('Cache-Control', 'no-cache')
    next()
  })
  app.configure(rest())
  configureLogin(app, { settings: quick() })
  app.use(errorHandler())

  const { headers } = await askServer(app, app)

  expect(headers.get('vary')).toBe('Origin, Authorization, Accept-Encoding')
  expect(headers.get('cache-control')).toBe('no-cache')
})

it('the option cors and a login both add to Vary', async () => {
  const app: any = alula()

  configureLogin(app, { settings: quick() })

  const { headers } = await askServer(app, toListener(app, { cors: { origin: 'https://app.example.org' } }))

  expect(headers.get('vary')).toBe('Authorization, Origin')
  expect(headers.get('cache-control')).toBe('private')
})

it('an error of middleware after the service keeps the headers of the login and of earlier middleware', async () => {
  const app: any = express(alula())

  app.use(corsOfExpress({ origin: ['https://app.example.org'] }))
  app.configure(rest())
  configureLogin(app, { settings: quick() })
  app.use('failing', { find: async () => [] }, (_request: unknown, _response: unknown, next: any) =>
    next(new Error('No'))
  )
  app.use(errorHandler({ logger: false }))

  await app.setup()

  const server = createServer(app)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())

  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/failing`, {
    headers: { ...bearer('a.b.c'), Connection: 'close' }
  })

  expect(response.status).toBe(500)
  expect(response.headers.get('vary')).toBe('Origin, Authorization, Accept')
  expect(response.headers.get('cache-control')).toBe('private')
})
