import { once } from 'node:events'
import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import original from 'express'
import { expect, it, onTestFinished } from 'vitest'
import express, { rest, serverOptions } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { serve, toUrl } from '../support/server.ts'

// What the engine says of an object: whether it knows its shape.
setFlagsFromString('--allow-natives-syntax')

const isFast: (object: object) => boolean = new Function('object', 'return %HasFastProperties(object)') as any
const haveOneShape: (a: object, b: object) => boolean = new Function(
  'a',
  'b',
  'return %HaveSameMap(a, b)'
) as any

interface Pair {
  request: any
  response: any
}

it('the engine knows the shape of requests and responses, behind all middleware too', async () => {
  const waiting: Pair[] = []
  const app: any = express(alula())

  app.configure(rest())
  app.use((_request: any, _response: any, next: any) => next())
  app.get('/both', (request: any, response: any) => {
    waiting.push({ request, response })

    const [first, second] = waiting

    if (!first || !second) return

    const shapes = [
      isFast(first.request),
      isFast(first.response),
      haveOneShape(first.request, second.request),
      haveOneShape(first.response, second.response)
    ]

    for (const { response } of waiting.splice(0)) response.json(shapes)
  })

  const url = await serve(app)

  // The first requests of a process show the engine how much room they need.
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([fetch(`${url}/both`), fetch(`${url}/both`)])
    const shapes = await Promise.all(answers.map((answer) => answer.json()))

    expect(shapes).toEqual(Array(2).fill(Array(4).fill(true)))
  }
})

it('a server that somebody else makes for an Express application of his own can have them', async () => {
  const app = original()
  const { request } = app
  const options = serverOptions(app)

  app.get('/', (request, response) => {
    response.json([
      request instanceof options.IncomingMessage,
      response instanceof options.ServerResponse,
      request.app === app,
      Object.getPrototypeOf(request) === app.request,
      request.get('host') !== undefined
    ])
  })

  const server = createServer(options, app).listen(0)

  onTestFinished(() => void server.close())
  await once(server, 'listening')

  expect(await (await fetch(toUrl(server))).json()).toEqual(Array(5).fill(true))
  expect(Object.getPrototypeOf(app.request)).toBe(Object.getPrototypeOf(request))
})

it('an application has them once, however often it is asked', () => {
  const app = original()
  const options = serverOptions(app)
  const { request, response } = app

  expect(serverOptions(app)).toBe(options)
  expect(app.request).toBe(request)
  expect(app.response).toBe(response)
  expect(serverOptions(original())).not.toBe(options)
})

it('what was added to requests before and after is there, in mounted applications too', async () => {
  const inner = original()
  const app = original()

  Object.assign(app.request, { before: 1 })

  const options = serverOptions(app)

  Object.assign(app.request, { after: 2 })
  inner.get('/', ({ before, after }: any, response) => void response.json([before, after]))
  app.use('/inner', inner)
  Object.assign(app.request, { late: 3 })
  app.get('/', ({ before, after, late }: any, response) => void response.json([before, after, late]))

  const server = createServer(options, app).listen(0)

  onTestFinished(() => void server.close())
  await once(server, 'listening')

  expect(await (await fetch(toUrl(server))).json()).toEqual([1, 2, 3])
  expect(await (await fetch(`${toUrl(server)}/inner`)).json()).toEqual([1, 2])
})

it('an application that is mounted itself keeps its settings, and what was added to its requests', async () => {
  const expressApp = original()

  Object.assign(expressApp.request, { early: 1 })

  const app: any = express(alula(), expressApp)
  const outer = original()

  app.set('json spaces', 2).set('trust proxy', true).set('etag', false)
  app.configure(rest())
  app.use('things', { find: async ({ query, seen }: any) => ({ query, seen }) })
  Object.assign(app.response, { late: 2 })
  app.get('/seen', (request: any, response: any) => {
    const { early, ip } = request

    response.json({ early, ip, late: response.late, isApp: request.app === app && response.app === app })
  })
  outer.use('/api', app)

  const server = createServer(outer).listen(0)

  onTestFinished(() => void server.close())
  await once(server, 'listening')

  const things = await (await fetch(`${toUrl(server)}/api/things?a[b]=1`)).text()
  const seen = await fetch(`${toUrl(server)}/api/seen`, { headers: { 'X-Forwarded-For': '1.2.3.4' } })

  expect(things).toBe(JSON.stringify({ query: { a: { b: '1' } } }, null, 2))
  expect(await seen.json()).toEqual({ early: 1, ip: '1.2.3.4', late: 2, isApp: true })
})
