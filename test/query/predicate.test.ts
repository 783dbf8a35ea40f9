import { describe, expect, it } from 'vitest'
import { parseQuery, type QueryOptions, toPredicate } from '../../src/query.ts'
import { RecordId } from '../support/record-id.ts'

/** One record for each kind of value that a field can hold. */
const RECORDS: { [kind: string]: object } = {
  null: { field: null },
  missing: {},
  undefined: { field: undefined },
  'number 1': { field: 1 },
  'number 2': { field: 2 },
  'text 1': { field: '1' },
  'bigint 1': { field: 1n },
  'text B': { field: 'B' },
  'text a': { field: 'a' },
  true: { field: true },
  false: { field: false },
  'date 1': { field: new Date(1) },
  'date 2': { field: new Date(2) },
  'bytes 1': { field: Uint8Array.of(1) },
  'bytes 1 2': { field: Buffer.of(1, 2) },
  'id a': { field: new RecordId('a') },
  'id b': { field: new RecordId('b') },
  array: { field: [1] },
  object: { field: { a: 1 } }
}
const KINDS = Object.keys(RECORDS)
const EMPTY = ['null', 'missing', 'undefined']

/** The kinds of records that match. */
function matches(query: object, options?: QueryOptions): string[] {
  const predicate = toPredicate(parseQuery(query, options).where)

  return KINDS.filter((kind) => predicate(RECORDS[kind]))
}

const except = (kinds: readonly string[]) => KINDS.filter((kind) => !kinds.includes(kind))

describe.each<[string, unknown, string[]]>([
  ['null', null, EMPTY],
  ['undefined', undefined, EMPTY],
  ['a number', 1, ['number 1']],
  ['a big integer', 1n, ['bigint 1']],
  ['a text', 'B', ['text B']],
  ['the text of a number', '1', ['number 1', 'text 1', 'bigint 1']],
  ['a text that is nearly that of a number', '01', []],
  ['the text of a boolean', 'true', ['true']],
  ['the text of a date', '1970-01-01T00:00:00.001Z', ['date 1']],
  ['true', true, ['true']],
  ['false', false, ['false']],
  ['a date', new Date(1), ['date 1']],
  ['bytes', Buffer.of(1), ['bytes 1']],
  ['an id with equals()', new RecordId('a'), ['id a']],
  ['an instance of another class', new Map([['a', 1]]), []],
  ['a value that no record has', 'nowhere', []]
])('equality with %s', (_title, value, expected) => {
  it('matches what is of the same type and the same value', () => {
    expect(matches({ field: value })).toEqual(expected)
    expect(matches({ field: { $eq: value } })).toEqual(expected)
    expect(matches({ field: { $in: [value] } })).toEqual(expected)
  })

  it('turned round matches all the others, null and missing among them', () => {
    expect(matches({ field: { $ne: value } })).toEqual(except(expected))
    expect(matches({ field: { $nin: [value] } })).toEqual(except(expected))
    expect(matches({ field: { $not: { $eq: value } } }, { operators: ['$not'] })).toEqual(except(expected))
  })
})

describe('order', () => {
  it.each<[string, unknown, string[], string[], string[]]>([
    // title, value, less, equal, greater
    ['a number', 1, [], ['number 1'], ['number 2']],
    ['a number in between', 1.5, ['number 1'], [], ['number 2']],
    ['a text, by code units', 'B', ['text 1'], ['text B'], ['text a']],
    ['the text of a number', '1', [], ['number 1', 'text 1', 'bigint 1'], ['number 2', 'text B', 'text a']],
    [
      'the text of a date',
      '1970-01-01T00:00:00.002Z',
      ['text 1', 'date 1'],
      ['date 2'],
      ['text B', 'text a']
    ],
    ['true', true, ['false'], ['true'], []],
    ['false', false, [], ['false'], ['true']],
    ['a date', new Date(2), ['date 1'], ['date 2'], []],
    ['bytes', Uint8Array.of(1), [], ['bytes 1'], ['bytes 1 2']],
    ['null', null, [], [], []],
    ['undefined', undefined, [], [], []],
    ['an id with equals()', new RecordId('a'), [], [], []],
    ['an instance of another class', /x/, [], [], []]
  ])(
    '%s is compared with its own type, and what it is the text of',
    (_title, value, less, equal, greater) => {
      const inOrder = (kinds: string[]) => KINDS.filter((kind) => kinds.includes(kind))

      expect(matches({ field: { $lt: value } })).toEqual(inOrder(less))
      expect(matches({ field: { $lte: value } })).toEqual(inOrder([...less, ...equal]))
      expect(matches({ field: { $le: value } })).toEqual(inOrder([...less, ...equal]))
      expect(matches({ field: { $gt: value } })).toEqual(inOrder(greater))
      expect(matches({ field: { $gte: value } })).toEqual(inOrder([...greater, ...equal]))
      expect(matches({ field: { $ge: value } })).toEqual(inOrder([...greater, ...equal]))
    }
  )

  it('an order turned round matches what has none', () => {
    const options = { operators: ['$not'] }

    expect(matches({ field: { $not: { $lt: 2 } } }, options)).toEqual(except(['number 1']))
    expect(matches({ field: { $not: { $gte: null } } }, options)).toEqual(KINDS)
  })

  it('a number that is none is in no order', () => {
    for (const operator of ['$lt', '$lte', '$gt', '$gte']) {
      const { where } = parseQuery({ n: { [operator]: 5 } })

      expect(toPredicate(where)({ n: Number.NaN })).toBe(false)
    }
  })

  it('big integers are compared with each other', () => {
    const predicate = toPredicate(parseQuery({ n: { $gt: 2n ** 60n } }).where)

    expect(predicate({ n: 2n ** 61n })).toBe(true)
    expect(predicate({ n: 1n })).toBe(false)
  })
})

describe('lists', () => {
  it('$in mixes types, null among them', () => {
    const value = [null, 1, '1', new Date(2), new RecordId('b')]

    const found = [...EMPTY, 'number 1', 'text 1', 'bigint 1', 'date 2', 'id b']

    expect(matches({ field: { $in: value } })).toEqual(found)
    expect(matches({ field: { $nin: value } })).toEqual(except(found))
  })

  it('nothing is in an empty list', () => {
    expect(matches({ field: { $in: [] } })).toEqual([])
    expect(matches({ field: { $nin: [] } })).toEqual(KINDS)
  })

  it('a field that holds a list is compared as a whole', () => {
    expect(matches({ field: { $in: [1] } })).toEqual(['number 1'])
    expect(matches({ field: 1 })).toEqual(['number 1'])
  })
})

describe('combinations', () => {
  const options = { operators: ['$not', '$nor'] }

  it('all conditions of a query must hold', () => {
    expect(matches({ field: { $gte: 1, $lt: 2 } })).toEqual(['number 1'])
    expect(matches({ $and: [{ field: { $gte: 1 } }, { field: { $ne: 1 } }] })).toEqual(['number 2'])
    expect(matches({})).toEqual(KINDS)
    expect(matches({ $and: [] })).toEqual(KINDS)
  })

  it('one query of an $or must hold', () => {
    expect(matches({ $or: [{ field: 1 }, { field: true }] })).toEqual(['number 1', 'true'])
    expect(matches({ $or: [{ field: 1 }, {}] })).toEqual(KINDS)
    expect(matches({ $or: [] })).toEqual([])
  })

  it('no query of a $nor may hold', () => {
    expect(matches({ $nor: [{ field: { $lt: 5 } }, { field: null }] }, options)).toEqual(
      except([...EMPTY, 'number 1', 'number 2'])
    )
    expect(matches({ $nor: [] }, options)).toEqual(KINDS)
  })

  it('$not turns round all of its query', () => {
    expect(matches({ $not: { field: { $gte: 1, $lt: 2 } } }, options)).toEqual(except(['number 1']))
    expect(matches({ $not: {} }, options)).toEqual([])
    expect(matches({ field: { $not: { $not: { $eq: 1 } } } }, options)).toEqual(['number 1'])
  })
})

describe('paths', () => {
  const predicate = (query: object) => toPredicate(parseQuery(query).where)

  it('lead into nested objects', () => {
    const record = { address: { city: 'Bonn' } }

    expect(predicate({ 'address.city': 'Bonn' })(record)).toBe(true)
    expect(predicate({ 'address.city': 'Köln' })(record)).toBe(false)
  })

  it('that lead nowhere find nothing, which is null', () => {
    const records = [
      {},
      { a: null },
      { a: 'text' },
      { a: 1 },
      { a: new Date() },
      { a: { c: 1 } },
      { a: [{ b: 1 }] }
    ]

    for (const record of records) {
      expect(predicate({ 'a.b': null })(record)).toBe(true)
      expect(predicate({ 'a.b': { $ne: 1 } })(record)).toBe(true)
      expect(predicate({ 'a.b': { $lt: 1 } })(record)).toBe(false)
    }
  })

  it('do not lead into lists, whose elements have no names', () => {
    for (const name of ['0', 'length', '0.a']) {
      expect(predicate({ [`tags.${name}`]: null })({ tags: [{ a: 1 }] })).toBe(true)
    }
  })

  it('see own properties only', () => {
    for (const name of ['toString', 'constructor', '__proto__', 'hasOwnProperty']) {
      for (const path of [name, `${name}.name`, `a.${name}`, `a.${name}.name`]) {
        const query = JSON.parse(`{ "${path}": { "$ne": null } }`)

        expect(predicate(query)({ a: {} })).toBe(false)
      }

      const record = JSON.parse(`{ "${name}": "mine" }`)

      expect(predicate(JSON.parse(`{ "${name}": "mine" }`))(record)).toBe(true)
    }
  })

  it('work on records without a prototype', () => {
    expect(predicate({ a: 1 })(Object.assign(Object.create(null), { a: 1 }))).toBe(true)
  })
})

describe('a field named like a member of every object', () => {
  const NAMES = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__', '__defineGetter__']
  // By `JSON.parse`, for which `__proto__` is a name like others.
  const record = (name: string, value: unknown) => JSON.parse(`{ "${name}": ${JSON.stringify(value)} }`)
  const where = (name: string, condition: unknown, options?: QueryOptions) =>
    toPredicate(parseQuery(record(name, condition), options).where)

  // What is asked, then whether it is true of 2, of null and of what is missing.
  it.each<[object | null | number, boolean, boolean, boolean]>([
    [2, true, false, false],
    [null, false, true, true],
    [{ $eq: 2 }, true, false, false],
    [{ $ne: 2 }, false, true, true],
    [{ $eq: null }, false, true, true],
    [{ $ne: null }, true, false, false],
    [{ $in: [2, 3] }, true, false, false],
    [{ $in: [null] }, false, true, true],
    [{ $in: [] }, false, false, false],
    [{ $nin: [2, 3] }, false, true, true],
    [{ $nin: [null] }, true, false, false],
    [{ $nin: [] }, true, true, true],
    [{ $lt: 3 }, true, false, false],
    [{ $lte: 2 }, true, false, false],
    [{ $gt: 1 }, true, false, false],
    [{ $gte: 2 }, true, false, false],
    [{ $lt: 2 }, false, false, false],
    [{ $gt: '' }, false, false, false],
    [{ $not: { $lt: 3 } }, false, true, true],
    [{ $not: { $ne: null } }, false, true, true]
  ])('is compared by %j as any other', (condition, ofTwo, ofNull, ofMissing) => {
    for (const name of ['field', ...NAMES]) {
      const predicate = where(name, condition, { operators: ['$not'] })

      expect(predicate(record(name, 2)), name).toBe(ofTwo)
      expect(predicate(record(name, null)), name).toBe(ofNull)
      for (const missing of [{}, { other: 2 }, Object.create(null), Object.create({ field: 2 })]) {
        expect(predicate(missing), name).toBe(ofMissing)
      }
    }
  })

  it('has a meaning of an operator of its own asked about what is there alone', () => {
    for (const name of ['field', ...NAMES]) {
      const asked: unknown[] = []
      const predicate = toPredicate(
        parseQuery(record(name, { $like: 'x' }), { operators: ['$like'] }).where,
        {
          $like: () => (field) => asked.push(field) > 0
        }
      )

      predicate(record(name, 'own'))
      predicate({})
      expect(asked, name).toEqual(['own', undefined])
    }
  })

  it('is no other for a record of a class that has such a member', () => {
    class Thing {
      own = 1

      get size() {
        return 2
      }

      describe() {
        return 'a thing'
      }
    }

    for (const name of ['size', 'describe', 'constructor']) {
      expect(where(name, null)(new Thing()), name).toBe(true)
      expect(where(name, { $ne: null })(new Thing()), name).toBe(false)
    }
    expect(where('own', 1)(new Thing())).toBe(true)
  })
})

describe('missing and null', () => {
  it('are the same to every operator, at every depth', () => {
    const absent = [{}, { field: undefined }, { field: null }]

    for (const [query, expected] of [
      [{ field: null }, true],
      [{ field: { $ne: null } }, false],
      [{ field: { $in: [1, null] } }, true],
      [{ field: { $in: [1] } }, false],
      [{ field: { $nin: [1, null] } }, false],
      [{ field: { $nin: [1] } }, true],
      [{ field: { $lt: 1 } }, false],
      [{ field: { $gte: null } }, false],
      [{ $or: [{ field: 1 }, { field: null }] }, true],
      [{ $and: [{ field: null }, { field: { $ne: 1 } }] }, true]
    ] as [object, boolean][]) {
      const shallow = toPredicate(parseQuery(query).where)
      const deep = toPredicate(
        parseQuery(JSON.parse(JSON.stringify(query).replaceAll('"field"', '"a.field"'))).where
      )

      for (const record of absent) {
        expect(shallow(record), JSON.stringify(query)).toBe(expected)
        expect(deep({ a: record }), JSON.stringify(query)).toBe(expected)
      }
      for (const record of [{}, { a: null }, { a: 5 }]) expect(deep(record)).toBe(expected)
    }
  })

  it('are something else than what is false, empty or no number', () => {
    const predicate = toPredicate(parseQuery({ field: null }).where)

    for (const field of [0, '', false, Number.NaN, [], {}]) expect(predicate({ field })).toBe(false)
  })
})

describe('further operators', () => {
  const where = (operator: string, value: unknown) =>
    parseQuery({ name: { [operator]: value } }, { operators: [operator] }).where

  it('mean what the adapter says', () => {
    const predicate = toPredicate(where('$startsWith', 'Ad'), {
      $startsWith: (value) => (field) => String(field).startsWith(String(value))
    })

    expect(predicate({ name: 'Ada' })).toBe(true)
    expect(predicate({ name: 'Bob' })).toBe(false)
    expect(predicate({})).toBe(false)
  })

  it('are compiled once for all records', () => {
    const compiled: unknown[] = []
    const predicate = toPredicate(where('$like', 'x'), {
      $like: (value) => {
        compiled.push(value)

        return () => true
      }
    })

    for (let count = 0; count < 3; count++) predicate({})

    expect(compiled).toEqual(['x'])
  })

  it('without a meaning are an error when the query is compiled, not when a record comes', () => {
    for (const operator of ['$like', '$toString', '$constructor']) {
      expect(() => toPredicate(where(operator, 'x'))).toThrow(
        `The operator '${operator}' is allowed, but has no meaning here`
      )
    }
  })
})
