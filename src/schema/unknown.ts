// What a schema does not declare: fields of data, and names in queries.
import type { Query } from '../core/types.ts'
import { QUERY_DEPTH } from '../query/parse.ts'
import { getFirstName } from '../utils/object.ts'
import type { Field } from './fields.ts'
import type { JsonSchema } from './json-schema.ts'
import type { QueryCheck } from './query.ts'
import { mayHavePath, readShape } from './shape.ts'
import { compileVisit } from './visit.ts'

/** A value without the fields that its schema does not declare, and the paths of those. */
export interface KnownAndUnknown {
  readonly value: unknown
  readonly unknown: readonly string[]
}

const NO_NAMES: readonly string[] = Object.freeze([])

/**
 * Prepares a function that finds the fields that a schema does not declare, at any depth. An object with `properties`
 * has no others unless its schema says `additionalProperties`.
 *
 * @param schema The schema of the value
 */
export function compileUnknown(schema: JsonSchema): (value: unknown) => KnownAndUnknown {
  const visit = compileVisit<string[]>(schema, { onUnknown: (path, unknown) => unknown.push(path) })

  return (value) => {
    const unknown: string[] = []
    const rest = visit(value, '', unknown)

    return { value: rest, unknown: unknown.length > 0 ? unknown : NO_NAMES }
  }
}

/** What is declared of the records of a service, and of the queries for them. */
export interface Declared {
  readonly record: JsonSchema
  /** The fields that queries may name, by path. */
  readonly table: ReadonlyMap<string, Field>
  /** Names that are no fields of the record: of the id, of computed fields and relations, of filters of the service. */
  readonly names: readonly string[]
  /** The schema of queries, where there is one. */
  readonly query?: JsonSchema | undefined
}

/**
 * Has a check leave names at the top of a query out that are not declared: the call concerns what it would without them. Names
 * within conditions are left to the check, because `$or` and `$not` without them would mean something else.
 *
 * @param check The check
 * @param declared What is declared
 */
export function leaveOutUndeclared(
  check: QueryCheck,
  { record, table, names, query: schema }: Declared
): QueryCheck {
  const known = new Set(names)
  const shape = readShape(record)
  const findUnknown = schema && compileUnknown(schema)
  const isUndeclared = (path: string) => {
    if (path.startsWith('$') || table.has(path) || known.has(getFirstName(path))) return false

    const names = path.split('.', QUERY_DEPTH + 1)

    // The check refuses a longer path.
    return names.length <= QUERY_DEPTH && !mayHavePath(shape, names)
  }

  return (query, isUrl) => {
    const unknown = findUnknown?.(query).unknown ?? Object.keys(query)
    const dropped = unknown.filter((name) => Object.hasOwn(query, name) && isUndeclared(name))

    return check(dropped.length > 0 ? omit(query, dropped) : query, isUrl)
  }
}

function omit(query: Query, names: readonly string[]): Query {
  const copy = { ...query }

  for (const name of names) delete copy[name]

  return copy
}
