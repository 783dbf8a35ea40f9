import { once } from 'node:events'
import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import original from 'express'
import { expect, it, onTestFinished } from 'vitest'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { defer } from '../support/deferred.ts'
import { serve, toUrl } from '../support/server.ts'

const getJson = async (url: string, init?: RequestInit): Promise<any> => (await fetch(url, init)).json()

it('without an application it is plain Express', () => {
  expect(express()).not.toHaveProperty('service')
})

it('anything but an application is refused', () => {
  expect(() => express({} as any)).toThrow('alula/express requires a valid Feathers application instance')
})

it('the result is a request listener with the members of both', async () => {
  const base = alula().set('earlier', true)
  const app = express(base)

  app.set('later', 1)
  app.configure(rest())
  app.use('things', { find: async () => ['one'] })
  app.get('/plain', (_request, response) => void response.send('plain'))

  expect(app.get('earlier')).toBe(true)
  expect(app.get('later')).toBe(1)
  expect(app.service('things')).toHaveProperty('hooks')

  const server = createServer(app as any).listen(0)

  onTestFinished(() => void server.close())

  expect(await getJson(`${toUrl(server)}/things`)).toEqual(['one'])
  expect(await (await fetch(`${toUrl(server)}/plain`)).text()).toBe('plain')
})

it('hooks, setup and events see the Express application', async () => {
  const app = express(alula())
  const seen: unknown[] = []

  app.use('things', {
    find: async () => [],
    setup: async (given: unknown) => void seen.push(given)
  } as any)
  app.hooks({ before: { all: [async (context: any) => void seen.push(context.app)] } })
  app.hooks({
    setup: [
      async (context: any, next) => {
        seen.push(context.app)
        await next()
      }
    ]
  })
  await app.setup()
  await app.service('things').find()

  expect(seen).toEqual([app, app, app])
})

it('middleware, routers and Express applications go to Express', async () => {
  const app = express(alula())
  const nested = original()

  nested.get('/nested', (_request, response) => void response.json('nested'))
  app.configure(rest())
  app.use((_request, response, next) => {
    response.set('X-First', 'yes')
    next()
  })
  app.use(
    '/router',
    original.Router().get('/route', (_request, response) => void response.json('route'))
  )
  app.use('/app', nested)
  app.use('/list', [
    ((_request, _response, next) => next()) as original.RequestHandler,
    ((_request, response) => void response.json('list')) as original.RequestHandler
  ])

  const url = await serve(app)

  expect(await getJson(`${url}/router/route`)).toBe('route')
  expect(await getJson(`${url}/app/nested`)).toBe('nested')
  expect(await getJson(`${url}/list`)).toBe('list')
  expect((await fetch(`${url}/list`)).headers.get('x-first')).toBe('yes')
})

it('all services of another application are mounted under a path', async () => {
  const app = express(alula())
  const nested = alula().use('things', { find: async () => ['nested'] })

  app.configure(rest())
  app.use('/api/v1', nested)

  expect(await getJson(`${await serve(app)}/api/v1/things`)).toEqual(['nested'])
})

it('an Express application with services of its own keeps them to itself', async () => {
  const app = express(alula())
  const nested = express(alula())

  nested.configure(rest())
  nested.use('things', { find: async () => ['nested'] })
  app.configure(rest())
  app.use('/nested', nested as any)

  expect(await getJson(`${await serve(app)}/nested/things`)).toEqual(['nested'])
  expect(() => app.service('nested/things')).toThrow("Can not find service 'nested/things'")
})

it('options that are none, or too many, are refused', () => {
  for (const options of [[{ wrong: true }], [{ methods: [] }, { methods: [] }]]) {
    expect(() => express(alula()).use('things', { find: async () => [] }, ...(options as any[]))).toThrow(
      'Invalid options passed to app.use'
    )
  }
})

it('middleware around the services of another application is refused, and not dropped', () => {
  const guard = (_request: unknown, _response: unknown, next: () => void) => next()
  const nested = alula().use('things', { find: async () => [] })

  expect(() => express(alula()).use('v1', guard, nested as any)).toThrow(
    "Middleware cannot be put around the application at 'v1', only around its services"
  )
})

it('listen resolves when the services are set up and the server listens', async () => {
  const app = express(alula())
  const steps: string[] = []

  app.configure(rest())
  app.use('things', {
    find: async () => [],
    setup: async () => {
      await new Promise(setImmediate)
      steps.push('set up')
    }
  } as any)

  const server = await app.listen(0, '127.0.0.1', () => steps.push('listening'))

  onTestFinished(async () => void (await app.teardown()))

  expect(steps).toEqual(['set up', 'listening'])
  expect(app.server).toBe(server)
  expect(server.listening).toBe(true)
})

it('listen rejects when a service cannot be set up, and tears the others down', async () => {
  const app = express(alula())
  const steps: string[] = []

  app.use('things', { find: async () => [], teardown: async () => void steps.push('torn down') } as any)
  app.use('broken', {
    find: async () => [],
    setup: async () => {
      throw new Error('no database')
    },
    teardown: async () => {
      throw new Error('nothing to tear down')
    }
  } as any)

  await expect(app.listen(0)).rejects.toThrow('no database')
  expect(steps).toEqual(['torn down'])
  expect(app.server?.listening).toBe(false)
})

it('listen rejects on a taken port, and what was set up is torn down', async () => {
  const app = express(alula())
  const steps: string[] = []
  const taken = createServer().listen(0, '127.0.0.1')

  await new Promise((resolve) => taken.once('listening', resolve))
  onTestFinished(() => void taken.close())
  app.use('things', {
    find: async () => [],
    setup: async () => void steps.push('set up'),
    teardown: async () => void steps.push('torn down')
  } as any)

  await expect(app.listen((taken.address() as AddressInfo).port, '127.0.0.1')).rejects.toMatchObject({
    code: 'EADDRINUSE'
  })
  expect(steps).toEqual(['set up', 'torn down'])
})

/** A service whose `find` waits to be told to answer. */
function createSlowApp() {
  const app = express(alula())
  const steps: string[] = []
  const waiting = defer()
  const started = defer()

  app.configure(rest())
  app.use('slow', {
    find: async () => {
      started.resolve()
      await waiting.promise
      steps.push('answered')

      return ['late']
    },
    teardown: async () => void steps.push('torn down')
  } as any)
  app.use(errorHandler({ logger: false }))

  return { app, steps, started: started.promise, finish: waiting.resolve }
}

it('teardown accepts nothing new, finishes what is in flight, then tears the services down', async () => {
  const { app, steps, started, finish } = createSlowApp()
  const server = await app.listen(0, '127.0.0.1')
  const url = toUrl(server)
  const answer = getJson(`${url}/slow`)

  await started

  const closed = app.teardown()

  while (server.listening) await new Promise(setImmediate)
  await expect(fetch(`${url}/slow`)).rejects.toThrow()
  expect(steps).toEqual([])
  finish()

  expect(await answer).toEqual(['late'])
  expect(await closed).toBe(app)
  expect(steps).toEqual(['answered', 'torn down'])
})

it('a second teardown waits for the first, and tears nothing down under a request', async () => {
  const { app, steps, started, finish } = createSlowApp()
  const server = await app.listen(0, '127.0.0.1')
  const answer = getJson(`${toUrl(server)}/slow`)

  await started

  const first = app.teardown().then(() => steps.push('the first is through'))

  while (server.listening) await new Promise(setImmediate)

  const second = app.teardown().then(() => steps.push('the second is through'))

  await new Promise(setImmediate)
  finish()
  expect(await answer).toEqual(['late'])
  await Promise.all([first, second])
  expect(steps).toEqual(['answered', 'torn down', 'the first is through', 'the second is through'])
})

it('a server that is closed by hand is torn down too, once', async () => {
  const { app, steps, started, finish } = createSlowApp()
  const tornDown = defer()

  app.hooks({
    teardown: [
      async (_context, next) => {
        await next()
        tornDown.resolve()
      }
    ]
  })

  const server = await app.listen(0, '127.0.0.1')
  const answer = getJson(`${toUrl(server)}/slow`, { headers: { Connection: 'close' } })

  await started
  server.close()
  finish()
  await answer
  await tornDown.promise

  expect(steps).toEqual(['answered', 'torn down'])
})

it('a connection that never sends a request does not hold up teardown', async () => {
  const { app } = createSlowApp()
  const server = await app.listen(0, '127.0.0.1')
  const { connect } = await import('node:net')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')

  await new Promise((resolve) => socket.once('connect', resolve))
  const ended = new Promise((resolve) => socket.once('close', resolve))

  socket.on('error', () => undefined)
  await app.teardown()
  await ended
})

it('teardown without a server tears the services down', async () => {
  const { app, steps } = createSlowApp()

  await app.setup()
  await app.teardown()

  expect(steps).toEqual(['torn down'])
})

/** A connection that is kept holds up teardown. */
const LAST = { headers: { Connection: 'close' } }

it('requests and responses of a server that listen starts are those of the application from birth', async () => {
  const app: any = express(alula())
  const seen: boolean[] = []

  function look(request: any, response: any): void {
    seen.push(
      Object.getPrototypeOf(request) === app.request,
      Object.getPrototypeOf(response) === app.response,
      request instanceof IncomingMessage,
      response instanceof ServerResponse,
      response.req === request
    )
  }

  app.request.greeting = 'hello'
  app.response.greet = function (this: any) {
    this.json(`${this.req.greeting} ${this.req.query.name}`)
  }
  app.use((request: any, response: any, next: any) => {
    look(request, response)
    next()
  })
  app.get('/greeting', (_request: any, response: any) => response.greet())

  const url = await serve(app)

  // Before Express sees them.
  app.server.prependListener('request', look)

  expect(await getJson(`${url}/greeting?name=ada`, LAST)).toBe('hello ada')
  expect(seen).toEqual(Array(10).fill(true))
})

it('an application that is mounted has requests and responses of its own, as long as it has the turn', async () => {
  const app: any = express(alula())
  const inner: any = original()

  app.request.of = 'outer'
  app.use((request: any, _response: any, next: any) => {
    request.seen = [request.of]
    next()
  })
  inner.request.of = 'inner'
  inner.use((request: any, _response: any, next: any) => {
    request.seen.push(request.of, request.app === inner)
    next()
  })
  app.use('/mounted', inner)
  app.use((request: any, response: any) => {
    response.json([...request.seen, request.of, request.app === app])
  })

  expect(await getJson(`${await serve(app)}/mounted/x`, LAST)).toEqual([
    'outer',
    'inner',
    true,
    'outer',
    true
  ])
})

it('an application behind a server of somebody else still works', async () => {
  const app: any = express(alula())

  app.request.greeting = 'hello'
  app.configure(rest())
  app.use('things', { find: async ({ query }: any) => query })

  const server = createServer(app).listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(() => void server.close())
  app.get('/greeting', (request: any, response: any) => response.json(request.greeting))

  expect(await getJson(`${toUrl(server)}/greeting`)).toBe('hello')
  expect(await getJson(`${toUrl(server)}/things?a[b]=1`)).toEqual({ a: { b: '1' } })
})

it('says nothing of Express to clients, unless it is told to', async () => {
  const poweredBy = async (app: any) => (await fetch(await serve(app))).headers.get('x-powered-by')

  expect(await poweredBy(express(alula()))).toBeNull()
  expect(await poweredBy(express(alula()).enable('x-powered-by'))).toBe('Express')
  expect(await poweredBy(express(alula(), original()))).toBe('Express')
})
