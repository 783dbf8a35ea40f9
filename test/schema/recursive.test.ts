import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

/** A schema without rules that counts how often the properties of its objects are read. */
function toCounted(description: object): { counted: any; getReads: () => number } {
  let reads = 0

  const count = (part: any): any => {
    if (Array.isArray(part)) return part.map(count)
    if (typeof part !== 'object' || part === null) return part

    const { properties, ...others } = part
    const counted = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, count(value)]))
    const inner =
      properties &&
      Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, count(value)]))

    if (inner) {
      Object.defineProperty(counted, 'properties', {
        enumerable: true,
        get() {
          reads++
          return inner
        }
      })
    }

    return counted
  }
  const toDescription = () => count(description)
  const counted = {
    '~standard': {
      version: 1,
      vendor: 'counting',
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: toDescription, output: toDescription }
    }
  }

  return { counted, getReads: () => reads }
}

const rule = { anyOf: [{ $ref: '#/$defs/And' }, { $ref: '#/$defs/Or' }] }
const toRule = (kind: string) => ({
  type: 'object',
  properties: { kind: { const: kind }, left: rule, right: rule, more: { type: 'array', items: rule } }
})
const description = {
  type: 'object',
  properties: { id: { type: 'integer' }, rule },
  $defs: { And: toRule('and'), Or: toRule('or') }
}

const toDeep = (depth: number, name: string): object =>
  depth === 0 ? { kind: 'and' } : { kind: 'or', [name]: toDeep(depth - 1, name) }

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('a schema whose parts hold one another', () => {
  it.each([
    ['data and responses', { provider: 'rest' }],
    ['forms', { provider: 'rest', headers: FORM }]
  ])('costs as much for each level of %s', async (_, params) => {
    const { counted, getReads } = toCounted(description)
    const app = alula()

    app.use('notes', memory(), { schema: schema({ record: counted, create: counted, patch: counted }) })

    const notes = app.service('notes')
    const countReads = async (depth: number) => {
      const before = getReads()

      await notes.create({ rule: toDeep(depth, 'left') } as any, params)

      return getReads() - before
    }

    await countReads(2)

    const [short, long] = [await countReads(4), await countReads(8)]

    expect(long).toBeLessThanOrEqual(2 * short)
  })

  it('is not prepared anew for each way through a value', async () => {
    const { counted, getReads } = toCounted(description)
    const app = alula()

    app.use('notes', memory(), { schema: schema({ record: counted, create: counted, patch: counted }) })

    const notes = app.service('notes')

    await notes.create({ rule: { left: { left: {} }, right: { right: {} } } } as any, { provider: 'rest' })

    const before = getReads()

    await notes.create({ rule: { left: { right: { left: {} } }, right: { left: { right: {} } } } } as any, {
      provider: 'rest'
    })

    expect(getReads()).toBe(before)
  })

  it('takes a rule of many levels', async () => {
    const Rule: z.ZodType = z.lazy(() => z.discriminatedUnion('kind', [And, Or, Is] as any))
    const And = z.object({ kind: z.literal('and'), of: z.array(Rule) })
    const Or = z.object({ kind: z.literal('or'), of: z.array(Rule) })
    const Is = z.object({ kind: z.literal('is'), value: z.string() })
    const app = alula()

    app.use('notes', memory(), { schema: schema(z.object({ id: z.int(), rule: Rule })) })

    const notes = app.service('notes')
    const toNested = (depth: number, last: object): object =>
      depth === 0 ? last : { kind: depth % 2 ? 'and' : 'or', of: [toNested(depth - 1, last)] }
    const valid = { rule: toNested(14, { kind: 'is', value: 'x' }) }

    expect(await notes.create(valid as any, { provider: 'rest' })).toEqual({ id: 0, ...valid })
    await expect(
      notes.create({ rule: toNested(2, { kind: 'is', value: 'x', colour: 'red' }) } as any, {
        provider: 'rest'
      })
    ).rejects.toMatchObject({ code: 400, errors: { 'rule.of.0.of.0.colour': 'is not a known field' } })
  })

  it.each([
    ['first', (kind: string, kids: object) => ({ kind: { const: kind }, kids }), 'expects'],
    ['last', (kind: string, kids: object) => ({ kids, kind: { const: kind } }), 'is too complex']
  ])('refuses what takes too many choices where its kind comes %s', async (_, toProperties, fault) => {
    const choice = { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }] }
    const toNode = (kind: string) => ({
      type: 'object',
      required: ['kind'],
      properties: toProperties(kind, { type: 'array', items: choice })
    })
    const app = alula()

    app.use('notes', memory(), {
      schema: schema({
        type: 'object',
        properties: { id: { type: 'integer' }, node: choice },
        $defs: { A: toNode('a'), B: toNode('b') }
      })
    })

    const notes = app.service('notes')
    const toTree = (depth: number, last: string): object =>
      depth === 0 ? { kind: last } : { kind: 'a', kids: [toTree(depth - 1, last)] }
    const valid = { node: toTree(10, 'b') }

    expect(await notes.create(valid as any, { provider: 'rest' })).toEqual({ id: 0, ...valid })

    await expect(notes.create({ node: toTree(18, 'c') } as any, { provider: 'rest' })).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining(fault)
    })
  })
})

describe('a JSON Schema that refers to itself more than once for the same value', () => {
  const node = { $ref: '#/$defs/Node' }
  const within = { properties: { kid: node } }
  const typed = { type: 'object', properties: { kid: node } }

  it.each<[string, object]>([
    ['allOf', { allOf: [typed, within] }],
    ['if and then', { ...typed, if: { required: ['kid'] }, then: within }],
    ['not', { ...typed, not: { required: ['kid'], properties: { kid: { not: node } } } }],
    ['patternProperties', { ...typed, patternProperties: { '^k': node } }],
    ['dependencies', { ...typed, dependencies: { kid: within } }]
  ])('refuses a value that takes too many checks, by %s', async (_, Node) => {
    const app = alula()
    const properties = { id: { type: 'integer' }, node }

    app.use('notes', memory(), { schema: schema({ type: 'object', properties, $defs: { Node } }) })

    const notes = app.service('notes')
    const toChain = (depth: number): object => (depth === 0 ? {} : { kid: toChain(depth - 1) })

    expect(await notes.create({ node: toChain(8) }, { provider: 'rest' })).toMatchObject({ id: 0 })
    await expect(notes.create({ node: toChain(16) }, { provider: 'rest' })).rejects.toMatchObject({
      code: 400,
      errors: { '': 'is too complex' }
    })
  })

  it('takes a long list', async () => {
    const app = alula()
    const Node = { type: 'object', properties: { kids: { type: 'array', items: node }, name: node } }
    const properties = { id: { type: 'integer' }, node }

    app.use('notes', memory(), { schema: schema({ type: 'object', properties, $defs: { Node } }) })

    const kids = Array.from({ length: 20_000 }, () => ({}))

    expect(await app.service('notes').create({ node: { kids } }, { provider: 'rest' })).toMatchObject({
      id: 0
    })
  })
})

it('reports all errors of a JSON Schema whose values and fields only look like keywords', async () => {
  const app = alula()
  const properties = {
    id: { type: 'integer', default: { $ref: '#', format: 'unknown' } },
    $ref: { type: 'string', examples: [{ anyOf: [] }] },
    anyOf: { type: 'string' }
  }

  app.use('notes', memory(), { schema: schema({ type: 'object', properties }) })

  const error = await app
    .service('notes')
    .create({ $ref: 1, anyOf: 2 }, { provider: 'rest' })
    .catch((thrown) => thrown)

  expect(Object.keys(error.errors).sort()).toEqual(['$ref', 'anyOf'])
})
