import { assertNever } from '../utils/object.ts'
import type { Condition, Path } from './ast.ts'
import { toReadings } from './coerce.ts'
import { compareSameType, isEqual } from './compare.ts'
import { toFieldReader } from './field.ts'

/** Whether a record matches. */
export type Predicate = (record: any) => boolean

/** The meaning of the operators that an adapter adds: given the value of the query, what to ask of a field. */
export interface CustomPredicates {
  readonly [operator: `$${string}`]: (value: unknown) => (field: unknown) => boolean
}

/** Whether the value of a field matches. */
type FieldTest = (field: unknown) => boolean

/** A condition on one field. */
type FieldCondition = Extract<Condition, { readonly path: Path }>

/**
 * Compiles a condition into a function, once for all records. A string in it also matches the number, boolean or date
 * that is written exactly so.
 *
 * @param condition The condition
 * @param custom The meaning of custom operators
 * @throws Error for a custom operator without a meaning
 */
export function toPredicate(condition: Condition, custom: CustomPredicates = {}): Predicate {
  switch (condition.kind) {
    case 'compare':
    case 'custom': {
      const test = toFieldTest(condition, custom)
      const getField = toFieldReader(condition.path)

      return (record) => test(getField(record))
    }
    case 'and':
      return every(condition.conditions.map((part) => toPredicate(part, custom)))
    case 'or':
      return some(condition.conditions.map((part) => toPredicate(part, custom)))
    case 'not':
      return negate(toPredicate(condition.condition, custom))
    default:
      return assertNever(condition)
  }
}

function toFieldTest(condition: FieldCondition, custom: CustomPredicates): FieldTest {
  const { value } = condition

  if (condition.kind === 'custom') {
    if (!Object.hasOwn(custom, condition.operator)) {
      throw new Error(`The operator '${condition.operator}' is allowed, but has no meaning here`)
    }

    return (custom[condition.operator] as CustomPredicates['$'])(value)
  }

  const { operator } = condition

  switch (operator) {
    case 'eq':
      return toEqualityTest(value)
    case 'ne':
      return negate(toEqualityTest(value))
    case 'in':
      return toMembershipTest(value as readonly unknown[])
    case 'nin':
      return negate(toMembershipTest(value as readonly unknown[]))
    default:
      return some(toReadings(value).map((reading) => toOrderTest(operator, reading)))
  }
}

type OrderOperator = 'lt' | 'lte' | 'gt' | 'gte'

/** `NaN` has no order: every comparison with it is false, as one with `undefined` is. */
function toOrderTest(operator: OrderOperator, value: unknown): FieldTest {
  if (typeof value === 'number' || typeof value === 'string') return toScalarTest(operator, value)

  switch (operator) {
    case 'lt':
      return (field) => (compareSameType(field, value) as number) < 0
    case 'lte':
      return (field) => (compareSameType(field, value) as number) <= 0
    case 'gt':
      return (field) => (compareSameType(field, value) as number) > 0
    case 'gte':
      return (field) => (compareSameType(field, value) as number) >= 0
    default:
      return assertNever(operator)
  }
}

/** Fast path, several times as fast as the other: the engine knows the type that each of these compares. */
function toScalarTest(operator: OrderOperator, value: number | string): FieldTest {
  const type = typeof value

  switch (operator) {
    case 'lt':
      return (field) => typeof field === type && (field as typeof value) < value
    case 'lte':
      return (field) => typeof field === type && (field as typeof value) <= value
    case 'gt':
      return (field) => typeof field === type && (field as typeof value) > value
    case 'gte':
      return (field) => typeof field === type && (field as typeof value) >= value
    default:
      return assertNever(operator)
  }
}

function toEqualityTest(value: unknown): FieldTest {
  if (value === null || value === undefined) return (field) => field === null || field === undefined
  if (typeof value === 'object') return (field) => isEqual(value, field)
  if (toReadings(value).length > 1) return toMembershipTest([value])

  return (field) => field === value
}

/** Scalars are looked up, so that a long list costs no more than a short one, and so are the times of dates. */
function toMembershipTest(list: readonly unknown[]): FieldTest {
  const values = list.flatMap(toReadings)
  const scalars = new Set(values.filter(isScalar))
  const times = new Set(values.filter((value) => value instanceof Date).map((date) => date.getTime()))
  const others = values.filter((value) => !isScalar(value) && !(value instanceof Date)).map(toEqualityTest)

  return (field) =>
    scalars.has(field) ||
    (times.size > 0 && field instanceof Date && times.has(field.getTime())) ||
    others.some((test) => test(field))
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' && value !== undefined
}

function every(predicates: readonly Predicate[]): Predicate {
  const [first, second] = predicates

  if (!first) return matchAll
  if (!second) return first
  if (predicates.length === 2) return (record) => first(record) && second(record)

  return (record) => {
    for (const predicate of predicates) if (!predicate(record)) return false

    return true
  }
}

function matchAll(): boolean {
  return true
}

function some(predicates: readonly Predicate[]): Predicate {
  const [first] = predicates

  if (first && predicates.length === 1) return first

  return (record) => {
    for (const predicate of predicates) if (predicate(record)) return true

    return false
  }
}

function negate(predicate: Predicate): Predicate {
  return (record) => !predicate(record)
}
