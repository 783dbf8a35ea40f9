import { createServer } from 'node:http'
import original from 'express'
import { describe, expect, it } from 'vitest'
import { events } from '../../src/events.ts'
import express, { errorHandler, rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { type Application, alula } from '../../src/index.ts'
import { koa, errorHandler as koaErrors, rest as koaRest } from '../../src/koa.ts'
import { toListener } from '../../src/node.ts'
import { configureLogin } from '../support/login.ts'
import { listen } from '../support/server.ts'

type Send = (path: string, headers?: Record<string, string>) => Promise<Response>

const OPTIONS = {
  authentication: { service: 'v1/authentication', strategies: ['jwt'] },
  logger: false
} as const

const toSend = async (listener: any): Promise<Send> => {
  const url = await listen(createServer(listener))

  return (path, headers = {}) => fetch(url + path, { headers: { ...headers, Connection: 'close' } })
}

const TRANSPORTS: { readonly [name: string]: (inner: Application) => Promise<Send> } = {
  async Fetch(inner) {
    const app = alula().use('v1', inner)
    const handle = createHandler(app, OPTIONS)

    await app.setup()

    return (path, headers = {}) => handle(new Request(`http://localhost${path}`, { headers }))
  },
  async 'a server of Node'(inner) {
    const app = alula().use('v1', inner)

    await app.setup()

    return await toSend(toListener(app, OPTIONS))
  },
  async 'a plain Express server'(inner) {
    const app = alula().use('v1', inner)

    await app.setup()

    return await toSend(original().use(toMiddleware(app, OPTIONS)))
  },
  async Express(inner) {
    const app: any = express(alula())

    app.configure(rest(OPTIONS))
    app.use('v1', inner)
    app.use(errorHandler({ logger: false }))
    await app.setup()

    return await toSend(app)
  },
  async Koa(inner) {
    const app: any = koa(alula())

    app.use(koaErrors({ logger: false }))
    app.configure(koaRest(OPTIONS))
    app.use('v1', inner)
    await app.setup()

    return await toSend(app.callback())
  }
}

/** An application with logins, which another one uses. */
async function createInner() {
  const inner: any = alula()

  configureLogin(inner)
  inner.use('open', { find: async ({ authentication = null }: any) => ({ authentication }) })

  const user = await inner.service('users').create({ id: 1, email: 'ada', password: 'open sesame' })
  const { accessToken } = await inner.service('authentication').issueToken({ user })

  return { inner, accessToken }
}

describe.each(Object.entries(TRANSPORTS))('over %s', (_name, open) => {
  it('an authentication service of a sub-application that the transport names finds credentials', async () => {
    const { inner, accessToken } = await createInner()
    const send = await open(inner)
    const headers = { Authorization: `Bearer ${accessToken}` }
    const response = await send('/v1/notes', headers)
    const refused = await send('/v1/notes')

    expect(response.status).toBe(200)
    expect(response.headers.get('vary')).toBe('Authorization')
    expect(await response.json()).toEqual({ of: 'ada' })
    expect(await (await send('/v1/open', headers)).json()).toEqual({
      authentication: { strategy: 'jwt', accessToken }
    })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
  })
})

it('an authentication service that is not registered fails each request, and is named in the log', async () => {
  const lines: string[] = []
  const log = (line: unknown) => void lines.push(String(line))
  const app = alula().use('open', { find: async () => [] })
  const handle = createHandler(app, {
    authentication: { service: 'v1/authentication' },
    logger: { error: log, info: log }
  })

  expect((await handle(new Request('http://localhost/open'))).status).toBe(500)
  expect(lines[0]).toContain("Can not find service 'v1/authentication'")
})

it('a connection for events is logged in by the service of the sub-application', async () => {
  const { inner, accessToken } = await createInner()
  const app: any = alula().use('v1', inner).configure(events())
  const logins: unknown[] = []

  app.on('login', (result: any) => logins.push(result.user.email))
  inner.on('login', (result: any) => logins.push(result.user.email))
  await app.setup()

  const handle = createHandler(app, OPTIONS)
  const headers = { Authorization: `Bearer ${accessToken}`, Accept: 'text/event-stream' }
  const response = await handle(new Request('http://localhost/events', { headers }))

  await response.body?.cancel()

  expect(response.status).toBe(200)
  expect(logins).toEqual(['ada'])
})
