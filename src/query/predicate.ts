import { assertNever } from '../utils/object.ts'
import type { Condition, Path } from './ast.ts'
import { compareSameType, isEqual } from './compare.ts'
import { type Reader, readRecord } from './read.ts'

/** Whether a record matches. */
export type Predicate = (record: any) => boolean

/** The meaning of the operators that an adapter adds: given the value of the query, what to ask of a field. */
export interface CustomPredicates {
  readonly [operator: `$${string}`]: (value: unknown) => (field: unknown) => boolean
}

/** Whether the value of a field matches. */
export type FieldTest = (field: unknown) => boolean

/** A condition on one field. */
export type FieldCondition = Extract<Condition, { readonly path: Path }>

/**
 * Compiles a condition into a function, once for all records.
 *
 * @param condition The condition
 * @param custom The meaning of custom operators
 * @param read How fields are read, where what is asked about is not the records themselves
 * @throws Error for a custom operator without a meaning
 */
export function toPredicate(
  condition: Condition,
  custom: CustomPredicates = {},
  read: Reader = readRecord
): Predicate {
  switch (condition.kind) {
    case 'compare':
    case 'custom': {
      const test = toFieldTest(condition, custom)
      const getField = read(condition.path)

      return (record) => test(getField(record))
    }
    case 'and':
      return every(condition.conditions.map((part) => toPredicate(part, custom, read)))
    case 'or':
      return some(condition.conditions.map((part) => toPredicate(part, custom, read)))
    case 'not':
      return negate(toPredicate(condition.condition, custom, read))
    default:
      return assertNever(condition)
  }
}

/**
 * Compiles what a condition asks of its field.
 *
 * @param condition A condition on one field
 * @param custom The meaning of custom operators
 * @throws Error for a custom operator without a meaning
 */
export function toFieldTest(condition: FieldCondition, custom: CustomPredicates = {}): FieldTest {
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
      return typeof value === 'number' || typeof value === 'string'
        ? toScalarTest(operator, value)
        : toOrderTest(operator, value)
  }
}

type OrderOperator = 'lt' | 'lte' | 'gt' | 'gte'

/** Several times as fast as `toOrderTest`: the engine knows the type that each of these compares. `NaN` has no order. */
function toScalarTest(operator: OrderOperator, value: number | string): FieldTest {
  switch (operator) {
    case 'lt':
      return typeof value === 'number'
        ? (field) => typeof field === 'number' && field < value
        : (field) => typeof field === 'string' && field < value
    case 'lte':
      return typeof value === 'number'
        ? (field) => typeof field === 'number' && field <= value
        : (field) => typeof field === 'string' && field <= value
    case 'gt':
      return typeof value === 'number'
        ? (field) => typeof field === 'number' && field > value
        : (field) => typeof field === 'string' && field > value
    case 'gte':
      return typeof value === 'number'
        ? (field) => typeof field === 'number' && field >= value
        : (field) => typeof field === 'string' && field >= value
    default:
      return assertNever(operator)
  }
}

function toOrderTest(operator: OrderOperator, value: unknown): FieldTest {
  switch (operator) {
    // A comparison with `undefined`, where there is no order, is false.
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

function toEqualityTest(value: unknown): FieldTest {
  if (value === null || value === undefined) return (field) => field === null || field === undefined
  if (typeof value === 'object') return (field) => isEqual(value, field)

  return (field) => field === value
}

/** Scalars are looked up, so that a long list costs no more than a short one. */
function toMembershipTest(values: readonly unknown[]): FieldTest {
  const scalars = new Set(values.filter(isScalar))
  const others = values.filter((value) => !isScalar(value)).map(toEqualityTest)

  if (others.length === 0) return (field) => scalars.has(field)

  return (field) => scalars.has(field) || others.some((test) => test(field))
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' && value !== undefined
}

function every(predicates: readonly Predicate[]): Predicate {
  const [first, second] = predicates

  if (!first) return matchAll
  if (second && predicates.length === 2) return (record) => first(record) && second(record)

  return (record) => {
    for (const predicate of predicates) if (!predicate(record)) return false

    return true
  }
}

function matchAll(): boolean {
  return true
}

function some(predicates: readonly Predicate[]): Predicate {
  return (record) => {
    for (const predicate of predicates) if (predicate(record)) return true

    return false
  }
}

function negate(predicate: Predicate): Predicate {
  return (record) => !predicate(record)
}
