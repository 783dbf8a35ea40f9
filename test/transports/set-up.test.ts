import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import express, { rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { socketio } from '../../src/socketio.ts'
import { createNotFound } from '../../src/transport/http.ts'
import { createHttpHandler } from '../../src/transport.ts'
import { mount } from '../express/mount.ts'
import { listen, serve } from '../support/server.ts'

/** Collects the warnings with a code until the test ends. */
function collectWarnings(code: string): Error[] {
  const warnings: Error[] = []
  const note = (warning: Error & { code?: string }) => {
    if (warning.code === code) warnings.push(warning)
  }

  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))

  return warnings
}

/** Warnings are emitted in the next tick. */
const settle = () => new Promise(setImmediate)

type Ask = () => Promise<unknown>

const openers: { readonly [name: string]: (app: any) => Promise<Ask> } = {
  toListener: async (app) => {
    const url = await listen(createServer(toListener(app)))

    return () => fetch(`${url}/things`)
  },
  createHandler: async (app) => {
    const handle = createHandler(app)

    return () => handle(new Request('http://a/things'))
  },
  toMiddleware: async (app) => {
    const url = await mount((server) => server.use(toMiddleware(app)))

    return () => fetch(`${url}/things`)
  },
  'toMiddleware with a formatter': async (app) => {
    const url = await mount((server) =>
      server.use(toMiddleware(app, { formatter: (_request, response) => void response.json(response.data) }))
    )

    return () => fetch(`${url}/things`)
  },
  'an Express application that is mounted': async (app) => {
    const url = await mount((server) => server.use(app))

    return () => fetch(`${url}/things`)
  }
}

const create = (name: string) => {
  const app: any = name.startsWith('an Express') ? express(alula()).configure(rest()) : alula()

  return app.use('things', { find: async () => [] })
}

describe.each(Object.entries(openers))('%s', (name, open) => {
  it('says once that the application was never set up', async () => {
    const warnings = collectWarnings('ALULA_NOT_SET_UP')
    const ask = await open(create(name))

    await settle()
    expect(warnings).toEqual([])
    for (let request = 0; request < 3; request++) await ask()
    await settle()
    expect(warnings.map(({ message }) => message)).toEqual([
      'The application receives requests but was never set up: await app.setup() before the server listens'
    ])
  })

  it('says nothing of an application that is set up before its first request', async () => {
    const warnings = collectWarnings('ALULA_NOT_SET_UP')
    const app = create(name)
    const ask = await open(app)

    await app.setup()
    await ask()
    await app.teardown()
    await ask()
    await settle()
    expect(warnings).toEqual([])
  })
})

it('a request for a service that only a setup would register says it', async () => {
  const warnings = collectWarnings('ALULA_NOT_SET_UP')

  expect(await createHandler(alula())(new Request('http://a/things'))).toMatchObject({ status: 404 })
  await settle()
  expect(warnings).toHaveLength(1)
})

it('two transports of an application say it once', async () => {
  const warnings = collectWarnings('ALULA_NOT_SET_UP')
  const app: any = express(alula())

  app.configure(rest()).mount('docs', () => new Response())
  app.use('things', { find: async () => [] })

  const url = await listen(createServer(app))
  const handle = createHandler(app)

  for (const path of ['/things', '/docs']) {
    await fetch(url + path, { headers: { Connection: 'close' } })
    await handle(new Request(`http://a${path}`))
  }
  await settle()
  expect(warnings).toHaveLength(1)
})

it('an application that was torn down was set up, whatever its first request came to', async () => {
  const warnings = collectWarnings('ALULA_NOT_SET_UP')
  const app = create('an Express application')
  const url = await serve(app)

  await fetch(`${url}/things`, { headers: { Connection: 'close' } })
  await app.teardown()
  await createHandler(app)(new Request('http://a/things'))

  const idle = create('createHandler')

  await idle.setup()
  await idle.teardown()
  await createHandler(idle)(new Request('http://a/things'))
  await settle()
  expect(warnings).toEqual([])
})

it('socketio says that it has no server, unless it has one', async () => {
  const warnings = collectWarnings('ALULA_NOT_SET_UP')
  const start = async (app: any, ...args: any[]) => {
    onTestFinished(async () => void (await app.teardown()))
    await app.setup(...args)
    await settle()
  }

  await start(alula().configure(socketio()), createServer())
  await start(alula().configure(socketio(0)))
  await start(alula().configure(socketio((io) => void io.attach(createServer()))))
  expect(warnings).toEqual([])
  await start(alula().configure(socketio()))
  expect(warnings.map(({ message }) => message)).toEqual([
    'socketio() has no server, so no client can connect: call app.listen(), or app.setup(server), or give it a port'
  ])
})

it('createHttpHandler serves an application without any server', async () => {
  const app: any = alula().use('things', { create: async (data: any) => data } as any)
  const handle = createHttpHandler(app, { prefix: '/api', logger: false })
  const ask = (method: string, path: string) =>
    handle({
      method,
      path,
      search: '',
      headers: { 'content-type': 'application/json' },
      readText: async () => '{"a":1}',
      toRequest: () => new Request('http://a/')
    })

  expect(await ask('POST', '/api/things')).toEqual({
    status: 201,
    headers: { 'X-Content-Type-Options': 'nosniff', 'Content-Type': 'application/json; charset=utf-8' },
    body: '{"a":1}'
  })
  expect(JSON.parse(String((await ask('GET', '/things')).body))).toEqual(createNotFound('/things').toJSON())
})
