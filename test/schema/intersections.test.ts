import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/schema/json-schema.ts'
import { createShapes } from '../../src/schema/shape.ts'
import { schema } from '../../src/schema.ts'
import { open } from './support/notes.ts'

const TEXT = { type: 'string' }
const outside = { provider: 'rest' }

/** An object that has a field. */
const withField = (name: string, field: object) => ({ type: 'object', properties: { [name]: field } })

describe('a nested object that two parts of `allOf` describe', () => {
  const record = {
    allOf: [
      withField('id', { type: 'integer' }),
      withField('meta', withField('size', { type: 'integer' })),
      withField('meta', withField('colour', { anyOf: [TEXT, { type: 'null' }] }))
    ]
  }

  it('has the fields of both, in data, queries and results, and no others', async () => {
    const notes = open(schema({ record, create: record, patch: record }))
    const meta = { size: 1, colour: 'red' }

    expect(await notes.create({ id: 1, meta }, outside)).toEqual({ id: 1, meta })
    expect(await notes.find({ ...outside, query: { 'meta.size': '1', 'meta.colour': 'red' } })).toEqual([
      { id: 1, meta }
    ])
    await expect(notes.create({ id: 2, meta: { ...meta, weight: 1 } }, outside)).rejects.toMatchObject({
      errors: { 'meta.weight': 'is not a known field' }
    })
  })

  it('is hidden as a whole, and by the field of either', async () => {
    for (const [hidden, left] of [
      ['meta.size', { colour: 'red' }],
      ['meta.colour', { size: 1 }]
    ] as const) {
      const notes = open(schema({ record, create: record, patch: record, hidden: [hidden] }))
      const context = notes.create.createContext()

      await notes.create({ id: 1, meta: { size: 1, colour: 'red' } }, outside, context)
      expect(context.dispatch).toEqual({ id: 1, meta: left })
    }
  })
})

it('what either part of `allOf` requires is required', () => {
  const root = {
    allOf: [
      { ...withField('id', { type: 'integer' }), required: ['id'] },
      { ...withField('text', TEXT), required: ['text', 'id'] }
    ]
  }

  expect(createShapes(root)(root).object.required).toEqual(['id', 'text'])
})

it('what one part lists and another types tells the kinds of a record apart', () => {
  const toKind = (kind: string, field: string) => ({
    allOf: [withField('kind', { const: kind }), withField('kind', TEXT), withField(field, TEXT)]
  })
  const root = { anyOf: [toKind('a', 'one'), toKind('b', 'two')] }
  const discriminator = createShapes(root)(root).object.findDiscriminator()

  expect(discriminator?.name).toBe('kind')
  expect([...(discriminator?.objects.get('a')?.names ?? [])]).toEqual(['kind', 'one'])
})

it('types that hold each other in two parts have an end', () => {
  const to = (name: string) => ({ $ref: `#/$defs/${name}` })
  const root: JsonSchema = {
    $defs: {
      a: { allOf: [withField('child', to('a')), withField('child', to('b')), withField('one', TEXT)] },
      b: { allOf: [withField('child', to('b')), withField('child', to('c')), withField('two', TEXT)] },
      c: { allOf: [withField('child', to('c')), withField('child', to('a')), withField('three', TEXT)] }
    },
    ...to('a')
  }
  const toShape = createShapes(root)
  const seen = new Set()

  for (let shape = toShape(root); !seen.has(shape); ) {
    seen.add(shape)
    shape = shape.object.fields.get('child') as typeof shape
    expect(seen.size).toBeLessThan(10)
  }

  const notes = open(schema({ record: root, create: root, patch: root }), {
    create: async (data: object) => data
  })

  return expect(
    notes.create({ child: { child: { child: { one: 'x', two: 'x', three: 'x', four: 'x' } } } }, outside)
  ).rejects.toMatchObject({ errors: { 'child.child.child.four': 'is not a known field' } })
})
