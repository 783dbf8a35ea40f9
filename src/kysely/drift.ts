// A written schema and the table of its service describe the same records. Where they differ some call fails later, so the
// application does not start.

import { TRAITS } from '../hooks/traits.ts'
import { toField } from '../schema/fields.ts'
import { DATE_KEYWORD, getTypes, hasKeyword, type JsonSchema } from '../schema/json-schema.ts'
import { readShape } from '../schema/shape.ts'
import type { SchemaComparison } from '../schema/stored.ts'
import { hasCode } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import type { StoredField, StoredService, ValueKind } from './stored-fields.ts'

/** A field that the schema of a record declares at its top. */
interface DeclaredField {
  readonly name: string
  readonly kinds: readonly ValueKind[]
  /** The kinds of its elements, for a list. */
  readonly elementKinds: readonly ValueKind[]
  readonly isNullable: boolean
  /** Whether a record always has it. */
  readonly isRequired: boolean
  /** Whether some kinds of records always have it. */
  readonly isRequiredBySome: boolean
  readonly hasDefault: boolean
  /** Whether it is a date, or has one inside. */
  readonly hasDate: boolean
}

const NAMES: { readonly [kind in ValueKind]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'a boolean',
  date: 'a date',
  day: 'a day',
  list: 'a list',
  object: 'an object',
  any: 'any value'
}

/** What strings of these formats may be stored as. */
const FORMATS: ReadonlyMap<unknown, readonly ValueKind[]> = new Map([
  ['date', ['day', 'date']],
  ['date-time', ['date']]
])

/**
 * Compares the schema of a service with its table. Throws an Error with a line for each difference, unless `drift` is `'warn'`.
 */
export async function compareWithTable(service: StoredService, comparison: SchemaComparison): Promise<void> {
  const { path, drift } = comparison
  let stored: readonly StoredField[] | undefined

  try {
    stored = await service[TRAITS].stored()
  } catch (error) {
    // A database that is away keeps no application from starting.
    if (!hasCode(error, 503)) throw error

    warn(`The schema of service '${path}' was not compared with its table: ${(error as Error).message}`)
  }

  const lines = stored ? findDrift(comparison, stored) : []

  if (lines.length === 0) return

  const message = [
    `The schema of service '${path}' and its table differ:`,
    ...lines.map((line) => `- ${line}`)
  ].join('\n')

  if (drift !== 'warn')
    throw createError('ALULA_DRIFT', `${message}\nSet drift: 'warn' to start all the same`)

  warn(message)
}

function warn(message: string): void {
  process.emitWarning(message, { code: 'ALULA_DRIFT' })
}

/** The differences, a line for each. */
function findDrift(comparison: SchemaComparison, stored: readonly StoredField[]): readonly string[] {
  const { record, computed = {} } = comparison
  const columns = new Map(stored.map((field) => [field.name, field]))
  const fields = toDeclaredFields(record).filter(({ name }) => !Object.hasOwn(computed, name))

  return fields.flatMap((field) => {
    const column = columns.get(field.name)

    if (!column) return `'${field.name}' has no column${didYouMean(field.name, [...columns.keys()])}`
    if (!fits(field.kinds, column.kinds)) {
      return `'${field.name}' is ${toWords(field.kinds)}, and its column has the type ${column.type}${advise(field.kinds, column.kinds)}`
    }
    if (!fits(field.elementKinds, column.elementKinds)) {
      return `each element of '${field.name}' is ${toWords(field.elementKinds)}, and the column has the type ${column.type}`
    }
    if (column.isJson && field.hasDate) {
      return `'${field.name}' has a date, and JSON in its column returns a string: declare a string with the format 'date-time'`
    }

    return compareNull(field, column, comparison) ?? []
  })
}

function advise(declared: readonly ValueKind[], stored: readonly ValueKind[]): string {
  // What has no type of its own in SQL is stored as JSON.
  if (declared.some((kind) => kind === 'object' || kind === 'list'))
    return ': it needs a column of the type json'

  return stored.includes('day') ? ": declare a string with the format 'date'" : ''
}

function fits(declared: readonly ValueKind[], stored: readonly ValueKind[]): boolean {
  // What a library cannot describe is no difference.
  if (declared.length === 0 || declared.includes('any') || stored.includes('any')) return true

  return declared.some((kind) => stored.includes(kind))
}

function toWords(kinds: readonly ValueKind[]): string {
  return kinds.map((kind) => NAMES[kind]).join(' or ')
}

/** Whether one of both can be null where the other cannot. */
function compareNull(
  { name, kinds, isNullable, isRequired, isRequiredBySome, hasDefault }: DeclaredField,
  column: StoredField,
  { server = {}, create }: SchemaComparison
): string | undefined {
  const mayLack = !isRequired && !hasDefault && !Object.hasOwn(server, name)

  if (column.isId || column.isComputed || column.isNullable === undefined || kinds.includes('any')) {
    return undefined
  }
  if (isRequired && !isNullable && column.isNullable) return `'${name}' is never null, and its column can be`
  if (isNullable) return column.isNullable ? undefined : `'${name}' can be null, and its column cannot`
  if (!mayLack || !(column.isNullable || column.isRequired)) return undefined
  // Results may lack what every new record has.
  if (create && toDeclaredFields(create).some((field) => field.name === name && field.isRequired))
    return undefined
  if (!column.isNullable) return `'${name}' can be left out, and its column needs a value`

  // Other kinds of records have no such field: it does not leave.
  return isRequiredBySome
    ? undefined
    : `'${name}' can be left out, and its column then returns null: declare that it can be null`
}

function toDeclaredFields(record: JsonSchema): readonly DeclaredField[] {
  const { alternatives: records, object } = readShape(record)

  return [...object.names].map((name) => {
    const shape = object.fields.get(name)
    const parts = shape?.alternatives ?? []
    const elements = shape?.elements?.alternatives ?? []

    return {
      name,
      kinds: toValueKinds(parts),
      elementKinds: toValueKinds(elements),
      isNullable: parts.some((part) => getTypes(part).includes('null')),
      isRequired: records.every((record) => requires(record, name)),
      isRequiredBySome: records.some((record) => requires(record, name)),
      hasDefault: parts.some((part) => part.default !== undefined),
      hasDate: parts.some((part) => hasKeyword(part, [DATE_KEYWORD]))
    }
  })
}

function requires({ required }: JsonSchema, name: string): boolean {
  return Array.isArray(required) && required.includes(name)
}

function toValueKinds(parts: readonly JsonSchema[]): readonly ValueKind[] {
  const kinds = new Set<ValueKind>(toField(parts).kinds)

  if (parts.some(isObjectPart)) kinds.add('object')
  // A date leaves as a string, so it may be declared as one.
  for (const kind of parts.flatMap(({ format }) => FORMATS.get(format) ?? [])) kinds.add(kind)

  return [...kinds]
}

function isObjectPart(part: JsonSchema): boolean {
  return part.properties !== undefined || getTypes(part).includes('object')
}
