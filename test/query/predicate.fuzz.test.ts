import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseQuery, toPredicate } from '../../src/query.ts'
import { RecordId } from '../support/record-id.ts'
import { scaled } from '../support/scale.ts'

// A second reading of what a query means, as plain as it can be: straight from the query object, without a tree,
// nothing prepared. Whatever it says, the compiled predicate must say too.

function holds(query: any, record: any): boolean {
  return Object.keys(query).every((name) => {
    const value = query[name]

    if (name === '$and') return value.every((part: any) => holds(part, record))
    if (name === '$or') return value.some((part: any) => holds(part, record))
    if (name === '$nor') return !value.some((part: any) => holds(part, record))
    if (name === '$not') return !holds(value, record)

    return fieldHolds(value, read(record, name))
  })
}

function fieldHolds(value: any, field: unknown): boolean {
  const isOperators = value !== null && typeof value === 'object' && kindOf(value) === 'object'

  if (!isOperators) return same(field, value)

  return Object.keys(value).every((operator) => {
    const operand = value[operator]

    if (operator === '$eq') return same(field, operand)
    if (operator === '$ne') return !same(field, operand)
    if (operator === '$in') return operand.some((element: unknown) => same(field, element))
    if (operator === '$nin') return !operand.some((element: unknown) => same(field, element))
    if (operator === '$not') return !fieldHolds(operand, field)

    const sign = order(field, operand)

    if (operator === '$lt') return sign === -1
    if (operator === '$gt') return sign === 1
    if (operator === '$lte' || operator === '$le') return sign === -1 || sign === 0
    if (operator === '$gte' || operator === '$ge') return sign === 1 || sign === 0

    throw new Error(`No meaning for ${operator}`)
  })
}

function read(record: any, path: string): unknown {
  let value = record

  for (const name of path.split('.')) {
    const names = ['date', 'bytes', 'id', 'object'].includes(kindOf(value))
      ? Object.getOwnPropertyNames(value)
      : []

    value = names.includes(name) ? value[name] : undefined
  }

  return value
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  if (value instanceof Date) return 'date'
  if (value instanceof Uint8Array) return 'bytes'
  if (value instanceof RecordId) return 'id'
  if (Array.isArray(value)) return 'list'

  return typeof value
}

/** What a value of the query is for a field of some kind: a string is also what is written exactly so. */
function asKind(value: any, kind: string): any {
  if (typeof value !== 'string') return value
  if (kind === 'number' && JSON.stringify(Number(value)) === value) return Number(value)
  if (kind === 'boolean' && ['true', 'false'].includes(value)) return value === 'true'
  if (kind === 'bigint' && /^-?\d+$/.test(value) && `${BigInt(value)}` === value) return BigInt(value)
  if (kind === 'date' && /^\d{4}-\d\d-\d\d(T.*Z)?$/.test(value)) {
    const date = new Date(value)

    // Not February 30.
    return date.toISOString().startsWith(value.slice(0, 10)) ? date : value
  }

  return value
}

function same(field: any, query: any): boolean {
  const kind = kindOf(field)
  const value = asKind(query, kind)

  if (kind !== kindOf(value)) return false
  if (kind === 'nothing') return true
  if (kind === 'date') return field.toISOString() === value.toISOString()
  if (kind === 'bytes') return field.join() === value.join()
  if (kind === 'id') return field.hex === value.hex

  return field === value
}

/** -1, 0, 1, or nothing where there is no order. */
function order(field: any, query: any): number | undefined {
  const kind = kindOf(field)
  const value = asKind(query, kind)

  if (kind !== kindOf(value) || ['nothing', 'id', 'list', 'object'].includes(kind)) return undefined
  if (same(field, value)) return 0
  if (kind !== 'bytes') return field < value ? -1 : 1

  const [a, b] = [[...field], [...value]]
  const index = a.findIndex((byte, position) => byte !== b[position])

  // The shorter one comes first when all of it is the beginning of the longer one.
  if (index === -1) return -1
  if (b[index] === undefined) return 1

  return a[index] < (b[index] as number) ? -1 : 1
}

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    1,
    2,
    -1,
    1.5,
    '',
    'a',
    'b',
    'B',
    'ab',
    '1',
    '2',
    '-1',
    '1.5',
    '01',
    '1.0',
    'true',
    'True',
    true,
    false,
    1n
  ),
  fc.constantFrom('1970-01-01', '1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.002Z', '1970-02-30'),
  fc.constantFrom(0, 1, 2).map((time) => new Date(time)),
  fc.constantFrom([], [1], [1, 2], [2]).map((bytes) => Uint8Array.from(bytes)),
  fc.constantFrom('a', 'b').map((hex) => new RecordId(hex))
)
const stored = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar }) },
  { weight: 1, arbitrary: fc.constant(undefined) }
)
const record = fc.record(
  { a: stored, b: stored, c: fc.record({ d: stored, e: fc.record({ f: stored }) }), toString: stored },
  { requiredKeys: [] }
)

const field = fc.constantFrom('a', 'b', 'c', 'c.d', 'c.e.f', 'a.x', 'a.0', 'toString', 'constructor')
const list = fc.array(scalar, { maxLength: 4 })

const { query } = fc.letrec<{ query: any; conditions: any; condition: any }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.dictionary(field, tie('condition'), { maxKeys: 2 }),
    fc.record({ $or: fc.array(tie('query'), { maxLength: 3 }) }),
    fc.record({ $and: fc.array(tie('query'), { maxLength: 3 }) }),
    fc.record({ $nor: fc.array(tie('query'), { maxLength: 3 }) }),
    fc.record({ $not: tie('query') }),
    fc
      .tuple(fc.dictionary(field, tie('condition'), { maxKeys: 2 }), fc.array(tie('query'), { maxLength: 2 }))
      .map(([fields, either]) => ({ ...fields, $or: either }))
  ),
  condition: fc.oneof({ maxDepth: 4, withCrossShrink: true }, scalar, tie('conditions')),
  conditions: fc
    .record(
      {
        $eq: scalar,
        $ne: scalar,
        $lt: scalar,
        $lte: scalar,
        $le: scalar,
        $gt: scalar,
        $gte: scalar,
        $ge: scalar,
        $in: list,
        $nin: list,
        $not: fc.oneof({ maxDepth: 3 }, scalar, tie('conditions'))
      },
      { requiredKeys: [] }
    )
    .chain((all) =>
      fc.subarray(Object.entries(all), { maxLength: 2 }).map((some) => {
        return some.length > 0 ? Object.fromEntries(some) : { $ne: 0 }
      })
    )
}))

it('the compiled predicate agrees with a plain reading of the query', () => {
  const seen = { true: 0, false: 0 }
  const runs = scaled(200_000)

  fc.assert(
    fc.property(query, record, (query, record) => {
      const expected = holds(query, record)
      const compiled = toPredicate(parseQuery(query, { operators: ['$not', '$nor'] }).where)

      seen[`${expected}`]++

      expect(compiled(record)).toBe(expected)
    }),
    { numRuns: runs }
  )

  // Pairs of which all or none match would show nothing.
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(runs / 5)
}, 300_000)
