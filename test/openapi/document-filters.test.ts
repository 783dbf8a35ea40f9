import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toOpenApi } from '../../src/openapi/document.ts'
import { PATTERN_PREDICATES } from '../../src/query.ts'
import { schema } from '../../src/schema.ts'

const Note = z.object({
  id: z.int(),
  text: z.string(),
  note: z.string().nullable(),
  kind: z.enum(['memo', 'list']).nullable(),
  tags: z.array(z.string()),
  kinds: z.array(z.enum(['a', 'b'])).nullable(),
  secrets: z.array(z.string()),
  stars: z.number(),
  rank: z.int().nullable(),
  done: z.boolean(),
  at: z.date(),
  code: z.union([z.string(), z.int()]),
  level: z.union([z.literal(1), z.literal(2)]),
  more: z.any()
})

function toFilters(operators: string[]): Map<string, any> {
  const app: any = alula()

  app.use('notes', memory({ operators, predicates: PATTERN_PREDICATES }), {
    schema: schema(Note, { hidden: ['secrets'] })
  })

  const { components, paths }: any = toOpenApi(app, { info: { title: 'Notes', version: '1' } } as any)
  const resolve = ({ $ref, ...schema }: any) =>
    $ref ? components.schemas[$ref.replace('#/components/schemas/', '')] : schema

  return new Map(paths['/notes'].get.parameters.map(({ name, schema }: any) => [name, resolve(schema)]))
}

const listed = ['$contains', '$overlaps']

it('$null is there for fields that can be null', () => {
  const filters = toFilters([])

  expect(filters.get('text').anyOf[1].properties.$null).toBeUndefined()
  expect(filters.get('note').anyOf[1].properties.$null).toEqual({ type: 'boolean' })
  expect(filters.get('kind').anyOf[1].properties.$null).toEqual({ type: 'boolean' })
  expect(filters.get('kinds')).toEqual({
    type: 'object',
    properties: { $null: { type: 'boolean' } },
    additionalProperties: false
  })
  expect(filters.has('tags')).toBe(false)
})

it('operators of lists are there for lists, with what their elements are', () => {
  const filters = toFilters(listed)

  expect(filters.get('text').anyOf[1].properties.$contains).toBeUndefined()
  expect(filters.has('text[$overlaps][]')).toBe(false)
  expect(filters.get('tags')).toEqual({
    type: 'object',
    properties: { $contains: { type: 'string' } },
    additionalProperties: false
  })
  expect(filters.get('tags[$overlaps][]')).toEqual({ type: 'array', items: { type: 'string' }, minItems: 1 })
  expect(filters.get('kinds').properties).toEqual({
    $null: { type: 'boolean' },
    $contains: { type: 'string', enum: ['a', 'b'] }
  })
  expect([...filters.keys()].join()).not.toContain('secrets')
})

it('patterns are there for fields that may be strings, as strings', () => {
  const filters = toFilters(['$like', '$notlike', '$ilike'])
  const patternsOf = (name: string) => {
    const { $like, $notlike, $ilike } = filters.get(name).anyOf[1].properties

    return [$like, $notlike, $ilike]
  }

  for (const name of ['text', 'note', 'kind', 'code', 'more']) {
    expect(patternsOf(name), name).toEqual([{ type: 'string' }, { type: 'string' }, { type: 'string' }])
  }
  for (const name of ['id', 'stars', 'rank', 'done', 'at', 'level']) {
    expect(patternsOf(name), name).toEqual([undefined, undefined, undefined])
  }
  expect(filters.get('at').anyOf[1].properties.$gt).toEqual({ type: 'string', format: 'date-time' })
})
