import type { ManifestService } from '../manifest/services.ts'
import { FIELD_OPERATORS, LIST_OPERATORS, NULL_OPERATOR, PATTERN_OPERATORS } from '../query/operators.ts'
import { isFieldTable, type QueryDefinition } from '../schema/compile.ts'
import { type Field, findField, isHidden } from '../schema/fields.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { isCountRelation, MAX_LEVELS, MAX_NAMES } from '../schema/relation.ts'
import { type ToFilters, toScalar } from './filters.ts'
import { toDeep, toForm } from './parameter-forms.ts'
import { isRefusedName, toQueryParameters } from './query-schema.ts'
import type { OpenApiParameter } from './types.ts'

/** What queries of a service are made of, beside the service itself. */
export interface QuerySources {
  /** The other service of a relation, where clients may find its records. */
  readonly findRelated: (path: string) => ManifestService | undefined
  /** The service of a parent, where clients have it. */
  readonly findParent: (path: string) => ManifestService | undefined
  /** The fields that queries of clients must not name. */
  readonly hidden: readonly string[]
  /** Makes the filters of the document. */
  readonly toFilters: ToFilters
}

/** The operators of every adapter, without short spellings. */
const OPERATORS = [...FIELD_OPERATORS]
  .flatMap(([name, { comparison }]) => (name === `$${comparison}` ? name : []))
  .concat(NULL_OPERATOR)

/** Those that a service has to list. */
const LISTED = [...PATTERN_OPERATORS, ...LIST_OPERATORS]

/** What calls of a service take beside data. */
export interface ServiceQueries {
  /** The id of a record in a path. */
  readonly id: JsonSchema
  /** What standard methods take that concern one record; `remove` includes nothing by default. */
  readonly ofOne: (method: string) => readonly OpenApiParameter[]
  /** What those take that concern several. */
  readonly ofSeveral: (method: string) => readonly OpenApiParameter[]
  /** What `find` takes. */
  readonly ofFind: () => readonly OpenApiParameter[]
}

/** What calls of a service take beside data. */
export function toQueries(service: ManifestService, sources: QuerySources): ServiceQueries {
  const names = listIncludes(service, sources, MAX_LEVELS)
  const include = toInclude(names, service.definition?.include ?? [])
  const plain = toInclude(names, [])
  const includeOf = (method: string) => (method === 'remove' ? plain : include)
  const query = service.definition?.query
  const isChecked = query !== undefined && !isFieldTable(query)
  let known: readonly OpenApiParameter[] | undefined
  const toFilters = () => {
    known ??= listFilters(service, sources)

    return known
  }

  return {
    id: toIdSchema(service),
    // A schema for queries checks those of all standard methods.
    ofOne: (method) => (isChecked ? toFilters().concat(includeOf(method)) : includeOf(method)),
    ofSeveral: (method) => (names.length === 0 ? toFilters() : toFilters().concat(includeOf(method))),
    ofFind: () => toFilters().concat(toPaging(service, sources), include)
  }
}

/** What stands for a record of a service in a path. */
export function toIdSchema({ definition, id, by = id }: ManifestService): JsonSchema {
  const field = definition && findField(definition.record, by)
  const schema = field ? toScalar(field) : {}

  return schema.type === 'string' || !schema.type ? { type: 'string', minLength: 1 } : schema
}

function listFilters(service: ManifestService, sources: QuerySources): readonly OpenApiParameter[] {
  const query = service.definition?.query

  if (!query) return []
  if (!isFieldTable(query)) return toQueryParameters(query, sources.hidden)

  const names = listOperators(service, query)
  const { fields } = query
  const parameters: OpenApiParameter[] = []
  const add = (path: string, field: Field) => {
    if (!isNameable(path, sources)) return

    parameters.push(...sources.toFilters(path, field, names, !service.isStored))
  }

  for (const path in fields) add(path, fields[path] as Field)
  for (const [path, field] of listRelated(service, sources)) add(path, field)

  return parameters
}

function toPaging(
  { definition, isStored, page }: ManifestService,
  sources: QuerySources
): readonly OpenApiParameter[] {
  const limits = page?.hasCursors ? CURSOR_LIMITS : LIMITS
  const query = definition?.query

  if (!isStored || (query && !isFieldTable(query))) return []

  const sort = (query?.sort ?? []).filter((path) => isNameable(path, sources))

  return sort.length > 0 ? [...limits, toSort(sort)] : limits
}

/** All documents share them. */
const LIMITS: readonly OpenApiParameter[] = ['$limit', '$skip'].map((name) =>
  Object.freeze(toForm(name, Object.freeze({ type: 'integer', minimum: 0 })))
)

const CURSOR_LIMITS: readonly OpenApiParameter[] = [
  LIMITS[0] as OpenApiParameter,
  ...['$after', '$before'].map((name) => Object.freeze(toForm(name, Object.freeze({ type: 'string' })))),
  Object.freeze(toForm('$total', Object.freeze({ type: 'boolean' })))
]

/** The relations that may be included, and those that are where a call asks for no others. */
function toInclude(names: readonly string[], defaults: readonly string[]): readonly OpenApiParameter[] {
  if (names.length === 0) return []

  const shown = defaults.filter((name) => names.includes(name))
  const items = { type: 'string', enum: names }
  const list = { type: 'array', items, maxItems: MAX_NAMES }

  return [toForm('$include[]', shown.length > 0 ? { ...list, default: shown } : list)]
}

/** The operators that may stand under a field. */
export function listOperators({ operators }: ManifestService, query: QueryDefinition): readonly string[] {
  const known = [...OPERATORS, ...LISTED.filter((name) => operators.includes(name))]

  return query.operators ? known.filter((name) => query.operators?.includes(name)) : known
}

/** The fields of related records that a query may name. */
export function listRelated(
  { definition }: ManifestService,
  sources: Pick<QuerySources, 'findRelated'>
): readonly (readonly [string, Field])[] {
  return Object.entries(definition?.relations ?? {}).flatMap(([name, relation]) => {
    const related = sources.findRelated(relation.path)
    const query = related?.definition?.query

    if (isCountRelation(relation) || !query || !isFieldTable(query)) return []

    return relation.filter.flatMap((path) => {
      const field = query.fields[path]

      return field && !isHidden(path, related.protects) ? [[`${name}.${path}`, field] as const] : []
    })
  })
}

/** The relations that a query may include; `levels` is how deep they lead. */
export function listIncludes(
  service: ManifestService,
  sources: Pick<QuerySources, 'findRelated'>,
  levels: number
): readonly string[] {
  return Object.entries(service.definition?.relations ?? {}).flatMap(([name, relation]) => {
    const related = sources.findRelated(relation.path)

    if (!related || service.definition?.hidden.includes(name)) return []

    const further = levels > 1 && !isCountRelation(relation) ? listIncludes(related, sources, levels - 1) : []

    return [name, ...further.map((one) => `${name}.${one}`)]
  })
}

function toSort(paths: readonly string[]): OpenApiParameter {
  const direction = { enum: [1, -1] }
  const properties = Object.fromEntries(paths.map((path) => [path, direction]))

  return toDeep('$sort', { type: 'object', properties, additionalProperties: false })
}

/** Operators mean something else in a query string. */
export function isNameable(path: string, { hidden }: Pick<QuerySources, 'hidden'>): boolean {
  return !path.startsWith('$') && !isRefusedName(path) && !isHidden(path, hidden)
}
