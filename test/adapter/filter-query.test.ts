import * as official from '@feathersjs/adapter-commons'
import { describe, expect, it } from 'vitest'
import { FILTERS, filterQuery, OPERATORS, select, sorter } from '../../src/adapter.ts'

/** What a function gives or throws, for comparing ours with that of Feathers v5. */
function outcome(run: () => unknown): unknown {
  try {
    return run()
  } catch (error: any) {
    return { name: error.name, code: error.code }
  }
}

describe('filterQuery', () => {
  const date = new Date(0)

  it.each<[string, any, any?]>([
    ['nothing', undefined],
    ['an empty query', {}],
    ['values', { name: 'Ada', age: 36, admin: true, gone: null, born: date }],
    ['operators', { age: { $gt: 1, $lte: 5 }, name: { $in: ['a'], $ne: 'b' } }],
    ['numbers as text', { $limit: '5', $skip: '10', $sort: { age: '-1', 'a.b': '1' } }],
    ['numbers', { $limit: 5, $skip: 0, $sort: { age: -1 } }],
    ['$select', { $select: ['a', 'b.c'] }],
    [
      '$or and $and',
      { $or: [{ a: 1 }, { $and: [{ b: { $lt: 2 } }] }], $and: [{ c: 3 }], d: 4 },
      { operators: ['$and'] }
    ],
    ['pagination without a limit', {}, { paginate: { default: 10, max: 50 } }],
    ['pagination with a high limit', { $limit: 100 }, { paginate: { default: 10, max: 50 } }],
    ['pagination with a limit of 0', { $limit: 0 }, { paginate: { default: 10, max: 50 } }],
    ['a further filter', { $populate: ['a'], b: 1 }, { filters: { $populate: true } }],
    [
      'a filter that converts',
      { $known: '5' },
      { filters: { $known: (value: any) => value && Number(value) } }
    ],
    ['a filter that drops', { $known: '5' }, { filters: { $known: () => undefined } }],
    ['a filter that drops $sort', { $sort: { a: 1 } }, { filters: { $sort: () => undefined } }],
    ['a filter that drops $skip', { $skip: 1 }, { filters: { $skip: () => undefined } }],
    ['a filter that converts $skip', { $skip: 'two' }, { filters: { $skip: () => 2 } }],
    ['a filter that converts $sort', { $sort: 'name' }, { filters: { $sort: () => ({ name: -1 }) } }],
    ['a $sort by nothing', { $sort: {} }],
    ['a further operator', { a: { $regex: 'x' } }, { operators: ['$regex'] }],
    ['an instance of a class', { a: /x/, b: { $ne: date } }],
    ['a symbol', { [Symbol.for('a')]: 1, b: 2 }],
    [
      'symbols in conditions',
      { a: { [Symbol.for('a')]: 1 }, b: { $gt: 1, [Symbol.for('b')]: { $where: 1 } } }
    ],
    [
      'symbols in lists of conditions',
      {
        $or: [{ a: { $in: [1], [Symbol.for('a')]: 1 } }, { [Symbol.for('b')]: 2 }],
        $and: [{ [Symbol.for('c')]: 3 }]
      }
    ],
    ['an unknown name', { $where: '1' }],
    ['an unknown operator', { a: { $where: '1' } }],
    ['an unknown operator in $or', { $or: [{ a: { $where: '1' } }] }],
    ['an unknown operator in a list in $or', { $or: [[{ $where: '1' }]] }],
    ['an unknown operator in $sort', { $sort: { a: { $where: 1 } } }],
    ['an unknown operator in $select', { $select: { $where: 1 } }],
    ['an unknown operator in $and', { $and: { $where: 1 } }],
    ['a name that is forbidden', { $or: [{ a: 1 }] }, { filters: { $or: undefined } }],
    ['$limit where it is forbidden', { $limit: 1 }, { filters: { $limit: undefined } }]
  ])('%s: as in Feathers v5', (_title, query, options = {}) => {
    const expected = outcome(() => official.filterQuery(query, options))

    expect(outcome(() => filterQuery(query, options))).toEqual(expected)
  })

  it.each<[string, any]>([
    ['$limit', { $limit: -1 }],
    ['$limit', { $limit: 'x' }],
    ['$skip', { $skip: 'x' }],
    ['$sort', { $sort: 'name' }],
    ['$sort', { $sort: { name: 'asc' } }],
    ['$select', { $select: { a: 1 } }],
    ['$or', { $or: 'x' }],
    ['$or', { $or: ['x'] }],
    ['$and', { $and: { a: 1 } }],
    ['$in', { a: { $in: 'x' } }],
    ['a', { a: { b: 1 } }]
  ])('refuses a malformed %s, which Feathers v5 passes on', (name, query) => {
    expect(() => official.filterQuery(query)).not.toThrow()
    expect(() => filterQuery(query)).toThrow(`'${name}'`)
  })

  it('refuses a query of 100,000 levels', () => {
    let query: object = { a: 1 }

    for (let level = 0; level < 100_000; level++) query = { $and: [query] }

    expect(outcome(() => filterQuery(query))).toEqual({ name: 'BadRequest', code: 400 })
  })

  it('leaves behind a symbol that is not enumerable', () => {
    const mark = Symbol('mark')
    const query = Object.defineProperty({ a: 1, [Symbol.for('b')]: 2 }, mark, { value: true })

    expect(Reflect.ownKeys(filterQuery(query).query)).toEqual(['a', Symbol.for('b')])
  })

  it('does not change the query', () => {
    const query = {
      $limit: '5',
      a: { $in: ['1'] },
      $or: [{ b: { $gt: 1 } }],
      $sort: { a: '1' },
      $select: ['a']
    }
    const before = structuredClone(query)

    filterQuery(query, { paginate: { default: 1, max: 2 } })

    expect(query).toEqual(before)
    expect([query.$select, query.$sort, query.$or, query.a.$in].some(Object.isFrozen)).toBe(false)
  })

  it('the parts of its result are new, so that changing them changes nothing else', () => {
    const query = { a: { $in: ['1'] }, $or: [{ b: 1 }], $sort: { a: 1 }, $select: ['a'] }
    const result = filterQuery(query)

    result.query.a.$in = []
    result.filters.$or.push({})
    result.filters.$sort.b = 1
    result.filters.$select.push('b')

    expect(query).toEqual({ a: { $in: ['1'] }, $or: [{ b: 1 }], $sort: { a: 1 }, $select: ['a'] })
  })
})

it.each([
  [{ a: { $null: true } }, { a: null }],
  [{ a: { $null: 'false' } }, { a: { $ne: null } }],
  [{ a: { $null: true, $gt: 1 } }, { a: { $gt: 1, $eq: null } }],
  [{ a: { $null: true, $eq: 1 } }, { a: { $eq: 1, $in: [] } }],
  [{ a: { $null: false, $le: 1 } }, { a: { $lte: 1, $ne: null } }],
  [{ a: { $null: false, $ne: 1, $nin: [2] } }, { a: { $ne: 1, $nin: [2, null] } }]
])('spells $null out for adapters that do not know it: %j', (query, expected) => {
  expect(filterQuery(query).query).toEqual(expected)
})

describe('OPERATORS and FILTERS', () => {
  it('hold all names of Feathers v5', () => {
    expect(OPERATORS).toEqual(expect.arrayContaining(official.OPERATORS))
    expect(Object.keys(FILTERS).sort()).toEqual(Object.keys(official.FILTERS).sort())
  })

  it('hold what this library adds to them', () => {
    expect(OPERATORS).toEqual(expect.arrayContaining(['$eq', '$and', '$or']))
  })

  it('let all that they name pass in Feathers v5, too', () => {
    const query = { $limit: 1, $skip: 2, $sort: { a: 1 }, $select: ['a'], $or: [{ a: 1 }], $and: [{ b: 1 }] }

    expect(official.filterQuery(query, { filters: FILTERS as any, operators: [...OPERATORS] })).toEqual({
      filters: query,
      query: {}
    })
  })

  it('can be extended and passed on, as adapters for Feathers v5 do', () => {
    const options = {
      operators: OPERATORS.concat('$regex'),
      filters: { ...FILTERS, $populate: true as const }
    }

    expect(
      filterQuery({ a: { $regex: 'x' }, $or: [{ b: 1 }], $populate: 'c', $limit: '1' }, options)
    ).toEqual({
      query: { a: { $regex: 'x' } },
      filters: { $or: [{ b: 1 }], $populate: 'c', $limit: 1 }
    })
  })
})

describe('select', () => {
  const record = { id: 1, name: 'Ada', age: 36, none: null }

  it.each<[any, string[]]>([
    [undefined, ['id']],
    [{}, ['id']],
    [{ query: {} }, ['id']],
    [{ query: { $select: ['name'] } }, ['id']],
    [{ query: { $select: ['name', 'none', 'missing'] } }, []],
    [{ query: { $select: [] } }, ['id', 'age']]
  ])('%j: as in Feathers v5', (params, always) => {
    const ours = select(params, ...always)
    const theirs = official.select(params, ...always)

    for (const result of [record, [record, { id: 2 }], []]) expect(ours(result)).toEqual(theirs(result))
  })

  it('without $select gives back what it got', () => {
    for (const result of [record, [record]]) expect(select({ query: {} }, 'id')(result)).toBe(result)
  })

  it('takes a single name, where Feathers v5 throws', () => {
    const params: any = { query: { $select: 'name' } }

    expect(() => official.select(params, 'id')(record)).not.toEqual({ id: 1, name: 'Ada' })
    expect(select(params, 'id')(record)).toEqual({ id: 1, name: 'Ada' })
  })
})

describe('sorter', () => {
  const records = [
    { a: 2, b: { c: 1 } },
    { a: 1, b: { c: 2 } },
    { a: 2, b: { c: 0 } },
    { a: null, b: { c: 3 } }
  ]

  it.each([{ a: 1 }, { a: -1 }, { a: 1, 'b.c': -1 }, { 'b.c': 1 }, {}])(
    '%j: as in Feathers v5',
    (sort: any) => {
      expect(records.toSorted(sorter(sort))).toEqual(records.toSorted(official.sorter(sort)))
    }
  )

  it('finds nothing on a path that leads nowhere, where Feathers v5 throws', () => {
    const [a, b] = [{ name: 'a' }, { name: 'b', x: { y: 1 } }]

    expect(() => official.sorter({ 'x.y': 1 })(a, b)).toThrow(TypeError)
    expect(sorter({ 'x.y': 1 })(a, b)).toBeLessThan(0)
  })
})
