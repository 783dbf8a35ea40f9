import { describe, expect, it } from 'vitest'
import { type Condition, parseQuery, type QueryOptions } from '../../src/query.ts'
import { compare, parseWhere, refusal } from './parsing.ts'

const EVERYTHING: Condition = { kind: 'and', conditions: [] }

/** What is said of an operator that a service has to list. */
function notListed(name: string): string {
  return `Invalid query parameter ${name}: the service does not list it in 'operators'`
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

    expect(refusal({ $not: { a: 1 } })).toBe(notListed('$not'))
    expect(refusal({ a: { $not: { $gt: 1 } } })).toBe(notListed('$not'))
    expect(refusal({ $nor: [{ a: 1 }] }, { operators: ['$not'] })).toBe(notListed('$nor'))
    expect(refusal({ $or: [{ $nor: [{ a: 1 }] }] })).toBe(notListed('$nor'))
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
    expect(refusal({ name: { $like: 'a%' } })).toBe(notListed('$like'))
    expect(refusal({ $or: [{ $and: [{ name: { $like: 'a%' } }] }] })).toBe(notListed('$like'))
  })

  it.each<[string, object, string]>([
    ['$limt', { $limt: 5 }, '$limit'],
    ['$Sort', { $Sort: { a: 1 } }, '$sort'],
    ['$ro', { $ro: [{ a: 1 }] }, '$or'],
    ['$mien', { $mien: 1 }, '$mine'],
    ['$gtt', { $or: [{ a: { $gtt: 1 } }] }, '$gt'],
    ['$naer', { a: { $naer: 1 } }, '$near']
  ])('whose name is misspelt are met by a suggestion: %s', (name, query, near) => {
    expect(refusal(query, { ...options, filters: { $mine: true } })).toBe(
      `Invalid query parameter ${name}. Did you mean '${near}'?`
    )
  })

  it('are suggested only where they count', () => {
    expect(refusal({ $or: [{ $limt: 1 }] })).toBe('Invalid query parameter $limt')
    expect(refusal({ $ro: [] }, { filters: { $or: undefined } })).toBe('Invalid query parameter $ro')
    expect(refusal({ a: { $naer: 1 } })).toBe('Invalid query parameter $naer')
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

it('pages with cursors name what they have in place of $skip', () => {
  expect(() => parseQuery({ $skip: 1 }, { cursor: true })).toThrow(
    "Invalid query parameter $skip: pages have cursors, '$after' is for the next one"
  )
})
