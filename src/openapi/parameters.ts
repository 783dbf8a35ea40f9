import type { ManifestService } from '../manifest/services.ts'
import { FIELD_OPERATORS, PATTERN_OPERATORS, SHORT_NAMES } from '../query/operators.ts'
import { isFieldTable, type QueryDefinition, type SchemaDefinition } from '../schema/compile.ts'
import { type Field, toFieldTable } from '../schema/fields.ts'
import { MAX_LEVELS, MAX_NAMES } from '../schema/include.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { isCountRelation } from '../schema/relation.ts'
import { setOwn } from '../utils/object.ts'
import { type ToFilters, toFilterOperators, toScalar } from './filters.ts'
import { toDeep, toForm } from './parameter-forms.ts'
import { toQueryParameters } from './query-schema.ts'
import type { OpenApiParameter } from './types.ts'

/** What queries of a service are made of, beside the service itself. */
export interface QuerySources {
  /** The other service of a relation, where clients may find its records. */
  readonly findRelated: (path: string) => ManifestService | undefined
  /** The fields that queries from outside must not name. */
  readonly hidden: readonly string[]
  /** Makes the filters of the document. */
  readonly toFilters: ToFilters
}

/** The operators of every adapter. */
const OPERATORS = [...FIELD_OPERATORS.keys()].filter((name) => !SHORT_NAMES.has(name))

/** What calls of a service take beside data. */
export interface ServiceQueries {
  /** The id of a record in a path. */
  readonly id: JsonSchema
  /** Filters, for calls that concern several records. */
  readonly toFilters: () => readonly OpenApiParameter[]
  /** What `find` takes beside filters. */
  readonly paging: readonly OpenApiParameter[]
  /** `$include`, for standard methods of a service with relations. */
  readonly include: readonly OpenApiParameter[]
}

/**
 * What calls of a service take beside data.
 *
 * @param service The service
 * @param sources What else is known
 */
export function toQueries(service: ManifestService, sources: QuerySources): ServiceQueries {
  let filters: readonly OpenApiParameter[] | undefined

  return {
    id: toIdSchema(service),
    toFilters: () => {
      filters ??= listFilters(service, sources)

      return filters
    },
    paging: toPaging(service, sources),
    include: toInclude(service, sources)
  }
}

function toIdSchema({ definition, id, by = id }: ManifestService): JsonSchema {
  const field = definition && findField(definition, by)
  const schema = field ? toScalar(field) : {}

  return schema.type === 'string' || !schema.type ? { type: 'string', minLength: 1 } : schema
}

/** Most queries may name the field, so that the fields of the record are seldom listed again. */
function findField({ query, record }: SchemaDefinition, path: string): Field | undefined {
  return (isFieldTable(query) ? query.fields[path] : undefined) ?? toFieldTable(record).get(path)
}

function listFilters(service: ManifestService, sources: QuerySources): readonly OpenApiParameter[] {
  const query = service.definition?.query

  if (!query) return []
  if (!isFieldTable(query)) return toQueryParameters(query, sources.hidden)

  const operators = toFilterOperators(listOperators(service, query), !service.isStored)

  const fields = { ...query.fields, ...Object.fromEntries(listRelated(service, sources)) }

  return Object.keys(fields)
    .filter((path) => isNameable(path) && !sources.hidden.includes(path))
    .flatMap((path) => sources.toFilters(path, fields[path] as Field, operators))
}

function toPaging(service: ManifestService, { hidden }: QuerySources): readonly OpenApiParameter[] {
  const { definition, isStored } = service
  const query = definition?.query

  if (!isStored || (query && !isFieldTable(query))) return []

  const sort = (query?.sort ?? []).filter((path) => isNameable(path) && !hidden.includes(path))

  return [
    toForm('$limit', { type: 'integer', minimum: 0 }),
    toForm('$skip', { type: 'integer', minimum: 0 }),
    ...(sort.length > 0 ? [toSort(sort)] : [])
  ]
}

function toInclude(service: ManifestService, sources: QuerySources): readonly OpenApiParameter[] {
  const names = listIncludes(service, sources, MAX_LEVELS)

  if (names.length === 0) return []

  const items = { type: 'string', enum: names }

  return [toForm('$include[]', { type: 'array', items, maxItems: MAX_NAMES })]
}

/** The operators that may stand under a field. */
function listOperators({ operators }: ManifestService, query: QueryDefinition): readonly string[] {
  const known = [...OPERATORS, ...PATTERN_OPERATORS.filter((name) => operators.includes(name))]

  return query.operators ? known.filter((name) => query.operators?.includes(name)) : known
}

function listRelated(
  { definition }: ManifestService,
  { findRelated }: QuerySources
): readonly (readonly [string, Field])[] {
  return Object.entries(definition?.relations ?? {}).flatMap(([name, relation]) => {
    const query = isCountRelation(relation) ? undefined : findRelated(relation.path)?.definition?.query

    if (isCountRelation(relation) || !query || !isFieldTable(query)) return []

    return relation.filter.flatMap((path) => {
      const field = query.fields[path]

      return field ? [[`${name}.${path}`, field] as const] : []
    })
  })
}

function listIncludes(service: ManifestService, sources: QuerySources, levels: number): readonly string[] {
  return Object.entries(service.definition?.relations ?? {}).flatMap(([name, relation]) => {
    const related = sources.findRelated(relation.path)

    if (!related) return []

    const further = levels > 1 && !isCountRelation(relation) ? listIncludes(related, sources, levels - 1) : []

    return [name, ...further.map((one) => `${name}.${one}`)]
  })
}

function toSort(paths: readonly string[]): OpenApiParameter {
  const direction = { enum: [1, -1] }
  const properties = {}

  for (const path of paths) setOwn(properties, path, direction)

  return toDeep('$sort', { type: 'object', properties, additionalProperties: false })
}

/** Brackets and operators mean something else in a query string. */
function isNameable(path: string): boolean {
  return !path.includes('[') && !path.includes(']') && !path.startsWith('$')
}
