import type { HookContext } from '../core/types.ts'
import { toExactDate } from '../query/coerce.ts'
import { describe } from '../query/operators.ts'
import { getPath, isPlainObject } from '../utils/object.ts'
import { type Field, type FieldKind, toExpectation, toFieldTable } from './fields.ts'
import { type JsonSchema, toAlternatives } from './json-schema.ts'
import { toRecords } from './output.ts'

/**
 * Prepares a comparison of results with the schema of their records, for development. It compares types and not rules
 * such as lengths: what is in a store may be older than its rules.
 *
 * @param schema The schema of the record
 * @param report Called with each difference, once per field
 */
export function compileResultCheck(
  schema: JsonSchema,
  report: (difference: string, context: HookContext) => void
): (context: HookContext) => void {
  const fields = [...toFieldTable(schema)].map(([path, field]) => ({ path, field, names: path.split('.') }))
  const required = toRequired(schema)
  const reported = new Set<string>()

  return (context) => {
    // A hook that sets a dispatch, and a client that selects, leave fields out.
    const isWhole = context.dispatch === undefined && context.params.query?.$select === undefined

    for (const record of toRecords(context.result)) {
      if (isPlainObject(record)) compare(record, isWhole, context)
    }
  }

  function compare(record: object, isWhole: boolean, context: HookContext): void {
    for (const { path, field, names } of fields) {
      if (reported.has(path)) continue

      const value = getPath(record, names)
      const isMissing = isWhole && value === undefined && required.has(path)
      const difference = isMissing ? 'is missing' : findDifference(value, field)

      if (!difference) continue

      reported.add(path)
      report(`'${path}' ${difference}`, context)
    }
  }
}

/** The fields that every record has. Those of nested objects are not asked for. */
function toRequired(schema: JsonSchema): ReadonlySet<string> {
  const [first = [], ...others] = toAlternatives(schema, schema).map(({ required }) =>
    Array.isArray(required) ? required : []
  )

  return new Set(first.filter((name) => others.every((names) => names.includes(name))))
}

function findDifference(
  value: unknown,
  { kinds, isNullable, mayBeObject, values }: Field
): string | undefined {
  if (value === undefined || (mayBeObject && isPlainObject(value))) return undefined

  const fits = value === null ? isNullable : kinds.some((kind) => isOfKind(value, kind))

  if (!fits) {
    const expected = toExpectation(kinds, isNullable)

    return `expects ${mayBeObject ? `${expected} or an object` : expected}, got ${describe(value)}`
  }
  if (values && value !== null && !values.includes(value)) {
    return `expects one of ${values.map((one) => JSON.stringify(one)).join(', ')}`
  }

  return undefined
}

function isOfKind(value: unknown, kind: FieldKind): boolean {
  switch (kind) {
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint'
    case 'integer':
      return Number.isInteger(value) || typeof value === 'bigint'
    case 'boolean':
      return typeof value === 'boolean'
    case 'date':
      return value instanceof Date || (typeof value === 'string' && toExactDate(value) !== undefined)
    case 'list':
      return Array.isArray(value)
    case 'any':
      return true
    case 'string':
      // Dates and ids of databases become strings in JSON.
      return typeof value === 'string' || typeof (value as { toJSON?: unknown }).toJSON === 'function'
  }
}
