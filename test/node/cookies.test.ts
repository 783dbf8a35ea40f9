import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { koa, errorHandler as koaErrorHandler, rest as koaRest } from '../../src/koa.ts'
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

/** Applications whose middleware sets a cookie before a service, and one after it, and then fails. */
const failing: { readonly [name: string]: (service: object) => any } = {
  Express: (service) => {
    const app: any = express(alula())
    const before = (_request: unknown, response: any, next: () => void) => {
      response.cookie('before', 'yes')
      next()
    }
    const after = (_request: unknown, response: any, next: (error: Error) => void) => {
      response.cookie('after', 'yes')
      next(new Error('after'))
    }

    app.configure(rest())
    app.use('things', service, { express: { before: [before], after: [after] } })
    app.use(errorHandler({ logger: false }))

    return app
  },

  Koa: (service) => {
    const app: any = koa(alula())
    const before = (context: any, next: () => Promise<unknown>) => {
      context.cookies.set('before', 'yes')

      return next()
    }
    const after = (context: any) => {
      context.cookies.set('after', 'yes')
      throw new Error('after')
    }

    app.use(koaErrorHandler({ logger: false }))
    app.configure(koaRest())
    app.use('things', service, { koa: { before: [before], after: [after] } })

    return app
  }
}

it.each(Object.entries(failing))(
  'on %s, an error after a call takes back the cookies of the call, and no others',
  async (_name, create) => {
    const app = create({ find: async () => [], get: async () => ({}) })

    app.service('things').hooks({
      after: {
        find: [
          async ({ http }: any) => {
            http.headers = { 'set-cookie': ['one=1', 'two=2'], 'X-One': 'yes' }
          }
        ],
        get: [
          async ({ http }: any) => {
            http.headers = { 'Set-Cookie': 'one=1' }
          }
        ]
      }
    })

    const url = await serve(app)

    for (const path of ['/things', '/things/1']) {
      const { status, headers } = await fetch(url + path)

      expect([status, headers.get('x-one')]).toEqual([500, null])
      expect(headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual(['before', 'after'])
    }
  }
)
