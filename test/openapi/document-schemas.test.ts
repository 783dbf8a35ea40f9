import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { protect } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toOpenApi } from '../../src/openapi.ts'
import { schema } from '../../src/schema.ts'
import { libraries } from '../schema/support/libraries.ts'
import { describeApp, describeService, INTEGER, Note, toBody, toNames } from './support/describe.ts'

describe('hidden fields', () => {
  it('are nowhere, at any depth and through references', async () => {
    const record = {
      type: 'object',
      required: ['id', 'hideMe', 'address'],
      examples: [{ id: 1, hideMe: 'x' }],
      properties: {
        id: INTEGER,
        hideMe: { type: 'string' },
        address: { $ref: '#/$defs/Address' },
        others: { type: 'array', items: { $ref: '#/$defs/Address' } },
        again: { $ref: '#/$defs/Address' }
      },
      $defs: {
        Address: {
          type: 'object',
          required: ['city', 'hideZip'],
          properties: { city: { type: 'string' }, hideZip: { type: 'string' } }
        },
        Unused: { type: 'object', properties: { hideMe: {} } }
      }
    }
    const hidden = ['hideMe', 'address.hideZip', 'others.hideZip', 'again.hideZip']
    const document = await describeService(memory(), {
      methods: ['find', 'get', 'remove'],
      schema: schema(record, { hidden })
    })

    expect(document.components.schemas.Note.properties.address.required).toEqual(['city'])
    expect(JSON.stringify(document)).not.toMatch(/hide/)
  })

  it('are not in the result of a custom method, whose schema may be that of the record', async () => {
    const text = { type: 'string' }
    const address = {
      type: 'object',
      required: ['city', 'hideZip'],
      properties: { city: text, hideZip: text }
    }
    const record = {
      type: 'object',
      required: ['id', 'hideMe'],
      properties: { id: INTEGER, hideMe: text, address }
    }
    const result = { type: 'object', properties: { list: { type: 'array', items: record }, address } }
    const document = await describeService(Object.assign(memory(), { every: async () => ({}) }), {
      methods: ['find', 'every'],
      schema: schema(record, { hidden: ['hideMe', 'address.hideZip'], methods: { every: { result } } })
    })
    const { properties } = document.components.schemas.NoteEveryResult

    expect(properties.list.items.required).toEqual(['id'])
    expect(properties.address.required).toEqual(['city'])
    expect(JSON.stringify(document)).not.toMatch(/hide/)
  })

  it('are on no level of a schema that holds itself', async () => {
    const Node = {
      type: 'object',
      required: ['name', 'hideMe'],
      properties: {
        name: { type: 'string' },
        hideMe: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/$defs/Node' } }
      }
    }
    const $defs = { Node }

    for (const [record, hidden] of [
      [{ ...Node, $defs }, 'hideMe'],
      [{ $ref: '#/$defs/Node', $defs }, 'hideMe'],
      [{ type: 'object', properties: { id: INTEGER, tree: { $ref: '#/$defs/Node' } }, $defs }, 'tree.hideMe']
    ] as const) {
      const document = await describeService(memory(), {
        methods: ['find', 'get', 'remove'],
        schema: schema({ record, create: record, patch: record, hidden: [hidden] })
      })
      const [name] = Object.keys(document.components.schemas).filter((one) => one.endsWith('Node'))

      expect(document.components.schemas[name as string].required).toEqual(['name'])
      expect(JSON.stringify(document)).not.toMatch(/hide/)
    }
  })

  it('are those too that protect() takes out of all responses', async () => {
    const app = alula()

    app.use('notes', memory(), { methods: ['find', 'get'], schema: schema(Note) })
    app.service('notes').hooks({ around: { find: [protect('text', 'done')], get: [protect('text')] } })

    const document = await describeApp(app)
    const { properties, required } = document.components.schemas.Note

    expect(Object.keys(properties)).toEqual(['id', 'done'])
    expect(required).toEqual(['id'])
    expect(toNames(document.paths['/notes'].get)).not.toContain('text')
  })
})

describe('a schema', () => {
  it('is closed where fields have the names of keywords', async () => {
    const { components } = await describeService(memory(), {
      methods: ['get'],
      schema: schema({
        type: 'object',
        properties: { id: INTEGER, allOf: { type: 'string', examples: [{ allOf: 1 }] } }
      })
    })

    expect(components.schemas.Note.additionalProperties).toBe(false)
  })

  const toSchema = async (property: object, root: object = {}) => {
    const record = { type: 'object', properties: { id: INTEGER, field: property }, ...root }
    const { components } = await describeService(memory(), { methods: ['get'], schema: schema(record) })

    return components.schemas
  }

  it('that refers to itself has a name', async () => {
    const { Note: record } = await toSchema({ type: 'array', items: { $ref: '#' } })

    expect(record.properties.field).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Note' } })
  })

  it('has the schemas that it refers to as components', async () => {
    const $defs = { Tree: { type: 'object', properties: { next: { $ref: '#/$defs/Tree' } } } }
    const schemas = await toSchema({ $ref: '#/$defs/Tree' }, { $defs })

    expect(schemas.Note.properties.field).toEqual({ $ref: '#/components/schemas/NoteTree' })
    expect(schemas.NoteTree.properties.next).toEqual({ $ref: '#/components/schemas/NoteTree' })
    expect(schemas.Note.$defs).toBeUndefined()
  })

  it('has the form of the version', async () => {
    const { Note: record } = await toSchema({
      $id: 'x',
      type: 'string',
      nullable: true,
      default: 'a',
      'x-own': 1,
      minLength: 2
    })

    expect(record.properties.field).toEqual({ type: ['string', 'null'], minLength: 2 })
  })

  it.each([
    [
      'a list of parts by place',
      { items: [INTEGER, { type: 'string' }] },
      { prefixItems: [INTEGER, { type: 'string' }] }
    ],
    ['a list without elements', { type: 'array', items: false }, { type: 'array', items: false }],
    ['a value that is refused', { anyOf: [false, INTEGER] }, { anyOf: [{ not: {} }, INTEGER] }],
    ['constants', { anyOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'string', enum: ['a', 'b'] }],
    ['values without a type', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    ['values of several types', { enum: ['a', null] }, { enum: ['a', null] }],
    ['a list of one type', { type: ['string'] }, { type: 'string' }],
    ['one alternative', { anyOf: [INTEGER] }, { anyOf: [INTEGER] }],
    ['examples that may be null', { type: 'string', examples: [null] }, { type: 'string', examples: [null] }],
    [
      'one shape or a constant, which is closed',
      { anyOf: [{ type: 'object', properties: { a: INTEGER } }, { const: 1 }] },
      { anyOf: [{ type: 'object', properties: { a: INTEGER }, additionalProperties: false }, { const: 1 }] }
    ],
    [
      'several shapes, which are open',
      { anyOf: [{ properties: { a: INTEGER } }, {}] },
      { anyOf: [{ properties: { a: INTEGER } }, {}] }
    ],
    [
      'parts, which are open',
      { allOf: [{ type: 'object', properties: { a: INTEGER } }] },
      { allOf: [{ type: 'object', properties: { a: INTEGER } }] }
    ],
    [
      'numbers that JSON does not have',
      { type: 'number', maximum: Number.POSITIVE_INFINITY },
      { type: 'number' }
    ],
    [
      'further fields',
      { type: 'object', additionalProperties: INTEGER, patternProperties: { '^x-': { type: 'string' } } },
      { type: 'object', patternProperties: { '^x-': { type: 'string' } }, additionalProperties: INTEGER }
    ]
  ])('of %s is one of a document', async (_, property, expected) => {
    expect((await toSchema(property)).Note.properties.field).toEqual(expected)
  })

  it('of several shapes has what is computed in each', async () => {
    const toShape = (name: string) => ({
      type: 'object',
      required: ['id'],
      properties: { id: INTEGER, [name]: { type: 'string' } }
    })
    const { components } = await describeService(memory(), {
      methods: ['get'],
      schema: schema({
        record: { oneOf: [toShape('text'), toShape('title')] },
        create: toShape('text'),
        patch: toShape('text'),
        computed: { length: { from: ['id'], many: (notes: readonly unknown[]) => notes.map(() => 1) } }
      })
    })

    expect(components.schemas.Note.oneOf.map(({ properties }: any) => Object.keys(properties))).toEqual([
      ['id', 'text', 'length'],
      ['id', 'title', 'length']
    ])
  })

  it('of several shapes that it refers to has what is computed in each', async () => {
    const toShape = (name: string) => ({
      type: 'object',
      required: ['id'],
      properties: { id: INTEGER, [name]: { type: 'string' }, next: { $ref: `#/$defs/${name}` } }
    })
    const data = { type: 'object', properties: {} }
    const { components } = await describeService(memory(), {
      methods: ['get'],
      schema: schema({
        record: {
          oneOf: [{ $ref: '#/$defs/text' }, { $ref: '#/$defs/title' }],
          $defs: { text: toShape('text'), title: toShape('title') }
        },
        create: data,
        patch: data,
        computed: { length: { from: ['id'], many: (notes: readonly unknown[]) => notes.map(() => 1) } }
      })
    })
    const { Note: record, NoteText } = components.schemas

    expect(record.oneOf.map(({ properties }: any) => Object.keys(properties))).toEqual([
      ['id', 'text', 'next', 'length'],
      ['id', 'title', 'next', 'length']
    ])
    // What is in a record has nothing computed.
    expect(Object.keys(NoteText.properties)).toEqual(['id', 'text', 'next'])
  })

  it('of a constant or null allows both', async () => {
    const schemas = await toSchema({ anyOf: [{ type: 'string', const: 'x' }, { type: 'null' }] })

    expect(schemas.Note.properties.field.anyOf).toEqual([{ type: 'string', const: 'x' }, { type: 'null' }])
  })

  it('has further fields where they leave too', async () => {
    const { components } = await describeService(memory(), {
      methods: ['get'],
      schema: schema(Note, { extra: 'keep' })
    })

    expect(components.schemas.Note.additionalProperties).toBeUndefined()
  })

  it('of an update that is written like that of a new record is the same', async () => {
    const toData = () => ({ type: 'object', properties: { text: { type: 'string' } } })
    const { paths, components } = await describeService(memory(), {
      schema: schema({ record: Note, create: toData(), update: toData(), patch: toData() })
    })

    expect(toBody(paths['/notes/{id}'].put)).toEqual({ $ref: '#/components/schemas/NoteCreate' })
    expect(components.schemas.NoteUpdate).toBeUndefined()
    expect(toBody(paths['/notes/{id}'].patch)).toEqual({ $ref: '#/components/schemas/NotePatch' })
  })

  it('of a record without an id marks what the server sets', async () => {
    const { components } = await describeService(memory(), {
      methods: ['find', 'create'],
      schema: schema(z.object({ text: z.string(), at: z.string() }), { server: { at: () => 'now' } })
    })

    expect(components.schemas.Note.properties).toEqual({
      text: { type: 'string' },
      at: { type: 'string', readOnly: true }
    })
  })

  it('that only describes may have types and references of others', async () => {
    const warnings = collectWarnings()
    const record = {
      type: 'object',
      properties: { id: INTEGER, file: { type: 'file' }, far: { $ref: 'other.json#/Far' } }
    }
    const { components } = await describeService(memory(), {
      methods: ['get'],
      schema: schema(record, { enforce: false })
    })
    const { id, file, far } = components.schemas.Note.properties

    expect([id, file, far]).toEqual([{ ...INTEGER, readOnly: true }, {}, {}])
    expect(warnings).toEqual([expect.stringMatching(/notes\.file, notes\.far/)])
  })

  it('of which a field cannot be described says so once, and has the rest', async () => {
    const warnings = collectWarnings()
    const app = alula()

    app.use('notes', memory(), {
      methods: ['get'],
      schema: schema(
        Note.extend({
          ...{ size: z.bigint(), made: z.custom<Blob>() },
          // What may be anything is described by that.
          ...{ any: z.any(), some: z.unknown().optional() }
        })
      )
    })

    const { properties } = (await describeApp(app)).components.schemas.Note

    toOpenApi(app)

    expect([properties.size, properties.made, properties.text]).toEqual([{}, {}, { type: 'string' }])
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toMatch(/notes\.size, notes\.made$/)
  })
})

it('names fields whose other values the server converts or replaces', async () => {
  const ofZod = z.object({
    id: z.int(),
    size: z.coerce.number(),
    at: z.coerce.date().optional(),
    kind: z.enum(['a', 'b']).catch('a')
  })
  const ofValibot = toStandardJsonSchema(v.object({ kind: v.fallback(v.string(), 'a') }))
  const lenient = { 'x-lenient': true }
  const options = { schema: schema({ record: ofZod, update: ofValibot, patch: ofValibot }) }
  const {
    Note: record,
    NoteCreate,
    NoteUpdate
  } = (await describeService(memory(), options)).components.schemas

  expect(NoteCreate.properties).toEqual({
    size: { type: 'number', ...lenient },
    at: { type: 'string', format: 'date-time', ...lenient },
    kind: { type: 'string', enum: ['a', 'b'], ...lenient }
  })
  expect(NoteUpdate.properties).toEqual({ kind: { type: 'string', ...lenient } })
  expect(JSON.stringify(record)).not.toContain('lenient')
})

it('is the same for every library, up to titles', async () => {
  const documents = await Promise.all(
    Object.values(libraries).map(async (create) => {
      const { paths, components } = await describeService(memory(), { schema: create() })

      return JSON.parse(JSON.stringify({ paths, components }), normalize)
    })
  )

  for (const document of documents) expect(document).toEqual(documents[0])
})

function collectWarnings(): readonly string[] {
  const warnings: string[] = []
  const original = process.emitWarning

  process.emitWarning = ((text: string) => void warnings.push(text)) as typeof process.emitWarning
  onTestFinished(() => {
    process.emitWarning = original
  })

  return warnings
}

/** What libraries say in different words. */
function normalize(key: string, value: any): unknown {
  // Joi takes no empty string unless it is said.
  if (key === 'title' || key === 'minLength') return undefined
  if (key === 'parameters') {
    return value.toSorted((first: any, second: any) => (first.name < second.name ? -1 : 1))
  }
  if (key === 'required' && Array.isArray(value)) return value.toSorted()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (value.minimum === Number.MIN_SAFE_INTEGER || value.maximum === Number.MAX_SAFE_INTEGER) {
    const { minimum, maximum, ...rest } = value

    return rest
  }

  return Object.fromEntries(Object.entries(value).toSorted(([first], [second]) => (first < second ? -1 : 1)))
}
