import { isObjectLike } from '../utils/check.ts'
import {
  DATE_KEYWORD,
  describesObject,
  getTypes,
  hasKeyword,
  type JsonSchema,
  listValues,
  mayBeSomething
} from './json-schema.ts'
import { REFERENCES } from './references.ts'
import { readShape, type Shape } from './shape.ts'

/**
 * What a field holds, as far as queries are concerned. Values for `any` are not converted. A `list` is compared with no value:
 * operators look for its elements.
 */
export type FieldKind = 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'list' | 'any'

/** A field that a record declares. */
export interface Field {
  readonly kinds: readonly FieldKind[]
  readonly isNullable: boolean
  /** Whether it may be an object too. */
  readonly mayBeObject: boolean
  /** The values that it may have, where the schema lists them. */
  readonly values?: readonly unknown[]
  /** What its elements are, where it is a list and the schema says so. */
  readonly elements?: Field
}

/** A field of which nothing is known. */
export const ANY_FIELD: Field = { kinds: ['any'], isNullable: true, mayBeObject: true }

/** The fields that can be queried, by path: `address.city`. */
export type FieldTable = ReadonlyMap<string, Field>

const SCALARS: readonly string[] = ['string', 'number', 'integer', 'boolean']

const NAMES: { readonly [Kind in FieldKind]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  date: 'a date in ISO 8601',
  list: 'a list',
  any: 'a value'
}

/** How many paths a table lists at most where types refer to others: those lead on without an end, or to each other. */
const MAX_PATHS = 5000

/** A value on the way of a path. */
interface Place {
  readonly path: string
  readonly shape: Shape
  /** The shapes of what it is in. */
  readonly above: readonly Shape[]
}

/**
 * The fields that the schema of a record declares: scalars and lists. Where types refer to others, they are listed level by
 * level (`a`, `a.b`, `a.b.c`), and a level with which they would be too many is left out with all that is below it: types
 * that refer to each other have more paths than a start can list.
 */
export function toFieldTable(schema: JsonSchema): FieldTable {
  const table = new Map<string, Field>()
  const max = hasKeyword(schema, REFERENCES) ? MAX_PATHS : Number.POSITIVE_INFINITY
  let places: readonly Place[] = [toStart(schema)]
  let count = 0

  for (let level = 0; places.length > 0; level++) {
    const next: Place[] = []

    for (const place of places) {
      next.push(...enter(place))
      if (level > 0 && count + next.length > max) return table
    }
    for (const { path, shape } of next) {
      if (!shape.alternatives.every(isObjectOnly)) table.set(path, toFieldOf(shape))
    }

    count += next.length
    places = next
  }

  return table
}

/** The field at a path such as `address.city`, however deep it is; `undefined` where the schema declares none. */
export function findField(schema: JsonSchema, path: string): Field | undefined {
  let places: readonly Place[] = [toStart(schema)]

  // A name may have dots itself.
  while (places.length > 0) {
    const { shape } = places.find((place) => place.path === path) ?? {}

    if (shape) return shape.alternatives.every(isObjectOnly) ? undefined : toFieldOf(shape)

    places = places.flatMap((place) => enter(place, path))
  }

  return undefined
}

function toStart(schema: JsonSchema): Place {
  return { path: '', shape: readShape(schema), above: [] }
}

/** The fields in a value: all of them, or those on the way to a path. */
function enter({ path, shape, above }: Place, target?: string): readonly Place[] {
  return [...shape.object.fields].flatMap(([name, field]) => {
    const inner = path === '' ? name : `${path}.${name}`

    // A record that holds others of its kind has no end.
    if ((target !== undefined && !isHidden(target, [inner])) || above.includes(field)) return []

    return [{ path: inner, shape: field, above: [...above, field] }]
  })
}

function isObjectOnly(part: JsonSchema): boolean {
  const types = getTypes(part)

  return (
    part.properties !== undefined ||
    (types.length > 0 && !part.enum && types.every((type) => type === 'object' || type === 'null'))
  )
}

/** Whether a field, or an object that it is in, is one of these. */
export function isHidden(path: string, hidden: readonly string[]): boolean {
  return hidden.some((other) => path === other || path.startsWith(`${other}.`))
}

function toFieldOf({ alternatives, elements }: Shape): Field {
  const field = toField(alternatives)

  return elements && field.kinds.includes('list')
    ? { ...field, elements: toField(elements.alternatives) }
    : field
}

/** What a field holds, whatever is in its objects. The alternatives of its value are resolved. */
export function toField(alternatives: readonly JsonSchema[]): Field {
  const scalars = alternatives.filter((part) => !part.properties)
  const kinds = new Set(scalars.flatMap(toKinds))
  const isListed = scalars.every(
    (part) => part.const !== undefined || Array.isArray(part.enum) || !mayBeSomething(part)
  )
  const values = scalars.flatMap(listValues)

  return {
    kinds: kinds.has('any') ? ['any'] : [...kinds],
    isNullable: kinds.has('any') || alternatives.some((part) => getTypes(part).includes('null')),
    mayBeObject: alternatives.some(describesObject),
    ...(isListed &&
      values.length > 0 &&
      !values.some(isObjectLike) && { values: values.filter((value) => value !== null) })
  }
}

function toKinds(part: JsonSchema): readonly FieldKind[] {
  if (part[DATE_KEYWORD]) return ['date']

  const types = getTypes(part).filter((type) => type !== 'null')
  const values = listValues(part)

  if (types.length > 0) return types.flatMap(toKind)
  if (values.length > 0) return values.flatMap((value) => toKind(value === null ? 'null' : typeof value))

  return mayBeSomething(part) ? ['any'] : []
}

function toKind(type: string): FieldKind[] {
  if (type === 'array') return ['list']

  return SCALARS.includes(type) ? [type as FieldKind] : []
}

/** The value of a list that a string stands for, where it is one; `undefined` for other strings. */
export function findListed(values: readonly unknown[], text: string): unknown {
  return values.includes(text) ? text : values.find((value) => String(value) === text)
}

/** The kinds of a field in words: `a string or null`. */
export function toExpectation(kinds: readonly FieldKind[], isNullable: boolean): string {
  return [...kinds.map((kind) => NAMES[kind]), ...(isNullable ? ['null'] : [])].join(' or ')
}
