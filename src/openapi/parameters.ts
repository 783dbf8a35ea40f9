import type { ManifestService } from '../manifest/services.ts'
import { FIELD_OPERATORS, PATTERN_OPERATORS, SHORT_NAMES } from '../query/operators.ts'
import { isFieldTable, type QueryDefinition, type SchemaDefinition } from '../schema/compile.ts'
import { type Field, type FieldKind, toFieldTable } from '../schema/fields.ts'
import { MAX_LEVELS, MAX_NAMES } from '../schema/include.ts'
import { getProperties, type JsonSchema, toAlternatives } from '../schema/json-schema.ts'
import { isCountRelation } from '../schema/relation.ts'
import { type ConvertRules, convertSchema } from './convert.ts'
import type { OpenApiParameter } from './types.ts'

/** What queries of a service are made of, beside the service itself. */
export interface QuerySources {
  /** The other service of a relation, where clients may find its records. */
  readonly findRelated: (path: string) => ManifestService | undefined
  /** The fields that queries from outside must not name. */
  readonly hidden: readonly string[]
}

const SCALARS: { readonly [Kind in FieldKind]: JsonSchema } = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
  list: {},
  any: {}
}

const EQUALITY: readonly string[] = ['$eq', '$ne', '$in', '$nin']

/** What calls of a service take beside data. */
export interface ServiceQueries {
  /** The id of a record in a path. */
  readonly id: JsonSchema
  /** Filters, for calls that concern several records. */
  readonly filters: readonly OpenApiParameter[]
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
  return {
    id: toIdSchema(service),
    filters: toFilters(service, sources),
    paging: toPaging(service, sources),
    include: toInclude(service, sources)
  }
}

/**
 * The parameters of a query that is described by a schema of its own.
 *
 * @param query The schema
 * @param hidden The fields that it must not name
 */
export function toQueryParameters(
  query: JsonSchema,
  hidden: readonly string[] = []
): readonly OpenApiParameter[] {
  const parts = toAlternatives(query, query)
  const properties = new Map(parts.flatMap((part) => [...getProperties(part)]))
  const isRequired = (name: string) =>
    parts.every(({ required }) => Array.isArray(required) && required.includes(name))

  return [...properties].flatMap(([name, schema]) => {
    if (hidden.includes(name) || UNDESCRIBED.includes(name) || /[[\]]/.test(name)) return []

    return toOwnParameters(name, schema, query, isRequired(name))
  })
}

/** `$select` changes what a response has; the others have no form that a client could be made for. */
const UNDESCRIBED: readonly string[] = ['$select', '$and', '$or', '$nor', '$not']

function toIdSchema({ definition, id, by = id }: ManifestService): JsonSchema {
  const field = definition && findField(definition, by)
  const schema = field ? toScalar(field) : {}

  return schema.type === 'string' || !schema.type ? { type: 'string', minLength: 1 } : schema
}

/** Most queries may name the field, so that the fields of the record are seldom listed again. */
function findField({ query, record }: SchemaDefinition, path: string): Field | undefined {
  return (isFieldTable(query) ? query.fields[path] : undefined) ?? toFieldTable(record).get(path)
}

function toFilters(service: ManifestService, sources: QuerySources): readonly OpenApiParameter[] {
  const { definition } = service
  const query = definition?.query

  if (!query) return []
  if (!isFieldTable(query)) return toQueryParameters(query, sources.hidden)

  const operators = listOperators(service, query)

  return [...Object.entries(query.fields), ...listRelated(service, sources)]
    .filter(([path]) => isNameable(path) && !sources.hidden.includes(path))
    .flatMap(([path, field]) => toFieldParameters(path, field, operators, service.isStored))
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

  return [toList('$include', { type: 'string', enum: names }, { maxItems: MAX_NAMES })]
}

/** The operators that may stand under a field. */
function listOperators({ operators }: ManifestService, query: QueryDefinition): readonly string[] {
  const known = [
    ...[...FIELD_OPERATORS.keys()].filter((name) => !SHORT_NAMES.has(name)),
    ...PATTERN_OPERATORS.filter((name) => operators.includes(name))
  ]

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

/** `age=30` and `age[$gt]=30` are one parameter; `age[$in][]=30` is another, because an object in an object has no form. */
function toFieldParameters(
  path: string,
  field: Field,
  operators: readonly string[],
  isStored: boolean
): readonly OpenApiParameter[] {
  // A list is compared by no operator.
  if (field.kinds.includes('list')) return []

  const value = toScalar(field)
  const ordered = field.values ? toScalar({ ...field, values: [] }) : value
  const properties: { [operator: string]: JsonSchema } = {}
  const lists: OpenApiParameter[] = []

  for (const name of operators) {
    if (FIELD_OPERATORS.get(name)?.list) lists.push(toList(`${path}[${name}]`, value, { minItems: 1 }))
    else properties[name] = EQUALITY.includes(name) ? value : ordered
  }

  if (Object.keys(properties).length === 0) return [toForm(path, value), ...lists]

  // A service without an adapter may have operators of its own.
  const choices = { type: 'object', properties, ...(isStored && { additionalProperties: false }) }

  return [toDeep(path, { anyOf: [value, choices] }), ...lists]
}

function toScalar({ kinds, values = [] }: Field): JsonSchema {
  const kindsOfValues = values.length > 0 ? { enum: [...values] } : {}
  const schemas = kinds.map((kind) => SCALARS[kind])
  const [first = {}] = schemas

  if (schemas.length < 2) return { ...first, ...kindsOfValues }

  return values.length > 0 ? kindsOfValues : { anyOf: schemas }
}

function toOwnParameters(
  name: string,
  schema: JsonSchema,
  root: JsonSchema,
  required: boolean
): readonly OpenApiParameter[] {
  const parts = toAlternatives(schema, root)
  const lists = parts.filter(({ type }) => type === 'array')
  const objects = parts.filter((part) => getProperties(part).size > 0)
  const scalars = parts.filter((part) => !lists.includes(part) && !objects.includes(part)).map(toPlain)
  const properties = objects.flatMap((part) => [...getProperties(part)])
  const inLists = properties.flatMap(([key, part]) => listsOf(`${name}[${key}]`, part, root))
  const single = properties.filter(([, part]) => toAlternatives(part, root).some(isSingle))
  const choices = {
    type: 'object',
    properties: Object.fromEntries(single.map(([key, part]) => [key, toPlain(part)])),
    additionalProperties: false
  }

  return [
    ...(single.length > 0
      ? [toDeep(name, scalars.length > 0 ? { anyOf: [...scalars, choices] } : choices, required)]
      : scalars.length > 0
        ? [toForm(name, scalars.length === 1 ? (scalars[0] as JsonSchema) : { anyOf: scalars }, required)]
        : []),
    ...listsOf(name, schema, root),
    ...inLists
  ]

  function toPlain(part: JsonSchema): JsonSchema {
    return convertSchema({ ...part, $defs: root.$defs, definitions: root.definitions }, INLINE)
  }
}

/** A parameter is too small to have schemas of its own: what it refers to is anything. */
const INLINE: ConvertRules = {
  name: '',
  store: { add: () => ({}) },
  isOutput: false,
  isClosed: false,
  onUnknown: () => undefined
}

function listsOf(name: string, schema: JsonSchema, root: JsonSchema): readonly OpenApiParameter[] {
  return toAlternatives(schema, root)
    .filter(({ type, items }) => type === 'array' && isSingle((items ?? {}) as JsonSchema))
    .slice(0, 1)
    .map(({ items = {} }) => toList(name, convertSchema(items as JsonSchema, INLINE), { minItems: 1 }))
}

function isSingle({ type, properties }: JsonSchema): boolean {
  return properties === undefined && ![type].flat().some((one) => one === 'array' || one === 'object')
}

function toSort(paths: readonly string[]): OpenApiParameter {
  const direction = { enum: [1, -1] }

  return toDeep('$sort', {
    type: 'object',
    properties: Object.fromEntries(paths.map((path) => [path, direction])),
    additionalProperties: false
  })
}

function toForm(name: string, schema: JsonSchema, required = false): OpenApiParameter {
  return { name, in: 'query', ...(required && { required }), schema }
}

function toDeep(name: string, schema: JsonSchema, required = false): OpenApiParameter {
  return { name, in: 'query', ...(required && { required }), style: 'deepObject', explode: true, schema }
}

function toList(name: string, items: JsonSchema, limits: JsonSchema): OpenApiParameter {
  return {
    name: `${name}[]`,
    in: 'query',
    style: 'form',
    explode: true,
    schema: { type: 'array', items, ...limits }
  }
}

/** Brackets and operators mean something else in a query string. */
function isNameable(path: string): boolean {
  return !/[[\]]/.test(path) && !path.startsWith('$')
}
