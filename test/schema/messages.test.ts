import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { Ajv } from 'ajv'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

const outside = { provider: 'rest' }

/** What is said of a value of a field. */
async function refuse(field: object, value: unknown, further: object = {}): Promise<any> {
  const app = alula()

  app.use('things', memory(), {
    schema: schema({ type: 'object', properties: { id: { type: 'integer' }, field }, ...further })
  })

  return await app
    .service('things')
    .create({ field: value }, outside)
    .then(
      () => 'it is valid',
      ({ errors }: any) => errors
    )
}

describe('a JSON Schema says what it expects', () => {
  it.each<[object, unknown, string]>([
    [{ type: 'string' }, 5, 'expects a string, got a number'],
    [{ type: 'number' }, JSON.parse('1e400'), 'expects a number, got a number that is too large'],
    [{ type: 'integer' }, JSON.parse('1e400'), 'expects an integer, got a number that is too large'],
    [{ type: 'string' }, null, 'expects a string, got null'],
    [{ type: 'string' }, [1], 'expects a string, got an array'],
    [{ type: 'integer' }, { a: 1 }, 'expects an integer, got an object'],
    [{ type: 'array' }, true, 'expects an array, got a boolean'],
    [{ type: ['string', 'null'] }, 5, 'expects a string or null, got a number'],
    [{ type: 'null' }, 5, 'expects null, got a number'],
    [{ enum: ['a', 'b', 1] }, 'c', 'expects one of "a", "b", 1'],
    [{ enum: ['a,b', 'c', [1, 2], null] }, 'd', 'expects one of "a,b", "c", [1,2], null'],
    [{ const: 'a' }, 'c', 'expects "a"'],
    [{ minLength: 1 }, '', 'expects at least 1 character'],
    [{ minLength: 2 }, '', 'expects at least 2 characters'],
    [{ maxLength: 1 }, 'abc', 'expects at most 1 character'],
    [{ maxLength: 2 }, 'abc', 'expects at most 2 characters'],
    [{ minimum: 2 }, 1, 'expects a number >= 2'],
    [{ maximum: 2 }, 3, 'expects a number <= 2'],
    [{ exclusiveMinimum: 2 }, 2, 'expects a number > 2'],
    [{ exclusiveMaximum: 2 }, 2, 'expects a number < 2'],
    [{ multipleOf: 2 }, 3, 'expects a multiple of 2'],
    [{ minItems: 1 }, [], 'expects at least 1 element'],
    [{ minItems: 2 }, [], 'expects at least 2 elements'],
    [{ maxItems: 1 }, [1, 2], 'expects at most 1 element'],
    [{ maxItems: 2 }, [1, 2, 3], 'expects at most 2 elements'],
    [{ uniqueItems: true }, [1, 1], 'expects different elements'],
    [{ pattern: '^a' }, 'b', 'expects the pattern ^a'],
    [{ format: 'email' }, 'b', "expects the format 'email'"],
    [{ not: { type: 'string' } }, 'b', 'is not valid']
  ])('%j of %j: %s', async (field, value, message) => {
    expect(await refuse(field, value)).toEqual({ field: message })
  })

  it('of what holds under a condition, and not of the condition', async () => {
    const conditional = { if: { type: 'string' }, then: { minLength: 2 } }

    expect(await refuse(conditional, 'a')).toEqual({ field: 'expects at least 2 characters' })
    expect(await refuse(conditional, 5)).toBe('it is valid')
  })

  it('at the field that is missing or not known, by its own name', async () => {
    const inner = { type: 'object', required: ['a/b'], properties: { 'a/b': {} } }

    expect(await refuse(inner, {})).toEqual({ 'field.a/b': 'is required' })
    expect(await refuse({ properties: { 'x~y/z': { type: 'string' } } }, { 'x~y/z': 1 })).toEqual({
      'field.x~y/z': 'expects a string, got a number'
    })
    expect(await refuse({ maxProperties: 1, additionalProperties: true }, { a: 1, b: 2 })).toEqual({
      field: 'is not valid'
    })
  })

  it('accepts bigints that differ', async () => {
    expect(await refuse({ type: 'array', uniqueItems: true }, [1n, 2n])).toBe('it is valid')
    expect(await refuse({ type: 'array', uniqueItems: true }, [1n, 1n])).toEqual({
      field: 'expects different elements'
    })
    expect(await refuse({ type: 'array', uniqueItems: false }, [1, 1])).toBe('it is valid')
  })
})

it('an instance of Ajv says so too, of the first 20 faults', async () => {
  const app = alula()
  const names = Array.from({ length: 30 }, (_, index) => `f${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const ajv = new Ajv({ allErrors: true })

  app.use('things', memory(), {
    schema: schema({ type: 'object', properties: { id: { type: 'integer' }, ...properties } }, { ajv })
  })

  const { errors, message } = await app
    .service('things')
    .create(Object.fromEntries(names.map((name) => [name, 1])), outside)
    .catch((error: any) => error)

  expect(Object.keys(errors)).toEqual(names.slice(0, 20))
  expect(message).toBe("Invalid data: 'f0' expects a string, got a number")
})

it('a message of Valibot is shown where the value is not in it', async () => {
  const app = alula()
  const record = toStandardJsonSchema(v.object({ mail: v.string(), size: v.number() }))

  app.use('people', memory(), { schema: schema({ record, create: record, patch: record }) })

  await expect(app.service('people').create({ size: 'large' }, outside)).rejects.toMatchObject({
    errors: { mail: expect.stringContaining('received undefined'), size: 'expects number' }
  })
})

it('a date of TypeBox may be one of several things', async () => {
  const field = { anyOf: [{ type: 'Date' }, { type: 'null' }] }

  expect(await refuse(field, new Date(0))).toBe('it is valid')
  expect(await refuse(field, null)).toBe('it is valid')
  expect(await refuse(field, '1970-01-01')).toEqual({
    field: 'expects a date in ISO 8601 with a time and a zone, such as 2026-11-22T10:00:00Z'
  })
})

it('the path of a date that is none is not kept below a long name, whose length each path would have', async () => {
  const field = {
    type: 'object',
    additionalProperties: { type: 'array', items: { anyOf: [{ type: 'Date' }, { type: 'null' }] } }
  }
  const long = 'k'.repeat(2000)

  expect(await refuse(field, { k: ['x'] })).toMatchObject({
    'field.k.0': expect.stringContaining('expects a date in ISO 8601')
  })
  expect(await refuse(field, { [long]: ['x'] })).toMatchObject({
    [`field.${long.slice(6, 100)}…`]: 'expects a date'
  })
})
