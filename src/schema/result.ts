import type { HookContext } from '../core/types.ts'
import { toExactDate } from '../query/coerce.ts'
import { describeValue } from '../query/operators.ts'
import { isPlainObject } from '../utils/object.ts'
import { expectOneOf } from './faults.ts'
import { type Field, type FieldKind, toExpectation, toFieldTable } from './fields.ts'
import type { JsonSchema } from './json-schema.ts'
import { listRecords } from './page.ts'
import { readShape } from './shape.ts'

/** Compares the results of a service with the schema of their records. */
export interface ResultCheck {
  /** Keeps which fields all records had when the method returned: hooks may remove what a caller must not see. */
  remember(context: HookContext): void
  /** Compares what is left after all hooks. */
  compare(context: HookContext): void
}

/**
 * Prepares a comparison of results with the schema of their records, for development. It compares types and not rules
 * such as lengths: what is in a store may be older than its rules. Each field is reported once.
 */
export function compileResultCheck(
  schema: JsonSchema,
  report: (difference: string, context: HookContext) => void
): ResultCheck {
  const fields = [...toFieldTable(schema)]
  // Those of nested objects are not asked for.
  const required = new Set(readShape(schema).object.required)
  const reported = new Set<string>()
  const returned = new WeakMap<HookContext, ReadonlySet<string>>()

  return { remember, compare }

  function remember(context: HookContext): void {
    const records = listRecords(context).filter(isPlainObject)

    returned.set(
      context,
      new Set([...required].filter((name) => records.every((record) => getField(record, name) !== undefined)))
    )
  }

  function compare(context: HookContext): void {
    // A hook that sets a dispatch, and a client that selects, leave fields out.
    const isWhole = context.dispatch === undefined && context.params.query?.$select === undefined

    for (const record of listRecords(context)) {
      if (isPlainObject(record)) compareRecord(record, isWhole, context)
    }
  }

  function compareRecord(record: object, isWhole: boolean, context: HookContext): void {
    for (const [path, field] of fields) {
      if (reported.has(path)) continue

      const value = getField(record, path)
      const mayBeMissing = !isWhole || !required.has(path) || returned.get(context)?.has(path)
      const difference = value === undefined && !mayBeMissing ? 'is missing' : findDifference(value, field)

      if (!difference) continue

      reported.add(path)
      report(`'${path}' ${difference}`, context)
    }
  }
}

/** The value at a path. The name of a field may have dots itself. */
function getField(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path]

  for (let point = path.indexOf('.'); point !== -1; point = path.indexOf('.', point + 1)) {
    const name = path.slice(0, point)

    if (Object.hasOwn(value, name)) {
      return getField((value as Record<string, unknown>)[name], path.slice(point + 1))
    }
  }

  return undefined
}

function findDifference(
  value: unknown,
  { kinds, isNullable, mayBeObject, values }: Field
): string | undefined {
  if (value === undefined || (mayBeObject && isPlainObject(value))) return undefined

  const fits = value === null ? isNullable : kinds.some((kind) => isOfKind(value, kind))

  if (!fits) {
    const expected = toExpectation(kinds, isNullable)

    return `expects ${mayBeObject ? `${expected} or an object` : expected}, got ${describeValue(value)}`
  }
  if (values && value !== null && !values.includes(value)) return expectOneOf(values)

  return undefined
}

function isOfKind(value: unknown, kind: FieldKind): boolean {
  switch (kind) {
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' || isLargeInteger(value)
    case 'integer':
      return Number.isInteger(value) || typeof value === 'bigint' || isLargeInteger(value)
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

/** An integer beyond 2^53, which adapters write as a string. */
function isLargeInteger(value: unknown): boolean {
  return typeof value === 'string' && /^-?[1-9]\d{15,}$/.test(value) && !Number.isSafeInteger(Number(value))
}
