import type { AdapterFeatures, ValueKind } from './types.ts'

/**
 * The fields of the records of the suite, for an adapter that has to declare them, such as the columns of a table.
 * Each may also be null. `booleans`, `dates` and `objects` decide whether `active`, `joined`, and `address` and
 * `tags` are used.
 */
export const TEST_FIELDS = Object.freeze({
  name: 'string',
  /** Any number, such as 1e21 and 0.1. */
  age: 'number',
  team: 'string',
  /** A whole number. */
  position: 'number',
  active: 'boolean',
  joined: 'date',
  /** An object with `city`, a string, and `zip`, a number. */
  address: 'object',
  /** An array of text. */
  tags: 'array'
} as const)

/** A record with a value of every kind that a store keeps, such that may be taken for none. */
export function toFullRecord({ booleans, dates, objects }: AdapterFeatures): object {
  return {
    name: '',
    age: 0,
    team: null,
    position: -1,
    ...(booleans && { active: false }),
    ...(dates && { joined: new Date(0) }),
    ...(objects && { address: { city: '', zip: null }, tags: [] })
  }
}

const ANY: readonly ValueKind[] = ['missing', 'null', 'string', 'number', 'boolean', 'date', 'object']

/** The fields of random records. `position` is left for the suite, `tags` for rules. */
export function toRandomFields(features: AdapterFeatures): { [field: string]: readonly ValueKind[] } {
  const { position, tags, ...fields } = TEST_FIELDS

  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, kind]) => isKept(kind, features))
      .map(([field, kind]): [string, readonly ValueKind[]] => [
        field,
        features.mixedTypes ? ANY.filter((any) => isKept(any, features)) : ['missing', 'null', kind]
      ])
  )
}

function isKept(kind: ValueKind, features: AdapterFeatures): boolean {
  switch (kind) {
    case 'boolean':
      return features.booleans
    case 'date':
      return features.dates
    case 'object':
      return features.objects
    default:
      return true
  }
}
