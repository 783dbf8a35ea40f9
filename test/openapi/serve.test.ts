import { createTestClient, loginAs } from 'alula-testing'
import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, role } from '../../src/access.ts'
import { protect } from '../../src/authentication.ts'
import { createHandler } from '../../src/fetch.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { openapi, type ServeOptions } from '../../src/openapi.ts'
import { one, schema } from '../../src/schema.ts'
import { configureUsers } from '../access/support/application.ts'
import { describeHttpTransports } from '../support/transports.ts'

const INFO = { title: 'Notes', version: '1.2.3' }

afterEach(() => vi.unstubAllEnvs())

function addNotes(app: Application, options?: ServeOptions): void {
  app.use('notes', memory(), {
    schema: schema(z.object({ id: z.int(), text: z.string() })),
    methods: ['find', 'create'],
    access: access({ all: anyone })
  })
  app.configure(openapi(options))
}

describeHttpTransports('the document', (open) => {
  it('is at /openapi.json with a tag, and only there', async () => {
    const client = await open((app) => addNotes(app, { info: INFO, servers: [{ url: '/v1' }], page: false }))
    const response = await client.request('/openapi.json')
    const document = (await response.json()) as any
    const tag = response.headers.get('etag') as string

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(document).toMatchObject({ openapi: '3.1.1', info: INFO, servers: [{ url: '/v1' }] })
    expect(Object.keys(document.paths)).toEqual(['/notes'])
    expect(tag).toMatch(/^W\/".+"$/)

    // `fetch` would force a reload.
    const again = await client.request('/openapi.json', {
      headers: { 'If-None-Match': tag, 'Cache-Control': 'max-age=0' }
    })

    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    expect((await client.request('/openapi.json', { method: 'HEAD' })).status).toBe(200)
    expect((await client.request('/openapi.json', { method: 'POST' })).status).toBe(405)
    expect((await client.request('/openapi.json/notes')).status).toBe(404)
    expect((await client.request('/docs')).status).toBe(404)
  })

  it('is for those whom a rule admits', async () => {
    let app = alula()
    const client = await open((opened) => {
      app = opened
      configureUsers(app)
      addNotes(app, { access: role('admin') })
    })
    const read = async (id?: number) => {
      const token = id === undefined ? 'forged' : (await loginAs(app, { id })).accessToken
      const response = await client.request('/openapi.json', {
        headers: { Authorization: `Bearer ${token}` }
      })

      return [response.status, response.headers.get('cache-control')]
    }

    expect((await client.request('/openapi.json')).status).toBe(401)
    expect((await read())[0]).toBe(401)
    expect((await read(1))[0]).toBe(403)
    expect(await read(3)).toEqual([200, 'private, no-cache'])
  })

  it('is not there in production unless it is said for whom', async () => {
    vi.stubEnv('NODE_ENV', 'production')

    const closed = await open((app) => addNotes(app, { page: 'swagger-ui' }))

    expect((await closed.request('/openapi.json')).status).toBe(404)
    expect((await closed.request('/docs/')).status).toBe(404)

    const opened = await open((app) => addNotes(app, { access: anyone }))

    expect((await opened.request('/openapi.json')).status).toBe(200)
  })

  it('is of a page that shows it, without a request to another site', async () => {
    const client = await open((app) => addNotes(app, { page: 'swagger-ui' }))
    const moved = await client.request('/docs', { redirect: 'manual' })
    const page = await client.request('/docs/')
    const html = await page.text()
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file)

    expect([moved.status, moved.headers.get('location')]).toEqual([308, 'docs/'])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(files).toHaveLength(4)
    for (const file of files) expect((await client.request(`/docs/${file}`)).status).toBe(200)
    for (const file of ['package.json', '../openapi.json/x', 'constructor', '%2e%2e/package.json']) {
      expect((await client.request(`/docs/${file}`)).status).toBe(404)
    }
  })
})

it('knows services that come later', async () => {
  const app = alula()

  addNotes(app)
  await app.setup()

  const { fetch } = createTestClient(app)
  const read = async () => Object.keys(((await (await fetch('/openapi.json')).json()) as any).paths)

  expect(await read()).toEqual(['/notes'])

  app.use('tags', { find: async () => [] })

  expect(await read()).toEqual(['/notes', '/tags'])
})

it('says nothing on its page of services and methods that no client may call', async () => {
  const app = alula()
  const declare = (name: string) => schema(z.object({ id: z.int(), [name]: z.string() }))

  addNotes(app, { access: anyone })
  app.use('payments', memory(), { schema: declare('iban'), methods: [] })
  app.use('audits', memory(), {
    schema: declare('actor'),
    access: access({ get: anyone }),
    methods: ['find']
  })
  app.use('members', memory(), { schema: declare('nickname'), access: access({ find: anyone }) })
  await app.setup()

  const response = await createTestClient(app).fetch('/docs/data.json')
  const { services } = (await response.json()) as { services: { path: string; methods: object[] }[] }

  expect(services).toMatchObject([
    { path: 'notes', methods: [{ name: 'find' }, { name: 'create' }] },
    { path: 'members', methods: [{ name: 'find' }] }
  ])
})

it('offers on its page what the document has: no field that protect() removes, and no relation that clients cannot find', async () => {
  const app = alula()
  const Note = z.object({
    id: z.int(),
    text: z.string(),
    pin: z.string(),
    place: z.object({ city: z.string(), code: z.string() }),
    vaultId: z.int()
  })

  app.use('vaults', memory(), { schema: schema(z.object({ id: z.int() })), methods: [] })
  app.use('notes', memory(), {
    schema: schema(Note, {
      relations: { vault: one('vaults', { from: 'vaultId' }), parent: one('notes', { from: 'vaultId' }) }
    }),
    access: access({ all: anyone })
  })
  app.service('notes').hooks({ after: { all: [protect('pin', 'place')] } })
  app.configure(openapi())
  await app.setup()

  const { fetch } = createTestClient(app)
  const { services } = (await (await fetch('/docs/data.json')).json()) as any
  const [{ columns, filters, sort, relations }] = services

  expect(columns).toEqual(['id', 'text', 'vaultId'])
  expect(Object.keys(filters)).toEqual(['id', 'text', 'vaultId'])
  expect(sort).toEqual(['id', 'text', 'vaultId'])
  expect(relations).toEqual(['parent'])
  for (const path of ['pin', 'place.city']) {
    expect((await fetch(`/notes?${path}=1`)).status).toBe(400)
  }
  expect(await (await fetch('/openapi.json')).text()).not.toMatch(/place\.city|vaults/)
})

it('the page gets few fields for kinds that refer to one another', async () => {
  const app = alula()
  const kinds = Array.from({ length: 6 }, (_, number) => `Kind${number}`)
  const properties = Object.fromEntries(kinds.map((kind) => [kind, { $ref: `#/$defs/${kind}` }]))
  const toKind = () => ({
    type: 'object',
    properties: { name: { type: 'string' }, ...structuredClone(properties) }
  })

  app.use('nodes', memory(), {
    schema: schema({
      type: 'object',
      properties: { id: { type: 'integer' }, ...properties },
      $defs: Object.fromEntries(kinds.map((kind) => [kind, toKind()]))
    }),
    access: access({ all: anyone })
  })
  app.configure(openapi())
  await app.setup()

  const { services } = (await (await createTestClient(app).fetch('/docs/data.json')).json()) as any
  const fields: { path: string; names: string[]; kind: string }[] = services[0].methods.find(
    ({ name }: any) => name === 'create'
  ).data

  expect(fields.length).toBeLessThan(1000)
  expect(Math.max(...fields.map(({ names }) => names.length))).toBe(4)
  expect(fields.find(({ path }) => path === 'Kind0.Kind0')).toMatchObject({ kind: 'json', isNullable: false })
})

it('is closed where a rule returns a query, or fails', async () => {
  const app = alula()

  configureUsers(app)
  addNotes(app, { access: owner('id') })
  await app.setup()

  expect((await (await loginAs(app, { id: 1 })).fetch('/openapi.json')).status).toBe(403)
})

it('names options that cannot be', () => {
  expect(() => openapi({ info: { title: 'Notes' } as never })).toThrow(
    "Invalid option 'info' of openapi(): expected an object with title and version, got object"
  )
  expect(() => openapi({ page: 'redoc' as never })).toThrow("expected false, or one of 'alula', 'swagger-ui'")
  expect(() => openapi({ access: true as never })).toThrow("Invalid option 'access' of openapi()")
  expect(() => openapi({ servers: [] })).toThrow('expected an array of objects with a url')
  expect(() => openapi({ path: '/api.json' } as never)).toThrow("Unknown option 'path' of openapi()")
})

it('the page gets forms of what holds itself, and of strategies that do not name their fields', async () => {
  const app = alula()
  const Node = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      name: { type: 'string' },
      either: { type: ['string', 'integer'] },
      nothing: { type: 'null' },
      anything: { type: 'object' },
      empty: { type: 'object', properties: {}, additionalProperties: false },
      parent: { $ref: '#/$defs/Node' }
    },
    $defs: {
      Node: {
        type: 'object',
        properties: { name: { type: 'string' }, parent: { $ref: '#/$defs/Node' } }
      }
    }
  }

  configureUsers(app)
  app.get('authentication').authStrategies = ['jwt', 'code']
  app.service('authentication').register('code', { authenticate: async () => ({}) })
  app.use('nodes', memory(), { schema: schema(Node), access: access({ all: anyone }) })
  app.configure(openapi())
  await app.setup()

  const { fetch } = createTestClient(app)
  const read = async (file: string): Promise<any> => await (await fetch(`/docs/${file}`)).json()
  const { services } = await read('data.json')
  const { methods, columns } = services.find(({ path }: any) => path === 'nodes')
  const fields = methods.find(({ name }: any) => name === 'create').data

  expect(fields.map(({ path, kind }: any) => [path, kind])).toEqual([
    ['name', 'string'],
    ['either', 'json'],
    ['nothing', 'json'],
    ['anything', 'json'],
    ['parent.name', 'string'],
    ['parent.parent', 'json']
  ])
  expect(columns).toEqual(['id', 'name', 'either', 'nothing', 'anything', 'parent'])
  expect((await read('login.json')).login.strategies).toEqual([
    { name: 'jwt', fields: ['accessToken'] },
    { name: 'code', fields: null }
  ])
})

it('the page gets the forms of methods, the fields of records and the table of who may call what', async () => {
  const app = alula()
  const Note = z.object({
    id: z.int(),
    text: z.string().max(1000).describe('What to do'),
    kind: z.enum(['idea', 'task']),
    done: z.boolean().optional(),
    day: z.iso.date().nullish(),
    madeAt: z.date().optional(),
    tags: z.array(z.string()).optional(),
    password: z.string().optional(),
    address: z.object({ city: z.string() }).optional()
  })

  app.use('notes', Object.assign(memory(), { archive: async () => ({}) }), {
    methods: ['find', 'create', 'archive'],
    routes: { 'PUT /:id/archive': 'archive' },
    schema: schema(Note, {
      hidden: ['password'],
      methods: { archive: { data: z.union([z.object({ why: z.string() }), z.object({ who: z.string() })]) } }
    }),
    access: access({ all: anyone })
  })
  app.use('others', memory(), { methods: ['find'], access: access({ all: anyone }) })
  app.configure(openapi({ info: INFO }))

  const handler = createHandler(app)
  const read = async (file: string): Promise<any> =>
    await (await handler(new Request(`http://localhost/docs/${file}`))).json()
  const { services } = await read('data.json')
  const [{ methods, columns, filters, relations }, others] = services
  const fields = methods.find(({ name }: any) => name === 'create').data
  const archive = methods.find(({ name }: any) => name === 'archive')

  expect(fields.map(({ path, kind }: any) => [path, kind])).toEqual([
    ['text', 'string'],
    ['kind', 'choice'],
    ['done', 'boolean'],
    ['day', 'day'],
    ['madeAt', 'date'],
    ['tags', 'json'],
    ['password', 'string'],
    ['address.city', 'string']
  ])
  expect(fields[0]).toMatchObject({ isRequired: true, isLong: true, description: 'What to do' })
  expect(fields[1].values).toEqual(['idea', 'task'])
  expect(fields[6]).toMatchObject({ isRequired: false, isSecret: true })
  // Alternatives are written as JSON.
  expect(archive.data).toBeNull()
  expect(archive.route).toEqual({ verb: 'PUT', path: ':id/archive', placeholders: ['id'] })
  expect(columns).toEqual(['id', 'text', 'kind', 'done', 'day', 'madeAt', 'tags', 'address'])
  expect([Object.keys(filters).length > 0, relations]).toEqual([true, []])
  expect(others).toMatchObject({ columns: null, filters: null, sort: null, operators: null })
  expect(await read('login.json')).toEqual({
    title: 'Notes',
    version: '1.2.3',
    isForAll: true,
    login: null,
    events: null
  })
  expect((await read('exposure.json')).map(({ service, method }: any) => `${service} ${method}`)).toEqual([
    ...['notes find', 'notes create', 'notes archive'],
    'others find'
  ])
  expect((await handler(new Request('http://localhost/docs/nothing.js'))).status).toBe(404)
})
