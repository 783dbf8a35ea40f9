import { createError } from '../utils/developer-error.ts'
import { assertNever } from '../utils/object.ts'
import { assertSync } from '../utils/promise.ts'
import type { Condition, FieldCondition, Path } from './ast.ts'
import { toReadings } from './coerce.ts'
import { compareSameType, isEqual } from './compare.ts'
import { type FieldReader, type ToReader, toFieldReader } from './field.ts'
import { toTimeKey } from './precise-date.ts'

/** Whether a record matches. */
export type Predicate = (record: unknown) => boolean

/** The meaning of the operators that an adapter adds: given the value of the query, what to ask of a field. */
export interface CustomPredicates {
  readonly [operator: `$${string}`]: (value: unknown) => (field: unknown) => boolean
}

/** Whether the value of a field matches. */
type FieldTest = (field: unknown) => boolean

/**
 * Compiles a condition into a function, once for all records. A string in it also matches the number, boolean or date
 * that is written exactly so.
 *
 * @param condition The condition
 * @param custom The meaning of custom operators
 * @throws Error for a custom operator without a meaning
 */
export function toPredicate(condition: Condition, custom: CustomPredicates = {}): Predicate {
  return compilePredicate(condition, custom, toFieldReader)
}

/** The same with another way to read a field, for a store that knows its records. */
export function compilePredicate(
  condition: Condition,
  custom: CustomPredicates,
  toReader: ToReader
): Predicate {
  switch (condition.kind) {
    case 'compare':
    case 'custom':
      return toFieldPredicate(toReader(condition.path), toFieldTest(condition, custom))
    case 'and':
      return every(compileAll(condition.conditions, custom, toReader))
    case 'or':
      return some(condition.conditions.map((part) => compilePredicate(part, custom, toReader)))
    case 'not':
      return negate(compilePredicate(condition.condition, custom, toReader))
    default:
      return assertNever(condition)
  }
}

/** The conditions on one field become one predicate, so that the field is read once. */
function compileAll(
  conditions: readonly Condition[],
  custom: CustomPredicates,
  toReader: ToReader
): readonly Predicate[] {
  const others: Predicate[] = []
  const fields = new Map<string, { readonly path: Path; readonly tests: FieldTest[] }>()

  for (const condition of conditions) {
    if (condition.kind !== 'compare' && condition.kind !== 'custom') {
      others.push(compilePredicate(condition, custom, toReader))
      continue
    }

    const { path } = condition
    const key = path.join('.')
    const field = fields.get(key) ?? { path, tests: [] }

    fields.set(key, field)
    field.tests.push(toFieldTest(condition, custom))
  }

  // Those of one field first: they cost less than those that combine others.
  return [
    ...[...fields.values()].map(({ path, tests }) => toFieldPredicate(toReader(path), every(tests))),
    ...others
  ]
}

function toFieldPredicate(read: FieldReader, test: FieldTest): Predicate {
  return (record) => test(read(record))
}

/** The test of the value of the field that a condition is about. */
export function toFieldTest(condition: FieldCondition, custom: CustomPredicates = {}): FieldTest {
  const { value } = condition

  if (condition.kind === 'custom') {
    if (!Object.hasOwn(custom, condition.operator)) {
      throw createError(
        'ALULA_UNKNOWN_OPERATOR',
        `The operator '${condition.operator}' is allowed, but has no meaning here`
      )
    }

    const sentence = `The test of the operator '${condition.operator}' has to return true or false`
    const test = assertSync((custom[condition.operator] as CustomPredicates['$'])(value), sentence)

    return (field) => assertSync(test(field), sentence)
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
      return toOrderTest(
        operator,
        value,
        typeof value === 'string' ? toReadingTest(operator, value) : matchNone
      )
  }
}

type OrderOperator = 'lt' | 'lte' | 'gt' | 'gte'

/** The test of fields that are not strings against what a string stands for. It is made for the first of them. */
function toReadingTest(operator: OrderOperator, text: string): FieldTest {
  let test: FieldTest

  return (field) => {
    test ??= toReadings(text).reduceRight<FieldTest>(
      (otherwise, reading) => toOrderTest(operator, reading, otherwise),
      matchNone
    )

    return test(field)
  }
}

/**
 * Compares a field with the reading that has its type; `otherwise` is the test for fields of other types. `NaN` has no order:
 * every comparison with it is false, as one with `undefined` is.
 */
function toOrderTest(operator: OrderOperator, value: unknown, otherwise: FieldTest): FieldTest {
  if (typeof value === 'number' || typeof value === 'string') return toScalarTest(operator, value, otherwise)

  switch (operator) {
    case 'lt':
      return (field) => (compareSameType(field, value) as number) < 0 || otherwise(field)
    case 'lte':
      return (field) => (compareSameType(field, value) as number) <= 0 || otherwise(field)
    case 'gt':
      return (field) => (compareSameType(field, value) as number) > 0 || otherwise(field)
    case 'gte':
      return (field) => (compareSameType(field, value) as number) >= 0 || otherwise(field)
    default:
      return assertNever(operator)
  }
}

/** Fast path, several times as fast as the other: the engine knows the type that each of these compares. */
function toScalarTest(operator: OrderOperator, value: number | string, otherwise: FieldTest): FieldTest {
  const type = typeof value

  switch (operator) {
    case 'lt':
      return (field) => (typeof field === type ? value > (field as typeof value) : otherwise(field))
    case 'lte':
      return (field) => (typeof field === type ? value >= (field as typeof value) : otherwise(field))
    case 'gt':
      return (field) => (typeof field === type ? value < (field as typeof value) : otherwise(field))
    case 'gte':
      return (field) => (typeof field === type ? value <= (field as typeof value) : otherwise(field))
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

/** Whether a value equals one of some. Scalars are looked up, so that a long list costs no more than a short one, and so are the times of dates. */
export function toMembershipTest(list: readonly unknown[]): FieldTest {
  const values = list.flatMap(toReadings)

  // Fast path: two comparisons cost less than one look-up.
  if (values.length <= 2 && values.every(isScalar)) {
    const [first, second] = values.length === 2 ? values : [values[0], values[0]]

    if (values.length > 0) return (field) => field === first || field === second
  }

  const scalars = new Set(values.filter(isScalar))
  const times = new Set(values.filter((value) => value instanceof Date).map(toTimeKey))
  const others = values.filter((value) => !isScalar(value) && !(value instanceof Date)).map(toEqualityTest)

  return (field) =>
    scalars.has(field) ||
    (times.size > 0 && field instanceof Date && times.has(toTimeKey(field))) ||
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
    for (let index = 0; index < predicates.length; index++) {
      if (!(predicates[index] as Predicate)(record)) return false
    }

    return true
  }
}

function matchAll(): boolean {
  return true
}

function matchNone(): boolean {
  return false
}

function some(predicates: readonly Predicate[]): Predicate {
  const [first] = predicates

  if (first && predicates.length === 1) return first

  return (record) => {
    for (let index = 0; index < predicates.length; index++) {
      if ((predicates[index] as Predicate)(record)) return true
    }

    return false
  }
}

function negate(predicate: Predicate): Predicate {
  return (record) => !predicate(record)
}
