// What a client can decide about a record of an event: whether a query matches it, and where it comes in a list. Records
// come as JSON, which has no dates and no large numbers, so that some questions are for the server.
import type { Query } from '../../core/types.ts'
import type { Condition, ParsedQuery, Path } from '../../query/ast.ts'
import { isDay, isInteger, toExactDate } from '../../query/coerce.ts'
import { type Comparator, toComparator } from '../../query/comparator.ts'
import { parseQuery } from '../../query/parse.ts'
import { toPredicate } from '../../query/predicate.ts'
import { findPath, getPath } from '../../utils/object.ts'

/** A query, as far as a client understands it. */
export interface Decider {
  readonly limit: number | undefined
  readonly skip: number
  /** Whether a record matches; `undefined` where only the server knows. */
  matches(record: object): boolean | undefined
  /** Whether the order of a record among others can be seen. */
  isSortable(record: object): boolean
  readonly compare: Comparator
}

/** What a string may be on the server: `vague` for what is written in more ways than one there. */
type Form = 'text' | 'integer' | 'day' | 'time' | 'vague'

/** The values that a field is compared with. */
interface FieldTest {
  readonly path: Path
  readonly isOrder: boolean
  readonly values: readonly unknown[]
}

/** A time as JSON has it. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const DECIMAL = /^-?\d+\.\d+$/
/** Characters that come after those beyond U+FFFF by UTF-16 units, as here and in memory, and before them in SQL. */
const UNORDERED = /[\ue000-\uffff]/

/**
 * Prepares a query for the records of events. As a query string (`isText`), all its values are strings. `undefined` for a query
 * that only the server understands: one with `$select`, `$include`, or other operators than those that every service has, and
 * `$not` and `$nor`.
 */
export function createDecider(query: Query, isText: boolean): Decider | undefined {
  const parsed = parseSent(query, isText)

  if (!parsed || parsed.select) return undefined

  const { where, sort, limit, skip } = parsed
  const tests = [...findTests(where)]
  const predicate = toPredicate(where)

  return {
    limit,
    skip,
    matches: (record) => (tests.every((test) => isClear(record, test)) ? predicate(record) : undefined),
    isSortable: (record) => sort.every(({ path }) => hasSortableField(record, path)),
    compare: toComparator(sort)
  }
}

/** The query as the server reads it; `undefined` for one with names or values that have another meaning there. */
function parseSent(query: Query, isText: boolean): ParsedQuery | undefined {
  // In a query string, it is an empty string, which some schemas read as null.
  if (isText && findPath(query, (value) => value === null) !== undefined) return undefined

  try {
    const sent = JSON.stringify(query, (_name, value) =>
      isText && ['number', 'boolean', 'bigint'].includes(typeof value) ? String(value) : value
    )

    return parseQuery(JSON.parse(sent), { operators: ['$not', '$nor'] })
  } catch {
    // The response says what is wrong, if anything is.
    return undefined
  }
}

function* findTests(condition: Condition): Iterable<FieldTest> {
  if (condition.kind === 'not') yield* findTests(condition.condition)
  if (condition.kind === 'and' || condition.kind === 'or') {
    for (const part of condition.conditions) yield* findTests(part)
  }
  if (condition.kind === 'compare') {
    const { path, operator, value } = condition

    yield { path, isOrder: ['lt', 'lte', 'gt', 'gte'].includes(operator), values: [value].flat() }
  }
}

/** Whether a comparison has the same result here and on the server. */
function isClear(record: object, { path, isOrder, values }: FieldTest): boolean {
  if (!hasField(record, path)) return false

  const field = getPath(record, path)

  return typeof field !== 'string' || values.every((value) => isComparable(field, value, isOrder))
}

function isComparable(field: string, value: unknown, isOrder: boolean): boolean {
  const form = toForm(field, isOrder)

  if (field === value && !isOrder) return true
  if (form === 'vague') return false
  if (typeof value !== 'string') return typeof value !== 'number' || form !== 'integer'

  const other = toForm(value, isOrder)

  if (other === 'vague') return false
  if (form === 'integer' || other === 'integer') return !isOrder

  return form === other || (!isOrder && (form === 'text' || other === 'text'))
}

/**
 * Whether an event has a field at all: a path through a relation, a number of related records and what the write did not
 * select are missing.
 */
function hasField(record: object, [name]: Path): boolean {
  return Object.hasOwn(record, name as string)
}

function hasSortableField(record: object, path: Path): boolean {
  const value = getPath(record, path)

  return (
    hasField(record, path) &&
    (typeof value !== 'string' || !['integer', 'vague'].includes(toForm(value, true)))
  )
}

function toForm(text: string, isOrder: boolean): Form {
  if (isInteger(text)) return 'integer'
  if (TIME.test(text)) return 'time'
  if (isDay(text)) return 'day'

  return DECIMAL.test(text) || (isOrder && UNORDERED.test(text)) || toExactDate(text) ? 'vague' : 'text'
}
