import { readdirSync, readFileSync } from 'node:fs'
import { Type as OldType } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { schema } from '../../src/schema.ts'
import { failing, open, outside } from './support/notes.ts'

describe('a JSON Schema', () => {
  it('of the draft 2020-12 is checked as such', async () => {
    const things = open(
      schema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          id: { type: 'integer' },
          pair: { prefixItems: [{ type: 'string' }, { type: 'integer' }] }
        }
      })
    )

    expect(await things.create({ pair: ['a', 1] }, outside)).toMatchObject({ pair: ['a', 1] })
    expect(await failing(things.create({ pair: ['a', 'b'] }, outside))).toEqual([
      400,
      { 'pair.1': 'expects an integer, got a string' }
    ])
  })

  it.each([
    ['prefixItems', { list: { prefixItems: [{ type: 'string' }] } }, { list: [1] }],
    ['minContains', { list: { type: 'array', contains: { const: 1 }, minContains: 2 } }, { list: [1] }],
    ['maxContains', { list: { type: 'array', contains: { const: 1 }, maxContains: 1 } }, { list: [1, 1] }],
    [
      'unevaluatedItems',
      { list: { allOf: [{ prefixItems: [{}] }], unevaluatedItems: false } },
      { list: [1, 2] }
    ],
    [
      'dependentRequired',
      { a: { properties: { b: {}, c: {} }, dependentRequired: { b: ['c'] } } },
      { a: { b: 1 } }
    ],
    [
      'dependentSchemas',
      { a: { properties: { b: {}, c: {} }, dependentSchemas: { b: { required: ['c'] } } } },
      { a: { b: 1 } }
    ],
    ['$dynamicRef', { a: { $dynamicRef: '#record' } }, { a: 1 }],
    ['$recursiveRef', { a: { $recursiveRef: '#' } }, { a: 1 }]
  ])(
    'that names no draft is checked by the draft that has its keyword %s',
    async (_keyword, properties, data) => {
      const things = open(
        schema({ $dynamicAnchor: 'record', type: 'object', properties: { id: {}, ...properties } } as object)
      )

      expect((await failing(things.create(data, outside)))[0]).toBe(400)
    }
  )

  it.each<[string, string, object]>([
    ['minLenght', 'minLength', { text: { type: 'string', minLenght: 3 } }],
    ['minlength', 'minLength', { text: { type: 'string', minlength: 3 } }],
    ['patern', 'pattern', { list: { items: { patern: '^a' } } }],
    ['requierd', 'required', { a: { anyOf: [{ type: 'null' }, { requierd: ['b'] }] } }],
    ['propertes', 'properties', { a: { properties: { b: { propertes: { c: {} } } } } }],
    ['maximun', 'maximum', { map: { additionalProperties: { maximun: 3 } } }],
    ['uniqueitems', 'uniqueItems', { map: { patternProperties: { '^a': { uniqueitems: true } } } }],
    ['formats', 'format', { a: { if: { formats: 'email' } } }]
  ])('with the misspelt keyword %s is refused', (keyword, known, properties) => {
    const sentence = `has the unknown keyword '${keyword}'. Did you mean '${known}'? (ALULA_INVALID_SCHEMA)`
    const record = { type: 'object', properties: { id: {}, ...properties } }
    const plain = { type: 'object', properties: {} }

    expect(() => open(schema(record))).toThrow(`The record of schema() ${sentence}`)
    expect(() => open(schema({ record: plain, patch: record }))).toThrow(`The schema for 'patch' ${sentence}`)
    expect(() => open(schema({ record: plain, query: record }))).toThrow(`'query' of schema() ${sentence}`)
    expect(() => open(schema({ ...plain, $defs: { a: record } }))).toThrow(sentence)
    // An instance of your own may have keywords of your own.
    expect(() => open(schema(record, { ajv: new Ajv({ strict: false }) }))).not.toThrow()
  })

  it('may have every keyword that there is, and others that are like no rule', () => {
    const folder = 'node_modules/ajv/dist/refs'
    const known = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /^json-schema-.*json$/.test(name))
      .flatMap((name) => Object.keys(JSON.parse(readFileSync(`${folder}/${name}`, 'utf8')).properties ?? {}))
    const further =
      'nullable discriminator xml externalDocs example x-minLenght x-nullable uiFormat requiredIf $format multiple ' +
      'formatMinimum formatExclusiveMaximum instanceof transform allRequired objectid convert errorMessage tsType ' +
      'enumNames options widget ref note when faker hint'

    expect(known).toContain('unevaluatedProperties')
    for (const keyword of [...known, ...further.split(' ')]) {
      expect(() => open(schema({ type: 'object', properties: { id: { [keyword]: 1 } } }))).not.toThrow()
    }
  })

  it('may have names and values like a misspelt keyword', () => {
    const value = { minLenght: 1 }
    const properties = {
      minLenght: { type: 'integer' },
      id: { default: value, enum: [value], examples: [value] }
    }
    const own = { faker: value, 'x-own': value, const: value }

    for (const record of [
      { properties },
      { properties: { id: own } },
      { properties: {}, $defs: properties }
    ]) {
      expect(() => open(schema({ type: 'object', ...record }))).not.toThrow()
    }
  })

  it('is what TypeBox and Zod make of all that they have', () => {
    const ofTypeBox = (T: any) =>
      T.Object({
        id: T.Integer({ multipleOf: 1, exclusiveMinimum: 0 }),
        text: T.Optional(T.String({ minLength: 1, format: 'email', pattern: 'a' })),
        kind: T.Union([T.Literal('a'), T.Null()]),
        map: T.Record(T.String(), T.Number()),
        pair: T.Tuple([T.String(), T.Boolean()]),
        both: T.Intersect([T.Object({ a: T.Any() }), T.Object({ b: T.Unknown() })]),
        list: T.Readonly(T.Array(T.Enum({ A: 'a' }), { uniqueItems: true, contains: T.String() })),
        big: T.BigInt()
      })
    const ofZod = z.toJSONSchema(
      z.object({
        id: z
          .int()
          .min(1)
          .meta({ title: 'Id', examples: [1], deprecated: true }),
        text: z.email().min(1).regex(/a/),
        pair: z.tuple([z.string()]).rest(z.number()),
        map: z.record(z.string(), z.number()).readonly(),
        file: z.file().optional(),
        kind: z.discriminatedUnion('a', [z.object({ a: z.literal(1) }), z.looseObject({ a: z.literal(2) })])
      }),
      { unrepresentable: 'any' }
    )

    // What Zod makes is a schema of Zod too; a copy is not.
    for (const record of [ofTypeBox(Type), ofTypeBox(OldType), { ...ofZod }]) {
      expect(() => open(schema(record))).not.toThrow()
    }
  })

  it('with a format that nothing checks is refused', async () => {
    const things = open(schema({ properties: { id: {}, email: { type: 'string', format: 'emial' } } }))

    await expect(things.create({ email: 'a@b.c' })).rejects.toThrow(
      expect.objectContaining({
        code: 'ALULA_INVALID_SCHEMA',
        message: expect.stringMatching(/unknown format "emial" .* "#\/properties\/email"/)
      })
    )
  })

  it('may leave out types, and say of a field that it is anything', async () => {
    const things = open(
      schema({
        properties: {
          id: {},
          any: true,
          whole: { properties: { size: { type: 'integer' } } },
          list: { items: { properties: { size: { type: 'integer' } } } },
          free: { type: 'array' }
        }
      })
    )
    const data = {
      ...{ any: { deep: [1] }, free: [{ a: 1 }] },
      ...{ whole: { size: 1 }, list: [{ size: 2 }] }
    }

    expect(await things.create(data, outside)).toEqual({ id: 0, ...data })
    expect(await things.patch(0, { any: 5 }, outside)).toEqual({ id: 0, ...data, any: 5 })
    expect(await failing(things.create({ whole: { other: 1 }, list: [{ other: 1 }] }, outside))).toEqual([
      400,
      { 'whole.other': 'is not a known field', 'list.0.other': 'is not a known field' }
    ])
    expect(await things.find({ ...outside, query: { 'whole.size': '1' } })).toHaveLength(1)
  })

  it('without a type refuses what is no record as well', async () => {
    const things = open(schema({ properties: { id: {}, text: { type: 'string' } } }))

    await things.create({ text: 'a' })

    expect((await failing(things.create('a', outside)))[0]).toBe(400)
    expect((await failing(things.patch(0, 'a', outside)))[0]).toBe(400)
    expect(await things.find()).toEqual([{ id: 0, text: 'a' }])
  })

  it('lists values, null among them, that queries are converted to', async () => {
    const things = open(
      schema({
        properties: { id: { type: 'integer' }, level: { enum: [1, 2, null] }, none: { const: null } }
      })
    )

    await things.create([{ level: 1 }, { level: null, none: null }])

    const find = async (level: unknown) =>
      (await things.find({ ...outside, query: { level } })).map(({ id }: any) => id)

    expect(await find('1')).toEqual([0])
    expect(await find('')).toEqual([1])
    expect(await failing(find('3'))).toEqual([400, { level: 'expects one of 1, 2' }])
  })

  it('has the fields of all its parts, and is open where all of them are', async () => {
    const record = {
      allOf: [
        { type: 'object', properties: { id: { type: 'integer' }, secret: { type: 'string' } } },
        { type: 'object', properties: { text: { type: 'string' } } }
      ]
    }
    const create = {
      allOf: [
        { properties: { text: { type: 'string' } }, additionalProperties: true },
        { properties: { size: { type: 'integer' } }, additionalProperties: true }
      ]
    }
    const things = open(schema({ record, create, patch: create, hidden: ['secret'], extra: 'keep' }))

    expect(await things.create({ text: 'a', size: 1, other: 2 }, outside)).toEqual({
      ...{ id: 0, text: 'a', size: 1, other: 2 }
    })
    expect(await failing(things.find({ ...outside, query: { secret: 'x' } }))).toEqual([
      400,
      { secret: 'is not a field that can be queried' }
    ])
    expect(await things.find({ ...outside, query: { text: 'a' } })).toHaveLength(1)
  })

  it('has the fields of what it chooses by `anyOf` and by `oneOf` beside it', async () => {
    const toKind = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } })
    const choices = {
      anyOf: [toKind('a'), toKind('b')],
      oneOf: [
        { ...toKind('c'), required: ['c'] },
        { ...toKind('d'), required: ['d'] }
      ]
    }
    const things = open(
      schema({
        record: { type: 'object', properties: { id: { type: 'integer' } }, ...choices },
        create: { type: 'object', properties: {}, ...choices },
        patch: toKind('a')
      })
    )

    expect(await things.create({ a: 'x', c: 'y' }, outside)).toEqual({ id: 0, a: 'x', c: 'y' })
    expect(await failing(things.create({ c: 'y', e: 'x' }, outside))).toEqual([
      400,
      { e: 'is not a known field' }
    ])
  })

  it('takes a reference that leads to nothing it can read as anything', async () => {
    const create = { properties: { text: { type: 'string' } } }
    const record = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        text: { type: 'string' },
        outside: { $ref: 'https://example.org/text.json' },
        nothing: { $ref: '#/$defs/None/properties/deep' },
        flag: { $ref: '#/$defs/Flag' },
        itself: { $ref: '#/properties/itself' }
      },
      $defs: { Flag: true }
    }
    const things = open(schema({ record, create, patch: create }))

    await things.create({ text: 'a' })

    for (const name of ['outside', 'nothing', 'flag', 'itself']) {
      expect(await things.find({ ...outside, query: { [name]: { $ne: 'x' } } })).toHaveLength(1)
    }
  })
})

it('an intersection has the fields of both, without a line for each', async () => {
  const Base = z.object({ text: z.string() })
  const Note = z.object({ id: z.int() }).and(Base)
  const notes = open(schema({ record: Note, create: Base, patch: Base.partial() }))

  expect(await notes.create({ text: 'a' }, outside)).toEqual({ id: 0, text: 'a' })
  expect(await notes.find({ ...outside, query: { text: 'a', $select: ['text'] } })).toEqual([
    { id: 0, text: 'a' }
  ])
})

it('a derived patch asks for no field, whichever keyword of the record does', async () => {
  const notes = open(
    schema({
      type: 'object',
      properties: { id: { type: 'integer' }, email: { type: 'string' }, phone: { type: 'string' } },
      minProperties: 2,
      dependentRequired: { email: ['phone'] },
      anyOf: [{ required: ['email'] }, { not: { required: ['id'] } }]
    })
  )

  expect(await notes.create({ email: 'a', phone: '1' }, { provider: 'rest' })).toMatchObject({ phone: '1' })
  expect(await notes.patch(0, { email: 'b' }, { provider: 'rest' })).toMatchObject({ email: 'b', phone: '1' })
  await expect(notes.patch(0, { email: 5 }, { provider: 'rest' })).rejects.toMatchObject({ code: 400 })
})
