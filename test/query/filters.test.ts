import { describe, expect, it } from 'vitest'
import { parseQuery, type QueryOptions } from '../../src/query.ts'
import { compare, refusal } from './parsing.ts'

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
    [-1, '-1'],
    [1.5, '1.5'],
    [2 ** 53, '9007199254740992'],
    [Number.POSITIVE_INFINITY, 'a number that is too large'],
    [Number.NaN, 'NaN'],
    ['', 'a string'],
    ['-1', '"-1"'],
    ['1.5', '"1.5"'],
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
