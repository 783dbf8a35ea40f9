import { createTestClient } from 'alula-testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { events } from '../../src/events.ts'
import { alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { openapi } from '../../src/openapi.ts'
import { one, schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'

const OPEN = access({ all: anyone })

/** What the page of an application gets from one of its files. */
async function read(file: string, configure: (app: any) => void): Promise<any> {
  const app = alula()

  configure(app)
  app.configure(openapi())
  await app.setup()

  return await (await createTestClient(app).fetch(`/docs/${file}`)).json()
}

/** The fields of the form that creates a record. */
async function readForm(record: object): Promise<readonly any[]> {
  const { services } = await read('data.json', (app) =>
    app.use('notes', memory(), { methods: ['create'], schema: schema(record as any), access: OPEN })
  )

  return services[0].methods[0].data
}

const PLAIN = { isNullable: false, isLong: false, isSecret: false }

it.each([
  ['a text', z.string(), { kind: 'string' }],
  ['a text of up to 199 characters', z.string().max(199), { kind: 'string' }],
  ['a long text', z.string().max(200), { kind: 'string', isLong: true }],
  ['a number', z.number().max(500), { kind: 'number' }],
  ['a whole number', z.int32(), { kind: 'integer' }],
  ['true or false', z.boolean(), { kind: 'boolean' }],
  ['true or false, false where it is left out', z.boolean().default(false), { kind: 'boolean' }],
  ['true or false, true where it is left out', z.boolean().default(true), { kind: 'boolean', isOn: true }],
  ['a text that has a value where it is left out', z.string().default('true'), { kind: 'string' }],
  ['a point in time', z.iso.datetime(), { kind: 'date' }],
  ['a date of JavaScript', z.date(), { kind: 'date' }],
  ['a day', z.iso.date(), { kind: 'day' }],
  ['a password', z.string().meta({ format: 'password' }), { kind: 'string', isSecret: true }],
  ['a choice', z.enum(['a', 'b']), { kind: 'choice', values: ['a', 'b'] }],
  ['a text or null', z.string().nullable(), { kind: 'string', isNullable: true }],
  ['a long text or null', z.string().max(500).nullable(), { kind: 'string', isLong: true, isNullable: true }],
  ['what is described', z.string().describe('What it is'), { kind: 'string', description: 'What it is' }],
  [
    'what is described as one of two',
    z.string().describe('Its name').nullable(),
    { kind: 'string', isNullable: true, description: 'Its name' }
  ],
  ['a list', z.array(z.string()), { kind: 'json' }],
  ['one of two kinds', z.union([z.string(), z.number()]), { kind: 'json' }],
  ['an object that may have any field', z.looseObject({}), { kind: 'json' }],
  // It is sent as a whole: fields that the form does not have would be lost.
  ['an object that may have further fields', z.looseObject({ a: z.string() }), { kind: 'json' }]
] as [string, z.ZodType, object][])('a form has a field for %s', async (_, type, expected) => {
  const fields = await readForm(z.object({ id: z.int(), field: type }))

  expect(fields.map(({ path, names, isRequired, words, ...field }) => field)).toEqual([
    { ...PLAIN, ...expected }
  ])
  for (const { path, names } of fields) expect(names.join('.')).toBe(path)
})

it.each([
  ['email, at most 200 characters', z.email().max(200)],
  ['string, 1 to 500 characters, or null', z.string().min(1).max(500).nullable()],
  [
    'string, exactly 3 characters, like ^[a-z]+$',
    z
      .string()
      .length(3)
      .regex(/^[a-z]+$/)
  ],
  ['integer', z.int()],
  ['integer, 0 to 9, default 3', z.int().min(0).max(9).default(3)],
  ['number, above 0, a multiple of 0.5', z.number().gt(0).multipleOf(0.5)],
  ['one of open, done, default "open"', z.enum(['open', 'done']).default('open')],
  ['number, below 10', z.number().lt(10)],
  ['number, at least 1', z.number().min(1)],
  ['JSON, a list of strings, at most 5 elements', z.array(z.string()).max(5)],
  ['JSON, a list, none twice', z.array(z.union([z.string(), z.int()])).meta({ uniqueItems: true })],
  ['date and time', z.date()],
  ['secret, at least 8 characters', z.string().min(8).meta({ format: 'password' })]
])('a field says what it takes: %s', async (words, type) => {
  const [field] = await readForm(z.object({ id: z.int(), field: type }))

  expect(field.words).toBe(words)
})

it('a form has the fields of objects, and demands what is needed on all levels', async () => {
  const fields = await readForm(
    z.object({
      id: z.int(),
      place: z.object({ city: z.string(), zip: z.string().optional() }),
      from: z.object({ city: z.string() }).optional()
    })
  )

  expect(fields.map(({ path, isRequired }) => [path, isRequired])).toEqual([
    ['place.city', true],
    ['place.zip', false],
    ['from.city', false]
  ])
  for (const { path, names } of fields) expect(names.join('.')).toBe(path)
})

it('a form in an envelope has the fields of the record, which faults name with it', async () => {
  const { services } = await read('data.json', (app) =>
    app.use('notes', memory(), {
      methods: ['find', 'create'],
      schema: schema(z.object({ id: z.int(), text: z.string() }), {
        envelope: { one: 'note', many: 'notes', request: true }
      }),
      access: OPEN
    })
  )
  const [{ envelope, columns, methods }] = services

  expect(envelope).toEqual({ one: 'note', many: 'notes', request: true })
  expect(columns).toEqual(['id', 'text'])
  expect(methods[1].data).toMatchObject([{ path: 'note.text', names: ['text'] }])
})

it('custom methods have no hidden field in the forms of their queries and results', async () => {
  class Notes extends MemoryService {
    async search() {}
  }
  const Note = z.object({ id: z.int(), text: z.string(), secret: z.string() })
  const { services } = await read('data.json', (app) =>
    app.use('notes', new Notes(), {
      methods: ['search'],
      schema: schema(Note, {
        hidden: ['secret'],
        methods: { search: { query: Note.omit({ id: true }), result: Note } }
      }),
      access: OPEN
    })
  )
  const [{ query, result }] = services[0].methods

  expect(query.map(({ path }: any) => path)).toEqual(['text'])
  expect(result.map(({ path }: any) => path)).toEqual(['id', 'text'])
})

it('results of custom methods have no hidden field, however deep it is', async () => {
  class Notes extends MemoryService {
    async share() {}
  }
  const Place = z.object({ zip: z.string() })
  const Note = z.object({ id: z.int(), secret: z.string(), place: Place })
  const { services } = await read('data.json', (app) =>
    app.use('notes', new Notes(), {
      methods: ['share'],
      schema: schema(Note, {
        hidden: ['secret', 'place'],
        methods: { share: { result: z.object({ url: z.string(), note: Note, notSecret: z.string() }) } }
      }),
      access: OPEN
    })
  )

  expect(services[0].methods[0].result.map(({ path }: any) => path)).toEqual(['url', 'note.id', 'notSecret'])
})

it('a field does not say its default where that is an object or holds one, which may have hidden fields', async () => {
  const Item = z.object({ name: z.string(), secret: z.string() })
  const { services } = await read('data.json', (app) =>
    app.use('notes', memory(), {
      methods: ['find'],
      schema: schema(z.object({ id: z.int(), items: z.array(Item).default([{ name: 'a', secret: 'b' }]) }), {
        hidden: ['items.secret']
      }),
      access: OPEN
    })
  )

  expect(services[0].fields[1].words).toBe('JSON, a list of objects')
})

it('a field says its default where that is a list without objects', async () => {
  const fields = await readForm(
    z.object({ tags: z.array(z.string()).default([]), kinds: z.array(z.string()).default(['a', 'b']) })
  )

  expect(fields.map(({ words }) => words)).toEqual([
    'JSON, a list of strings, default []',
    'JSON, a list of strings, default ["a","b"]'
  ])
})

it('custom methods have forms of their data and of their query', async () => {
  class Notes extends MemoryService {
    async archive() {}
    async search() {}
  }
  const { services } = await read('data.json', (app) =>
    app.use('notes', new Notes(), {
      methods: ['archive', 'search'],
      schema: schema(z.object({ id: z.int() }), {
        methods: {
          archive: { data: z.object({ why: z.string() }) },
          search: { query: z.object({ text: z.string() }) }
        }
      }),
      access: OPEN
    })
  )
  const toPaths = (fields: any) => fields?.map(({ path }: any) => path) ?? null

  expect(services[0].methods.map(({ data, query }: any) => [toPaths(data), toPaths(query)])).toEqual([
    [['why'], null],
    [null, ['text']]
  ])
})

it.each([
  ['a list of records', false],
  ['a page of records: total, limit, skip, data', { default: 5, max: 5 }],
  ['a page of records: limit, skip, data', { default: 5, max: 5, total: false }]
] as const)('a find says that it returns %s', async (returns, paginate) => {
  const { services } = await read('data.json', (app) =>
    app.use('notes', memory({ paginate }), { methods: ['find', 'get'], access: OPEN })
  )

  expect(services[0].methods.map((method: any) => method.returns)).toEqual([returns, 'the record'])
})

it('a custom method says whether a schema describes its result', async () => {
  class Notes extends MemoryService {
    async archive() {}
  }
  const { services } = await read('data.json', (app) => {
    const options = { methods: ['archive'], access: OPEN }

    app.use('described', new Notes(), { ...options, schema: schema(z.object({ id: z.int() })) })
    app.use('free', new Notes(), options)
  })

  expect(services.map(({ methods: [archive] }: any) => archive.returns)).toEqual([
    'a result',
    'what the method returns'
  ])
})

it('relations are offered whose records clients may find', async () => {
  const { services } = await read('data.json', (app) => {
    const record = z.object({ id: z.int(), noteId: z.int() })

    app.use('open', memory(), { methods: ['find'], schema: schema(record), access: OPEN })
    app.use('shut', memory(), {
      methods: ['get'],
      schema: schema(record),
      access: access({ get: anyone })
    })
    app.use('ruled', memory(), { methods: [], schema: schema(record), access: OPEN })
    app.use('notes', memory(), {
      methods: ['find'],
      schema: schema(record, {
        relations: {
          first: one('open', { from: 'noteId' }),
          other: one('shut', { from: 'noteId' }),
          third: one('ruled', { from: 'noteId' })
        }
      }),
      access: OPEN
    })
  })
  const notes = services.find(({ path }: any) => path === 'notes')

  expect(services.map(({ path }: any) => path)).not.toContain('ruled')
  expect(notes.relations).toEqual(['first', 'third'])
})

it.each([
  ['without sockets', () => undefined, null],
  ['with sockets', socketio(), { path: '/socket.io', isSocket: true }],
  ['with events over HTTP', events({ path: 'news' }), { path: '/news', isSocket: false }]
])('the page knows of an application %s', async (_, plugin: any, place) => {
  const data = await read('login.json', (app) => app.configure((one: any) => plugin(one)))

  expect(data).toEqual({ title: 'API', version: '', isForAll: true, login: null, events: place })
})
