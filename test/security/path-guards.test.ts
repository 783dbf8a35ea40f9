// Middleware that guards a path could be passed by a request whose target the router and the transport read differently.
import { expect, it } from 'vitest'
import express, {
  errorHandler as expressErrorHandler,
  rest as expressRest,
  notFound
} from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { errorHandler, koa, rest } from '../../src/koa.ts'
import { sendRaw } from '../support/raw.ts'
import { serve } from '../support/server.ts'

const GUARDED = /^\/(?:admin|rooms\/[^/]+\/members)(?:\/|$)/
const service = { find: async () => ['secret'], get: async () => 'secret' }

const servers: { readonly [name: string]: () => any } = {
  Koa: () => {
    const app = koa(alula())

    app.use(errorHandler({ logger: false }))
    app.use((context, next) => (GUARDED.test(context.path) ? context.throw(403) : next()))
    app.configure(rest())

    return app
  },
  Express: () => {
    const app: any = express(alula())

    app.use(['/admin', '/rooms/:room/members'], (_request: any, response: any) => response.status(403).end())
    app.configure(expressRest())

    return app
  }
}

it.each(Object.entries(servers))('%s: a guarded path has no other spelling', async (name, create) => {
  const app = create()

  app.use('admin', service).use('rooms/:room/members', service).use('open', service)
  if (name === 'Express') app.use(notFound(), expressErrorHandler({ logger: false }))

  const { port } = new URL(await serve(app))
  const ask = async (target: string) =>
    (await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).status

  for (const target of [
    '/open',
    'http://a/open',
    'http://a.b-c:80/open',
    'https://[::1]:80/open',
    '/open#admin'
  ])
    expect(await ask(target), target).toBe(200)

  const hosts = [';', 'a;', "a'", 'a%61', 'b@a;', 'b@a', '', 'a:80;']

  for (const target of [
    ...hosts.flatMap((host) => [`http://${host}/admin`, `http://${host}/admin/1`]),
    ...['/admin', 'http://a/admin', 'javascript://a/admin', 'x://a/admin', 'http:///admin'],
    ...['/rooms/a/members', '/rooms/a#/members', '/rooms/a#/members?b', 'http://a/rooms/a#/members'],
    ...['/rooms/a\\b/members#', 'http://a/rooms/a\\b/members']
  ])
    expect(await ask(target), target).toBeOneOf([400, 403, 404])
})
