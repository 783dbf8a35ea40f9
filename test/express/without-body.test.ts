// What middleware finds in `request.body`, and what services get, when a parser has left a request alone.
import { once } from 'node:events'
import { request } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import express, { errorHandler, json, rest, urlencoded } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { serve } from '../support/server.ts'

const TEXT = { 'Content-Type': 'text/plain' }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const JSON_TYPE = { 'Content-Type': 'application/json' }

async function start(middleware: readonly any[]): Promise<string> {
  const app = express(alula()) as any

  for (const one of middleware) app.use(one)
  app.configure(rest())
  app.use('things', {
    find: async () => [],
    create: async (data: unknown) => ({ data }),
    remove: async (id: unknown) => ({ id })
  })
  app.mount('/mounted', async (request: Request) => new Response(`<${await request.text()}>`))
  app.use(errorHandler({ logger: false }))

  return serve(app)
}

it.each([
  ['json()', json()],
  ['urlencoded()', urlencoded({ extended: true })]
])(
  'middleware after %s finds an object in a request without a body, as in Feathers v5',
  async (_name, parser) => {
    const seen: unknown[] = []
    const note = ({ body }: any, _response: unknown, next: () => void) => {
      seen.push(body)
      next()
    }
    const url = await start([parser, note])

    await fetch(`${url}/things`)
    await fetch(`${url}/things/1`, { method: 'DELETE' })
    await fetch(`${url}/things`, { method: 'POST' })
    await fetch(`${url}/things`, { method: 'POST', headers: TEXT, body: 'a' })
    // What another parser may read stays as Express has it.
    expect(seen).toEqual([{}, {}, {}, undefined])
  }
)

it('services and mounted functions get the same with parsers as without', async () => {
  const urls = [await start([]), await start([json(), urlencoded({ extended: true })])]
  const requests: [string, RequestInit?][] = [
    ['things'],
    ['things/1', { method: 'DELETE' }],
    ['things', { method: 'POST' }],
    ['things', { method: 'POST', headers: JSON_TYPE }],
    ['things', { method: 'POST', headers: JSON_TYPE, body: '{"a":1}' }],
    ['things', { method: 'POST', headers: JSON_TYPE, body: '{}' }],
    ['things', { method: 'POST', headers: TEXT, body: '{"a":1}' }],
    ['mounted', { method: 'POST' }],
    ['mounted', { method: 'POST', headers: TEXT, body: 'a' }],
    ['mounted', { method: 'POST', headers: FORM, body: 'a=1' }],
    ['mounted', { method: 'POST', headers: JSON_TYPE, body: '{}' }]
  ]

  for (const [path, init] of requests) {
    const [without, withParsers] = await Promise.all(
      urls.map(async (url) => {
        const response = await fetch(`${url}/${path}`, init)

        return [response.status, await response.text()]
      })
    )

    expect(withParsers, JSON.stringify([path, init])).toEqual(without)
  }
})

it.each([
  ['json()', [json()]],
  ['no parser', []]
])('a body of no chunks is an empty object with %s', async (_name, parsers) => {
  const url = await start(parsers)
  const headers = { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }
  const [response] = await once(request(`${url}/things`, { method: 'POST', headers }).end(), 'response')

  expect([response.statusCode, await readJson(response)]).toEqual([201, { data: {} }])
})
