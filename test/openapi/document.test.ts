import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { describeApp, describeService, INTEGER, Note, toNames } from './support/describe.ts'

it('has the calls of a service, by the methods that clients have', async () => {
  const { paths } = await describeService(memory({ multi: ['remove'] }), {
    methods: ['find', 'patch', 'remove']
  })

  expect(Object.keys(paths)).toEqual(['/notes', '/notes/{id}'])
  expect(Object.keys(paths['/notes'])).toEqual(['get', 'delete'])
  expect(Object.keys(paths['/notes/{id}'])).toEqual(['patch', 'delete'])
  expect(paths['/notes'].get.operationId).toBe('findNotes')
  expect(paths['/notes'].delete.operationId).toBe('removeNotes')
  expect(paths['/notes/{id}'].delete.operationId).toBe('removeNote')
})

it('has what is declared: data, results, pages, computed fields', async () => {
  const { paths, components } = await describeService(memory({ paginate: { default: 10 } }), {
    schema: schema(Note.extend({ ownerId: z.int32(), secret: z.string() }), {
      server: { ownerId: () => 1 },
      hidden: ['secret'],
      computed: { length: { from: ['text'], many: (notes) => notes.map(({ text }) => text.length) } }
    })
  })
  const { Note: record, NoteCreate, NotePatch, NotePage } = components.schemas

  expect(record.required).toEqual(['id', 'text', 'done', 'ownerId'])
  expect(Object.keys(record.properties)).toEqual(['id', 'text', 'done', 'ownerId', 'length'])
  expect(Object.keys(record.properties).filter((name) => record.properties[name].readOnly)).toEqual([
    'id',
    'ownerId',
    'length'
  ])
  expect(record.additionalProperties).toBe(false)
  expect(NoteCreate).toEqual({
    type: 'object',
    properties: { text: { type: 'string' }, done: { type: 'boolean' }, secret: { type: 'string' } },
    required: ['text', 'secret'],
    additionalProperties: false
  })
  expect(NotePatch.required).toBeUndefined()
  expect(NotePage.properties.data).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Note' } })
  expect(paths['/notes'].post.requestBody).toEqual({
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/NoteCreate' } } }
  })
  expect(Object.keys(paths['/notes'].post.responses)).toEqual(['201', '400', '409', 'default'])
  expect(paths['/notes/{id}'].put.requestBody).toEqual(paths['/notes'].post.requestBody)
})

it('has pages with their total, where the service counts them', async () => {
  for (const [total, required] of [
    [true, ['total', 'limit', 'skip', 'data']],
    [false, ['limit', 'skip', 'data']]
  ] as const) {
    const { components } = await describeService(memory({ paginate: { default: 10, total } }), {
      schema: schema(Note)
    })

    expect(components.schemas.NotePage.required).toEqual(required)
    expect(Object.keys(components.schemas.NotePage.properties)).toEqual(required)
  }
})

it('allows fields that the service drops', async () => {
  const { components } = await describeService(memory(), { schema: schema(Note, { unknown: 'drop' }) })
  const { Note: record, NoteCreate, NotePatch } = components.schemas

  expect([NoteCreate.additionalProperties, NotePatch.additionalProperties]).toEqual([undefined, undefined])
  expect(record.additionalProperties).toBe(false)
})

it('has filters that generated clients can send', async () => {
  const { paths, components } = await describeService(memory(), {
    schema: schema(Note.extend({ words: z.array(z.string()), address: z.object({ city: z.string() }) }), {
      query: { operators: ['$gt', '$in'], sort: ['text'] }
    })
  })
  const { parameters } = paths['/notes'].get
  const find = (name: string) => parameters.find((one: any) => one.name === name)

  expect(toNames(paths['/notes'].get)).toEqual([
    ...['id', 'id[$in][]', 'text', 'text[$in][]', 'done', 'done[$in][]'],
    ...['address.city', 'address.city[$in][]', '$limit', '$skip', '$sort']
  ])
  expect(find('id').schema).toEqual({ $ref: '#/components/schemas/IntegerFilter' })
  expect(components.schemas.IntegerFilter.anyOf).toEqual([
    INTEGER,
    { type: 'object', properties: { $gt: INTEGER }, additionalProperties: false }
  ])
  expect(find('id')).toMatchObject({ style: 'deepObject', explode: true })
  expect(find('id[$in][]').schema).toEqual({ type: 'array', items: INTEGER, minItems: 1 })
  expect(Object.keys(find('$sort').schema.properties)).toEqual(['text'])
})

it('has filters by fields of several types', async () => {
  const Code = z.object({ id: z.int32(), code: z.union([z.string(), z.int32()]), size: z.literal(['s', 1]) })
  const { paths, components } = await describeService(memory(), {
    schema: schema(Code, { query: { operators: ['$gt', '$in'] } })
  })
  const { parameters } = paths['/notes'].get
  const toSchema = (name: string) => parameters.find((one: any) => one.name === name).schema

  expect(toSchema('code')).toEqual({ $ref: '#/components/schemas/StringIntegerFilter' })
  expect(components.schemas.StringIntegerFilter.anyOf[0]).toEqual({ anyOf: [{ type: 'string' }, INTEGER] })
  expect(toSchema('size').anyOf[0]).toEqual({ enum: ['s', 1] })
  expect(toSchema('size[$in][]').items).toEqual({ enum: ['s', 1] })
})

it('has data and results of several records, where the service writes several', async () => {
  const { paths } = await describeService(memory({ multi: true }), { schema: schema(Note) })
  const { post, patch } = paths['/notes']
  const toSchema = (part: any) => part.content['application/json'].schema
  const toEither = (name: string) => {
    const reference = { $ref: `#/components/schemas/${name}` }

    return { anyOf: [reference, { type: 'array', items: reference }] }
  }

  expect(toSchema(post.requestBody)).toEqual(toEither('NoteCreate'))
  expect(toSchema(post.responses[201])).toEqual(toEither('Note'))
  expect(toSchema(patch.requestBody)).toEqual({ $ref: '#/components/schemas/NotePatch' })
  expect(toSchema(patch.responses[200])).toEqual(toEither('Note').anyOf[1])
})

it('has pages of a store without a schema', async () => {
  const { paths, components } = await describeService(memory({ paginate: { default: 10 } }), {})
  const page = paths['/notes'].get.responses[200].content['application/json'].schema

  expect(page.required).toEqual(['total', 'limit', 'skip', 'data'])
  expect(page.properties.data).toEqual({ type: 'array', items: {} })
  expect(paths['/notes'].post.requestBody.content['application/json'].schema).toEqual({ type: 'object' })
  expect(Object.keys(components.schemas)).toEqual(['Error'])
})

it('says nothing of errors that the application forms itself', async () => {
  const app = alula()

  app.use('notes', memory())
  expect((await describeApp(app)).components.schemas.Error.required).toContain('className')

  app.set('formatError', () => ({ fault: true }))
  expect((await describeApp(app)).components.schemas.Error).toEqual({ type: 'object' })
})

it('has one schema for the filters of all fields of a kind, unless services allow other operators', async () => {
  const app = alula()
  const Task = z.object({ id: z.int32(), count: z.int32(), kind: z.enum(['idea', 'task']) })
  const unknown = { find: async () => [] }

  app.use('tasks', memory(), { schema: schema(Task) })
  app.use('others', memory(), { schema: schema(Task) })
  app.use('narrow', memory(), { schema: schema(Task, { query: { operators: ['$gt'] } }) })
  app.use('lists', memory(), { schema: schema(Task, { query: { operators: ['$in'] } }) })
  app.use('unknown', unknown, { schema: schema(Task) })
  app.use('single', memory(), { methods: ['get'], schema: schema(z.object({ id: z.string() })) })

  const { paths, components } = await describeApp(app)
  const toSchema = (path: string, name: string) =>
    paths[path].get.parameters.find((one: any) => one.name === name).schema
  const toReference = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const { IntegerFilter, IntegerFilter2, IntegerFilter3 } = components.schemas

  for (const path of ['/tasks', '/others']) {
    for (const name of ['id', 'count']) {
      expect(toSchema(path, name)).toEqual(toReference('IntegerFilter'))
    }
  }
  expect(Object.keys(IntegerFilter.anyOf[1].properties)).toEqual(['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'])
  expect(toSchema('/narrow', 'id')).toEqual(toReference('IntegerFilter2'))
  expect(Object.keys(IntegerFilter2.anyOf[1].properties)).toEqual(['$gt'])
  expect(toSchema('/lists', 'id')).toEqual(INTEGER)
  // A service that is no adapter may have operators of its own.
  expect(toSchema('/unknown', 'id')).toEqual(toReference('IntegerFilter3'))
  expect(IntegerFilter3.anyOf[1].additionalProperties).toBeUndefined()
  expect(toSchema('/tasks', 'kind').anyOf[0]).toEqual({ type: 'string', enum: ['idea', 'task'] })
  expect(toSchema('/tasks', 'kind').anyOf[1].properties.$gt).toEqual({ type: 'string' })
  // No call takes it.
  expect(components.schemas.StringFilter).toBeUndefined()
})

it('has a query that is described by a schema', async () => {
  const query = {
    type: 'object',
    required: ['lang'],
    properties: {
      lang: { type: 'string' },
      age: {
        anyOf: [
          INTEGER,
          { type: 'object', properties: { $gt: INTEGER, $in: { type: 'array', items: INTEGER } } }
        ]
      },
      words: { type: 'array', items: { type: 'string' } },
      $select: { type: 'array', items: { type: 'string' } }
    }
  }
  const { paths } = await describeService(memory(), { schema: schema(Note, { query }) })
  const { parameters } = paths['/notes'].get

  expect(toNames(paths['/notes'].get)).toEqual(['lang', 'age', 'age[$in][]', 'words[]'])
  expect(parameters[0]).toEqual({ name: 'lang', in: 'query', required: true, schema: { type: 'string' } })
  expect(parameters[1].schema.anyOf[1].properties).toEqual({ $gt: INTEGER })
})

it('has parameters of a query by the forms that its schema allows', async () => {
  const query = {
    type: 'object',
    required: ['range'],
    properties: {
      range: { type: 'object', properties: { $gt: INTEGER } },
      word: { anyOf: [{ type: 'string' }, INTEGER] },
      any: { type: 'array' }
    }
  }
  const { paths } = await describeService(memory(), { schema: schema(Note, { query }) })
  const [range, word, any] = paths['/notes'].get.parameters

  expect(range).toMatchObject({ name: 'range', required: true, style: 'deepObject' })
  expect(range.schema).toEqual({ type: 'object', properties: { $gt: INTEGER }, additionalProperties: false })
  expect(word).toEqual({
    name: 'word',
    in: 'query',
    schema: { anyOf: [{ type: 'string' }, INTEGER] }
  })
  expect(any).toEqual({ name: 'any[]', in: 'query', schema: { type: 'array', items: {}, minItems: 1 } })
})

it('has a body for a custom method that is called by DELETE only where its data is known', async () => {
  class Notes extends MemoryService {
    async clear() {}
    async prune() {}
  }
  const { paths } = await describeService(new Notes(), {
    methods: ['clear', 'prune'],
    routes: { 'DELETE /clear': 'clear', 'DELETE /prune': 'prune' },
    schema: schema(Note, { methods: { prune: { data: z.object({ before: z.string() }) } } })
  })

  expect(paths['/notes/clear'].delete.requestBody).toBeUndefined()
  expect(paths['/notes/prune'].delete.requestBody.required).toBe(true)
})

it('has custom methods by name and by route, and another field in place of the id', async () => {
  class Notes extends MemoryService {
    async archive() {}
    async favorite() {}
  }
  const { paths, components } = await describeService(new Notes(), {
    methods: ['get', 'archive', 'favorite'],
    by: 'text',
    routes: { 'POST /:slug': 'favorite', 'GET /:slug/favorite': 'favorite' },
    schema: schema(Note, {
      methods: {
        archive: { data: z.object({ before: z.string() }), result: z.object({ count: z.int32() }) },
        favorite: { query: z.object({ loud: z.boolean().optional() }) }
      }
    })
  })

  expect(Object.keys(paths)).toEqual(['/notes/{text}', '/notes/archive', '/notes/{slug}/favorite'])
  expect(Object.keys(paths['/notes/{text}'])).toEqual(['get', 'post'])
  expect(paths['/notes/{text}'].get.parameters[0].schema).toEqual({ type: 'string', minLength: 1 })
  expect(toNames(paths['/notes/{slug}/favorite'].get)).toEqual(['slug', 'loud'])
  expect(paths['/notes/archive'].post.operationId).toBe('archiveNotes')
  expect(components.schemas.NoteArchive.required).toEqual(['before'])
  expect(components.schemas.NoteArchiveResult.required).toEqual(['count'])
  expect(Object.keys(paths['/notes/{text}'].post.responses)).toContain('204')
})

it('lists services without a schema, whose bodies may be anything', async () => {
  const { paths, components } = await describeService({ find: async () => [], create: async () => ({}) }, {})

  expect(paths['/notes'].post.requestBody.content).toEqual({ 'application/json': { schema: {} } })
  expect(Object.keys(paths['/notes'].get.responses)).toEqual(['200', '204', '400', '3XX', 'default'])
  expect(Object.keys(components.schemas)).toEqual(['Error'])
})

describe('names', () => {
  it('are of a service where its path has none', async () => {
    const { paths } = await describeService(memory(), { methods: ['find', 'get'] }, ':tenant')

    expect(paths['/{tenant}'].get.operationId).toBe('findService')
    expect(paths['/{tenant}/{id}'].get.operationId).toBe('getService')
  })

  it('are those of the paths, each once', async () => {
    const app = alula()
    const declared = { schema: schema(Note), methods: ['find', 'get', 'create'] }

    for (const path of [
      'notes',
      'note',
      'errors',
      'categories',
      'users/:id/boxes',
      'note-creates',
      'status'
    ]) {
      app.use(path, memory(), { ...declared, schema: schema(Note) } as never)
    }

    const { paths, components } = await describeApp(app)
    const ids = Object.values<any>(paths).flatMap((item) =>
      Object.values<any>(item).map(({ operationId }) => operationId)
    )

    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(components.schemas).filter((name) => !/Create|Patch|Filter/.test(name))).toEqual([
      ...['Error', 'Note', 'Note2', 'Error2', 'Category', 'UserBox', 'Status']
    ])
    expect(Object.keys(paths)).toContain('/users/{id}/boxes/{id2}')
    expect(ids).toContain('findUserBoxes')
  })
})
