import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { Ajv } from 'ajv'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula as createClient } from '../../src/client.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { failing, open, outside } from './support/notes.ts'

describe('fields that no schema declares', () => {
  const Shape = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('circle'), r: z.number() }),
    z.object({ kind: z.literal('square'), side: z.object({ x: z.number() }) })
  ])
  // Both may be fine: the unit tells them apart. Their choices do not, and would be too many to go through.
  const choices = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`choice${index}`, z.enum(['a', 'b', 'c', 'd']).optional()])
  )
  const Grid = z.union([
    z.object({ ...choices, kind: z.enum(['fine', 'coarse']), unit: z.literal('mm'), step: z.number() }),
    z.object({ ...choices, kind: z.enum(['fine', 'even']), unit: z.literal('in'), steps: z.number() })
  ])
  const Note = z.object({
    id: z.int(),
    shape: Shape.optional(),
    grid: Grid.optional(),
    counts: z.record(z.string(), z.object({ n: z.number() })).optional(),
    loose: z.looseObject({ a: z.number() }).optional(),
    pair: z.tuple([z.object({ a: z.number() }), z.string()]).optional(),
    list: z.array(z.object({ a: z.number() })).nullish(),
    get child() {
      return Note.omit({ id: true }).optional()
    }
  })

  it.each([
    [{ shape: { kind: 'circle', r: 1 } }, []],
    [{ shape: { kind: 'square', side: { x: 1, y: 2 } } }, ['shape.side.y']],
    // `r` is a field of circles.
    [{ shape: { kind: 'square', side: { x: 1 }, r: 1 } }, ['shape.r']],
    [{ grid: { kind: 'fine', unit: 'mm', step: 1, steps: 2 } }, ['grid.steps']],
    [{ grid: { kind: 'fine', unit: 'in', steps: 2 } }, []],
    [{ counts: { any: { n: 1 }, other: { n: 1, m: 2 } } }, ['counts.other.m']],
    [{ loose: { a: 1, b: { c: 1 } } }, []],
    [{ pair: [{ a: 1, b: 1 }, 'x'] }, ['pair.0.b']],
    [{ list: [{ a: 1 }, { a: 1, b: 1 }] }, ['list.1.b']],
    [{ child: { child: { list: null, other: 1 } } }, ['child.child.other']],
    [JSON.parse('{"__proto__":{"admin":true}}'), ['__proto__']],
    [JSON.parse('{"list":[{"a":1,"__proto__":{"x":1}}]}'), ['list.0.__proto__']]
  ])('are found at any depth: %j', async (data, paths) => {
    const [, errors = {}] = await failing(open(schema(Note as any)).create(data, { provider: 'rest' }))

    expect(Object.values(errors).filter((message) => message === 'is not a known field')).toHaveLength(
      paths.length
    )
    expect(Object.keys(errors)).toEqual(paths)
  })

  it('are left out where that is wanted', async () => {
    const notes = open(schema(Note as any, { unknown: 'drop' }))
    const data = JSON.parse('{"__proto__":{"admin":true},"x":1,"list":[{"a":1,"b":2}]}')

    expect(await notes.create(data, { provider: 'rest' })).toEqual({ id: 0, list: [{ a: 1 }] })
    expect(Object.keys(data)).toEqual(['__proto__', 'x', 'list'])
  })
})

it.each(['update', 'patch'])('%s takes one record, and no list of them', async (method) => {
  const own = {
    get: async () => ({ id: 1 }),
    update: async () => ({ id: 1 }),
    patch: async () => ({ id: 1 })
  }
  const notes = open(schema({ properties: { id: {}, text: { type: 'string' } } }), own)

  for (const data of [[{ text: 'x' }], []]) {
    await expect(notes[method](1, data, { provider: 'rest' })).rejects.toMatchObject({
      code: 400,
      message: 'Invalid data: expected an object, got an array'
    })
  }
})

it('a patch is checked by itself, and an object in it as a whole', async () => {
  const Circle = z.object({ kind: z.literal('circle'), radius: z.number() })
  const Square = z.object({ kind: z.literal('square'), side: z.number() })
  const shapes = open(
    schema({
      record: z.union([Circle.extend({ id: z.int() }), Square.extend({ id: z.int() })]),
      create: z.union([Circle, Square]),
      patch: z.union([Circle.partial(), Square.partial()])
    })
  )
  const notes = open(schema(z.object({ id: z.int(), shape: z.union([Circle, Square]) })))
  const outside = { provider: 'rest' }

  await shapes.create({ kind: 'circle', radius: 1 })
  await notes.create({ shape: { kind: 'circle', radius: 1 } })

  // Its other fields stay, whatever they are.
  expect(await shapes.patch(0, { kind: 'square' }, outside)).toEqual({ id: 0, kind: 'square', radius: 1 })
  expect((await failing(notes.patch(0, { shape: { kind: 'square' } }, outside)))[0]).toBe(400)
  expect(await notes.patch(0, { shape: { kind: 'square', side: 2 } }, outside)).toEqual({
    id: 0,
    shape: { kind: 'square', side: 2 }
  })
})

it('several records are checked until there are as many errors as a response names', async () => {
  let checks = 0
  const Counted = z.object({ id: z.int(), text: z.custom<string>(() => ++checks === 0, 'is refused') })
  const data = Array.from({ length: 100 }, () => ({ text: 'x' }))
  const [code, errors = {}] = await failing(open(schema(Counted)).create(data as any, { provider: 'rest' }))

  expect(code).toBe(400)
  expect(Object.keys(errors)).toHaveLength(20)
  expect(checks).toBe(20)
})

describe('a declaration that cannot be', () => {
  const Note = z.object({ id: z.int(), text: z.string() })
  const undescribed = (vendor: string, jsonSchema?: object): any => ({
    '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }), jsonSchema }
  })
  const describe = () => ({ type: 'object', properties: { id: { type: 'integer' } } })
  const contact = {
    type: 'object',
    properties: { id: { type: 'integer' }, email: { type: 'string' }, phone: { type: 'string' } }
  }

  it.each([
    ['text', () => schema('x' as any)],
    ["Unknown option 'hiden'", () => schema(Note, { hiden: [] } as any)],
    ["no field 'owner', which 'server' names", () => schema(Note, { server: { owner: () => 1 } } as any)],
    [
      "no field 'txt', which 'server' names. Did you mean 'text'?",
      () => schema(Note, { server: { txt: () => 1 } } as any)
    ],
    ["'create' has a schema of its own", () => schema(Note, { methods: { create: {} } })],
    [
      "'server' of schema(): expected an object with a function",
      () => schema(Note, { server: { text: 1 } } as any)
    ],
    [
      "toStandardJsonSchema(schema) of '@valibot/to-json-schema'",
      () => schema(v.object({ id: v.number() }) as any)
    ],
    ['arktype does from version 2.1.28', () => schema(undescribed('arktype'))],
    ["yup has no '~standard.jsonSchema'; use a JSON Schema", () => schema(undescribed('yup'))],
    [
      'cannot be derived from the record. Write schema({ record, create, patch })',
      () => open(schema(undescribed('yup', { input: describe, output: describe })))
    ],
    [
      'cannot be derived from a JSON Schema without properties',
      () => open(schema({ allOf: [{ properties: { id: { type: 'integer' } } }] }))
    ],
    [
      "The schema for 'patch' cannot be derived from a JSON Schema with 'anyOf' beside its properties",
      () => open(schema({ ...contact, anyOf: [{ properties: { email: { const: 'a' } } }, {}] }))
    ],
    ["'drift' of schema(): expected 'refuse' or 'warn'", () => schema(Note, { drift: 'ignore' } as any)],
    ["'methods' of schema(): expected an object with data", () => schema(Note, { methods: [] } as any)],
    [
      "describes the method 'archive', which the service does not have",
      () => open(schema(Note, { methods: { archive: {} } }))
    ],
    [
      "no field 'other', which 'sort' of 'query' names",
      () => open(schema(Note, { query: { sort: ['other'] } } as any))
    ],
    [
      "create: v.omit(Record, ['id'])",
      () => open(schema(toStandardJsonSchema(v.object({ id: v.number(), text: v.string() }))))
    ],
    ['Base.omit({ id: true })', () => open(schema(Note.refine(() => true)))],
    [
      "'create' has the field 'text', which the server sets",
      () => open(schema({ record: Note, create: Note, server: { text: () => 'x' } }))
    ],
    [
      'is not a valid JSON Schema',
      () => schema({ type: 'object', properties: { id: { type: 'x' } } }, { ajv: new Ajv() })
    ]
  ])('is refused: %s', (message, declare) => {
    expect(declare).toThrow(message === 'text' ? 'expects a schema of the record' : message)
  })

  it('by its JSON Schema is refused when the application starts', async () => {
    const app = alula()

    app.use('notes', memory(), { schema: schema({ type: 'object', properties: { text: { type: 'x' } } }) })

    await expect(app.setup()).rejects.toThrow("The schema for 'create' is not a valid JSON Schema")
  })

  it('works in the long form', async () => {
    const record = Note.refine(() => true)
    const notes = open(
      schema({ record, create: Note.omit({ id: true }), patch: z.object({ text: z.string().optional() }) })
    )

    expect(await notes.create({ text: 'a' }, { provider: 'rest' })).toEqual({ id: 0, text: 'a' })
    expect(await notes.patch(0, { text: 'b' }, { provider: 'rest' })).toEqual({ id: 0, text: 'b' })
  })
})

it('an id that the author of the data chooses is declared in the long form', async () => {
  const record = z.object({ slug: z.string(), text: z.string() })
  const notes = open(schema({ record, create: record }), memory({ id: 'slug' }))

  expect(await notes.create({ slug: 'a', text: 'b' }, { provider: 'rest' })).toEqual({ slug: 'a', text: 'b' })
})

it('fields of a JSON Schema are own fields, whatever objects inherit', async () => {
  const names = ['constructor', 'toString', 'valueOf']
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const record = { type: 'object', properties: { id: { type: 'integer' }, ...properties } }
  const notes = open(schema(record))
  const strict = open(schema({ ...record, required: names }))

  expect(await notes.create({ toString: 'a' })).toEqual({ id: 0, toString: 'a' })
  expect(await failing(strict.create({}))).toEqual([
    400,
    Object.fromEntries(names.map((name) => [name, expect.any(String)]))
  ])
})

it('formats are checked, and Ajv may be one of your own', async () => {
  const Note = {
    type: 'object',
    required: ['mail'],
    properties: { id: { type: 'integer' }, mail: { type: 'string', format: 'email' } }
  }
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { email: /@/ } })

  for (const notes of [open(schema(Note)), open(schema(Note, { ajv }))]) {
    expect(await failing(notes.create({ mail: 'ada' }))).toEqual([
      400,
      { mail: "expects the format 'email'" }
    ])
    expect(await notes.create({ mail: 'ada@example.com' })).toMatchObject({ id: 0 })
  }
})

it('a client refuses a schema, because it would not be enforced', () => {
  const declared = schema(z.object({ id: z.int() }))

  expect(() => createClient().use('notes', memory(), { schema: declared })).toThrow(
    "The schema of service 'notes' is for the application of a server: a client does not enforce it"
  )
})

it('what a service checks is there as data', () => {
  const declared = schema(
    z.object({ id: z.int(), text: z.string(), due: z.date().optional(), owner: z.string() }),
    {
      server: { owner: () => 'ada' },
      query: { sort: ['text'] },
      methods: { archive: { data: z.object({ before: z.iso.date() }) } }
    }
  )
  const app = alula()

  expect(declared.definition).toBeUndefined()
  app.use('notes', Object.assign(memory(), { archive: async () => 1 }), {
    methods: ['find', 'create', 'archive'],
    schema: declared
  })

  const { definition } = declared

  expect(JSON.parse(JSON.stringify(definition))).toMatchObject({
    record: { properties: { id: { type: 'integer' }, due: { format: 'date-time' } } },
    data: { create: { required: ['text'] } },
    query: {
      fields: {
        id: { kinds: ['integer'], isNullable: false },
        text: { kinds: ['string'], isNullable: false },
        due: { kinds: ['date'], isNullable: false }
      },
      sort: ['text']
    },
    methods: { archive: { data: { properties: { before: { format: 'date' } } } } },
    server: ['owner'],
    unknown: 'refuse'
  })
})

it('the error of a misspelt part of a method names the method and the part', () => {
  const Note = z.object({ id: z.int() })

  expect(() => schema(Note, { methods: { finish: { dta: Note } as object } })).toThrow(
    "Unknown option 'dta' of methods.finish of schema(). Did you mean 'data'?"
  )
  expect(() => schema(Note, { methods: { finish: { data: 5 as any } } })).toThrow(
    "Invalid option 'data' of methods.finish of schema(): expected a schema, got 5"
  )
})

it('a part of a method may be undefined: the others are checked', async () => {
  const Note = z.object({ id: z.int() })
  const app: any = alula()

  app.use('notes', Object.assign(memory(), { finish: async () => ({ id: 1 }) }), {
    methods: ['find', 'finish'],
    schema: schema(Note, { methods: { finish: { data: Note, result: undefined } } })
  })
  await app.setup()

  const notes = app.service('notes')

  expect(await notes.finish({ id: 1 }, outside)).toEqual({ id: 1 })
  expect((await failing(notes.finish({ id: 'x' }, outside)))[0]).toBe(400)
})

describe('a JSON Schema', () => {
  const Tags = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      parts: { type: 'array', maxItems: 10, uniqueItems: true },
      slug: { type: 'string', maxLength: 20, pattern: '^(a+)+$' },
      email: { type: 'string', maxLength: 30, format: 'email' }
    }
  }
  const create = (data: object) => failing(open(schema(Tags)).create(data, { provider: 'rest' }))

  it.each([
    [[1, 2], []],
    [[1, 1], ['parts']],
    [[1, '1', true, 'true', null, 'null'], []],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 }
      ],
      ['parts']
    ],
    [[{ a: 1 }, [['a', 1]]], []],
    [[{ a: [{ b: 1 }] }, { a: [{ b: 2 }] }], []],
    [
      [
        [1, 2],
        [2, 1]
      ],
      []
    ],
    [
      [
        [1, 2],
        [1, 2]
      ],
      ['parts']
    ]
  ])('finds equal elements: %j', async (parts, paths) => {
    const [, errors = {}] = await create({ parts })

    expect(Object.entries(errors)).toEqual(paths.map((path) => [path, 'expects different elements']))
  })

  it('compares many elements in less than a second, also where there are too many', async () => {
    const parts = Array.from({ length: 6000 }, (_, index) => ({ [`a${index}`]: 1 }))
    const begin = process.cpuUsage()

    expect(await create({ parts })).toEqual([400, { parts: 'expects at most 10 elements' }])
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000)
  })

  it('tests no pattern where a text is too long', async () => {
    expect(await create({ slug: `${'a'.repeat(60)}!`, email: `${'a'.repeat(40)}` })).toEqual([
      400,
      { slug: 'expects at most 20 characters', email: 'expects at most 30 characters' }
    ])
    expect(await create({ slug: 'b', email: 'a' })).toEqual([
      400,
      { slug: 'expects the pattern ^(a+)+$', email: "expects the format 'email'" }
    ])
    expect(await create({ slug: 'a', email: 'ada@example.com' })).toEqual([])
  })
})

it('a schema with custom methods may be that of a second path without methods', async () => {
  const notes = schema(z.object({ id: z.int(), text: z.string() }), { methods: { archive: {} } })
  const service = Object.assign(memory(), { archive: async () => ({}) })
  const app = alula()

  app.use('teams/:team/notes', service, { schema: notes, methods: ['find', 'archive'] })
  app.use('all-notes', service, { schema: notes, methods: [] })
  await app.setup()
  expect(await app.service('all-notes').find()).toEqual([])
})
