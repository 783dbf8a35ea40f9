// What a tool takes, as a schema that costs a model few tokens.
import { listPlaceholders } from '../core/method-routes.ts'
import { getDefinition, isStandardMethod } from '../core/methods.ts'
import type { ManifestMethod, ManifestService } from '../manifest/services.ts'
import { convertSchema, INLINE } from '../openapi/convert.ts'
import { toDataSchema } from '../openapi/operations.ts'
import { isNameable, listIncludes, listOperators, listRelated, toIdSchema } from '../openapi/parameters.ts'
import type { Schemas } from '../openapi/schemas.ts'
import { LIST_OPERATORS } from '../query/operators.ts'
import { getMethodDefinition, isFieldTable, type QueryDefinition } from '../schema/compile.ts'
import type { Field } from '../schema/fields.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { MAX_LEVELS } from '../schema/relation.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { setOwn } from '../utils/object.ts'
import { shorten } from '../utils/shorten.ts'
import { inlineSchema } from './inline.ts'

/** Names of arguments beside placeholders. */
const OWN: readonly string[] = ['id', 'data', 'query']

/** What stands for a placeholder of a path. */
const SEGMENT: JsonSchema = { type: ['string', 'number'] }

/** What a client has sent as the arguments of a tool. */
export type GivenArguments = Readonly<Record<string, unknown>>

/** An argument that is a part of a path. */
export interface PathArgument {
  /** What the argument is called. */
  readonly name: string
  readonly placeholder: string
}

/** What a tool takes. */
export interface ToolArguments {
  readonly schema: JsonSchema
  /** Those in the path of the service. */
  readonly path: readonly PathArgument[]
  /** Those in the route of a custom method, which a call by name has in its data. */
  readonly route: readonly PathArgument[]
}

/** Describes what a tool takes. */
export function toToolArguments(
  service: ManifestService,
  method: ManifestMethod,
  schemas: Schemas
): ToolArguments {
  const path = toPathArguments(listPlaceholders(service.path), [])
  const route = toPathArguments(method.routes[0]?.placeholders ?? [], path)
  const properties: { [name: string]: JsonSchema } = {}
  const required = [...path, ...route].map(({ name }) => name)

  for (const { name } of [...path, ...route]) setOwn(properties, name, SEGMENT)

  if (method.args.includes('id') && !service.isSingleton) {
    const id = toIdSchema(service)

    properties.id = method.several
      ? { anyOf: [id, { type: 'null' }], description: 'null: all that the query finds' }
      : id
    required.push('id')
  }

  const data = toData(service, method, schemas)

  if (data) {
    properties.data = data.schema
    if (data.isRequired) required.push('data')
  }

  const query = toQuerySchema(service, method, schemas)

  if (query) {
    properties.query = query
    if (query.required !== undefined) required.push('query')
  }

  return { path, route, schema: { type: 'object', properties, ...(required.length > 0 && { required }) } }
}

/** Says which argument a tool does not have; `undefined` where it has them all. */
export function describeUnknown(names: readonly string[], given: GivenArguments): string | undefined {
  const unknown = Object.keys(given).find((name) => !names.includes(name))

  if (unknown === undefined) return undefined

  const advice = didYouMean(unknown, names) || `: expected ${names.join(', ') || 'none'}`

  return `Unknown argument '${shorten(unknown)}'${advice}`
}

/** A list of records is not described a second time. */
function toData(
  service: ManifestService,
  method: ManifestMethod,
  schemas: Schemas
): { readonly schema: JsonSchema; readonly isRequired: boolean } | undefined {
  const { isStored, definition } = service
  const isList = method.name === 'create' && method.several && isStored && !definition?.envelope?.request
  const one = isList ? { ...method, several: false } : method
  const data = toDataSchema(service, one, getDefinition(method.name), schemas.of(service))

  if (!data) return undefined

  const schema = inlineSchema(data.schema, schemas.all)

  return { ...data, schema: isList ? { anyOf: [schema, LIST] } : schema }
}

/** Several records, each as the one before it. */
const LIST: JsonSchema = { type: 'array', items: { type: 'object' } }

function toPathArguments(placeholders: readonly string[], others: readonly PathArgument[]): PathArgument[] {
  const taken = new Set([...OWN, ...others.map(({ name }) => name)])

  return [...new Set(placeholders)].map((placeholder) => {
    let name = placeholder

    while (taken.has(name)) name = `path_${name}`

    taken.add(name)

    return { placeholder, name }
  })
}

function toQuerySchema(
  service: ManifestService,
  { name, several }: ManifestMethod,
  schemas: Schemas
): JsonSchema | undefined {
  const { definition } = service

  if (!definition) return undefined
  if (!isStandardMethod(name)) {
    const query = getMethodDefinition(definition, name)?.query

    return query && toOwnQuery(query, schemas.of(service).hidden)
  }

  const { query } = definition

  // A schema for queries checks those of all standard methods.
  if (!isFieldTable(query)) return toOwnQuery(query, schemas.of(service).hidden)

  const hasFilters = name === 'find' || (several && name !== 'create')
  const properties: { [name: string]: JsonSchema } = {}
  const operators = hasFilters ? addFilters(properties, service, query, schemas) : []

  if (name === 'find') addPaging(properties, service)
  if (name === 'find' || name === 'get') addShown(properties, service, schemas)
  if (Object.keys(properties).length === 0) return undefined

  return {
    type: 'object',
    ...(operators.length > 0 && { description: `By field: a value, or an object of ${operators.join(' ')}` }),
    properties
  }
}

/** A query that is described by a schema. */
function toOwnQuery(query: JsonSchema, hidden: readonly string[]): JsonSchema {
  return inlineSchema(convertSchema(query, { ...INLINE, hidden, hiddenEverywhere: hidden }), new Map())
}

function addFilters(
  properties: { [name: string]: JsonSchema },
  service: ManifestService,
  query: QueryDefinition,
  schemas: Schemas
): readonly string[] {
  const { hidden } = schemas.of(service)
  const operators = listOperators(service, query)
  const findsElements = operators.some((name) => LIST_OPERATORS.includes(name))

  for (const [path, field] of [...Object.entries(query.fields), ...listRelated(service, schemas)]) {
    if (isNameable(path, { hidden }) && (!field.kinds.includes('list') || findsElements))
      setOwn(properties, path, toFilter(field))
  }

  return Object.keys(properties).length === 0 ? [] : operators
}

/** What a page with cursors is asked for by, in place of `$skip`. */
const CURSORS = { $after: { type: 'string' }, $before: { type: 'string' }, $total: { type: 'boolean' } }

/** A value, or an object of operators. */
function toFilter({ kinds, values = [] }: Field): JsonSchema {
  if (values.length > 0) return { anyOf: [{ enum: [...values] }, { type: 'object' }] }
  if (kinds.length === 0 || kinds.includes('any')) return {}
  if (kinds.includes('list')) return { type: 'object' }

  const types = kinds.map((kind) => (kind === 'date' ? 'string' : kind))
  const type = [...new Set([...types, 'object'])]

  return kinds.includes('date') ? { type, format: 'date-time' } : { type }
}

function addPaging(properties: { [name: string]: JsonSchema }, { isStored, page }: ManifestService): void {
  if (!isStored) return

  properties.$limit = { type: 'integer' }
  Object.assign(properties, page?.hasCursors ? CURSORS : { $skip: { type: 'integer' } })
  properties.$sort = { type: 'object' }
}

function addShown(
  properties: { [name: string]: JsonSchema },
  service: ManifestService,
  schemas: Schemas
): void {
  const includes = listIncludes(service, schemas, MAX_LEVELS)

  properties.$select = { type: 'array', items: { type: 'string' } }
  if (includes.length > 0) properties.$include = { type: 'array', items: { enum: includes } }
}
