import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type Condition, parseQuery, QUERY_DEPTH, type QueryOptions } from '../../src/query.ts'

const EVERYTHING: Condition = { kind: 'and', conditions: [] }

const parseWhere = (query: unknown, options?: QueryOptions) => parseQuery(query, options).where

function compare(field: string, operator: string, value: unknown): Condition {
  return { kind: 'compare', path: field.split('.'), operator, value } as Condition
}

/** The message with which a query is refused. */
function refusal(query: unknown, options?: QueryOptions): string {
  try {
    parseQuery(query, options)
  } catch (error: any) {
    expect(error).toMatchObject({ name: 'BadRequest', code: 400 })

    return error.message
  }

  throw new Error('The query was not refused')
}

/** Wraps a value as often as asked. */
function nest(times: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let value = innermost

  for (let count = 0; count < times; count++) value = wrap(value)

  return value
}

describe('conditions on a field', () => {
  it.each([
    ['$eq', 'eq'],
    ['$ne', 'ne'],
    ['$lt', 'lt'],
    ['$lte', 'lte'],
    ['$le', 'lte'],
    ['$gt', 'gt'],
    ['$gte', 'gte'],
    ['$ge', 'gte']
  ])('%s compares with one value', (name, operator) => {
    expect(parseWhere({ age: { [name]: 3 } })).toEqual(compare('age', operator, 3))
  })

  it.each([
    ['$in', 'in'],
    ['$nin', 'nin']
  ])('%s compares with a list', (name, operator) => {
    expect(parseWhere({ age: { [name]: [1, null] } })).toEqual(compare('age', operator, [1, null]))
    expect(parseWhere({ age: { [name]: [] } })).toEqual(compare('age', operator, []))
  })

  it('a value by itself stands for equality', () => {
    for (const value of ['', 'x', 0, -1.5, true, false, null, undefined, 12n]) {
      expect(parseWhere({ field: value })).toEqual(compare('field', 'eq', value))
    }
  })

  it('instances of classes are values, and stay the objects they are', () => {
    class ObjectId {}

    for (const value of [
      new Date(0),
      /x/,
      new ObjectId(),
      Buffer.from('x'),
      new Map(),
      Object.create(new ObjectId())
    ]) {
      for (const query of [{ field: value }, { field: { $ne: value } }]) {
        expect((parseWhere(query) as any).value).toBe(value)
      }

      expect((parseWhere({ field: { $in: [value] } }) as any).value[0]).toBe(value)
    }
  })

  it('dots lead into nested fields', () => {
    expect(parseWhere({ 'address.city.name': 'Bonn' })).toEqual(compare('address.city.name', 'eq', 'Bonn'))
  })

  it('several operators and several fields must all hold, on one level', () => {
    expect(parseWhere({ age: { $gt: 1, $lt: 5 }, name: 'Ada' })).toEqual({
      kind: 'and',
      conditions: [compare('age', 'gt', 1), compare('age', 'lt', 5), compare('name', 'eq', 'Ada')]
    })
  })

  it('no query and an empty query ask for everything', () => {
    for (const query of [undefined, null, {}]) {
      expect(parseQuery(query)).toEqual({
        where: EVERYTHING,
        sort: [],
        limit: undefined,
        skip: 0,
        select: undefined,
        filters: {}
      })
    }
  })

  it('names that every object has are names of fields', () => {
    const query = JSON.parse('{ "__proto__": 1, "constructor": { "$gt": 2 }, "toString": "x" }')

    expect(parseWhere(query)).toEqual({
      kind: 'and',
      conditions: [
        compare('__proto__', 'eq', 1),
        compare('constructor', 'gt', 2),
        compare('toString', 'eq', 'x')
      ]
    })
  })

  it('keys that are symbols and keys of the prototype are no part of a query', () => {
    const query = { a: 1, [Symbol('b')]: { $where: '1' } }

    expect(parseWhere(query)).toEqual(compare('a', 'eq', 1))
    expect(parseWhere({ a: { $gt: 1, [Symbol('b')]: 1 } })).toEqual(compare('a', 'gt', 1))
  })
})

describe('combined conditions', () => {
  const a = compare('a', 'eq', 1)
  const b = compare('b', 'eq', 2)
  const c = compare('c', 'eq', 3)

  it('$or holds when one of its queries does', () => {
    expect(parseWhere({ $or: [{ a: 1 }, { b: 2, c: 3 }] })).toEqual({
      kind: 'or',
      conditions: [a, { kind: 'and', conditions: [b, c] }]
    })
  })

  it('$or of nothing stays, as nothing holds in it', () => {
    expect(parseWhere({ $or: [] })).toEqual({ kind: 'or', conditions: [] })
  })

  it('an $or of one query stays an $or', () => {
    expect(parseWhere({ $or: [{ a: 1 }] })).toEqual({ kind: 'or', conditions: [a] })
  })

  it('nested $and are one level', () => {
    expect(parseWhere({ $and: [{ $and: [{ a: 1 }, {}] }, { b: 2 }], c: 3 })).toEqual({
      kind: 'and',
      conditions: [a, b, c]
    })
    expect(parseWhere({ $and: [{ $and: [{ a: 1 }] }] })).toEqual(a)
    expect(parseWhere({ $and: [{}, { a: 1 }] })).toEqual(a)
    expect(parseWhere({ $and: [] })).toEqual(EVERYTHING)
  })

  it('$and and $or nest in each other', () => {
    expect(parseWhere({ $or: [{ $and: [{ a: 1 }, { $or: [{ b: 2 }, { c: 3 }] }] }, {}] })).toEqual({
      kind: 'or',
      conditions: [{ kind: 'and', conditions: [a, { kind: 'or', conditions: [b, c] }] }, EVERYTHING]
    })
  })

  it('$not and $nor count where they are listed, and only there', () => {
    expect(parseWhere({ $not: { a: 1 } }, { operators: ['$not'] })).toEqual({ kind: 'not', condition: a })
    expect(parseWhere({ a: { $not: { $gt: 1 } } }, { operators: ['$not'] })).toEqual({
      kind: 'not',
      condition: compare('a', 'gt', 1)
    })
    expect(parseWhere({ a: { $not: 1 } }, { operators: ['$not'] })).toEqual({ kind: 'not', condition: a })
    expect(parseWhere({ $nor: [{ a: 1 }, { b: 2 }] }, { operators: ['$nor'] })).toEqual({
      kind: 'not',
      condition: { kind: 'or', conditions: [a, b] }
    })

    expect(refusal({ $not: { a: 1 } })).toBe('Invalid query parameter $not')
    expect(refusal({ a: { $not: { $gt: 1 } } })).toBe('Invalid query parameter $not')
    expect(refusal({ $nor: [{ a: 1 }] }, { operators: ['$not'] })).toBe('Invalid query parameter $nor')
    expect(refusal({ $or: [{ $nor: [{ a: 1 }] }] })).toBe('Invalid query parameter $nor')
  })

  it.each<[string, any]>([
    ['true', true],
    ['a function', () => undefined]
  ])('a filter that is %s makes no condition of $or, $and or $nor void', (_title, filter) => {
    const options = { operators: ['$nor'], filters: { $or: filter, $and: filter, $nor: filter } }

    for (const query of [{ $or: [{ a: 1 }] }, { $and: [{ a: 1 }, { b: 2 }] }, { $nor: [{ a: 1 }] }]) {
      expect(parseQuery(query, options)).toEqual(parseQuery(query, { operators: ['$nor'] }))
      expect(refusal({ $or: [query, { $where: 1 }] }, options)).toBe('Invalid query parameter $where')
    }
  })

  it('a filter that is undefined forbids $or or $and at every depth', () => {
    const filters = { $or: undefined }

    expect(refusal({ $or: [{ a: 1 }] }, { filters })).toBe('Invalid query parameter $or')
    expect(refusal({ $and: [{ $or: [{ a: 1 }] }] }, { filters })).toBe('Invalid query parameter $or')
    expect(parseWhere({ $and: [{ a: 1 }] }, { filters })).toEqual(a)
  })
})

describe('further operators', () => {
  const options = { operators: ['$like', '$near'] }

  it('are nodes of their own, with the value as it is', () => {
    const point = { lat: 1, tags: ['x'] }

    expect(parseWhere({ name: { $like: 'a%' }, place: { $near: point } }, options)).toEqual({
      kind: 'and',
      conditions: [
        { kind: 'custom', path: ['name'], operator: '$like', value: 'a%' },
        { kind: 'custom', path: ['place'], operator: '$near', value: point }
      ]
    })
  })

  it('are refused where nobody lists them', () => {
    expect(refusal({ name: { $like: 'a%' } })).toBe('Invalid query parameter $like')
    expect(refusal({ $or: [{ $and: [{ name: { $like: 'a%' } }] }] })).toBe('Invalid query parameter $like')
  })

  it('stand under a field and not at the top', () => {
    expect(refusal({ $like: 'a%' }, options)).toBe('Invalid query parameter $like')
    expect(refusal({ $or: [{ $like: 'a%' }] }, options)).toBe('Invalid query parameter $like')
  })

  it('do not let other operators through in their values', () => {
    expect(refusal({ a: { $near: { $where: '1' } } }, options)).toBe('Invalid query parameter $where')
    expect(refusal({ a: { $near: [[{ b: { $where: '1' } }]] } }, options)).toBe(
      'Invalid query parameter $where'
    )
    expect(refusal({ a: { $near: JSON.parse('{ "__proto__": { "$where": 1 } }') } }, options)).toBe(
      'Invalid query parameter $where'
    )
  })

  it('may hold standard operators in their values, as in Feathers v5', () => {
    expect(parseWhere({ tags: { $each: { $gt: 5 } } }, { operators: ['$each'] })).toEqual({
      kind: 'custom',
      path: ['tags'],
      operator: '$each',
      value: { $gt: 5 }
    })
  })

  it('all pass in a query that is trusted, but keep their shape', () => {
    expect(parseWhere({ a: { $anything: { $goes: 1 } } }, { trusted: true })).toEqual({
      kind: 'custom',
      path: ['a'],
      operator: '$anything',
      value: { $goes: 1 }
    })
    expect(parseWhere({ $nor: [{ a: 1 }] }, { trusted: true })).toMatchObject({ kind: 'not' })
    expect(refusal({ $anything: 1 }, { trusted: true })).toBe('Invalid query parameter $anything')
    expect(refusal({ a: { $in: 'x' } }, { trusted: true })).toBe(
      "Invalid query: '$in' expects an array, got a string"
    )
  })
})

describe('filters', () => {
  it('`true` lets a name at the top pass as it is', () => {
    const value = { author: ['name'] }
    const { filters, where } = parseQuery({ $populate: value, a: 1 }, { filters: { $populate: true } })

    expect(filters).toEqual({ $populate: value })
    expect(where).toEqual(compare('a', 'eq', 1))
  })

  it('a function converts the value, and gets the options', () => {
    const options: QueryOptions = {
      filters: { $double: (value, { factor }) => Number(value) * factor },
      factor: 2
    }

    expect(parseQuery({ $double: '21' }, options).filters).toEqual({ $double: 42 })
  })

  it('a function can change what a standard name says', () => {
    const options: QueryOptions = {
      filters: { $limit: (value) => Math.min(value, 10), $sort: () => undefined }
    }

    expect(parseQuery({ $limit: 50, $sort: 'nonsense' }, options)).toMatchObject({ limit: 10, sort: [] })
  })

  it('`undefined` forbids a name, standard ones too', () => {
    expect(refusal({ $limit: 1 }, { filters: { $limit: undefined } })).toBe('Invalid query parameter $limit')
    expect(refusal({ $mine: 1 }, { filters: { $mine: undefined } })).toBe('Invalid query parameter $mine')
  })

  it('count at the top only', () => {
    const filters = { $populate: true as const }

    expect(refusal({ $or: [{ $populate: 'x' }] }, { filters })).toBe('Invalid query parameter $populate')
    expect(refusal({ a: { $populate: 'x' } }, { filters })).toBe('Invalid query parameter $populate')
    expect(refusal({ $or: [{ $limit: 1 }] })).toBe('Invalid query parameter $limit')
  })

  it('do not let operators through in their values', () => {
    const filters = { $populate: true as const }

    expect(refusal({ $populate: { a: [{ $where: '1' }] } }, { filters })).toBe(
      'Invalid query parameter $where'
    )
    expect(refusal({ $sort: { a: { $where: 1 } } })).toBe('Invalid query parameter $where')
    expect(refusal({ $select: [{ $where: 1 }] })).toBe('Invalid query parameter $where')
    expect(refusal({ $limit: { $where: 1 } })).toBe('Invalid query parameter $where')
  })

  it('whose converter gives nothing are left out', () => {
    const { filters } = parseQuery({ $mine: 1 }, { filters: { $mine: () => undefined } })

    expect(Object.keys(filters)).toEqual([])
  })

  it('are read from the query itself', () => {
    const filters: any = { toString: true }

    expect(parseQuery({}, { filters }).filters).toEqual({})
    expect(parseQuery({ toString: 'x' }, { filters }).filters).toEqual({ toString: 'x' })
  })

  it('names that every object has are no filters', () => {
    expect(parseQuery(JSON.parse('{ "constructor": 1, "__proto__": 2 }')).filters).toEqual({})
  })
})

describe('$limit and $skip', () => {
  it.each([
    [0, 0],
    [7, 7],
    ['0', 0],
    ['7', 7],
    ['007', 7],
    [undefined, undefined]
  ])('%j is taken as %j', (value, expected) => {
    expect(parseQuery({ $limit: value, $skip: value })).toMatchObject({
      limit: expected,
      skip: expected ?? 0
    })
  })

  it.each([
    [-1, 'a number'],
    [1.5, 'a number'],
    [2 ** 53, 'a number'],
    [Number.POSITIVE_INFINITY, 'a number'],
    [Number.NaN, 'NaN'],
    ['', 'a string'],
    ['-1', 'a string'],
    ['1.5', 'a string'],
    ['1e3', 'a string'],
    ['0x10', 'a string'],
    [' 1', 'a string'],
    ['9'.repeat(20), 'a string'],
    ['ten', 'a string'],
    [true, 'a boolean'],
    [null, 'null'],
    [['1'], 'an array'],
    [{ a: 1 }, 'an object'],
    [new Date(1), 'an instance of Date'],
    [1n, 'a bigint']
  ])('%o is refused', (value, got) => {
    for (const name of ['$limit', '$skip']) {
      expect(refusal({ [name]: value })).toBe(
        `Invalid query: '${name}' expects a whole number from 0, got ${got}`
      )
    }
  })
})

describe('$sort', () => {
  it('is a list of fields in the order in which they are named', () => {
    expect(parseQuery({ $sort: { name: 1, 'address.city': -1, age: '1', size: '-1' } }).sort).toEqual([
      { path: ['name'], direction: 1 },
      { path: ['address', 'city'], direction: -1 },
      { path: ['age'], direction: 1 },
      { path: ['size'], direction: -1 }
    ])
    expect(parseQuery({ $sort: {} }).sort).toEqual([])
    expect(parseQuery({ $sort: undefined }).sort).toEqual([])
  })

  it('has at most 50 fields', () => {
    const sortBy = (count: number) => ({
      $sort: Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]))
    })

    expect(parseQuery(sortBy(50)).sort).toHaveLength(50)
    expect(refusal(sortBy(51))).toBe("Invalid query: '$sort' expects at most 50 fields")
  })

  it.each([
    ['name', 'a string'],
    [['name'], 'an array'],
    [1, 'a number'],
    [null, 'null'],
    [new Date(1), 'an instance of Date'],
    [new (class {})(), 'an instance of class'],
    [Promise.resolve({}), "an instance of Promise (is an 'await' missing?)"],
    [() => 1, 'a function']
  ])('%o is refused', (value, got) => {
    expect(refusal({ $sort: value })).toBe(
      `Invalid query: '$sort' expects an object of fields with 1 or -1, got ${got}`
    )
  })

  it('an object whose class has no name is refused', () => {
    expect(refusal({ $sort: Object.create({ constructor: undefined }) })).toMatch(/got an instance of class$/)
  })

  it.each(['asc', '', '01', 0, 2, -2, 1.5, true, null, undefined, Number.NaN, ['1'], { b: 1 }])(
    'the direction %o is refused',
    (direction) => {
      expect(refusal({ $sort: { name: direction } })).toBe(
        "Invalid query: '$sort' expects 1 or -1 for 'name'"
      )
    }
  )

  it('operators are no fields to sort by', () => {
    expect(refusal({ $sort: { $where: 1 } })).toBe('Invalid query parameter $where')
    expect(refusal({ $sort: { $gt: 1 } }, { operators: ['$gt'] })).toBe('Invalid query parameter $gt')
  })

  it('names that every object has are fields to sort by', () => {
    expect(parseQuery({ $sort: JSON.parse('{ "__proto__": 1, "constructor": -1 }') }).sort).toEqual([
      { path: ['__proto__'], direction: 1 },
      { path: ['constructor'], direction: -1 }
    ])
  })
})

describe('$select', () => {
  it('is one name or a list of names', () => {
    expect(parseQuery({ $select: ['name', 'address.city'] }).select).toEqual(['name', 'address.city'])
    expect(parseQuery({ $select: 'name' }).select).toEqual(['name'])
    expect(parseQuery({ $select: [] }).select).toEqual([])
    expect(parseQuery({ $select: undefined }).select).toBeUndefined()
  })

  it.each([
    [null, 'null'],
    [1, 'a number'],
    [{ name: 1 }, 'an object'],
    [['name', 1], 'a number'],
    [['name', ['age']], 'an array'],
    [['name', null], 'null'],
    [[undefined], 'nothing']
  ])('%o is refused', (value, got) => {
    expect(refusal({ $select: value })).toBe(`Invalid query: '$select' expects names of fields, got ${got}`)
  })

  it('operators are no fields to select', () => {
    expect(refusal({ $select: ['name', '$where'] })).toBe('Invalid query parameter $where')
    expect(refusal({ $select: '$where' })).toBe('Invalid query parameter $where')
  })
})

describe('a malformed query is refused with a sentence', () => {
  it.each([
    ['a', 'a string'],
    [1, 'a number'],
    [true, 'a boolean'],
    [[], 'an array'],
    [new Date(0), 'an instance of Date']
  ])('%o is no query', (query, got) => {
    expect(refusal(query)).toBe(`Invalid query: expected an object, got ${got}`)
  })

  it.each(['$where', '$regex', '$expr', '$exists', '$', '$$', '$Or', '$ne'])('%s at the top', (name) => {
    expect(refusal({ [name]: 1 })).toBe(`Invalid query parameter ${name}`)
    expect(refusal({ $or: [{ $and: [{ [name]: 1 }] }] })).toBe(`Invalid query parameter ${name}`)
  })

  it.each(['$where', '$regex', '$expr', '$or', '$and', '$nor', '$limit', '$', '$EQ'])(
    '%s under a field',
    (name) => {
      for (const value of [1, [], [{ a: 1 }], { a: 1 }]) {
        expect(refusal({ field: { $gt: 1, [name]: value } })).toBe(`Invalid query parameter ${name}`)
      }
    }
  )

  it.each([
    ['x', 'a string'],
    [{ 0: { a: 1 } }, 'an object'],
    [null, 'null'],
    [undefined, 'nothing'],
    [1, 'a number']
  ])('$or and its kin with %o', (value, got) => {
    for (const name of ['$or', '$and', '$nor']) {
      expect(refusal({ [name]: value }, { operators: ['$nor'] })).toBe(
        `Invalid query: '${name}' expects an array of queries, got ${got}`
      )
    }
  })

  it.each([
    ['x', 'a string'],
    [null, 'null'],
    [undefined, 'nothing'],
    [[{ a: 1 }], 'an array'],
    [[{ $where: '1' }], 'an array'],
    [new Date(0), 'an instance of Date']
  ])('$or and its kin with the element %o', (value, got) => {
    for (const name of ['$or', '$and', '$nor']) {
      expect(refusal({ [name]: [{ a: 1 }, value] }, { operators: ['$nor'] })).toBe(
        `Invalid query: '${name}' expects a query, got ${got}`
      )
    }

    expect(refusal({ $not: value }, { operators: ['$not'] })).toBe(
      `Invalid query: '$not' expects a query, got ${got}`
    )
  })

  it.each([
    ['x', 'a string'],
    [1, 'a number'],
    [null, 'null'],
    [undefined, 'nothing'],
    [{ 0: 'x' }, 'an object'],
    [new Set([1]), 'an instance of Set']
  ])('$in and $nin with %o', (value, got) => {
    expect(refusal({ a: { $in: value } })).toBe(`Invalid query: '$in' expects an array, got ${got}`)
    expect(refusal({ a: { $nin: value } })).toBe(`Invalid query: '$nin' expects an array, got ${got}`)
  })

  it.each([
    [{ b: 1 }, 'an object'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [[1], 'an array'],
    [Number.NaN, 'NaN'],
    [new Date(Number.NaN), 'an invalid date'],
    [() => 1, 'a function'],
    [Symbol('x'), 'a symbol']
  ])('%o where a single value is expected', (value, got) => {
    for (const name of ['$eq', '$ne', '$lt', '$lte', '$le', '$gt', '$gte', '$ge']) {
      expect(refusal({ a: { [name]: value } })).toBe(
        `Invalid query: '${name}' expects a single value, got ${got}`
      )
    }

    expect(refusal({ a: { $in: [1, value] } })).toBe(
      `Invalid query: '$in' expects a single value, got ${got}`
    )
  })

  it('a list as the value of a field', () => {
    expect(refusal({ a: [1] })).toBe("Invalid query: 'a' expects a single value, got an array")
  })

  it('an object without operators as the value of a field', () => {
    expect(refusal({ a: {} })).toBe("Invalid query: 'a' expects a value or operators, got {}")
    expect(refusal({ a: { b: 1 } })).toBe(
      "Invalid query: 'a' expects a value or operators. For a nested field use 'a.b'"
    )
    expect(refusal({ a: { $gt: 1, b: 1 } })).toBe(
      "Invalid query: 'a' expects a value or operators. For a nested field use 'a.b'"
    )
  })

  it('an operator inside of a name', () => {
    for (const query of [{ 'a.$where': 1 }, { $sort: { 'a.$where': 1 } }, { $select: ['a.$where.b'] }]) {
      expect(refusal(query)).toMatch(/^Invalid query parameter a\.\$where/)
    }
  })

  it('the message never repeats a value', () => {
    for (const query of [
      { $limit: 'secret' },
      { $sort: 'secret' },
      { $sort: { a: 'secret' } },
      { $select: { secret: 'secret' } },
      { $or: 'secret' },
      { $or: ['secret'] },
      { a: { $in: 'secret' } },
      { a: ['secret'] }
    ]) {
      expect(refusal(query)).not.toContain('secret')
    }
  })
})

describe('whatever kind of object it is', () => {
  it('objects of another realm are looked into', () => {
    const query = runInNewContext('({ $or: [{ age: { $gt: 1 } }], $sort: { age: 1 }, name: "Ada" })')

    expect(parseQuery(query)).toMatchObject({
      where: {
        kind: 'and',
        conditions: [{ kind: 'or', conditions: [compare('age', 'gt', 1)] }, compare('name', 'eq', 'Ada')]
      },
      sort: [{ path: ['age'], direction: 1 }]
    })
    expect(refusal(runInNewContext('({ a: { $where: "1" } })'))).toBe('Invalid query parameter $where')
    expect(refusal({ $or: runInNewContext('[{ $where: "1" }]') })).toBe('Invalid query parameter $where')
  })

  it('objects without a prototype are looked into', () => {
    const bare = (entries: object) => Object.assign(Object.create(null), entries)

    expect(parseWhere(bare({ $or: [bare({ age: bare({ $gt: 1 }) })] }))).toEqual({
      kind: 'or',
      conditions: [compare('age', 'gt', 1)]
    })
    expect(refusal(bare({ a: bare({ $where: '1' }) }))).toBe('Invalid query parameter $where')
    expect(refusal({ $or: [bare({ $where: '1' })] })).toBe('Invalid query parameter $where')
  })

  it('a `constructor` of its own hides no operator', () => {
    for (const value of ['1', 'null', '{}', '{ "name": "Date" }']) {
      const disguised = JSON.parse(`{ "$where": "1", "constructor": ${value} }`)

      expect(refusal({ a: disguised })).toBe('Invalid query parameter $where')
      expect(refusal({ $or: [disguised] })).toBe('Invalid query parameter $where')
    }
  })

  it('a `__proto__` of its own hides no operator', () => {
    expect(refusal(JSON.parse('{ "a": { "__proto__": { "$where": "1" } } }'))).toMatch(/^Invalid query/)
    expect(refusal(JSON.parse('{ "$or": [{ "__proto__": { "$where": "1" } }] }'))).toBe(
      'Invalid query parameter $where'
    )
    expect(refusal(JSON.parse('{ "__proto__": { "$where": "1" } }'))).toBe('Invalid query parameter $where')
  })
})

describe('depth', () => {
  it(`${QUERY_DEPTH} levels are parsed, one more is refused`, () => {
    const and = (inner: unknown) => ({ $and: [inner] })
    const not = (inner: unknown) => ({ $not: inner })
    const message = `Invalid query: expected at most ${QUERY_DEPTH} levels`

    expect(parseWhere(nest(QUERY_DEPTH - 1, and, { a: 1 }))).toEqual(compare('a', 'eq', 1))
    expect(refusal(nest(QUERY_DEPTH, and, { a: 1 }))).toBe(message)
    expect(refusal(nest(QUERY_DEPTH, not, { a: 1 }), { operators: ['$not'] })).toBe(message)
    expect(refusal({ a: nest(QUERY_DEPTH, not, 1) }, { operators: ['$not'] })).toBe(message)
  })

  it(`a name may have ${QUERY_DEPTH} parts`, () => {
    const message = `Invalid query: expected at most ${QUERY_DEPTH} levels`
    const name = Array(QUERY_DEPTH).fill('a').join('.')

    expect(parseQuery({ [name]: 1, $sort: { [name]: 1 }, $select: [name] }).select).toEqual([name])

    for (const query of [{ [`${name}.a`]: 1 }, { $sort: { [`${name}.a`]: 1 } }, { $select: [`${name}.a`] }]) {
      expect(refusal(query)).toBe(message)
    }
  })

  it.each<[string, (deep: unknown) => unknown]>([
    ['$and', () => nest(100_000, (inner) => ({ $and: [inner] }), {})],
    ['a field', (deep) => ({ a: deep })],
    ['$in', (deep) => ({ a: { $in: deep } })],
    ['$limit', (deep) => ({ $limit: deep })],
    ['$sort', (deep) => ({ $sort: deep })],
    ['$sort of a field', (deep) => ({ $sort: { a: deep } })],
    ['$select', (deep) => ({ $select: deep })],
    ['$populate', (deep) => ({ $populate: deep })],
    ['$like', (deep) => ({ a: { $like: deep } })]
  ])('100,000 levels under %s do not overflow the stack', (_where, build) => {
    const options: QueryOptions = { operators: ['$like'], filters: { $populate: true } }

    for (const deep of [
      nest(100_000, (inner) => [inner], []),
      nest(100_000, (inner) => ({ a: inner }), {})
    ]) {
      expect(refusal(build(deep), options)).toMatch(/^Invalid query/)
    }
  })
})

describe('the tree and the query share nothing', () => {
  const build = () => ({
    name: { $in: ['Ada', 'Bob'] },
    $or: [{ age: { $gt: 1 } }, { $and: [{ a: 1 }, { b: 2 }] }],
    $not: { c: 3 },
    $sort: { name: 1 },
    $select: ['name'],
    $limit: '5',
    $populate: ['author']
  })
  const options: QueryOptions = { operators: ['$not'], filters: { $populate: true } }

  it('the tree is frozen at every depth', () => {
    const tree = parseQuery(build(), options)
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isFrozen))

    // What stands under a name of the service's own stays as it came.
    expect(Object.isFrozen(tree)).toBe(true)
    expect(Object.isFrozen(tree.filters)).toBe(true)

    for (const part of [tree.where, tree.sort, tree.select]) expect(isFrozen(part)).toBe(true)
  })

  it('the query is not changed, not even frozen', () => {
    const query = build()

    parseQuery(query, options)

    expect(query).toEqual(build())

    for (const part of [query, query.$select, query.$or, query.name.$in, query.$sort, query.$populate]) {
      expect(Object.isFrozen(part)).toBe(false)
    }
  })

  it('a frozen query is parsed as well', () => {
    const freeze = (value: any): any => {
      if (typeof value === 'object') for (const part of Object.values(value)) freeze(part)

      return Object.freeze(value)
    }

    expect(parseQuery(freeze(build()), options)).toEqual(parseQuery(build(), options))
  })

  it('what happens to the query afterwards does not reach the tree', () => {
    const query = build()
    const tree = parseQuery(query, options)

    query.name.$in.push('Eve')
    query.$or.pop()
    query.$select.push('password')

    expect(tree).toEqual(parseQuery(build(), options))
  })
})
