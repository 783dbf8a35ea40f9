import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { toListener } from '../../src/node.ts'
import { configureSessions, LOGIN, WREN } from '../sessions/app.ts'
import { listen, serve } from '../support/server.ts'

/** Servers that set a cookie on each response, before an application. */
const servers: {
  readonly [name: string]: (configure: (app: any) => void) => Promise<{ url: string; app: any }>
} = {
  Express: async (configure) => {
    const app: any = express(alula())

    app.use((_request: unknown, response: any, next: () => void) => {
      response.cookie('seen', 'yes')
      next()
    })
    app.configure(rest())
    configure(app)

    return { app, url: await serve(app) }
  },

  'a service with middleware': async (configure) => {
    const app: any = express(alula())
    const use = app.use.bind(app)
    const setCookie = (_request: unknown, response: any, next: () => void) => {
      response.cookie('seen', 'yes')
      next()
    }

    app.configure(rest())
    app.use = (path: string, service: object, options: object = {}) =>
      use(path, service, { ...options, express: { before: [setCookie] } })
    configure(app)

    return { app, url: await serve(app) }
  },

  Koa: async (configure) => {
    const app: any = koa(alula())

    app.use(async (context: any, next: () => Promise<unknown>) => {
      context.cookies.set('seen', 'yes')
      await next()
    })
    app.configure(koaRest())
    configure(app)

    return { app, url: await serve(app) }
  },

  'a server of Node': async (configure) => {
    const app: any = alula()

    configure(app)
    await app.setup()

    const listener = toListener(app)
    const server = createServer((request: IncomingMessage, response: ServerResponse) => {
      response.setHeader('Set-Cookie', 'seen=yes')
      listener(request, response)
    })

    return { app, url: await listen(server) }
  }
}

describe.each(Object.entries(servers))('on %s, cookies of earlier code', (_name, open) => {
  it('are sent beside that of a refresh token, and those of hooks', async () => {
    const { app, url } = await open((own) => {
      configureSessions(own, { refresh: { cookie: true } })
      own.use('things', { find: async () => [] })
      own.service('things').hooks({
        after: {
          find: [
            async ({ http }: any) => {
              http.headers = { 'set-cookie': ['one=1', 'two=2'] }
            }
          ]
        }
      })
    })

    await app.service('users').create(WREN)

    const login = await fetch(`${url}/authentication`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url },
      body: JSON.stringify({ ...LOGIN, refresh: true })
    })
    const names = (response: Response) =>
      response.headers.getSetCookie().map((cookie) => cookie.split('=')[0])

    expect(login.status).toBe(201)
    expect(names(login)).toEqual(['seen', '__Host-authentication-refresh'])
    expect(names(await fetch(`${url}/things`))).toEqual(['seen', 'one', 'two'])
  })
})
