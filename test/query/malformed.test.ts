import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { parseQuery, QUERY_DEPTH, type QueryOptions } from '../../src/query.ts'
import { compare, parseWhere, refusal } from './parsing.ts'

/** Wraps a value as often as asked. */
function nest(times: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let value = innermost

  for (let count = 0; count < times; count++) value = wrap(value)

  return value
}

/** What is said of a query, less what its name may mean, or where it would be listed. */
function withoutHint(query: object): string | undefined {
  return refusal(query)?.replace(/(?:\. Did you mean|: the service).*/, '')
}

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
    expect(withoutHint({ [name]: 1 })).toBe(`Invalid query parameter ${name}`)
    expect(withoutHint({ $or: [{ $and: [{ [name]: 1 }] }] })).toBe(`Invalid query parameter ${name}`)
  })

  it.each(['$where', '$regex', '$expr', '$or', '$and', '$nor', '$limit', '$', '$EQ'])(
    '%s under a field',
    (name) => {
      for (const value of [1, [], [{ a: 1 }], { a: 1 }]) {
        expect(withoutHint({ field: { $gt: 1, [name]: value } })).toBe(`Invalid query parameter ${name}`)
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

  it('an operator without its sign', () => {
    expect(refusal({ a: { gt: 1 } })).toBe(
      "Invalid query: 'a' expects a value or operators. Did you mean '$gt'?"
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
