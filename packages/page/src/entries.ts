// What stands in the fields of a form, and the value that it makes.
import type { FormField } from '../../../src/openapi/form-fields.ts'
import { findJsonFault } from './json-fault.ts'
import { isObject } from './request.ts'
import { toLocal, toText } from './values.ts'

/** What stands in each field, by path; of a checkbox `'on'` or nothing. */
export type Entries = ReadonlyMap<string, string>

/** A fault of a form, by the path of a field; of the whole form where the path is empty. */
export type Faults = ReadonlyMap<string, string>

const NOT_REMOVED = 'A patch cannot remove a field: enter a value'

const TOO_LARGE = 'This number is too large'

const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i

/** A record that is changed. */
export interface Before {
  readonly record: unknown
  readonly entries: Entries
  /** The properties without a field of a record that is sent as a whole; missing where only changes are sent. */
  readonly rest?: unknown
}

/** The value that a form makes, and what is wrong with it. */
export interface FormValue {
  readonly data: unknown
  readonly faults: Faults
}

/** What stands in the fields of a new value. */
export function toFirstEntries(fields: readonly FormField[]): Entries {
  return new Map(fields.filter(({ isOn }) => isOn).map(({ path }) => [path, 'on']))
}

/** What stands in the fields for a value; `others` is what stands in those that the value lacks. */
export function toEntries(fields: readonly FormField[], value: unknown, others?: Entries): Entries {
  return new Map(
    fields.map((field) => {
      const inner = read(value, field.names)

      return [field.path, (inner === undefined && others?.get(field.path)) || toEntry(field, inner)]
    })
  )
}

/** The value that the fields make. What has not changed stays as it is in `before`, the record that is changed. */
export function toFormData(fields: readonly FormField[], entries: Entries, before?: Before): FormValue {
  const faults = new Map<string, string>()
  const isSame = ({ path }: FormField) => entries.get(path) === before?.entries.get(path)
  // A nested object is replaced as a whole.
  const changed = new Set(fields.filter((field) => !isSame(field)).map(({ names }) => names[0]))
  const isPatch = before !== undefined && before.rest === undefined
  const tree: Tree = new Map(isObject(before?.rest) ? Object.entries(before.rest) : [])

  for (const field of fields) {
    if (isPatch && !changed.has(field.names[0])) continue

    const entry = entries.get(field.path) ?? ''
    const parsed =
      before && isSame(field)
        ? { value: read(before.record, field.names) }
        : parse(field, entry, before !== undefined)

    if ('fault' in parsed) faults.set(field.path, parsed.fault)
    else if (parsed.value !== undefined) put(tree, field.names, parsed.value)
  }

  for (const field of isPatch ? fields : []) {
    const { path, names } = field

    // It would change nothing, and the response would not say so.
    if (!isSame(field) && !faults.has(path) && !tree.has(names[0] as string)) faults.set(path, NOT_REMOVED)
  }

  return { data: toObject(tree), faults }
}

/** The faults that an error response names, by the paths of fields. */
export function readFaults(body: unknown): Faults {
  const errors = isObject(body) && isObject(body.errors) ? body.errors : {}

  return new Map(Object.entries(errors).map(([path, message]) => [path, toText(message)]))
}

function toEntry({ kind, values }: FormField, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (kind === 'boolean') return value === true ? 'on' : ''
  if (kind === 'choice') return String(values?.indexOf(value) ?? '')
  if (kind === 'json') return JSON.stringify(value)
  if (kind === 'date') return toDateEntry(toText(value))

  return toText(value)
}

function toDateEntry(value: string): string {
  const date = new Date(value)

  return Number.isNaN(date.getTime()) ? '' : toLocal(date).slice(0, 19)
}

type Parsed = { readonly value: unknown } | { readonly fault: string }

/** What a field that is left empty stands for: a string that has to be there is empty, anything else is left out. */
function parse(
  { kind, values, isRequired, isNullable, isOn }: FormField,
  entry: string,
  isChange: boolean
): Parsed {
  if (kind === 'boolean') {
    // Left out where that means the same: an object around it may be left out too.
    return {
      value: (entry === 'on') === (isOn === true) && !isRequired && !isChange ? undefined : entry === 'on'
    }
  }
  if (entry === '') {
    if (isNullable && (isChange || isRequired)) return { value: null }

    return { value: kind === 'string' && (isRequired || isChange) ? '' : undefined }
  }

  switch (kind) {
    case 'number':
    case 'integer':
      // Anything else is for the server to refuse, which says what it expects.
      if (!NUMBER.test(entry)) return { value: entry }

      return Number.isFinite(Number(entry)) ? { value: Number(entry) } : { fault: TOO_LARGE }
    case 'choice':
      return { value: values?.[Number(entry)] }
    case 'date':
      return { value: new Date(entry).toISOString() }
    case 'json':
      return parseJson(entry)
    default:
      return { value: entry }
  }
}

/** Parses JSON that a person has written. */
export function parseJson(text: string): Parsed {
  try {
    const value = JSON.parse(text)

    return hasFiniteNumbers(value) ? { value } : { fault: TOO_LARGE }
  } catch {
    return { fault: `This is not valid JSON, line ${findJsonFault(text)}` }
  }
}

/** Whether all numbers in a value are finite. Others would be sent as null. */
function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasFiniteNumbers)

  return typeof value !== 'number' || Number.isFinite(value)
}

/** Names come from schemas: as keys of a map they mean nothing. */
type Tree = Map<string, unknown>

function put(tree: Tree, [name, ...inner]: readonly string[], value: unknown): void {
  if (name === undefined) return
  if (inner.length === 0) {
    tree.set(name, value)
    return
  }

  const known = tree.get(name)
  const next = known instanceof Map ? known : new Map()

  tree.set(name, next)
  put(next, inner, value)
}

function toObject(value: unknown): unknown {
  return value instanceof Map
    ? Object.fromEntries([...value].map(([name, inner]) => [name, toObject(inner)]))
    : value
}

function read(value: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value
  )
}
