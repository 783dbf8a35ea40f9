import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../../src/schema/json-schema.ts'
import { createRandom, pick, type Random, toDamaged, toRandomValue } from '../src/random-values.ts'

/** Just below 1, which a source of randomness never returns. */
const HIGHEST = 1 - 2 ** -32

/** A source of randomness that returns these numbers, and then the last of them. */
function createSequence(...numbers: number[]): Random {
  return () => (numbers.length > 1 ? numbers.shift() : numbers[0]) as number
}

/** What a function returns at numbers from 0 up to 1. */
function sweep<T>(make: (random: Random) => T): T[] {
  return Array.from({ length: 120 }, (_, index) => make(() => index / 120))
}

/** The values that are made of a schema. */
function makeAll(schema: JsonSchema): any[] {
  return sweep((random) => toRandomValue(schema, schema, random))
}

/** How many objects or lists are inside each other. */
function getDepth(value: any): number {
  return typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(getDepth)) : 0
}

describe('a source of randomness', () => {
  it('repeats the numbers of a seed, in this version and in the next', () => {
    const random = createRandom(42)

    // The numbers of Mulberry32.
    expect([random(), random(), random()]).toEqual([
      0.6011037519201636, 0.44829055899754167, 0.8524657934904099
    ])
  })

  it('picks from the first value to the last one', () => {
    const values = ['first', 'second', 'last']

    expect([0, 0.33, 0.34, 0.66, 0.67, HIGHEST].map((number) => pick(() => number, values))).toEqual([
      ...['first', 'first'],
      ...['second', 'second'],
      ...['last', 'last']
    ])
  })
})

describe('a random value', () => {
  it.each<[JsonSchema, unknown[]]>([
    [{ const: 0, type: 'string' }, [0]],
    [{ const: null }, [null]],
    [{ enum: ['a', 7], type: 'string' }, ['a', 7]],
    [{ type: 'null' }, [null]],
    [{ type: 'boolean' }, [true, false]],
    [{ anyOf: [{ const: 1 }, { const: 2 }] }, [1, 2]],
    [{ $ref: '#/$defs/three', $defs: { three: { const: 3 } } }, [3]]
  ])('of %j is one of %j', (schema, values) => {
    expect(new Set(makeAll(schema))).toEqual(new Set(values))
  })

  it('is true below a half', () => {
    expect(toRandomValue({ type: 'boolean' }, {}, () => 0.5)).toBe(false)
  })

  it.each<[JsonSchema, string[]]>([
    [{ type: ['integer', 'string'] }, ['number', 'string']],
    [{ properties: {} }, ['object']],
    [{ items: { type: 'string' } }, ['array']],
    [{}, ['string', 'number', 'boolean', 'object']],
    [{ $ref: '#' }, ['string', 'number', 'boolean', 'object']]
  ])('of %j is of the type %j', (schema, types) => {
    const found = makeAll(schema).map((value) => (Array.isArray(value) ? 'array' : typeof value))

    expect(new Set(found)).toEqual(new Set(types))
  })

  it('of what is no schema is a string', () => {
    expect(toRandomValue(true, {}, () => HIGHEST)).toBe(' x ')
  })

  it.each<[JsonSchema, least: number, most: number]>([
    [{ type: 'integer' }, -50, 50],
    [{ type: 'number' }, -50, 50],
    [{ type: 'integer', minimum: 5 }, 5, 105],
    [{ type: 'integer', minimum: -1000 }, -50, 50],
    [{ type: 'integer', maximum: 10 }, -90, 10],
    [{ type: 'integer', maximum: 1000 }, -50, 50],
    [{ type: 'integer', maximum: -100 }, -200, -100],
    [{ type: 'integer', minimum: 0, maximum: 1 }, 0, 1],
    [{ type: 'integer', minimum: -1000, maximum: -900 }, -1000, -900],
    [{ type: 'integer', minimum: 0, maximum: 1000 }, 0, 100],
    [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 3 }, 1, 2],
    [{ type: 'number', minimum: 0.5, maximum: 1.5 }, 0.5, 1.5],
    [{ type: 'integer', minimum: 0.6 }, 1, 101],
    [{ type: 'integer', minimum: 1, maximum: 10, multipleOf: 5 }, 5, 10],
    [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 20, multipleOf: 5 }, 5, 15],
    [{ type: 'number', minimum: 0, maximum: 1, multipleOf: 0.25 }, 0, 1],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5, 0.5],
    [{ type: 'number', exclusiveMinimum: 2, maximum: 2.5 }, 2.25, 2.25],
    [{ type: 'number', minimum: 0.5, exclusiveMaximum: 1 }, 0.75, 0.75]
  ])('of %j is from %d to %d', (schema, least, most) => {
    const make = (number: number) => toRandomValue(schema, schema, () => number)

    expect([make(0), make(HIGHEST)]).toEqual([least, most])
  })

  it.each(['date-time', 'date', 'time', 'email', 'uuid', 'uri', 'ipv4', 'ipv6', 'hostname'])(
    'of the format %s is what Ajv takes',
    (format) => {
      const schema = { type: 'string', format }
      const ajv = new Ajv2020()

      addFormats.default(ajv)

      const isValid = ajv.compile(schema)

      expect(makeAll(schema).filter((value) => !isValid(value))).toEqual([])
    }
  )

  it('of a format that is not known is a string', () => {
    expect(toRandomValue({ type: 'string', format: 'toString' }, {}, () => 0)).toBe('a')
  })

  it.each([
    ...[
      '^[a-z]$',
      '^[a-z]{3}$',
      '^[A-Z]+$',
      '^[a-z]\\d$',
      '^\\d$',
      '^\\d{5}$',
      '^[a-z]+-[a-z]+$',
      '^\\w+_\\w+$'
    ],
    ...['^\\+\\d{7,15}$', '^#[0-9a-f]{6}$', '^\\d+\\.\\d+\\.\\d+$']
  ])('of the pattern %s sometimes matches', (pattern) => {
    expect(makeAll({ type: 'string', pattern }).some((text) => new RegExp(pattern).test(text))).toBe(true)
  })

  it('has the strings that are known to cause trouble', () => {
    const texts: string[] = makeAll({ type: 'string' })

    expect(texts).toEqual(
      expect.arrayContaining(['7', 'true', 'null', '\u{1F426}', "'; --", '%_\\', '$gt', '__proto__', ' x '])
    )
    expect(texts.some((text) => text !== text.normalize('NFD') || text !== text.normalize('NFC'))).toBe(true)
  })

  it.each<[JsonSchema]>([
    [{ minLength: 2 }],
    [{ minLength: 50 }],
    [{ maxLength: 1 }],
    [{ minLength: 3, maxLength: 3 }]
  ])('of %j has as many code points', ({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: any) => {
    const lengths = makeAll({ type: 'string', minLength, ...(maxLength < 99 && { maxLength }) }).map(
      (text) => [...text].length
    )

    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(minLength)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(maxLength)
  })

  it('is padded as far as its schema says, and no further', () => {
    expect(toRandomValue({ type: 'string', minLength: 1 }, {}, () => 0)).toBe('a')
    expect(toRandomValue({ type: 'string', minLength: 3 }, {}, () => 0)).toBe('axx')
  })

  it.each<[JsonSchema, least: number, most: number]>([
    [{}, 0, 2],
    [{ minItems: 2 }, 2, 4],
    [{ minItems: 5 }, 5, 7],
    [{ maxItems: 1 }, 0, 1],
    [{ minItems: 3, maxItems: 4 }, 3, 4],
    [{ prefixItems: [{ const: 1 }, { const: 2 }], items: { const: 3 } }, 2, 2],
    [{ prefixItems: [{ const: 1 }, { const: 2 }], minItems: 3 }, 3, 3],
    [{ prefixItems: [{ const: 1 }, { const: 2 }], maxItems: 1 }, 1, 1]
  ])('that is a list of %j has from %d to %d items', (part, least, most) => {
    const lengths = makeAll({ type: 'array', items: { type: 'integer' }, ...part }).map(
      ({ length }) => length
    )

    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([least, most])
  })

  it('that is a list has items of its schemas', () => {
    const prefixItems = [{ const: 1 }, { const: 2 }]

    expect(
      toRandomValue({ type: 'array', items: { const: 3 }, minItems: 2, maxItems: 2 }, {}, () => 0)
    ).toEqual([3, 3])
    expect(toRandomValue({ type: 'array', minItems: 1 }, {}, () => 0)).toEqual(['a'])
    expect(
      toRandomValue({ type: 'array', prefixItems, items: { const: 3 }, minItems: 3 }, {}, () => 0)
    ).toEqual([1, 2, 3])
  })

  it('has what is required, and half of what is optional', () => {
    const schema = {
      properties: { id: { const: 1 }, note: { const: 2 }, ['__proto__']: { const: 3 } },
      required: ['id']
    }

    expect(Object.entries(toRandomValue(schema, schema, () => 0) as object)).toEqual([
      ...[
        ['id', 1],
        ['note', 2]
      ],
      ['__proto__', 3]
    ])
    expect(toRandomValue(schema, schema, () => 0.5)).toEqual({ id: 1 })
  })

  it('of a schema that holds itself is four levels deep', () => {
    const tree = { type: 'object', properties: { next: { $ref: '#' } } }
    const list = { type: 'array', items: { $ref: '#' } }
    const pair = { type: 'array', prefixItems: [{ type: 'array', items: { $ref: '#' } }] }

    expect(getDepth(toRandomValue(tree, tree, () => 0))).toBe(5)
    expect(getDepth(toRandomValue(list, list, () => HIGHEST))).toBe(5)
    expect(getDepth(toRandomValue(pair, pair, () => HIGHEST))).toBe(6)
  })

  it('has what is required at any depth', () => {
    const wrap = (schema: JsonSchema) => ({ properties: { a: schema }, required: ['a'] })
    const schema = wrap(wrap(wrap(wrap(wrap({ type: 'array', items: { const: 1 }, minItems: 1 })))))

    expect(toRandomValue(schema, schema, () => HIGHEST)).toEqual({ a: { a: { a: { a: { a: [1] } } } } })
  })
})

it('an object has the fields that are demanded by name alone, as all others are', () => {
  const schema = { type: 'object', required: ['a', 'b'], additionalProperties: { const: 1 } }

  expect(toRandomValue(schema, schema, () => HIGHEST)).toEqual({ a: 1, b: 1 })
})

describe('a damaged value', () => {
  it('is wrong in many ways where it was no object', () => {
    const wrong = sweep((random) => toDamaged('a', random))

    expect(wrong).toEqual(
      expect.arrayContaining([null, true, 7, -0.5, 1e300, '', 'x', '\0', '9'.repeat(400), [], {}])
    )
    expect(wrong).toEqual(expect.arrayContaining([[null], [[]], { $gt: 1 }, { $where: '1' }, { length: -1 }]))
    expect(wrong.some((value: any) => value && Object.hasOwn(value, 'constructor'))).toBe(true)
  })

  it.each<[string, value: unknown, numbers: number[], damaged: unknown]>([
    ['replaces null', null, [0.2], -0.5],
    ['replaces an object as a whole', { a: 1 }, [0.09, 0], null],
    ['leaves a field out', { a: 1, b: 2 }, [0.1, 0, 0.29], { b: 2 }],
    ['damages a field', { a: 1, b: 2 }, [0.1, 0, 0.3, 0], { a: null, b: 2 }],
    ['adds a field', { a: 1, b: 2 }, [0.1, HIGHEST, 0], { a: 1, b: 2, undeclared: null }],
    ['damages a field in a field', { a: { b: 1 } }, [0.1, 0, 0.3, 0.1, 0, 0.3, 0], { a: { b: null } }],
    ['damages the first item of a list', ['a', 'b'], [0.1, 0, 0], [null, 'b']],
    ['adds an item to an empty list', [], [0.1, 0, 0], [null]]
  ])('%s', (_what, value, numbers, damaged) => {
    const before = structuredClone(value)

    expect(toDamaged(value, createSequence(...numbers))).toEqual(damaged)
    expect(value).toEqual(before)
  })

  it('keeps a field of the name __proto__ its own', () => {
    const damaged = toDamaged(JSON.parse('{"__proto__":1}'), createSequence(0.1, 0, 0.3, 0))

    expect(Object.entries(damaged as object)).toEqual([['__proto__', null]])
  })
})
