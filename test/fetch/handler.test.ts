import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { AuthenticationService, type AuthenticationStrategy } from '../../src/authentication.ts'
import { createHandler, type HandlerOptions } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { openapi } from '../../src/openapi.ts'
import { schema } from '../../src/schema.ts'

const app = alula()

app.use('things', {
  find: async ({ query, provider, caller }: any) => ({ query, provider, caller }),
  create: async (data: any) => data,
  get: async () => {
    throw new Error('broken')
  }
})

const request = (path: string, init?: RequestInit, options: HandlerOptions = { logger: false }) =>
  createHandler(app, options)(new Request(`http://localhost${path}`, init))

it('params come from the request and its surroundings', async () => {
  const params = ({ headers }: Request) => ({ caller: headers.get('x-caller') })
  const response = await request('/things?a=1', { headers: { 'X-Caller': 'ada' } }, { params, logger: false })

  expect(await response.json()).toEqual({ query: { a: '1' }, provider: 'rest', caller: 'ada' })
})

it('a request whose body was read before is a 500 that says so', async () => {
  const consumed = new Request('http://localhost/things', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}'
  })

  await consumed.text()

  const response = await createHandler(app, { logger: false })(consumed)

  expect(response.status).toBe(500)
  expect(((await response.json()) as any).message).toMatch(/^The body of the request was read before/)
})

it('a function for params that throws is a 500', async () => {
  const params = () => {
    throw new Error('no params')
  }

  expect((await request('/things', {}, { params, logger: false })).status).toBe(500)
})

it('credentials are looked for by the service and the strategies of the option', async () => {
  const app = alula().use('things', { find: async ({ authentication = null }: any) => ({ authentication }) })
  const byHeader = (name: string): AuthenticationStrategy => ({
    parse: async ({ headers }) => (headers[name] ? { strategy: name, key: headers[name] } : null)
  })

  for (const path of ['usual', 'staff']) {
    app.set(path, { parseStrategies: [`x-${path}`] })

    const service = new AuthenticationService(app, path)

    for (const name of [`x-${path}`, 'x-other']) service.register(name, byHeader(name))
    app.use(path, service)
  }

  const headers = { 'X-Usual': 'a', 'X-Staff': 'b', 'X-Other': 'c' }

  for (const [authentication, found] of [
    [undefined, { strategy: 'x-usual', key: 'a' }],
    [{ service: 'staff' }, { strategy: 'x-staff', key: 'b' }],
    [{ strategies: ['x-other'] }, { strategy: 'x-other', key: 'c' }],
    [
      { service: 'staff', strategies: ['x-other', 'x-staff'] },
      { strategy: 'x-other', key: 'c' }
    ],
    [{ strategies: [] }, null]
  ] as const) {
    const handler = createHandler(app, { logger: false, ...(authentication && { authentication }) })
    const response = await handler(new Request('http://localhost/things', { headers }))

    expect(await response.json()).toEqual({ authentication: found })
  }
})

it('services stand under a prefix', async () => {
  for (const prefix of ['/api', 'api/']) {
    const status = async (path: string) => (await request(path, {}, { prefix, logger: false })).status

    expect(await status('/api/things')).toBe(200)
    expect(await status('/things')).toBe(404)
    expect(await status('/apithings')).toBe(404)
    expect(await status('/api')).toBe(404)
  }
})

it('a limit that is no number is refused', () => {
  for (const bodyLimit of ['1mb', Number.NaN, -1, null] as any[]) {
    expect(() => createHandler(app, { bodyLimit })).toThrow(
      "Invalid option 'bodyLimit' of createHandler: expected a number of bytes"
    )
  }
})

it('the prefix / is none', async () => {
  for (const prefix of ['/', '']) {
    expect((await request('/things', {}, { prefix, logger: false })).status).toBe(200)
  }
})

it('the text of an unexpected error is masked where there is no environment', async () => {
  vi.stubGlobal('process', undefined)

  const response = await request('/things/1')

  vi.unstubAllGlobals()

  expect(await response.json()).toMatchObject({ message: 'An unexpected error occurred on the server' })
})

it('a process without an environment, as some bundlers make one, is none', async () => {
  vi.stubGlobal('process', {})
  onTestFinished(() => void vi.unstubAllGlobals())

  const app = alula().configure(openapi())

  app.use('things', memory(), { schema: schema(z.object({ id: z.int() })) })
  app.use('notes', memory())
  await app.setup()

  expect(await app.service('notes').find({ query: { limit: 1 } })).toEqual([])
  expect((await createHandler(app)(new Request('http://a/things'))).status).toBe(200)
})

it('no CORS header is set', async () => {
  const response = await request('/things', { headers: { Origin: 'http://elsewhere.example' } })

  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

it('a body that has no length is read up to the limit and no further', async () => {
  let pulled = 0
  const body = new ReadableStream({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1000).fill(32))
    }
  })
  const response = await request(
    '/things',
    { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, duplex: 'half' } as RequestInit,
    { bodyLimit: 5000, logger: false }
  )

  expect(response.status).toBe(413)
  expect(pulled).toBeLessThan(10)
})

it('characters that are split between chunks stay whole', async () => {
  const bytes = new TextEncoder().encode('{"text":"ü€😀"}')
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    }
  })
  const response = await request('/things', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    duplex: 'half'
  } as RequestInit)

  expect(await response.json()).toEqual({ text: 'ü€😀' })
})

it('a request that breaks off is a 400', async () => {
  const body = new ReadableStream({
    pull(controller) {
      controller.error(new Error('gone'))
    }
  })
  const response = await request('/things', { method: 'POST', body, duplex: 'half' } as RequestInit)

  expect(response.status).toBe(400)
})

it('unexpected errors are written to the log, others are not', async () => {
  const lines: string[] = []
  const logger = { error: (line: string) => lines.push(`${line.split('\n')[0]}`) }

  await request('/things/1', {}, { logger })
  await request('/unknown', {}, { logger })

  expect(lines).toEqual(['Error: broken'])
})
