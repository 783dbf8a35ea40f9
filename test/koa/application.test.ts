import { once } from 'node:events'
import KoaClass from 'koa'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { errorHandler, Koa, koa, rest } from '../../src/koa.ts'
import { socketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'

const getJson = async (url: string, init?: RequestInit): Promise<any> => (await fetch(url, init)).json()

it('the application stays the same object, and has the members of Koa', () => {
  const app = alula()
  const both = koa(app)

  expect(both).toBe(app)
  expect(both.middleware).toHaveLength(1)
  expect(both.env).toBe('test')
  expect(typeof both.callback).toBe('function')
  expect(koa()).toBeInstanceOf(Koa)
  expect(Koa).toBe(KoaClass)
})

it('the query of the prototype of its requests can be read, as in Koa', async () => {
  const app = koa(alula())

  // feathers-swagger tells an application of Koa by it.
  expect(app.request.query).toEqual({})
  Object.assign(app.request.query, { left: 'behind' })

  app.configure(rest())
  app.use('things', { find: async ({ query }: any) => query })

  expect(await getJson(`${await serve(app)}/things`)).toEqual({})
})

it('only applications are accepted', () => {
  expect(() => koa({} as any)).toThrow('alula/koa requires a valid Feathers application instance')
  expect(() => alula().configure(rest())).toThrow('alula/koa rest needs a Koa compatible app.')
})

it('a Koa application of your own keeps its settings and its middleware', async () => {
  class OwnKoa extends Koa {
    get greeting() {
      return 'hello'
    }
  }

  const own = new OwnKoa({ proxy: true, keys: ['key'] })

  own.use(async (context, next) => {
    await next()
    context.set('X-Own', typeof context.body)
  })

  const app: any = koa(alula(), own)

  app.configure(rest())
  app.use('things', { find: async () => ['thing'] })

  const response = await fetch(`${await serve(app)}/things`)

  expect([app.greeting, app.proxy, app.keys]).toEqual(['hello', true, ['key']])
  expect(await response.json()).toEqual(['thing'])
  expect(response.headers.get('x-own')).toBe('string')
})

it('services are served whether they are registered before rest() or after it, or while it listens', async () => {
  const app = koa(alula())

  app.use('before', { find: async () => ['before'] })
  app.configure(rest())
  app.use('after', { find: async () => ['after'] })

  const url = await serve(app)

  app.use('later', { find: async () => ['later'] })

  expect(await getJson(`${url}/before`)).toEqual(['before'])
  expect(await getJson(`${url}/after`)).toEqual(['after'])
  expect(await getJson(`${url}/later`)).toEqual(['later'])
})

it('the services of another application are registered under a path', async () => {
  const inner = alula().use('things', { find: async () => ['inner'] })
  const app = koa(alula())

  app.configure(rest())
  app.use('sub', inner as any)

  expect(await getJson(`${await serve(app)}/sub/things`)).toEqual(['inner'])
})

it('listen() sets up and resolves to the server, and teardown() closes it', async () => {
  const app = koa(alula())
  const order: string[] = []

  app.configure(rest())
  app.use('things', {
    find: async () => [],
    setup: async () => void order.push('setup'),
    teardown: async () => void order.push('teardown')
  } as any)

  const server = await app.listen(0, '127.0.0.1')
  const closed = once(server, 'close')

  expect(server).toBe(app.server)
  expect(server.listening).toBe(true)

  await app.teardown()
  await closed

  expect(order).toEqual(['setup', 'teardown'])
})

it('teardown() works without a server', async () => {
  const app = koa(alula())

  await app.setup()

  expect(await app.teardown()).toBe(app)
})

it('an application whose services no transport reaches is warned of', async () => {
  const app = koa(alula())
  const warning = new Promise<any>((resolve) => {
    const listener = (given: any) => given.code === 'ALULA_NO_TRANSPORT' && resolve(given)

    process.on('warning', listener)
    onTestFinished(() => void process.off('warning', listener))
  })

  app.use('things', { find: async () => [] })
  await serve(app)

  expect((await warning).message).toContain('app.configure(rest())')
})

it('sockets reach the services, and get their events', async () => {
  const app = koa(alula())

  app.use(errorHandler())
  app.configure(rest())
  app.configure(socketio())
  app.use('things', { create: async (data: any) => data })
  app.on('connection', (connection: any) => void app.channel('all').join(connection))
  app.publish(() => app.channel('all'))

  const url = await serve(app)
  const socket = await connectSocket(url)
  const events = [next(socket, 'things created'), next(socket, 'things created')] as const

  expect(await ask(socket, 'create', 'things', { a: 1 })).toEqual([null, { a: 1 }])
  await getJson(`${url}/things`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"a":2}'
  })
  expect(await events[0]).toEqual({ a: 1 })
})

it('the middleware of a service has to be given as arrays of functions', () => {
  const app: any = koa(alula())
  const things = { find: async () => [] }

  for (const list of [() => undefined, [1], [[() => undefined]]]) {
    for (const name of ['before', 'after']) {
      expect(() => app.use('things', things, { koa: { [name]: list } })).toThrow(
        `Invalid option 'koa.${name}' of service 'things': expected an array of functions`
      )
    }
  }

  expect(() => app.use('things', things, { koa: { around: [] } })).toThrow(
    "Unknown option 'koa.around' of service 'things': expected one of before, after"
  )
})

it('rest() refuses options that Koa has itself', () => {
  expect(() => rest({ cors: true } as any)).toThrow(
    "Invalid option 'cors' of rest: expected the middleware cors() instead"
  )
  expect(() => rest({ trustProxy: 1 } as any)).toThrow(
    "Invalid option 'trustProxy' of rest: expected 0 for no proxy, and otherwise app.proxy of Koa instead, got 1"
  )
  expect(() => rest({ prefx: '/api' } as any)).toThrow("Unknown option 'prefx' of rest")
})
