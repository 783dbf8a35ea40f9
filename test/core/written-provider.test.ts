import { setImmediate } from 'node:timers/promises'
import { loginAs } from 'alula-testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { type Application, alula, asCaller } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { addAuthentication } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'

/** The warnings of the process from now on. */
function watchWarnings(): { list(): Promise<readonly string[]> } {
  const warnings: string[] = []
  const listener = ({ code, message }: any) => {
    if (code === 'ALULA_WRITTEN_PROVIDER') warnings.push(message)
  }

  process.on('warning', listener)
  onTestFinished(() => void process.off('warning', listener))

  return {
    async list() {
      await setImmediate()

      return warnings
    }
  }
}

/** Notes whose calls lead to calls of the log, with the params that a function makes of theirs. */
function createApp(toParams: (params: any) => object, app: any = alula()): Application {
  app.use('log', memory())
  app.use('notes', memory())
  app.service('notes').hooks({
    after: { find: [async ({ params }: any) => void (await app.service('log').find(toParams(params)))] }
  })

  return app
}

const request = new Request('http://localhost/notes')

it('params with a provider that the application has written are reported once', async () => {
  const warnings = watchWarnings()
  const app = createApp(({ provider, query }) => ({ provider, query }))

  for (const _ of [1, 2]) await createHandler(app)(request)

  await app.service('notes').find({ provider: 'rest' })

  expect(await warnings.list()).toEqual([
    expect.stringMatching(
      /^'find' of service 'log' was called .* app\.asClient\(\{ user \}\)\.service\('log'\)\.find\(\)$/
    )
  ])
})

it('also where the method has no hooks', async () => {
  const warnings = watchWarnings()

  await alula().use('notes', memory()).service('notes').find({ provider: 'rest' })

  expect(await warnings.list()).toHaveLength(1)
})

it.each<[string, (params: any) => object]>([
  ['as they are', (params) => params],
  ['with another query', (params) => ({ ...params, query: { $limit: 1 } })],
  ['by asCaller', (params) => asCaller(params, { $limit: 1 })],
  ['by asCaller, with changes', (params) => ({ ...asCaller(params), paginate: false })],
  ['without the provider', ({ provider, ...params }) => params],
  ['as new internal ones', () => ({})]
])('params of a call that are passed on %s are not reported', async (_name, toParams) => {
  const warnings = watchWarnings()
  const app = createApp(toParams)

  expect((await createHandler(app)(request)).status).toBe(200)
  expect(await app.asClient().service('notes').find()).toEqual([])

  const sockets = createApp(toParams, alula().configure(socketio()))
  const socket = await connectSocket(await serve(sockets as any))

  expect((await ask(socket, 'find', 'notes', {})).slice(0, 2)).toEqual([null, []])
  expect(await warnings.list()).toEqual([])
})

it('a login that a connection begins with, and params of loginAs, are not reported', async () => {
  const warnings = watchWarnings()
  const app: any = createApp((params) => params, alula().configure(socketio()))

  addAuthentication(app)
  app.use('users', memory())

  const url = await serve(app)
  const ada = await loginAs(app, await app.service('users').create({ email: 'ada' }))
  const socket = await connectSocket(url, { extraHeaders: { authorization: `Bearer ${ada.accessToken}` } })

  expect((await ask(socket, 'find', 'notes', {})).slice(0, 2)).toEqual([null, []])
  expect(await app.service('notes').find({ ...ada.params, query: { $limit: 1 } })).toEqual([])
  expect(await warnings.list()).toEqual([])
})

it('params of a mounted function are not reported', async () => {
  const warnings = watchWarnings()
  const app = createApp((params) => params)

  app.mount('/feed', async (_request, { params }) => Response.json(await app.service('notes').find(params)))

  expect((await createHandler(app)(new Request('http://localhost/feed'))).status).toBe(200)
  expect(await warnings.list()).toEqual([])
})

it('params of a mounted function of a sub-application are not reported', async () => {
  const warnings = watchWarnings()
  const inner = createApp((params) => ({ ...params, query: {} }))
  const outer = alula()

  inner.mount('/feed', async (_request, { params }) =>
    Response.json(await inner.service('notes').find({ ...params, query: {} }))
  )
  outer.use('v1', inner)

  expect((await createHandler(outer)(new Request('http://localhost/v1/feed'))).status).toBe(200)
  expect((await createHandler(outer)(new Request('http://localhost/v1/notes'))).status).toBe(200)
  expect(await warnings.list()).toEqual([])
})

it('params that a mounted function has written are reported', async () => {
  const warnings = watchWarnings()
  const inner = createApp((params) => params)
  const outer = alula()

  inner.mount('/feed', async () => Response.json(await inner.service('notes').find({ provider: 'rest' })))
  outer.use('v1', inner)

  expect((await createHandler(outer)(new Request('http://localhost/v1/feed'))).status).toBe(200)
  expect(await warnings.list()).toHaveLength(1)
})

it('nothing is reported in production', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())

  const warnings = watchWarnings()

  await alula().use('notes', memory()).service('notes').find({ provider: 'rest' })

  expect(await warnings.list()).toEqual([])
})
