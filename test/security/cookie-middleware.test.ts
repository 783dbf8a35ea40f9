// A page of another site had middleware of Express read the cookie of its user.
import { once } from 'node:events'
import { createServer } from 'node:http'
import original from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AuthenticationStrategy } from '../../src/authentication.ts'
import express, { errorHandler, rest, toMiddleware } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { toUrl } from '../support/server.ts'
import { configure } from './support/cookies.ts'

/** Middleware that reads cookies into a property of the request, as packages for Express do. */
const toReader = (name: string) => (request: any, _response: any, next: any) => {
  if (request.headers.cookie) request[name] = { key: 'a' }
  next()
}

describe.each(['cookies', 'signedCookies', 'session', 'user', 'custom'])(
  'credentials that middleware has put into request.%s',
  (name) => {
    const strategy: AuthenticationStrategy = {
      // As with a real session, which is always there.
      parse: async (request: any) =>
        request[name].key ? { strategy: 'kept', key: request[name].key } : null,
      authenticate: async () => ({ ok: true })
    }
    const options = { strategies: { kept: strategy }, settings: { parseStrategies: ['kept'] } }

    it.each(['rest', 'toMiddleware', 'toListener'])(
      'need an origin of their own, through %s',
      async (transport) => {
        const app: any = transport === 'rest' ? express(alula()) : alula()
        const read = toReader(name)
        const server = createServer()

        if (transport === 'rest') {
          app.use(read)
          app.configure(rest({ logger: false }))
          configure(app, options)
          app.use(errorHandler({ logger: false }))
          server.on('request', app)
        } else {
          configure(app, options)
          const serve: any =
            transport === 'toMiddleware'
              ? toMiddleware(app, { logger: false })
              : toListener(app, { logger: false })

          server.on('request', original().use(read, serve))
        }

        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
        onTestFinished(() => void server.close())

        const url = toUrl(server)
        const ask = async (headers: object) =>
          (
            await fetch(`${url}/things`, {
              method: 'POST',
              headers: { Cookie: 'sid=1', Connection: 'close', ...headers }
            })
          ).status

        expect(await ask({})).toBe(403)
        expect(await ask({ Origin: 'https://evil.example' })).toBe(403)
        expect(await ask({ Origin: url })).toBe(201)
      }
    )
  }
)

it('a route of Express sees no credentials of a cookie from another origin', async () => {
  const app: any = express(alula())

  app.configure(rest({ logger: false }))
  configure(app)
  app.post(
    '/own',
    (request: any, response: any) => void response.json(request.feathers.authentication ?? null)
  )
  app.get(
    '/own',
    (request: any, response: any) => void response.json(request.feathers.authentication ?? null)
  )

  const server = createServer(app).listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(() => void server.close())

  const url = toUrl(server)
  const ask = async (method: string, headers: object) =>
    (
      await fetch(`${url}/own`, { method, headers: { Cookie: 'token=x', Connection: 'close', ...headers } })
    ).json()
  const found = { strategy: 'jwt', accessToken: 'x' }

  expect(await ask('POST', { Origin: 'https://evil.example' })).toBeNull()
  expect(await ask('POST', {})).toBeNull()
  expect(await ask('POST', { Origin: url })).toEqual(found)
  expect(await ask('GET', {})).toEqual(found)
  expect(
    await ask('POST', { Origin: 'https://evil.example', Cookie: 'a=1', Authorization: 'Bearer x' })
  ).toEqual(found)
})
