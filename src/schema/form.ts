import { toExactBoolean, toExactDate, toExactNumber } from '../query/coerce.ts'
import { getPath, isPlainObject } from '../utils/object.ts'
import type { Fault } from './faults.ts'
import { findField, findListed, toExpectation, toField } from './fields.ts'
import { DATE_KEYWORD, getTypes, type JsonSchema } from './json-schema.ts'
import { readShape, type Shape } from './shape.ts'

/** What a field of a form without an entry is. */
const LEFT_OUT: unique symbol = Symbol('left out')

/**
 * Prepares a function that turns strings into what a schema has in their place: numbers, booleans, dates and lists. It
 * is for HTML forms and URLs, which have nothing but strings. What is not written exactly stays a string, which the
 * schema then refuses. A field that is left empty is left out of data; of a query it is not, which would find more.
 */
export function compileForm(schema: JsonSchema, what: 'data' | 'query'): (value: unknown) => unknown {
  const shape = readShape(schema)

  return (value) => convert(value, shape, what === 'data')
}

/**
 * Explains a fault of a form. For a string that is no date, libraries say "expected a date, got a string", which does not
 * help: a form can send only strings.
 */
export function explainDate(fault: Fault, data: unknown, schema: JsonSchema): Fault {
  const value = getPath(data, fault.path.split('.'))
  const { kinds = [], isNullable = false } =
    (typeof value === 'string' && findField(schema, fault.path)) || {}

  if (!kinds.includes('date') || kinds.includes('string')) return fault

  const message = toExactDate(`${value}Z`)
    ? 'expects a date in ISO 8601 with a time zone'
    : `expects ${toExpectation(kinds, isNullable)}, got a string`

  return { path: fault.path, message }
}

/** In a form, `on` is true, and an empty field is left out. */
function convert(value: unknown, shape: Shape, isForm: boolean): unknown {
  if (Array.isArray(value)) return convertElements(value, shape, isForm)
  if (isPlainObject(value)) return convertFields(value, shape, isForm)
  if (typeof value !== 'string') return value

  const { alternatives, elements } = shape
  const types = new Set(alternatives.flatMap(getTypes))
  const isDate = alternatives.some((part) => part[DATE_KEYWORD] && part.format !== 'date')
  const listed = findListed(toField(alternatives).values ?? [], value)

  if (listed !== undefined) return listed
  if (alternatives.some((part) => canBeText(part))) return value
  if (elements) return value === '' ? [] : [convert(value, elements, isForm)]
  // A field of a form that is left empty is sent all the same.
  if (value === '') return types.has('null') ? null : isForm ? LEFT_OUT : value
  if (isForm && types.has('boolean') && value === 'on') return true

  return (
    (types.has('boolean') ? toExactBoolean(value) : undefined) ??
    (types.has('number') || types.has('integer') ? toExactNumber(value) : undefined) ??
    (isDate ? toExactDate(value) : undefined) ??
    value
  )
}

function convertElements(value: readonly unknown[], { elements }: Shape, isForm: boolean): unknown {
  if (!elements) return value

  return value.map((element) => convert(element, elements, isForm)).filter((element) => element !== LEFT_OUT)
}

function convertFields(value: Record<string, unknown>, { object }: Shape, isForm: boolean): unknown {
  const entries = Object.entries(value).map(([name, field]) => {
    const shape = object.fields.get(name) ?? (object.names.has(name) ? undefined : object.findOther(name))

    return [name, shape ? convert(field, shape, isForm) : field] as const
  })

  return Object.fromEntries(entries.filter(([, field]) => field !== LEFT_OUT))
}

/** Whether a string may stay one: by its type, or because anything may be there. */
function canBeText(part: JsonSchema): boolean {
  if (part[DATE_KEYWORD]) return false

  const types = getTypes(part)

  return types.length === 0 ? !part.properties && !part.items : types.includes('string')
}
