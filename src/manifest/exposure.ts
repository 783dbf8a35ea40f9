import { assertApplication } from '../core/assert-application.ts'
import { isStandardMethod } from '../core/methods.ts'
import type { Application, Parent } from '../core/types.ts'
import { toNames } from '../schema/alternatives.ts'
import {
  getMethodDefinition,
  isFieldTable,
  returnsRecords,
  type SchemaDefinition
} from '../schema/compile.ts'
import { toKinds } from '../schema/hidden.ts'
import { describesObject, getPatterns, isUndescribed, type JsonSchema } from '../schema/json-schema.ts'
import { listFilters } from '../schema/relation.ts'
import { readShape } from '../schema/shape.ts'
import { type ManifestMethod, type ManifestService, readServices } from './services.ts'

/** What clients can do with one method of a service. */
export interface ExposureRow {
  /** The path of the service. */
  readonly service: string
  readonly method: string
  /** The names of the transports, as in `params.provider`. */
  readonly transports: readonly string[]
  /**
   * Who may call it: `nobody`, `anyone`, `user`, `owner('field')`, `role('name')`, `role('name', { field: 'groups' })`,
   * `hook authenticate('jwt')`, or the name of a function. `looked up first` is said of a service whose store does not check
   * the owner itself.
   */
  readonly who: string
  /** Whether the service has a schema that decides what leaves. Without one, all fields of what it returns leave. */
  readonly schema: boolean
  /** Whether data is checked; `null` for a method without data. */
  readonly data: boolean | null
  /** The fields that may be queried; `null` where queries are not checked. */
  readonly query: readonly string[] | null
  /** The fields that leave, `*` for those that are not declared too; `null` where all do. */
  readonly result: readonly string[] | null
  /** The fields that never leave. */
  readonly hidden: readonly string[]
  /** Whether one call may write several records. */
  readonly several: boolean
  /** The most records of a page; `null` where there is no limit. */
  readonly cap: number | null
  /** The records that the path names, by the field that holds their id. The caller has to be allowed to get them. */
  readonly parent?: { readonly [field: string]: Parent }
  /** Whether it concerns one record for each caller; left out otherwise. */
  readonly singleton?: true
  /** The event, and the publisher that chooses who gets it; `null` if no client does. */
  readonly events: string | null
}

/**
 * Lists who may call what, as it is read off the pipelines of the services. Functions of `app.mount` and middleware are no
 * services, and are not in it.
 *
 * @param app An application, set up
 * @throws TypeError for anything else
 * @example
 * console.table(exposure(app))
 */
export function exposure(app: Application): ExposureRow[] {
  assertApplication('exposure', app)

  return readServices(app).flatMap((service) => service.methods.map((method) => toRow(service, method)))
}

function toRow(service: ManifestService, method: ManifestMethod): ExposureRow {
  const { path, cap, parent, isSingleton } = service
  // A schema that only describes keeps nothing in or out.
  const definition = service.definition?.enforce ? service.definition : undefined
  const { name, transports, who, hasData, several, event } = method

  return {
    service: path,
    method: name,
    transports,
    who,
    schema: definition !== undefined,
    data: hasData ? isDataChecked(definition, name) : null,
    query: definition ? toQueried(definition, name) : null,
    result: definition ? listShown(definition, name) : null,
    hidden: definition?.hidden ?? [],
    several,
    cap: name === 'find' ? (cap ?? null) : null,
    events: event ? `${event.name} to ${event.publisher}` : null,
    ...(parent && { parent }),
    ...(isSingleton && { singleton: true as const })
  }
}

function isDataChecked(definition: SchemaDefinition | undefined, method: string): boolean {
  if (!definition) return false

  return Object.hasOwn(definition.data, method) || getMethodDefinition(definition, method)?.data !== undefined
}

function toQueried(definition: SchemaDefinition, method: string): readonly string[] | null {
  const { query } = isStandardMethod(method) ? definition : (getMethodDefinition(definition, method) ?? {})

  if (query === undefined) return null

  if (!isFieldTable(query)) return toNames(query)

  return [...Object.keys(query.fields), ...listFilters(definition.relations)]
}

function listShown(definition: SchemaDefinition, method: string): readonly string[] | null {
  const { record, hidden, computed, relations, extra } = definition

  if (isStandardMethod(method) || returnsRecords(definition, method)) {
    const names = [...toNames(record), ...computed, ...Object.keys(relations)]

    const isOpen = extra === 'keep' || readShape(record).filter(describesObject).object.isOpen

    return withoutHidden(isOpen ? [...names, '*'] : names, hidden)
  }

  const result = getMethodDefinition(definition, method)?.result
  const names = result ? listFields(result) : null

  return names && withoutHidden(names, hidden)
}

/** The fields of a result, or of the elements of its lists; `null` where it may be anything. */
function listFields(result: JsonSchema): readonly string[] | null {
  const shapes = toKinds(readShape(result))
  const parts = shapes.flatMap(({ alternatives }) => alternatives)
  const open = parts.filter((part) => isUndescribed(part) || getPatterns(part).length > 0)

  if (!open.every(describesObject)) return null

  const names = shapes.flatMap(({ object }) => [...object.names])

  return open.length > 0 ? [...names, '*'] : names
}

function withoutHidden(names: readonly string[], hidden: readonly string[]): readonly string[] {
  return names.filter((name) => !hidden.includes(name))
}
