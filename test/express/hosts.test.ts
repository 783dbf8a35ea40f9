import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type original from 'express'
import { describe, expect, it } from 'vitest'
import { BadRequest } from '../../src/errors.ts'
import { authenticate, errorHandler, type MiddlewareOptions, toMiddleware } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { readBlocks, readPage } from '../support/page.ts'
import { runProgram } from '../support/program.ts'
import { listen } from '../support/server.ts'

// Servers that services are mounted in, besides Express 5 in an ES module.

/** It has no types of its own, and what is used of it is the same. */
const express4: typeof original = createRequire(import.meta.url)('express4')

/** Starts a server of Express 4 with services under `/api`, which is closed when the test ends. Returns its URL. */
async function mount(options: MiddlewareOptions, prepare = (_server: original.Express) => {}) {
  const app = alula()

  app.use('notes', memory({ startId: 1, paginate: { default: 10 } }))
  app.use('echo', {
    find: async ({ query, headers, tenant }: any) => ({ query, tenant, agent: typeof headers['user-agent'] }),
    create: async () => {
      throw new BadRequest('Not today')
    }
  } as any)
  app.mount('shout', async (request) => new Response((await request.text()).toUpperCase()))
  await app.setup()

  const server = express4()

  prepare(server)
  server.use((request, _response, next) => {
    Object.assign(request, { feathers: { tenant: 'a' } })
    next()
  })
  server.use('/api', toMiddleware(app, { logger: false, ...options }))
  server.get('/api/plain', (_request, response) => void response.json('plain'))

  return listen(createServer(server))
}

const send = (method: string, body: string | Buffer, headers = {}): RequestInit => ({
  method,
  body,
  headers: { 'Content-Type': 'application/json', ...headers }
})

describe.each<[string, MiddlewareOptions]>([
  ['answered directly', {}],
  ['with a formatter', { formatter: (_request, response) => void response.json(response.data) }]
])('Express 4, %s', (_name, options) => {
  it('serves all six methods', async () => {
    const url = `${await mount(options)}/api/notes`
    const ask = async (path: string, init?: RequestInit) => {
      const response = await fetch(url + path, init)

      return [response.status, await response.json()]
    }

    expect(await ask('', send('POST', '{"text":"a"}'))).toEqual([201, { id: 1, text: 'a' }])
    expect(await ask('/1')).toEqual([200, { id: 1, text: 'a' }])
    expect(await ask('/1', send('PATCH', '{"done":true}'))).toEqual([200, { id: 1, text: 'a', done: true }])
    expect(await ask('/1', send('PUT', '{"text":"b"}'))).toEqual([200, { id: 1, text: 'b' }])
    expect(await ask('?text[$gt]=a&$limit=1')).toEqual([
      200,
      { total: 1, limit: 1, skip: 0, data: [{ id: 1, text: 'b' }] }
    ])
    expect(await ask('/1', { method: 'DELETE' })).toEqual([200, { id: 1, text: 'b' }])
  })

  it('hands on params and what is not a service, and answers errors as JSON', async () => {
    const url = await mount(options)

    expect(await (await fetch(`${url}/api/echo?a[b]=1`)).json()).toEqual({
      query: { a: { b: '1' } },
      tenant: 'a',
      agent: 'string'
    })
    expect(await (await fetch(`${url}/api/plain`)).json()).toBe('plain')
    expect((await fetch(`${url}/api/nothing`)).status).toBe(404)

    const refused = await fetch(`${url}/api/echo`, send('POST', '{}'))

    expect([refused.status, await refused.json()]).toMatchObject([400, { message: 'Not today' }])

    const broken = await fetch(`${url}/api/notes`, send('POST', '{'))

    expect([broken.status, await broken.json()]).toMatchObject([400, { name: 'BadRequest' }])
  })

  it('reads bodies that a parser of the server has left', async () => {
    const url = await mount(options, (server) => void server.use(express4.json()))
    const note = send('POST', '<note/>', { 'Content-Type': 'application/xml' })
    const empty = send('POST', '{}')

    expect((await fetch(`${url}/api/notes`, note)).status).toBe(415)
    expect(await (await fetch(`${url}/api/shout`, note)).text()).toBe('<NOTE/>')
    expect(await (await fetch(`${url}/api/notes`, empty)).json()).toEqual({ id: 1 })
    expect(await (await fetch(`${url}/api/shout`, empty)).text()).toBe('{}')
    expect(await (await fetch(`${url}/api/notes`, { method: 'POST' })).json()).toEqual({ id: 2 })
  })

  it('takes bodies that a parser of the server has read, and compressed ones', async () => {
    const parsed = await mount(options, (server) => void server.use(express4.json()))
    const plain = await mount(options)
    const compressed = send('POST', gzipSync('{"text":"a"}'), { 'Content-Encoding': 'gzip' })

    for (const [url, init] of [
      [parsed, send('POST', '{"text":"a"}')],
      [plain, compressed]
    ] as const) {
      expect(await (await fetch(`${url}/api/notes`, init)).json()).toEqual({ id: 1, text: 'a' })
    }
  })
})

it('authenticate refuses requests of Express 4, whose application it does not find, and the process goes on', async () => {
  const url = await mount({}, (server) => {
    server.get('/me', authenticate('jwt'), (_request, response) => void response.json('reached'))
    server.use('/me', errorHandler({ html: false, logger: false }))
  })
  const response = await fetch(`${url}/me`)

  expect([response.status, await response.json()]).toMatchObject([401, { name: 'NotAuthenticated' }])
})

it('authenticate of Express refuses requests where a strategy rejects without an error', async () => {
  const server: any = Object.assign(express4(), {
    defaultAuthentication: () => ({
      configuration: { authStrategies: ['empty'] },
      authenticate: () => Promise.reject(undefined)
    })
  })

  server.use((request: any, _response: unknown, next: () => void) => {
    request.feathers = { authentication: { strategy: 'empty' } }
    next()
  })
  server.get(
    '/me',
    authenticate('empty'),
    (_request: unknown, response: any) => void response.json('reached')
  )
  server.use(errorHandler({ html: false, logger: false }))

  expect((await fetch(`${await listen(createServer(server))}/me`)).status).toBe(401)
})

it.each(['express', 'express4'])('a CommonJS server with %s loads and serves services', async (express) => {
  const [sample] = readBlocks(await readPage('http'), 'cjs') as [string]
  const program = runProgram(
    sample
      .replace("require('express')", `require('${express}')`)
      .replace('listen(3030)', "listen(0, function () { console.log('port ' + this.address().port) })"),
    {},
    'commonjs'
  )
  const port = (await program.waitFor('port ')).slice('port '.length)
  const url = `http://localhost:${port}/api/notes`

  expect(await (await fetch(url, send('POST', '{"text":"a"}'))).json()).toEqual({ id: 1, text: 'a' })
  expect(await (await fetch(`${url}?text[$gt]=a`)).json()).toEqual([])
})
