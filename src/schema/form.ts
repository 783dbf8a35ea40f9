import { toExactBoolean, toExactDate, toExactNumber } from '../query/coerce.ts'
import { isPlainObject } from '../utils/object.ts'
import type { Fault } from './faults.ts'
import { findField, findListed, toExpectation, toField } from './fields.ts'
import {
  createUnion,
  DATE_KEYWORD,
  findProperty,
  getTypes,
  isJsonSchema,
  type JsonSchema,
  toAlternatives
} from './json-schema.ts'

/** What a field of a form without an entry is. */
const LEFT_OUT: unique symbol = Symbol('left out')

/** The schema of the whole value, and whether it may be a form, where `on` is true and an empty field is left out. */
interface Source {
  readonly root: JsonSchema
  readonly toUnion: (parts: readonly JsonSchema[]) => JsonSchema
  readonly isForm: boolean
}

/**
 * Prepares a function that turns strings into what a schema has in their place: numbers, booleans, dates and lists. It
 * is for HTML forms and URLs, which have nothing but strings. What is not written exactly stays a string, which the
 * schema then refuses.
 *
 * @param schema The schema of the value
 * @param what What it is. A field that is left empty is left out of data; of a query it is not, which would find more.
 */
export function compileForm(schema: JsonSchema, what: 'data' | 'query'): (value: unknown) => unknown {
  const source: Source = { root: schema, toUnion: createUnion(schema), isForm: what === 'data' }

  return (value) => convert(value, schema, source)
}

/**
 * Prepares a function that explains the faults of a form: of a string that is no date a library says that it expects a date
 * and got a string, which is all that a form can send.
 *
 * @param schema The schema of the data
 */
export function compileDateFaults(schema: JsonSchema): (fault: Fault, data: unknown) => Fault {
  return (fault, data) => {
    const value = getAt(data, fault.path)
    const { kinds = [], isNullable = false } =
      (typeof value === 'string' && findField(schema, fault.path)) || {}

    if (!kinds.includes('date') || kinds.includes('string')) return fault

    const message = toExactDate(`${value}Z`)
      ? 'expects a date in ISO 8601 with a time zone'
      : `expects ${toExpectation(kinds, isNullable)}, got a string`

    return { path: fault.path, message }
  }
}

function getAt(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      data
    )
}

function convert(value: unknown, schema: JsonSchema, source: Source): unknown {
  const alternatives = toAlternatives(schema, source.root)
  const items = alternatives.flatMap((part) => (isJsonSchema(part.items) ? [part.items] : []))

  if (Array.isArray(value)) {
    if (items.length === 0) return value

    return value
      .map((element) => convert(element, source.toUnion(items), source))
      .filter((element) => element !== LEFT_OUT)
  }
  if (isPlainObject(value)) return convertFields(value, alternatives, source)
  if (typeof value !== 'string') return value

  const types = new Set(alternatives.flatMap(getTypes))
  const isDate = alternatives.some((part) => part[DATE_KEYWORD])

  const listed = findListed(toField(alternatives).values ?? [], value)

  if (listed !== undefined) return listed
  if (alternatives.some((part) => canBeText(part))) return value
  if (items.length > 0) return value === '' ? [] : [convert(value, source.toUnion(items), source)]
  // A field of a form that is left empty is sent all the same.
  if (value === '') return types.has('null') ? null : source.isForm ? LEFT_OUT : value
  if (source.isForm && types.has('boolean') && value === 'on') return true

  return (
    (types.has('boolean') ? toExactBoolean(value) : undefined) ??
    (types.has('number') || types.has('integer') ? toExactNumber(value) : undefined) ??
    (isDate ? toExactDate(value) : undefined) ??
    value
  )
}

function convertFields(
  value: Record<string, unknown>,
  alternatives: readonly JsonSchema[],
  source: Source
): unknown {
  const entries = Object.entries(value).map(([name, field]) => {
    const parts = findProperty(alternatives, name)

    return [name, parts.length > 0 ? convert(field, source.toUnion(parts), source) : field] as const
  })

  return Object.fromEntries(entries.filter(([, field]) => field !== LEFT_OUT))
}

/** Whether a string may stay one: by its type, or because anything may be there. */
function canBeText(part: JsonSchema): boolean {
  if (part[DATE_KEYWORD]) return false

  const types = getTypes(part)

  return types.length === 0 ? !part.properties && !part.items : types.includes('string')
}
