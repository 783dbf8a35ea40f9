// Whether a record still matches a query after it is written. What the data decides is decided here; what depends on
// fields that the data leaves as they are becomes a condition of the write, in the same statement.
import type { Query } from '../core/types.ts'
import { toReadings } from '../query/coerce.ts'
import { FIELD_OPERATORS, NULL_OPERATOR, parseNullTest } from '../query/operators.ts'
import { parseComparison } from '../query/parse.ts'
import { toFieldTest } from '../query/predicate.ts'
import { getPath, isComposite, isPlainObject } from '../utils/object.ts'
import { isSameId } from '../utils/same-id.ts'

/**
 * What is known of a query before a write: it holds, it does not, it cannot be known (`undefined`), or it holds where
 * another query does.
 */
export type WriteDecision = boolean | undefined | Query

/** What a write does to fields. */
export interface Write {
  readonly data: Record<string, unknown>
  /** Whether the field with this name is what the data says: of a patch, only what it names. */
  readonly sets: (name: string) => boolean
  /** Whether the value of a field is made by the store. */
  readonly makes: (name: string) => boolean
}

/** Evaluates a query for a write, as far as its data says. */
export function evaluateForWrite(query: Query, write: Write): WriteDecision {
  return combine(
    '$and',
    Object.keys(query).map((name) => evaluateEntry(name, query[name], write))
  )
}

function evaluateEntry(name: string, value: unknown, write: Write): WriteDecision {
  switch (name) {
    case '$and':
      return evaluateList(value, write, '$and')
    case '$or':
      return evaluateList(value, write, '$or')
    case '$nor':
      return negate(evaluateList(value, write, '$or'))
    case '$not':
      return isPlainObject(value) ? negate(evaluateForWrite(value, write)) : undefined
    default:
      return name.startsWith('$') ? undefined : evaluateField(name, value, write)
  }
}

function evaluateList(value: unknown, write: Write, operator: '$and' | '$or'): WriteDecision {
  if (!Array.isArray(value) || !value.every(isPlainObject)) return undefined

  return combine(
    operator,
    value.map((part) => evaluateForWrite(part, write))
  )
}

function evaluateField(name: string, value: unknown, write: Write): WriteDecision {
  const path = name.split('.')
  const [root] = path as [string]

  if (Object.keys(write.data).some((key) => key.startsWith('$') || key.startsWith(`${root}.`))) {
    // Some databases write operators, and into objects.
    return undefined
  }
  if (!write.sets(root)) return { [name]: value }
  if (write.makes(root)) return undefined

  const field = getPath(write.data, path)

  if (!isPlainObject(value)) return compare(field, '$eq', value)

  return combine(
    '$and',
    Object.entries(value).map(([operator, operand]) =>
      operator === '$not' ? negate(evaluateField(name, operand, write)) : compare(field, operator, operand)
    )
  )
}

/** Whether a value that is to be stored matches. Where the store might convert it first, that is not known. */
function compare(field: unknown, operator: string, operand: unknown): boolean | undefined {
  // Ids of some databases are instances, of which nothing else is known.
  if (operator === '$eq' && isInstance(operand) && isSameId(field, operand)) return true

  if (operator === NULL_OPERATOR) return compare(field, parseNullTest(operand) ? '$eq' : '$ne', null)

  const known = FIELD_OPERATORS.get(operator)
  const operands: readonly unknown[] = known?.list && Array.isArray(operand) ? operand : [operand]

  if (!known || !operands.every((one) => isComparable(field, one))) return undefined

  const holds = toFieldTest(parseComparison(['field'], operator, operand, known))(field)
  const isEqual = holds === (known.comparison === 'eq' || known.comparison === 'in')
  const isPlain = typeof field !== 'string' || !hasReadings(field) || operands.every((one) => one === null)

  // Two strings that differ may be the same number or time once they are stored.
  return isPlain || (isEqual && !ORDERS.includes(known.comparison)) ? holds : undefined
}

const ORDERS: readonly string[] = ['lt', 'lte', 'gt', 'gte']

function hasReadings(field: string): boolean {
  return toReadings(field).length > 1 || /^\s*[-+.\d]|^[\da-f]{8}-/i.test(field)
}

function isComparable(field: unknown, operand: unknown): boolean {
  if (!isScalar(field) || !isScalar(operand)) return false
  if (field === null || field === undefined || operand === null) return true

  return typeof field === typeof operand
}

/** Dates are compared as such: their strings have no milliseconds. */
function isInstance(value: unknown): boolean {
  return !isScalar(value) && !isComposite(value)
}

function isScalar(value: unknown): boolean {
  return value === null || value instanceof Date || typeof value !== 'object'
}

function combine(operator: '$and' | '$or', parts: readonly WriteDecision[]): WriteDecision {
  // One that does not hold decides `$and`, one that holds decides `$or`.
  const decisive = operator === '$or'

  if (parts.includes(decisive)) return decisive
  if (parts.includes(undefined)) return undefined

  const open = parts.filter(isQuery)

  return open.length === 0 ? !decisive : open.length === 1 ? (open[0] as Query) : { [operator]: open }
}

function negate(decision: WriteDecision): WriteDecision {
  if (decision === undefined) return undefined

  return isQuery(decision) ? { $nor: [decision] } : !decision
}

function isQuery(decision: WriteDecision): decision is Query {
  return typeof decision === 'object'
}
