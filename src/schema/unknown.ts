// What a schema does not declare: fields of data, and names in queries.
import type { Query } from '../core/types.ts'
import { QUERY_DEPTH } from '../query/parse.ts'
import { getFirstName } from '../utils/object.ts'
import type { Field } from './fields.ts'
import type { JsonSchema } from './json-schema.ts'
import type { QueryCheck } from './query.ts'
import { mayHavePath, readShape } from './shape.ts'
import { compileVisit, type Visit } from './visit.ts'

/**
 * Prepares a function that leaves out the fields that a schema does not declare, at any depth, and notes their paths. An object
 * with `properties` has no others unless its schema says `additionalProperties`.
 */
export function compileUnknown(schema: JsonSchema): Visit<string[]> {
  return compileVisit<string[]>(schema, { onUnknown: (path, unknown) => unknown.push(path) })
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
    const unknown = findUnknown ? [] : Object.keys(query)

    findUnknown?.(query, '', unknown)

    const dropped = unknown.filter((name) => Object.hasOwn(query, name) && isUndeclared(name))

    return check(dropped.length > 0 ? omit(query, dropped) : query, isUrl)
  }
}

function omit(query: Query, names: readonly string[]): Query {
  const copy = { ...query }

  for (const name of names) delete copy[name]

  return copy
}
