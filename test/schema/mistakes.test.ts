// What a developer is told of a declaration that cannot be: a code, the option, and what it expects.
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import Joi from 'joi'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula as createClient } from '../../src/client.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { many, one, onWrite, schema } from '../../src/schema.ts'

const Note = z.object({ id: z.int(), text: z.string() })
const SIZE = { from: ['text'], many: (notes: readonly any[]) => notes.map(({ text }) => text.length) }

function open(declared: any, service: any = memory()): any {
  const app: any = alula()

  app.use('notes', service, { schema: declared })

  return app
}

it.each<[string, object, string]>([
  ['query', { fields: ['text'], operator: ['$ne'] }, "'operators'"],
  ['query', { operator: ['$ne'] }, "'operators'"],
  ['query', { operators: ['ne'] }, 'an array of operators, such as $gt']
])('%s %j is met with %s', (name, value, expected) => {
  expect(() => schema(Note, { [name]: value } as any)).toThrow(expected)
})

it('settings stand in the long form, and not beside it', () => {
  for (const [first, settings] of [
    [{ record: Note }, { hidden: ['text'] }],
    [Note, { record: Note, hidden: ['text'] }]
  ] as [any, any][]) {
    expect(() => schema(first, settings)).toThrow(
      'schema() expects a record and settings, or one object with the settings and the `record` (ALULA_INVALID_SCHEMA)'
    )
  }
  for (const settings of [null, 0, '', true]) {
    expect(() => schema(Note, settings as any)).toThrow('Invalid options of schema(): expected an object')
  }
})

it('onWrite takes a function', () => {
  expect(() => (onWrite as any)(1)).toThrow('onWrite() expects a function')
})

/** A schema of a library that says no more of itself than this. */
function createForeign(vendor: string, jsonSchema?: object): any {
  return { '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }), jsonSchema } }
}

it.each<[string, unknown, string]>([
  ['create', 5, 'a schema'],
  ['update', [], 'a schema'],
  ['patch', null, 'a schema'],
  ['query', 5, 'an object with fields, sort and operators, or a schema'],
  ['server', { text: 5 }, 'an object with a function for each field'],
  ['server', [], 'an object with a function for each field'],
  ['server', new Map(), 'an object with a function for each field'],
  ['hidden', 'text', 'an array of paths'],
  ['computed', { size: { from: ['text'] } }, 'an object with `from` and `many` for each field'],
  ['computed', { size: { many: () => [] } }, 'an object with `from` and `many` for each field'],
  ['computed', { size: undefined }, 'an object with `from` and `many` for each field'],
  ['computed', [], 'an object with `from` and `many` for each field'],
  ['computed', new Map(), 'an object with `from` and `many` for each field'],
  ['relations', { author: {} }, 'an object with one(), many(), count() or exists() for each name'],
  [
    'relations',
    { author: { kind: 'one' } },
    'an object with one(), many(), count() or exists() for each name'
  ],
  ['relations', { author: null }, 'an object with one(), many(), count() or exists() for each name'],
  ['extra', 'all', "'drop' or 'keep'"],
  ['view', 5, 'a function, or an object with schema and make'],
  ['envelope', 'note', 'an object'],
  ['methods', 5, 'an object with data, result and query for each method'],
  ['methods', { archive: Note }, 'expected one of data, result, query'],
  ['unknown', 'keep', "'refuse' or 'drop'"],
  ['drift', 'keep', "'refuse' or 'warn'"],
  ['ajv', { queries: {} }, 'an instance of Ajv, or an object with instances as data and query'],
  ['ajv', null, 'an instance of Ajv, or an object with instances as data and query'],
  [
    'resolvers',
    { all: {} },
    'an object with data, result, external and query, each a resolver or an array of resolvers'
  ],
  ['enforce', 1, 'true or false']
])('the option %s: %j', (name, value, expected) => {
  expect(() => schema({ record: Note, [name]: value } as any)).toThrow(expected)
})

it.each<[string, unknown, string]>([
  ['view', {}, "Invalid option 'schema' of view of schema(): expected a schema"],
  ['view', { schema: Note }, "Invalid option 'make' of view of schema(): expected a function"],
  ['view', { schema: Note, make: () => 1, made: 1 }, "Did you mean 'make'?"],
  [
    'envelope',
    { one: 'note', mani: 'notes' },
    "Unknown option 'mani' of envelope of schema(). Did you mean 'many'?"
  ],
  [
    'envelope',
    { one: '' },
    "Invalid option 'one' of envelope of schema(): expected a string that is not empty"
  ],
  ['envelope', { one: '__proto__' }, "not '__proto__'"],
  ['envelope', { one: 'note', request: 1 }, 'true or false'],
  ['envelope', {}, "needs a name as 'one' or as 'many'"],
  ['envelope', { one: 'note', total: 'count' }, "needs a name as 'many': pages have their records in it"],
  ['envelope', { many: 'notes', request: true }, "needs a name as 'one': requests have their data in it"],
  [
    'envelope',
    { one: 'note', many: 'note' },
    "has the name 'note' twice: the fields of a response need different names"
  ],
  ['envelope', { many: 'notes', total: 'notes' }, "has the name 'notes' twice"]
])('of a service, the option %s: %j', (name, value, expected) => {
  expect(() => open(schema({ record: Note, [name]: value } as any))).toThrow(expected)
})

it('an envelope beside a view', () => {
  expect(() => open(schema(Note, { envelope: { one: 'note' }, view: () => 1 }))).toThrow(
    "'envelope' of schema() and 'view' both make responses: declare one of them (ALULA_INVALID_SCHEMA)"
  )
})

it.each([
  ['envelope', { one: 'note' }],
  ['timestamps', true],
  ['include', ['author']],
  ['view', () => 1]
])('%s of a schema that only describes', (name, value) => {
  expect(() => open(schema({ record: Note, enforce: false, [name]: value } as any))).toThrow(
    `'${name}' of schema() does nothing with 'enforce: false', which leaves calls as they are: leave out one of them (ALULA_INVALID_SCHEMA)`
  )
})

it('an envelope with the name of a placeholder', () => {
  const use = (envelope: object) =>
    alula().use(
      'notes',
      { find: async () => [], like: async () => 1 },
      {
        methods: ['find', 'like'],
        routes: { 'POST /:note/like': 'like' },
        schema: schema(Note, { envelope })
      }
    )

  expect(() => use({ one: 'note', request: true })).toThrow(
    "The envelope of service 'notes' has the name 'note' of a placeholder in the route 'POST /:note/like'"
  )
  expect(() => use({ one: 'note' })).not.toThrow()
})

it.each<[string, unknown, string]>([
  ['fields', 'text', 'an array of names'],
  ['sort', 'text', 'an array of names'],
  ['operators', 'text', 'an array of operators, such as $gt']
])('the option %s of query: %j', (name, value, expected) => {
  expect(() => schema(Note, { query: { [name]: value } } as any)).toThrow(
    `Invalid option '${name}' of query of schema(): expected ${expected}`
  )
})

it.each(['fields', 'sort'])('a hidden field in %s of query', (name) => {
  expect(() => open(schema(Note, { hidden: ['text'], query: { [name]: ['text'] } } as any))).toThrow(
    `'${name}' of 'query' of schema() names 'text', which clients cannot query because it is hidden`
  )
})

it.each(['data', 'result', 'query'])('the option %s of a method', (name) => {
  expect(() => schema(Note, { methods: { archive: { [name]: 5 } } } as any)).toThrow(
    `Invalid option '${name}' of methods.archive of schema(): expected a schema`
  )
})

it.each<[string, () => unknown]>([
  ['ALULA_INVALID_SCHEMA', () => schema(5 as any)],
  ['ALULA_INVALID_SCHEMA', () => schema(Note, { methods: { find: {} } })],
  ['ALULA_INVALID_SCHEMA', () => createClient().use('notes', memory(), { schema: schema(Note) })],
  ['ALULA_INVALID_SCHEMA', () => schema({}, { ajv: { compile: () => fail() } })],
  ['ALULA_UNKNOWN_FIELD', () => schema(Note, { server: { txt: () => '' } } as any)],
  ['ALULA_UNKNOWN_FIELD', () => open(schema(Note, { query: { fields: ['txt'] } } as any))],
  ['ALULA_UNKNOWN_FIELD', () => schema(Note, { hidden: ['txt.inner'] } as any)],
  [
    'ALULA_UNKNOWN_FIELD',
    () => schema(Note, { computed: { size: { from: ['txt'], many: () => [] } } } as any)
  ],
  ['ALULA_UNKNOWN_METHOD', () => open(schema(Note, { methods: { archive: {} } }))],
  ['ALULA_CONFLICTING_FIELD', () => schema(Note, { relations: { text: one('notes', { from: 'id' }) } })],
  ['ALULA_CONFLICTING_FIELD', () => open(schema({ record: Note, create: Note, server: { text: () => '' } }))],
  ['ALULA_INVALID_RELATION', () => schema(Note, { relations: { $a: one('notes', { from: 'id' }) } })],
  ['ALULA_INVALID_RELATION', () => one('', { from: 'id' })],
  ['ALULA_INVALID_SCHEMA', () => open(schema(Note, { computed: { $a: SIZE } }))],
  ['ALULA_CONFLICTING_FIELD', () => open(schema(Note, { computed: { id: SIZE } }))],
  ['ALULA_UNDESCRIBABLE_SCHEMA', () => schema(createForeign('yup'))],
  ['ALULA_UNDESCRIBABLE_SCHEMA', () => schema(createForeign('yup', { input: fail, output: fail }))],
  ['ALULA_UNDERIVABLE_SCHEMA', () => open(schema(Note.refine(() => true)))],
  ['ALULA_UNDERIVABLE_SCHEMA', () => open(schema(Joi.object({ id: Joi.number() })))],
  ['ALULA_UNDERIVABLE_SCHEMA', () => open(schema({ type: 'object' }))]
])('has a code: %s', (code, make) => {
  expect(make).toThrow(expect.objectContaining({ code }))
})

function fail(): never {
  throw new Error('it cannot')
}

it.each<[string, object]>([
  ['server', { server: { txt: () => '' } }],
  ['hidden', { hidden: ['txt.inner'] }],
  ['computed.from', { computed: { size: { from: ['txt'], many: () => [] } } }],
  ['relations.all.from', { relations: { all: many('notes', { from: 'txt', to: 'id' }) } }]
])('of a field that there is not names the option: %s', (option, settings) => {
  expect(() => schema(Note, settings as any)).toThrow(
    `The record of schema() has no field 'txt', which '${option}' names. Did you mean 'text'?`
  )
})

it.each(['04', '03'])('of a JSON Schema of draft-%s names the draft', (draft) => {
  const $schema = `http://json-schema.org/draft-${draft}/schema#`

  expect(() => schema({ $schema, type: 'object', properties: { id: { type: 'integer' } } })).toThrow(
    `The record of schema() is a JSON Schema of draft-${draft}, which is not supported: write it as draft-07, 2019-09 or 2020-12`
  )
})

it.each(['#/$defs/50', '#/$defs/50%'])(
  'of a reference that leads to nothing, such as %s, names it',
  async ($ref) => {
    const app = open(schema({ type: 'object', properties: { id: { type: 'integer' }, field: { $ref } } }))

    await expect(app.setup()).rejects.toThrow(
      /^The schema for 'create' is not a valid JSON Schema: .*(50|URI)/
    )
  }
)

it('of a schema that cannot be described or compiled has its cause', () => {
  const cause = expect.objectContaining({ message: 'it cannot' })

  expect(() => schema(createForeign('yup', { input: fail, output: fail }))).toThrow(
    expect.objectContaining({
      cause,
      message: expect.stringContaining('The record of schema() cannot be described as JSON Schema: it cannot')
    })
  )
  expect(() => schema({}, { ajv: { compile: fail } })).toThrow(expect.objectContaining({ cause }))
  expect(() => open(schema(Note.refine(() => true)))).toThrow(
    expect.objectContaining({ cause: expect.any(Error) })
  )
})

it.each<[string, string]>([
  ['zod', 'zod does from version 4.2'],
  ['arktype', 'arktype does from version 2.1.28'],
  ['joi', 'joi does from version 18.1'],
  ['valibot', "use toStandardJsonSchema(schema) of '@valibot/to-json-schema'"],
  ['yup', "yup has no '~standard.jsonSchema'; use a JSON Schema"]
])('a schema of %s that does not describe itself: what to do', (vendor, advice) => {
  expect(() => schema(createForeign(vendor))).toThrow(
    `The record of schema() does not describe itself: ${advice}`
  )
})

it.each<[string, () => any, string]>([
  [
    'valibot',
    () => toStandardJsonSchema(v.object({ id: v.number(), text: v.string() })),
    "schema({ record, create: v.omit(Record, ['id', 'text']), patch: v.partial(v.omit(Record, ['id', 'text'])) }), each in toStandardJsonSchema()"
  ],
  [
    'joi',
    () => Joi.object({ id: Joi.number(), text: Joi.string() }),
    "schema({ record, create: Record.fork(['id', 'text'], (field) => field.forbidden()), patch: Record.fork(['id', 'text'], (field) => field.forbidden()).fork(fields, (field) => field.optional()) })"
  ],
  [
    'zod',
    () => Note.refine(() => true),
    'schema({ record, create: Base.omit({ id: true, text: true }), patch: Base.partial() }), where Base is the object without refinements'
  ]
])('a record of %s that nothing is derived from: the line to write', (_, create, line) => {
  expect(() => open(schema(create(), { server: { text: () => '' } } as any))).toThrow(
    `The schema for 'create' cannot be derived from the record. Write ${line}`
  )
})

it('a patch that cannot be derived from what is written for new records', () => {
  const create = toStandardJsonSchema(v.object({ text: v.string() }))

  expect(() => open(schema({ record: Note, create }))).toThrow(
    "The schema for 'patch' cannot be derived from the record. Write schema({ record, create: v.omit(Record, ['id'])"
  )
})

it('a computed field may have any name without dots that does not begin with a dollar sign', () => {
  const compute = (name: string) => open(schema(Note, { computed: { [name]: SIZE } }))

  expect(() => compute('a$b')).not.toThrow()
  for (const name of ['$a', 'a.b', ''])
    expect(() => compute(name)).toThrow(`The computed field '${name}' of schema() needs a name`)
})

it('a computed field does not have the name of the id', () => {
  expect(() => open(schema(Note, { computed: { id: SIZE } }))).toThrow(
    "The computed field 'id' of schema() has the name of the id of its service: choose another name"
  )
  expect(() => open(schema(Note, { computed: { _id: SIZE } }), memory({ id: '_id' }))).toThrow(
    "The computed field '_id'"
  )
})

it('of a computed field that returns too few values names it', async () => {
  const declared = schema(Note, { computed: { size: { from: ['text'], many: () => [] } } })
  const app = open(declared, { find: async () => [{ id: 1, text: 'a' }] })

  await expect(app.service('notes').find()).rejects.toMatchObject({ code: 'ALULA_INVALID_RETURN_VALUE' })
})
