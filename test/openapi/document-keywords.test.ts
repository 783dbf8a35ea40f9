import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { describeService, INTEGER } from './support/describe.ts'

const TEXT = { type: 'string' }
const A_ONLY = { type: 'object', properties: { a: INTEGER } }

/** The schemas of a document whose record has these fields. Those of it that no validator knows are only described. */
async function describeFields(fields: object, record: object = {}): Promise<any> {
  const { components } = await describeService(memory(), {
    methods: ['get', 'create'],
    schema: schema({ type: 'object', properties: { id: INTEGER, ...fields }, ...record }, { enforce: false })
  })

  return components.schemas
}

describe('a field in a document', () => {
  it.each([
    ['title', { type: 'string', title: 'Title' }],
    ['description', { type: 'string', description: 'Described' }],
    ['deprecated', { type: 'string', deprecated: true }],
    ['format', { type: 'string', format: 'email' }],
    ['contentEncoding', { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' }],
    ['length', { type: 'string', minLength: 1, maxLength: 9, pattern: '^a' }],
    ['range', { type: 'number', minimum: 0, maximum: 9, multipleOf: 3 }],
    ['open range', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9 }],
    ['number of items', { type: 'array', items: TEXT, minItems: 1, maxItems: 9, uniqueItems: true }],
    ['items that are there', { type: 'array', contains: { const: 'a' }, minContains: 1, maxContains: 2 }],
    ['items by place', { type: 'array', prefixItems: [INTEGER, TEXT], items: false }],
    ['number of fields', { type: 'object', minProperties: 1, maxProperties: 9 }],
    [
      'names of fields',
      { type: 'object', propertyNames: { pattern: '^a' }, dependentRequired: { a: ['b'] } }
    ],
    ['further fields', { type: 'object', properties: { a: INTEGER }, additionalProperties: true }],
    ['direction', { type: 'string', readOnly: true, writeOnly: true }],
    ['conditions', { if: TEXT, then: { minLength: 2 }, else: INTEGER, not: { const: 1 } }],
    ['combinations', { allOf: [TEXT, { maxLength: 2 }] }],
    ['values', { const: { list: [1, 'a', true, null] }, examples: [true] }],
    ['numbers', { enum: [1, 2] }],
    ['several types or null', { anyOf: [TEXT, INTEGER, { type: 'null' }] }],
    ['anything or null', { anyOf: [{ minLength: 2 }, { type: 'null' }] }],
    ['a null that is described', { anyOf: [TEXT, { type: 'null', description: 'None' }] }],
    ['no null', { type: 'string', nullable: false }, TEXT],
    ['null of no type', { nullable: true, enum: [1, null] }, { enum: [1, null] }],
    [
      'objects in a list, which are closed',
      { type: 'array', items: A_ONLY },
      { type: 'array', items: close(A_ONLY) }
    ],
    ['objects by place', { prefixItems: [A_ONLY, A_ONLY] }, { prefixItems: [close(A_ONLY), close(A_ONLY)] }],
    ['objects that are refused, which are open', { not: A_ONLY }],
    [
      'an object or null',
      { ...A_ONLY, type: ['object', 'null'] },
      close({ ...A_ONLY, type: ['object', 'null'] })
    ],
    [
      'objects by any name',
      { type: 'object', additionalProperties: A_ONLY },
      { type: 'object', additionalProperties: close(A_ONLY) }
    ],
    ['a function among values', { const: { a: () => 1, b: 1 }, examples: [1, Number.NaN] }, {}],
    ['a keyword of a library', { type: 'string', errorMessage: 'No' }, TEXT]
  ] as [string, object, object?][])('keeps %s', async (_, field, expected = field) => {
    expect((await describeFields({ field })).Note.properties.field).toEqual(expected)
  })

  it.each(['enum', 'const', 'not', 'if', 'allOf', 'anyOf', 'oneOf'])(
    'of one type with %s, or null, allows null',
    async (keyword) => {
      const value = { enum: ['a'], const: 'a', not: TEXT, if: TEXT }[keyword] ?? [TEXT]
      const anyOf = [{ type: 'string', [keyword]: value }, { type: 'null' }]

      expect((await describeFields({ field: { anyOf } })).Note.properties.field).toEqual({ anyOf })
    }
  )

  it('with a default is always in a result, and need not be in data', async () => {
    const { Note: record, NoteCreate } = await describeFields(
      { text: TEXT, done: { type: 'boolean', default: false }, kind: { ...TEXT, default: 'a' } },
      { required: ['text', 'done'] }
    )

    expect(record.required).toEqual(['text', 'done', 'kind'])
    expect(NoteCreate.required).toEqual(['text'])
  })

  it.each(['anyOf', 'oneOf', 'not', 'if', 'contains'])(
    'with a default below %s is there only if it was sent: no value is put in',
    async (keyword) => {
      const part = {
        type: 'object',
        required: ['city', 'zip'],
        properties: { city: TEXT, zip: { ...TEXT, default: '1' }, country: { ...TEXT, default: 'DE' } }
      }
      const toField = (inner: object) => ({ [keyword]: keyword.endsWith('Of') ? [inner, TEXT] : inner })
      const getRequired = (schemas: any, name: string) =>
        [schemas[name].properties.place[keyword]].flat()[0].required

      const fields = await describeFields({ place: toField(part) })
      const { NotePart, NoteCreatePart } = await describeFields(
        { plain: { $ref: '#/$defs/Part' }, place: toField({ $ref: '#/$defs/Part' }) },
        { $defs: { Part: part } }
      )

      expect(getRequired(fields, 'Note')).toEqual(['city', 'zip'])
      expect(getRequired(fields, 'NoteCreate')).toEqual(['city', 'zip'])
      expect([NotePart.required, NoteCreatePart.required]).toEqual([
        ['city', 'zip'],
        ['city', 'zip']
      ])
    }
  )

  it('with a default below allOf is there', async () => {
    const part = { type: 'object', properties: { country: { ...TEXT, default: 'DE' } } }
    const { Note: record } = await describeFields({ place: { allOf: [part] } })

    expect(record.properties.place.allOf[0].required).toEqual(['country'])
  })
})

it('a record in a document may be behind references', async () => {
  const Record = { type: 'object', properties: { id: INTEGER, text: TEXT } }
  const record = {
    $ref: '#/$defs/Outer',
    $defs: { Outer: { $ref: '#/$defs/Inner', description: 'A note' }, Inner: Record }
  }
  const { components } = await describeService(memory(), {
    methods: ['get'],
    schema: schema({ record, create: Record, patch: Record })
  })

  expect(components.schemas.Note).toMatchObject({
    description: 'A note',
    properties: { id: { ...INTEGER, readOnly: true }, text: TEXT }
  })
})

it('further fields of a record leave, and those of an object in it do not', async () => {
  const { components } = await describeService(memory(), {
    methods: ['get'],
    schema: schema({ type: 'object', properties: { id: INTEGER, place: A_ONLY } }, { extra: 'keep' })
  })
  const { Note: record } = components.schemas

  expect(record.additionalProperties).toBeUndefined()
  expect(record.properties.place.additionalProperties).toBe(false)
})

it('no keyword of an object tells of a field that is hidden', async () => {
  const names = { required: ['hideMe'] }
  const telling = {
    examples: [{ hideMe: 1 }],
    enum: [{ hideMe: 1 }],
    const: { hideMe: 1 },
    dependentRequired: { id: ['hideMe'] },
    ...{ not: names, if: names, then: names, else: names },
    ...{ minProperties: 3, maxProperties: 3, propertyNames: { enum: ['id', 'hideMe'] } }
  }
  const { components } = await describeService(memory(), {
    methods: ['get'],
    schema: schema(
      { type: 'object', title: 'A note', properties: { id: INTEGER, hideMe: TEXT }, ...telling },
      { hidden: ['hideMe'] }
    )
  })

  expect(components.schemas.Note).toEqual({
    type: 'object',
    title: 'A note',
    properties: { id: { ...INTEGER, readOnly: true } },
    additionalProperties: false
  })
})

describe('examples of a hidden field', () => {
  const line = { name: 'x', hideCost: 4711 }
  const Line = z.object({ name: z.string(), hideCost: z.int().optional() })

  it.each<[string, any]>([
    ['a value that may be null', Line.nullable().meta({ examples: [line] })],
    ['a list', z.array(Line).meta({ examples: [[line]] })],
    ['a union', z.union([z.string(), Line]).meta({ examples: ['a', line] })],
    ['a tuple', z.tuple([Line]).meta({ examples: [[line]] })]
  ])('are not in the document where %s has them', async (_name, field) => {
    const document = await describeService(Object.assign(memory(), { every: async () => ({}) }), {
      methods: ['get', 'every'],
      schema: schema(z.object({ id: z.int(), field }), {
        hidden: ['field.hideCost'],
        methods: { every: { result: z.object({ field }) } }
      })
    })

    expect(JSON.stringify(document)).not.toMatch(/hide|4711/)
  })

  it('are not in the document where records are of several kinds', async () => {
    const kinds = ['a', 'b'].map((kind) => Line.extend({ id: z.int(), kind: z.literal(kind) }))
    const record = z.union(kinds).meta({ examples: [{ id: 1, kind: 'a', ...line }] })
    const document = await describeService(memory(), {
      methods: ['get'],
      schema: schema({ record, create: Line, patch: Line.partial(), hidden: ['hideCost'] })
    })

    expect(JSON.stringify(document)).not.toMatch(/hide|4711/)
  })
})

function close(object: object): object {
  return { ...object, additionalProperties: false }
}

describe('an object in a document', () => {
  const isThere = (name: string) => ({ required: [name] })
  const fields = { a: INTEGER, b: TEXT }

  it.each(['oneOf', 'anyOf'])('has the choice between fields that %s demands', async (keyword) => {
    const choice = { [keyword]: [isThere('a'), isThere('b')] }

    expect((await describeFields(fields, choice)).Note).toMatchObject({
      ...choice,
      additionalProperties: false
    })
  })

  it('has the fields that may not be there together, and those that others demand', async () => {
    const rules = { not: { required: ['a', 'b'] }, if: isThere('a'), then: isThere('id') }

    expect((await describeFields(fields, rules)).Note).toMatchObject(rules)
  })

  it('is open where what it is one of has further fields, and so are these', async () => {
    const shapes = [{ properties: { c: TEXT }, required: ['c'] }, { type: 'null' }]
    const field = { type: 'object', properties: { a: INTEGER }, anyOf: shapes }

    expect((await describeFields({ field })).Note.properties.field).toEqual(field)
  })

  it('has what is beside a reference to another one, which may hold it', async () => {
    const place = { $ref: '#/$defs/Base', properties: { zip: TEXT }, required: ['zip'] }
    const Base = { type: 'object', required: ['city'], properties: { city: TEXT, in: place } }
    const { Note: record } = await describeFields({ place }, { $defs: { Base } })

    expect(record.properties.place).toMatchObject({
      required: ['city', 'zip'],
      properties: { city: TEXT, zip: TEXT },
      additionalProperties: false
    })

    const hidden = await describeService(memory(), {
      methods: ['get'],
      schema: schema(
        { type: 'object', properties: { id: INTEGER, place }, $defs: { Base } },
        { hidden: ['place.city'] }
      )
    })

    expect(JSON.stringify(hidden)).not.toContain('city')

    const whole = { $ref: '#/$defs/Note', properties: { zip: TEXT }, $defs: { Note: Base } }
    const { components } = await describeService(memory(), {
      methods: ['get'],
      schema: schema({ record: whole, create: A_ONLY, patch: A_ONLY })
    })

    expect(Object.keys(components.schemas.Note.properties)).toEqual(['city', 'in', 'zip'])
  })

  it('of several types of Zod has the fields of all of them', async () => {
    const A = z.object({ a: z.string() }).meta({ id: 'DescribedA' })
    const B = z.object({ b: z.string() }).meta({ id: 'DescribedB' })
    const { components } = await describeService(memory(), {
      methods: ['get'],
      schema: schema(z.object({ id: z.int(), both: z.intersection(A, B) }))
    })
    const { both } = components.schemas.Note.properties
    const parts = both.allOf.map(({ $ref }: any) => components.schemas[$ref.split('/').at(-1)])

    expect(parts.map(({ required }: any) => required)).toEqual([['a'], ['b']])
    expect(parts.map(({ additionalProperties }: any) => additionalProperties)).toEqual([undefined, undefined])
  })

  it('with a hidden field in a choice allows the others', async () => {
    const { components } = await describeService(memory(), {
      methods: ['get'],
      schema: schema(
        { type: 'object', properties: { id: INTEGER, ...fields }, oneOf: [isThere('a'), isThere('b')] },
        { hidden: ['b'] }
      )
    })

    expect(components.schemas.Note).toMatchObject({ anyOf: [isThere('a'), {}] })
    expect(components.schemas.Note.oneOf).toBeUndefined()
  })
})
