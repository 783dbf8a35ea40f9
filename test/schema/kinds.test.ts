// What a JSON Schema says of a field, and what the strings of a URL or a form become by it.
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

const DATE = { type: 'string', format: 'date-time', 'x-alula-date': true }

/** A service that keeps what it is sent. */
function open(field: unknown, further: object = {}) {
  const app: any = alula()
  const seen: any[] = []

  app.use(
    'things',
    {
      find: async ({ query }: any) => void seen.push(query),
      create: async (data: any) => void seen.push(data)
    },
    { schema: schema({ type: 'object', properties: { id: { type: 'integer' }, field }, ...further }) }
  )

  return { things: app.service('things'), seen }
}

const faults = ({ errors, message }: any) => errors ?? message

describe('in a query', () => {
  async function convert(field: unknown, sent: unknown, path = 'field'): Promise<unknown> {
    const { things, seen } = open(field)

    return await things.find({ provider: 'rest', query: { [path]: sent } }).then(
      () => seen[0][path],
      (error: unknown) => faults(error)[path]
    )
  }

  it.each<[unknown, unknown]>([
    [{ type: 'integer' }, 7],
    [{ type: 'number' }, 7],
    [{ type: 'string' }, '7'],
    [{ type: ['integer', 'boolean'] }, 7],
    [{ type: ['integer', 'string'] }, '7'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 7],
    [{ oneOf: [{ type: 'boolean' }, { type: 'integer' }] }, 7],
    [{ allOf: [{ type: 'integer' }, { minimum: 2 }] }, 7],
    [{ enum: [7, 8] }, 7],
    [{ enum: [7, '7'] }, '7'],
    [{ const: 7 }, 7],
    [{}, '7'],
    [{ type: 'boolean' }, 'expects true or false, got a string'],
    [{ type: ['boolean', 'null'] }, 'expects true or false or null, got a string'],
    [DATE, 'expects a date in ISO 8601, got a string'],
    [{ enum: [8, 9] }, 'expects one of 8, 9'],
    [{ const: 'a' }, 'expects one of "a"'],
    [{ type: 'array', items: { type: 'integer' } }, 'is a list, which cannot be compared'],
    [{ type: 'object' }, 'is not a field that can be queried']
  ])("'7' for %j: %j", async (field, expected) => {
    expect(await convert(field, '7')).toEqual(expected)
  })

  it.each<[unknown, unknown]>([
    [{ type: 'integer' }, 'expects an integer, got a string'],
    [{ type: ['integer', 'null'] }, null],
    [{ type: 'integer', nullable: true }, null],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, null],
    [{ anyOf: [{ type: 'integer' }, { const: null }] }, null],
    [{ enum: [1, null] }, null],
    [{ type: 'string' }, ''],
    [{ type: ['string', 'null'] }, '']
  ])("'' for %j: %j", async (field, expected) => {
    expect(await convert(field, '')).toEqual(expected)
  })

  it('values have kinds of their own, and fields of objects too', async () => {
    const address = { type: 'object', properties: { size: { type: 'integer' }, on: DATE } }

    expect(await convert({ type: 'boolean' }, 'true')).toBe(true)
    expect(await convert({ const: true }, 'true')).toBe(true)
    expect(await convert(DATE, '1970-01-01')).toEqual(new Date(0))
    expect(await convert({ anyOf: [DATE, { type: 'integer' }] }, '7')).toBe(7)
    expect(await convert({ anyOf: [{ type: 'boolean' }, DATE] }, '1970-01-01')).toEqual(new Date(0))
    expect(await convert(address, '7', 'field.size')).toBe(7)
    expect(await convert({ anyOf: [address, { type: 'null' }] }, '7', 'field.size')).toBe(7)
    expect(await convert({ type: 'integer' }, '7.5')).toBe('expects an integer, got a string')
    expect(await convert({ type: 'number' }, '7.5')).toBe(7.5)
  })
})

describe('in a form', () => {
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

  async function convert(field: unknown, sent: unknown, headers: object = FORM, provider = 'rest') {
    const { things, seen } = open(field)

    return await things.create({ field: sent }, { provider, headers }).then(() => seen[0], faults)
  }

  it.each<[unknown, unknown, unknown]>([
    [{ type: 'integer' }, '7', 7],
    [{ type: 'number' }, '0.5', 0.5],
    [{ type: 'boolean' }, 'on', true],
    [{ type: 'boolean' }, 'false', false],
    [{ type: ['boolean', 'null'] }, '', null],
    [{ type: 'string' }, '7', '7'],
    [{ type: 'string' }, '', ''],
    [{ type: ['string', 'integer'] }, '7', '7'],
    [{}, 'on', 'on'],
    [{ enum: ['a', 'on'], type: 'string' }, 'on', 'on'],
    [{ type: 'array', items: { type: 'integer' } }, '7', [7]],
    [{ type: 'array', items: { type: 'integer' } }, '', []],
    [{ type: 'array', items: { type: 'integer' } }, ['1', '', '2'], [1, 2]],
    [{ type: 'array' }, ['1', ''], ['1', '']],
    [{ anyOf: [{ type: 'array', items: { type: 'boolean' } }, { type: 'null' }] }, ['on'], [true]],
    [{ type: 'object', properties: { size: { type: 'integer' } } }, { size: '7' }, { size: 7 }],
    [{ type: 'object', properties: { size: { type: 'integer' } } }, { size: '' }, {}],
    [{ type: 'object', additionalProperties: true }, { size: '7' }, { size: '7' }]
  ])('%j of %j: %j', async (field, sent, stored) => {
    expect(await convert(field, sent)).toEqual({ field: stored })
  })

  it('a field that is left empty is left out, and what is not exact is refused', async () => {
    expect(await convert({ type: 'integer' }, '')).toEqual({})
    expect(await convert({ type: 'boolean' }, 'yes')).toEqual({ field: 'expects a boolean, got a string' })
    expect(await convert({ type: 'integer' }, '07')).toEqual({ field: 'expects an integer, got a string' })
    expect(await convert({ type: 'integer' }, 'on')).toEqual({ field: 'expects an integer, got a string' })
  })

  it('a date without a time zone is refused as such, and other strings as in a URL', async () => {
    const nullable = { anyOf: [DATE, { type: 'null' }] }
    const zone = { field: 'expects a date in ISO 8601 with a time zone' }

    expect(await convert(DATE, '2026-01-01T10:00')).toEqual(zone)
    expect(await convert(nullable, '2026-01-01T10:00')).toEqual(zone)
    expect(await convert(DATE, '22.11.2026')).toEqual({ field: 'expects a date in ISO 8601, got a string' })
    expect(await convert(nullable, '2026-02-30T10:00')).toEqual({
      field: 'expects a date in ISO 8601 or null, got a string'
    })
    expect(await convert(DATE, ['x'])).not.toMatchObject({ field: expect.stringContaining('ISO') })
  })

  it.each<[object, string, boolean]>([
    [FORM, 'rest', true],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, 'rest', true],
    [{ 'content-type': 'Multipart/Form-Data' }, 'rest', true],
    [{ 'content-type': 'application/json' }, 'rest', false],
    [{ 'content-type': 'text/plain; application/x-www-form-urlencoded' }, 'rest', false],
    [{}, 'rest', false],
    [FORM, 'socketio', false]
  ])('is what says so: %j over %s', async (headers, provider, isForm) => {
    expect(await convert({ type: 'integer' }, '7', headers, provider)).toEqual({
      field: isForm ? 7 : 'expects an integer, got a string'
    })
  })
})

describe('a reference', () => {
  const target = { type: 'object', properties: { size: { type: 'integer' } } }

  it.each<[string, object]>([
    ['#/$defs/plain', { plain: target }],
    ['#/$defs/a~1b', { 'a/b': target }],
    ['#/$defs/a~0b', { 'a~b': target }],
    ['#/$defs/a%20b', { 'a b': target }],
    ['#/$defs/outer/properties/inner', { outer: { properties: { inner: target } } }],
    ['#/$defs/first', { first: { $ref: '#/$defs/second' }, second: target }],
    ['https://example.com/size', { any: { ...target, $id: 'https://example.com/size' } }],
    [
      'https://example.com/size#/properties/deep',
      {
        any: { $id: 'https://example.com/size', properties: { deep: target } }
      }
    ]
  ])('%s leads to what it names', async ($ref, $defs) => {
    const { things, seen } = open({ $ref }, { $defs })
    const outside = { provider: 'rest' }

    await things.create({ field: { size: 7 } }, outside)
    await things.find({ ...outside, query: { 'field.size': '7' } })

    expect(seen).toEqual([{ field: { size: 7 } }, { 'field.size': 7 }])
    await expect(things.create({ field: { other: 7 } }, outside)).rejects.toMatchObject({
      errors: { 'field.other': 'is not a known field' }
    })
  })

  it('leads on to others', async () => {
    const outer = { type: 'object', properties: { inner: { $ref: '#/$defs/inner' } } }
    const { things, seen } = open({ $ref: '#/$defs/outer' }, { $defs: { outer, inner: target } })

    await things.find({ provider: 'rest', query: { 'field.inner.size': '7' } })

    expect(seen).toEqual([{ 'field.inner.size': 7 }])
  })

  it('keeps what stands beside it', async () => {
    const { things } = open({ $ref: '#/$defs/size', maximum: 5 }, { $defs: { size: { type: 'integer' } } })
    const create = (field: unknown) => things.create({ field }, { provider: 'rest' }).catch(faults)

    expect(await create(6)).toEqual({ field: 'expects a number <= 5' })
    expect(await create('6')).toEqual({ field: expect.any(String) })
  })
})

it('a default is for new records alone', async () => {
  const app: any = alula()

  app.use('things', memory(), {
    schema: schema({
      type: 'object',
      required: ['text'],
      properties: {
        id: { type: 'integer' },
        text: { type: 'string' },
        done: { type: 'boolean', default: false }
      }
    })
  })

  const things = app.service('things')

  expect(await things.create({ text: 'a' }, { provider: 'rest' })).toEqual({ id: 0, text: 'a', done: false })
  await things.patch(0, { done: true }, { provider: 'rest' })
  expect(await things.patch(0, { text: 'b' }, { provider: 'rest' })).toEqual({ id: 0, text: 'b', done: true })
})
