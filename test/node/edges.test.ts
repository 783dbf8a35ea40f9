import { expect, it } from 'vitest'
import { AuthenticationService } from '../../src/authentication.ts'
import { toMiddleware } from '../../src/express.ts'
import { type Application, alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { mount } from '../express/mount.ts'

// What both ways over a request and a response of Node have in common: the Node transport, and `toMiddleware`.

function createThings(headers: { [name: string]: string | string[] } = {}, result: unknown = { ok: true }) {
  const app = alula()

  app.use('things', { find: async () => result, create: async (data: any) => data })
  app.service('things').hooks({ after: { all: [() => ({ http: { headers } }) as any] } })

  return app
}

const transports: readonly [string, (app: Application) => Promise<string>][] = [
  ['the Node transport', (app) => mount((server) => void server.use(toListener(app, { logger: false })))],
  ['toMiddleware', (app) => mount((server) => void server.use(toMiddleware(app, { logger: false })))]
]

for (const [name, open] of transports) {
  it(`${name} answers an invalid header of a hook with a whole 500, also where there is no body`, async () => {
    for (const result of [null, { ok: true }]) {
      const url = await open(createThings({ X: 'a\nb' }, result))
      const response = await fetch(`${url}/things`, { headers: { Connection: 'close' } })

      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ name: 'GeneralError', code: 500 })
    }
  })

  it(`${name} says itself how long a body is`, async () => {
    const url = await open(createThings({ 'content-length': '3', 'Transfer-Encoding': 'chunked', x: 'kept' }))
    const response = await fetch(`${url}/things`, { headers: { Connection: 'close' } })

    expect(Object.fromEntries(response.headers)).toMatchObject({ 'content-length': '11', x: 'kept' })
    expect(response.headers.get('transfer-encoding')).toBe(null)
    expect(await response.json()).toEqual({ ok: true })
  })

  it(`${name} shows strategies the request and the response of the server`, async () => {
    const app = createThings()
    const seen: any[] = []
    const auth = new AuthenticationService(app, 'authentication', {
      secret: 'a secret of the tests, as long as it has to be',
      entity: null,
      authStrategies: ['address']
    })

    auth.register('address', {
      parse: async (request: any, response: any) => {
        seen.push([request.socket.remoteAddress, request.url, typeof response.setHeader])

        return null
      }
    })
    app.use('authentication', auth as any)

    const url = await open(app)

    await fetch(`${url}/things?a=1`, { headers: { Connection: 'close' } })
    expect(seen).toEqual([[expect.stringContaining('127.0.0.1'), '/things?a=1', 'function']])
  })
}

it('a body that middleware in front has read and kept is an error, and no request that waits for ever', async () => {
  const app = createThings()
  const url = await mount((server) => {
    server.use((request, _response, next) => {
      request.resume()
      request.once('end', () => next())
    })
    server.use(toMiddleware(app, { logger: false }))
  })
  const response = await fetch(`${url}/things`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
    body: '{}'
  })

  expect(await response.json()).toMatchObject({
    code: 500,
    message: 'Earlier middleware consumed the body and set no request.body (ALULA_BODY_CONSUMED)'
  })
})
