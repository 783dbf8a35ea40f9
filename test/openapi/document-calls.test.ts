import { expect, it } from 'vitest'
import { z } from 'zod'
import { idempotency } from '../../src/idempotency.ts'
import { alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { toOpenApi } from '../../src/openapi.ts'
import { schema } from '../../src/schema.ts'
import { describeService, INTEGER, Note, toBody, toResult } from './support/describe.ts'

it('calls are summed up in words, and belong to their service', async () => {
  class Notes extends MemoryService {
    async markAsRead() {}
    async send_now() {}
    async runV2Job() {}
  }
  const { paths } = await describeService(new Notes(), {
    methods: ['find', 'markAsRead', 'send_now', 'runV2Job']
  })

  expect(paths['/notes'].get).toMatchObject({ summary: 'Find: for anyone', tags: ['notes'] })
  expect(paths['/notes/markAsRead'].post.summary).toBe('Mark as read: for anyone')
  expect(paths['/notes/send_now'].post.summary).toBe('Send now: for anyone')
  expect(paths['/notes/runV2Job'].post.summary).toBe('Run v2 job: for anyone')
})

it('a find says that its path takes QUERY, which OpenAPI 3.1 has no place for', () => {
  const app = alula()

  app.use('notes', memory())

  const { get, post } = toOpenApi(app).paths['/notes'] as any

  expect([get['x-query'], post['x-query']]).toEqual([['application/json'], undefined])
})

it('the header for idempotency keys is described where calls take it', () => {
  const app = alula()

  app.configure(idempotency())
  app.use(
    'notes',
    {
      create: async () => ({}),
      update: async () => ({}),
      patch: async () => ({}),
      send: async () => ({}),
      count: async () => ({})
    } as any,
    { methods: ['create', 'update', 'patch', 'send', 'count'], routes: { 'GET /count': 'count' } }
  )

  const { paths } = toOpenApi(app) as any
  const takers = Object.entries<any>(paths).flatMap(([path, item]) =>
    Object.entries<any>(item)
      .filter(([, { parameters = [] }]) => parameters.some((one: any) => one.name === 'Idempotency-Key'))
      .map(([verb]) => `${verb} ${path}`)
  )

  expect(takers.sort()).toEqual(['patch /notes', 'patch /notes/{id}', 'post /notes', 'post /notes/send'])
  expect(paths['/notes'].post.parameters).toEqual([
    expect.objectContaining({ in: 'header', name: 'Idempotency-Key' })
  ])
})

it('placeholders of a path are texts that are not empty, and the last one of a record is its id', async () => {
  const { paths } = await describeService(memory(), { schema: schema(Note) }, 'orgs/:orgId/notes')
  const toSchemas = (operation: any) =>
    operation.parameters
      .filter((one: any) => one.in === 'path')
      .map(({ name, schema }: any) => [name, schema.type, schema.minLength])

  expect(toSchemas(paths['/orgs/{orgId}/notes'].get)).toEqual([['orgId', 'string', 1]])
  expect(toSchemas(paths['/orgs/{orgId}/notes/{id}'].get)).toEqual([
    ['orgId', 'string', 1],
    ['id', 'integer', undefined]
  ])
})

it('a unique value may be taken where a call writes, and a stored record may be in use', async () => {
  const { paths } = await describeService(memory(), { schema: schema(Note) })
  const { get, put, patch, delete: remove } = paths['/notes/{id}']
  const calls = { create: paths['/notes'].post, get, put, patch, remove }

  expect(Object.entries(calls).filter(([, { responses }]) => responses[409])).toEqual([
    ['create', calls.create],
    ['put', put],
    ['patch', patch],
    ['remove', remove]
  ])

  const own = await describeService({ remove: async () => ({ id: 1 }) } as any, { schema: schema(Note) })

  expect(own.paths['/notes/{id}'].delete.responses[409]).toBeUndefined()
})

it('a record may be missing for calls with an id, and for custom methods, whose data may name one', async () => {
  const { paths } = await describeService(Object.assign(memory(), { archive: async () => ({}) }), {
    methods: ['find', 'get', 'create', 'archive'],
    schema: schema(Note)
  })
  const operations = Object.values(paths).flatMap((item: any) => Object.values<any>(item))
  const ids = operations.filter(({ responses }) => responses[404]).map(({ operationId }) => operationId)

  expect(ids).toEqual(['getNote', 'archiveNotes'])
})

it('results are elsewhere only for a service of which nothing is known', async () => {
  const methods = ['remove']
  const of = async (service: object, options: object = {}) =>
    (await describeService(service, { methods, ...options })).paths['/notes/{id}'].delete.responses

  expect(await of({ remove: async () => ({}) })).toHaveProperty('3XX')
  expect(await of({ remove: async () => ({}) }, { schema: schema(Note) })).not.toHaveProperty('3XX')
  expect(await of(memory())).not.toHaveProperty('3XX')
})

it('a service that is no adapter returns a list or a page, and one record', async () => {
  const service = { find: async () => [], create: async () => ({}), remove: async () => ({}) }
  const { paths, components } = await describeService(service, { schema: schema(Note) })
  const record = { $ref: '#/components/schemas/Note' }

  expect(toResult(paths['/notes'].get)).toEqual({
    anyOf: [{ type: 'array', items: record }, { $ref: '#/components/schemas/NotePage' }]
  })
  expect(components.schemas.NotePage).toEqual({
    type: 'object',
    required: ['limit', 'skip', 'data'],
    properties: { total: INTEGER, limit: INTEGER, skip: INTEGER, data: { type: 'array', items: record } }
  })
  expect(toResult(paths['/notes'].post, '201')).toEqual(record)
  // Only of an adapter it is known that it does without an id.
  expect(paths['/notes'].delete).toBeUndefined()
})

it('a page has a total where it is counted', async () => {
  const paginate = { default: 10, total: false }
  const { components } = await describeService(memory({ paginate }), { schema: schema(Note) })

  expect(components.schemas.NotePage.required).toEqual(['limit', 'skip', 'data'])
  expect(components.schemas.NotePage.properties.total).toBeUndefined()
})

it('several records are created, changed and removed where the adapter allows it', async () => {
  const { paths } = await describeService(memory({ multi: ['create', 'remove'] }), { schema: schema(Note) })
  const data = { $ref: '#/components/schemas/NoteCreate' }
  const list = { type: 'array', items: { $ref: '#/components/schemas/Note' } }

  expect(toBody(paths['/notes'].post)).toEqual({ anyOf: [data, { type: 'array', items: data }] })
  expect(toResult(paths['/notes'].post, '201').anyOf[1]).toEqual(list)
  expect(toResult(paths['/notes'].delete)).toEqual(list)
  expect(paths['/notes'].patch).toBeUndefined()
})

it('custom methods take what is known of them, and nothing by GET', async () => {
  class Notes extends MemoryService {
    async count() {}
    async clear() {}
  }
  const { paths, components } = await describeService(new Notes(), {
    methods: ['count', 'clear'],
    routes: { 'GET /count': 'count' },
    schema: schema(Note, {
      methods: { count: { data: z.object({ of: z.string() }), result: z.object({ number: z.int32() }) } }
    })
  })

  expect(paths['/notes/count'].get.requestBody).toBeUndefined()
  expect(toResult(paths['/notes/count'].get)).toEqual({ $ref: '#/components/schemas/NoteCountResult' })
  expect(components.schemas.NoteCountResult.additionalProperties).toBe(false)
  expect(paths['/notes/clear'].post.requestBody).toEqual({
    required: false,
    content: { 'application/json': { schema: {} } }
  })
})

it('a document says what the API is called and where it is', async () => {
  const app = alula()

  expect(toOpenApi(app)).toMatchObject({ info: { title: 'API', version: '1.0.0' }, servers: [{ url: '.' }] })
  for (const info of [{ title: 1, version: '1' }, { title: 'Notes', version: 1 }, 'Notes']) {
    expect(() => toOpenApi(app, { info } as never)).toThrow("Invalid option 'info' of toOpenApi")
  }
  for (const servers of ['/', [], [{}], ['/'], [{ url: '.' }, {}]]) {
    expect(() => toOpenApi(app, { servers } as never)).toThrow(
      "Invalid option 'servers' of toOpenApi: expected an array of objects with a url"
    )
  }
})

it('a list that a query has to have is a required parameter, where nothing else stands for it', async () => {
  class Notes extends MemoryService {
    async pick() {}
  }
  const query = z.object({
    ids: z.array(z.int()),
    tags: z.array(z.string()).optional(),
    either: z.union([z.int(), z.array(z.int())]),
    text: z.string(),
    inner: z.object({ ids: z.array(z.int()), others: z.array(z.int()).optional() }),
    mixed: z.object({ ids: z.array(z.int()), text: z.string() })
  })
  const { paths } = await describeService(new Notes(), {
    methods: ['pick'],
    routes: { 'GET /pick': 'pick' },
    schema: schema(Note, { methods: { pick: { query } } })
  })
  const required = paths['/notes/pick'].get.parameters.filter((one: any) => one.required)

  expect(required.map(({ name }: any) => name)).toEqual([
    'ids[]',
    'text',
    'inner[ids][]',
    'mixed',
    'mixed[ids][]'
  ])
})

it('a schema for queries describes those of all standard methods, as it checks them', async () => {
  const query = z.object({ q: z.string().max(100), loud: z.boolean().optional() })
  const { paths } = await describeService(memory({ multi: ['patch'] }), {
    schema: schema(Note, { query })
  })
  const all = Object.values<any>(paths).flatMap((item) => Object.values<any>(item))

  expect(all).toHaveLength(7)
  for (const { parameters } of all) {
    expect(parameters.filter((one: any) => one.in === 'query')).toMatchObject([
      { name: 'q', required: true, schema: { maxLength: 100 } },
      { name: 'loud' }
    ])
  }
})

it('names that the server refuses in a query are no parameters', async () => {
  class Notes extends MemoryService {
    async pick() {}
  }
  const refused = { constructor: z.string(), inner: z.object({ constructor: z.string() }) }
  const { paths } = await describeService(new Notes(), {
    methods: ['find', 'pick'],
    routes: { 'GET /pick': 'pick' },
    schema: schema(z.object({ id: z.int(), ...refused }), {
      methods: { pick: { query: z.object({ text: z.string().optional(), ...refused }).partial() } }
    })
  })
  const { $sort, ...others } = Object.fromEntries(
    paths['/notes'].get.parameters.map(({ name, schema }: any) => [name, schema])
  )

  // A path is another name.
  expect(Object.keys($sort.properties)).toEqual(['id', 'inner.constructor'])
  expect(Object.keys(others).filter((name) => name.startsWith('constructor'))).toEqual([])
  expect(JSON.stringify(paths['/notes/pick'].get.parameters)).not.toContain('constructor')
})

const FORM = 'application/x-www-form-urlencoded'

it('bodies may be forms where the service takes them', async () => {
  class Notes extends MemoryService {
    async archive() {}
    async count() {}
  }
  const Filed = Note.extend({
    words: z.array(z.string()),
    address: z.object({ city: z.string() }).nullish(),
    more: z.any()
  })
  const options = {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive', 'count'],
    routes: { 'GET /count': 'count' },
    schema: schema(Filed, {
      methods: { archive: { data: z.object({ by: z.object({ name: z.string() }) }) }, count: { data: Note } }
    })
  }
  const { paths } = await describeService(new Notes({ multi: ['create'] }), { ...options, forms: true })
  const { post } = paths['/notes']
  const { put, patch, delete: remove } = paths['/notes/{id}']
  const encoding = { address: { style: 'deepObject', explode: true } }
  const toReference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

  // A form is one record.
  expect(toBody(post).anyOf).toHaveLength(2)
  expect(post.requestBody.content[FORM]).toEqual({ schema: toReference('NoteCreate'), encoding })
  expect(put.requestBody.content[FORM]).toEqual({ schema: toBody(put), encoding })
  expect(patch.requestBody.content[FORM]).toEqual({ schema: toReference('NotePatch'), encoding })
  expect(paths['/notes/archive'].post.requestBody.content[FORM]).toEqual({
    schema: toReference('NoteArchive'),
    encoding: { by: { style: 'deepObject', explode: true } }
  })
  expect([remove, paths['/notes'].get, paths['/notes/count'].get].map(toBody)).toEqual([
    undefined,
    undefined,
    undefined
  ])
  expect(Object.keys((await describeService(memory(), {})).paths['/notes'].post.requestBody.content)).toEqual(
    ['application/json']
  )
})

it('a form has the field of an envelope, and is no list without one', async () => {
  class Notes extends MemoryService {
    async sort() {}
  }
  const options = {
    methods: ['create', 'sort'],
    forms: true,
    schema: schema(Note, {
      envelope: { one: 'note', request: true },
      methods: { sort: { data: z.array(z.int()) } }
    })
  }
  const { post } = (await describeService(new Notes(), options)).paths['/notes']

  expect(post.requestBody.content[FORM]).toEqual({
    schema: toBody(post),
    encoding: { note: { style: 'deepObject', explode: true } }
  })

  const bare = { ...options, schema: schema(Note, { methods: { sort: { data: z.array(z.int()) } } }) }
  const { paths } = await describeService(new Notes(), bare)

  expect(Object.keys(paths['/notes/sort'].post.requestBody.content)).toEqual(['application/json'])
})

it('data with a list of objects is no form, because no document can say how it is written', async () => {
  const Order = Note.extend({ items: z.array(z.object({ name: z.string() })) })
  const options = { forms: true, schema: schema(Order) }
  const { paths } = await describeService(memory(), options)

  expect(Object.keys(paths['/notes'].post.requestBody.content)).toEqual(['application/json'])
})

it('a form to a service without a schema may be anything', async () => {
  const { paths } = await describeService({ create: async () => ({}) }, { forms: true })

  expect(paths['/notes'].post.requestBody.content).toEqual({
    'application/json': { schema: {} },
    [FORM]: { schema: {} }
  })
})
