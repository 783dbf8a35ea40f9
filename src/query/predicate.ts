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
      return onField(condition.path, toTest(condition.operator, condition.value))
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

      return onField(condition.path, (custom[condition.operator] as CustomPredicates['$'])(condition.value))
    }
    default:
      return assertNever(condition)
  }
}

type Comparison = (Condition & { kind: 'compare' })['operator']

function toTest(operator: Comparison, value: unknown): (field: unknown) => boolean {
  switch (operator) {
    case 'eq':
      return toEqualityTest(value)
    case 'ne':
      return negate(toEqualityTest(value))
    case 'in':
      return toMembershipTest(value as readonly unknown[])
    case 'nin':
      return negate(toMembershipTest(value as readonly unknown[]))
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

function toEqualityTest(value: unknown): (field: unknown) => boolean {
  if (value === null || value === undefined) return (field) => field === null || field === undefined
  if (typeof value === 'object') return (field) => isEqual(value, field)

  return (field) => field === value
}

/** Scalars are looked up, so that a long list costs no more than a short one. */
function toMembershipTest(values: readonly unknown[]): (field: unknown) => boolean {
  const scalars = new Set(values.filter(isScalar))
  const others = values.filter((value) => !isScalar(value)).map(toEqualityTest)

  return (field) => scalars.has(field) || others.some((test) => test(field))
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' && value !== undefined
}

function onField(path: Path, test: (field: unknown) => boolean): Predicate {
  const [name] = path

  if (path.length === 1 && name !== undefined) {
    return (record) => test(Object.hasOwn(record, name) ? record[name] : undefined)
  }

  return (record) => test(getPath(record, path))
}

function every(predicates: readonly Predicate[]): Predicate {
  return (record) => {
    for (const predicate of predicates) if (!predicate(record)) return false

    return true
  }
}

function some(predicates: readonly Predicate[]): Predicate {
  return (record) => {
    for (const predicate of predicates) if (predicate(record)) return true

    return false
  }
}

function negate<T>(test: (value: T) => boolean): (value: T) => boolean {
  return (value) => !test(value)
}
