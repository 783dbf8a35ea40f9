import fc, { type Arbitrary } from 'fast-check'
import { MALFORMED_CONDITIONS, UNKNOWN_OPERATORS } from './malformed.ts'
import { type Setup, toChosenId } from './setup.ts'
import type { ValueKind } from './types.ts'

/** A record of which the id is known by a number. */
export interface RandomRecord {
  readonly number: number
  readonly fields: object
}

/** Texts of which neighbours, lookalikes and special characters are near. */
const TEXTS = [
  '',
  'a',
  'A',
  'b',
  'aa',
  'a ',
  'á',
  'a\u0301',
  '9',
  '10',
  '%',
  '_',
  "'",
  '\\',
  '\u{1F426}',
  'null'
]
const NUMBERS = [0, 1, -1, 2, 9, 10, 0.5, -1.5, 1e15]
const DATES = [0, 1, -1, 1e12].map((time) => new Date(time))

const COMPARISONS = ['$eq', '$ne', '$lt', '$lte', '$le', '$gt', '$gte', '$ge']

/** How many different ids random records have. */
export const ID_COUNT = 8

/** What lists hold: few values, so that many lists share some. */
const LISTED = ['a', 'A', '1', 1, 0.5, true, null]

/** A way to a value, and what it can be compared with. */
interface Path {
  readonly name: string
  readonly kinds: readonly ValueKind[]
  readonly sortable: boolean
  /** Whether it often is a list. */
  readonly isList?: boolean
}

/** @internal */
export interface Arbitraries {
  /** Some records, each of another number. */
  readonly records: Arbitrary<readonly RandomRecord[]>
  /** The fields of one record. */
  readonly fields: Arbitrary<object>
  /** A query with conditions only. */
  readonly conditions: Arbitrary<object>
  /** A query with everything; one of twelve is malformed. */
  readonly query: Arbitrary<object>
}

/** @internal */
export function toArbitraries(setup: Setup): Arbitraries {
  const paths = toPaths(setup)
  const fields = toFields(setup.fields, setup.features.lists)
  const conditions = toConditions(setup, paths)
  const number = fc.integer({ min: 1, max: ID_COUNT })
  const malformed = fc.oneof({ weight: 11, arbitrary: fc.constant({}) }, toMalformed())

  return {
    fields,
    conditions,
    records: fc.uniqueArray(fc.record({ number, fields }), {
      selector: (record) => record.number,
      maxLength: 8
    }),
    query: fc.tuple(conditions, toFilters(setup, paths), malformed).map(mergeAll)
  }
}

function toPaths({ fields, features, id, ids }: Setup): Path[] {
  const scalars: ValueKind[] = ['string', 'number']

  if (features.booleans) scalars.push('boolean')
  if (features.dates) scalars.push('date')

  const toPath = (name: string, kinds: readonly ValueKind[], sortable = true): Path => ({
    name,
    kinds: ['null', ...(features.mixedTypes ? scalars : kinds.filter((kind) => scalars.includes(kind)))],
    sortable: sortable || features.mixedTypes
  })

  return Object.entries(fields)
    .flatMap(([name, kinds]) =>
      kinds.includes('object')
        ? [
            toPath(name, kinds, false),
            toPath(`${name}.city`, ['string']),
            toPath(`${name}.zip`, ['number']),
            ...(features.lists ? [{ name: `${name}.tags`, kinds: [], sortable: false, isList: true }] : [])
          ]
        : [toPath(name, kinds)]
    )
    .concat(ids.length > 0 ? [{ name: id, kinds: [], sortable: true }] : [])
}

/** A value of one of these kinds. The first should be the simplest: a failure is shown with it, if it fails too. */
function toAny(kinds: readonly ValueKind[], hasLists = false): Arbitrary<unknown> {
  return fc.oneof({ withCrossShrink: true }, ...kinds.map((kind) => toValue(kind, hasLists)))
}

function toValue(kind: ValueKind, hasLists: boolean): Arbitrary<unknown> {
  switch (kind) {
    case 'missing':
      return fc.constant(undefined)
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'number':
      return fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
        fc.integer({ min: -12, max: 12 })
      )
    case 'string':
      return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...TEXTS) }, fc.string({ maxLength: 3 }))
    case 'date':
      return fc.constantFrom(...DATES)
    case 'object':
      return toObject(hasLists)
  }
}

function toObject(hasLists: boolean): Arbitrary<object> {
  const fields = toFields({ city: ['missing', 'null', 'string'], zip: ['missing', 'null', 'number'] })
  const tag = fc.constantFrom(...LISTED)
  const tags = fc.oneof(
    { weight: 3, arbitrary: fc.array(tag, { maxLength: 3 }) },
    tag,
    fc.constant(undefined)
  )

  // What a store does with a field that is undefined is its own affair.
  return hasLists
    ? fc
        .tuple(fields, tags)
        .map(([object, list]) => (list === undefined ? object : { ...object, tags: list }))
    : fields
}

function toFields(fields: Setup['fields'], hasLists = false): Arbitrary<object> {
  const values = Object.entries(fields).map(([name, kinds]) =>
    toAny(kinds, hasLists).map((value) => ({ [name]: value }))
  )

  return fc
    .tuple(...values)
    .map((parts) =>
      Object.fromEntries(
        parts.flatMap((part) => Object.entries(part)).filter(([, value]) => value !== undefined)
      )
    )
}

function toConditions(setup: Setup, paths: readonly Path[]): Arbitrary<object> {
  const negation = setup.features.negation
  const onField = fc.oneof(...paths.map((path) => toCondition(setup, path)))
  const plain = fc.array(onField, { maxLength: 2 }).map(mergeAll)

  return fc.letrec<{ query: object; combined: object }>((tie) => ({
    query: fc.oneof({ maxDepth: 3 }, plain, fc.tuple(plain, tie('combined')).map(mergeAll)),
    combined: fc.oneof(
      ...['$or', '$and', ...(negation ? ['$nor'] : [])].map((name) =>
        fc.array(tie('query'), { maxLength: 3 }).map((queries) => ({ [name]: queries }))
      ),
      ...(negation ? [tie('query').map((query) => ({ $not: query }))] : [])
    )
  })).query
}

function toCondition(setup: Setup, path: Path): Arbitrary<object> {
  const { name, isList } = path
  const value = toWritten(toOperand(setup, path))
  const list = fc.array(value, { maxLength: 3 })
  const ofList = fc.oneof(fc.tuple(fc.constant('$contains'), value), fc.tuple(fc.constant('$overlaps'), list))
  const operator = isList
    ? ofList
    : fc.oneof(
        { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...COMPARISONS), value) },
        fc.tuple(fc.constantFrom('$in', '$nin'), list),
        fc.tuple(fc.constant('$null'), fc.constantFrom(true, false, 'true', 'false'))
      )
  const operators = fc.array(operator, { minLength: 1, maxLength: 2 }).map(Object.fromEntries)
  const negated = setup.features.negation ? [operators.map((query) => ({ $not: query }))] : []

  // How a list compares with a value is up to the store.
  const plain = isList ? [] : [value]

  return fc
    .oneof(...plain, { weight: 3, arbitrary: operators }, ...negated)
    .map((condition) => ({ [name]: condition }))
}

function toOperand(setup: Setup, { name, kinds, isList }: Path): Arbitrary<unknown> {
  if (isList) return fc.constantFrom(...LISTED)

  return name === setup.id ? toId(setup) : toAny(kinds)
}

/** A value, or how it is written: in a URL every value is a string. */
function toWritten(value: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.tuple(value, fc.nat(3)).map(([any, quarter]) => (quarter === 3 ? write(any) : any))
}

function write(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()

  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

function toId(setup: Setup): Arbitrary<unknown> {
  return fc.integer({ min: 1, max: ID_COUNT }).map((number) => toChosenId(setup, number))
}

function toFilters(setup: Setup, paths: readonly Path[]): Arbitrary<object> {
  const sortable = paths.filter((path) => path.sortable).map(({ name }) => name)
  const selectable = [...paths.filter(({ isList }) => !isList).map(({ name }) => name), setup.id]
  const order = fc.tuple(fc.constantFrom(...sortable), fc.constantFrom(1, -1))
  const filters = {
    $sort: fc.array(order, { minLength: 1, maxLength: 2 }).map(Object.fromEntries),
    $limit: fc.nat(6),
    $skip: fc.nat(4),
    $select: fc.array(fc.constantFrom(...selectable), { maxLength: 3 })
  }

  return fc
    .record(filters, { requiredKeys: [] })
    .map(({ $sort, ...rest }) => ({ ...rest, ...toTotalOrder(setup, $sort) }))
}

/** Without an order of its own a store may return equal records, or all of them, in any: `position` decides. */
function toTotalOrder({ features }: Setup, $sort: object | undefined): object {
  if (!features.insertionOrder) return { $sort: { ...$sort, position: 1 } }

  return $sort === undefined ? {} : { $sort }
}

function toMalformed(): Arbitrary<object> {
  const conditions: readonly object[] = [...MALFORMED_CONDITIONS, ...UNKNOWN_OPERATORS].map(
    ([condition]) => condition
  )
  const condition = fc.constantFrom(...conditions)

  return fc.oneof(
    condition,
    condition.map((nested) => ({ $or: [{}, nested] })),
    condition.map((nested) => ({ $and: [{ $and: [nested] }] }))
  )
}

function mergeAll(parts: readonly object[]): object {
  return Object.assign({}, ...parts)
}
