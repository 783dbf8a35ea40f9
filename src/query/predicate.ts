import { assertNever, getPath } from '../utils/object.ts'
import type { Condition, Path } from './ast.ts'
import { compareSameType, isEqual } from './compare.ts'

/** Whether a record matches. */
export type Predicate = (record: any) => boolean

/** The meaning of the operators that an adapter adds: given the value of the query, what to ask of a field. */
export interface CustomPredicates {
  readonly [operator: `$${string}`]: (value: unknown) => (field: unknown) => boolean
}

/**
 * Compiles a condition into a function, once for all records.
 *
 * @param condition The condition
 * @param custom The meaning of custom operators
 * @throws Error for a custom operator without a meaning
 */
export function toPredicate(condition: Condition, custom: CustomPredicates = {}): Predicate {
  switch (condition.kind) {
    case 'compare':
      return toComparison(condition)
    case 'and':
      return every(condition.conditions.map((part) => toPredicate(part, custom)))
    case 'or':
      return some(condition.conditions.map((part) => toPredicate(part, custom)))
    case 'not':
      return negate(toPredicate(condition.condition, custom))
    case 'custom': {
      if (!Object.hasOwn(custom, condition.operator)) {
        throw new Error(`The operator '${condition.operator}' is allowed, but has no meaning here`)
      }

      return onOwnField(
        condition.path,
        (custom[condition.operator] as CustomPredicates['$'])(condition.value)
      )
    }
    default:
      return assertNever(condition)
  }
}

type FieldTest = (field: unknown) => boolean

function toComparison({ operator, path, value }: Condition & { kind: 'compare' }): Predicate {
  switch (operator) {
    case 'eq':
      return onField(path, toEqualityTest(value))
    case 'ne':
      return negate(onField(path, toEqualityTest(value)))
    case 'in':
      return onField(path, toMembershipTest(value as readonly unknown[]))
    case 'nin':
      return negate(onField(path, toMembershipTest(value as readonly unknown[])))
    // A comparison with `undefined`, where there is no order, is false.
    case 'lt':
      return onField(path, (field) => (compareSameType(field, value) as number) < 0)
    case 'lte':
      return onField(path, (field) => (compareSameType(field, value) as number) <= 0)
    case 'gt':
      return onField(path, (field) => (compareSameType(field, value) as number) > 0)
    case 'gte':
      return onField(path, (field) => (compareSameType(field, value) as number) >= 0)
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

function onField(path: Path, test: FieldTest): Predicate {
  const [name] = path

  // Missing and inherited are the same. Few records match, so what is inherited is only asked of those.
  if (path.length === 1 && name !== undefined && !test(undefined)) {
    return (record) => test(record[name]) && Object.hasOwn(record, name)
  }

  return onOwnField(path, test)
}

function onOwnField(path: Path, test: FieldTest): Predicate {
  const [name] = path

  if (path.length === 1 && name !== undefined) {
    return (record) => test(Object.hasOwn(record, name) ? record[name] : undefined)
  }

  return (record) => test(getPath(record, path))
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
