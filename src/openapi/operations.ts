import { listPlaceholders } from '../core/method-routes.ts'
import { getDefinition, isStandardMethod } from '../core/methods.ts'
import { KEY_HEADER } from '../core/repeatable.ts'
import { BODILESS_VERBS } from '../core/routes.ts'
import type { Parent } from '../core/types.ts'
import type { ManifestLogin } from '../manifest/login.ts'
import type { ManifestMethod, ManifestService } from '../manifest/services.ts'
import { getMethodDefinition, type SchemaDefinition } from '../schema/compile.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { toResultKind } from '../schema/result-kind.ts'
import { type CallData, toBodyContent } from './body.ts'
import { mayBeNothing, toRequest } from './envelopes.ts'
import { isLogin, toLoginData, toLoginResult } from './login.ts'
import type { Names, ServiceNames } from './names.ts'
import { type QuerySources, type ServiceQueries, toIdSchema, toQueries } from './parameters.ts'
import { toQueryParameters } from './query-schema.ts'
import { toResponses } from './responses.ts'
import { type NamedScheme, toGuard } from './security.ts'
import type { ServiceSchemas } from './service-schemas.ts'
import type { OpenApiOperation, OpenApiParameter } from './types.ts'

/** The operations of a document, by their path without the names of its placeholders. */
export type PathItems = Map<string, PathItem>

/** A path, and its operations by verb. */
export interface PathItem {
  readonly path: string
  /** The names of its placeholders, in order. */
  readonly placeholders: readonly string[]
  readonly operations: { [verb: string]: OpenApiOperation }
}

/** What is known of a service besides the service itself. */
export interface ServiceSources {
  readonly login: ManifestLogin | undefined
  readonly securitySchemes: readonly NamedScheme[]
  readonly operationIds: Names
  /** The status of an error, by its name. */
  readonly toStatus: (name: string) => number
  readonly names: ServiceNames
  readonly schemas: ServiceSchemas
  readonly sources: QuerySources
}

/** One way to call a method. */
interface OperationCall {
  readonly verb: string
  /** After the path of the service; {@link ID} for the id of a record. */
  readonly segments: readonly string[]
  /** What generated clients call it, where the name is free. */
  readonly name: string
}

/** Where a call of a service is in a document. */
interface Place {
  readonly item: PathItem
  /** Of the path. */
  readonly parameters: readonly OpenApiParameter[]
}

/** What the operations of a service share: many have the same, and a document is large. */
interface Shared {
  readonly tags: readonly string[]
  readonly queries: ServiceQueries
}

/** What a path takes as the body of a `QUERY`. All documents share it. */
const QUERY_TYPES: readonly string[] = Object.freeze(['application/json'])

/** All documents share it. */
const IDEMPOTENCY_KEY: OpenApiParameter = Object.freeze({
  name: KEY_HEADER,
  in: 'header',
  description:
    'The same key again gets the response of the first call, for 24 hours. A new UUID for each call',
  schema: Object.freeze({ type: 'string', minLength: 1, maxLength: 257 })
})

/** Stands for the id in a path. */
const ID = ':'

const WRITING_VERBS: readonly string[] = ['POST', 'PUT', 'PATCH']

/** What comes after the path of a service: nothing, or the id of a record. */
const NO_SEGMENTS: readonly string[] = []
const RECORD_SEGMENTS: readonly string[] = [ID]

/** Adds the calls of a service to the paths of a document. */
export function addOperations(paths: PathItems, service: ManifestService, of: ServiceSources): void {
  const shared: Shared = {
    tags: [service.path],
    queries: toQueries(service, of.sources)
  }
  const places = new Map<readonly string[], Place>()

  for (const method of service.methods) {
    for (const call of listCalls(service, method, of.names)) {
      const place = places.get(call.segments) ?? toPlace(paths, service, call, shared.queries, of.sources)

      places.set(call.segments, place)
      place.item.operations[call.verb.toLowerCase()] ??= toOperation(service, method, call, place, of, shared)
    }
  }
}

function listCalls(
  { isStored, definition, isSingleton }: ManifestService,
  { name, routes, several }: ManifestMethod,
  { one, all }: ServiceNames
): readonly OperationCall[] {
  const { args, verb } = getDefinition(name)

  if (!isStandardMethod(name)) {
    const ways = routes.length > 0 ? routes : [{ verb, segments: [name] }]
    const start = name.charAt(0).toLowerCase() + name.slice(1)

    return ways.map((way) => ({ verb: way.verb, segments: way.segments, name: start + all }))
  }
  if (!args.includes('id')) {
    return [{ verb, segments: NO_SEGMENTS, name: name + (name === 'find' ? all : one) }]
  }

  const ofRecord = { verb, segments: isSingleton ? NO_SEGMENTS : RECORD_SEGMENTS, name: name + one }
  // Of other services it is not known whether they do without an id.
  const isOptional = several && (isStored || !definition)

  return isOptional ? [ofRecord, { verb, segments: NO_SEGMENTS, name: name + all }] : [ofRecord]
}

function toPlace(
  paths: PathItems,
  service: ManifestService,
  { segments }: OperationCall,
  { id }: ServiceQueries,
  { findParent }: QuerySources
): Place {
  const item = getItem(paths, service, segments)
  const isOfRecord = segments.includes(ID)
  // Another service may have given the item its names.
  const own = listPlaceholders(service.path)

  return {
    item,
    parameters: item.placeholders.map((name, index) => {
      const parent = Object.values(service.parent ?? {}).find((one) => one.placeholder === own[index])
      const schema = isOfRecord && index === item.placeholders.length - 1 ? id : NAME

      return parent
        ? toParentParameter(name, parent, findParent)
        : { name, in: 'path', required: true, schema }
    })
  }
}

function toParentParameter(
  name: string,
  { service }: Parent,
  findParent: QuerySources['findParent']
): OpenApiParameter {
  const parent = findParent(service)

  return {
    name,
    in: 'path',
    description: `A record of '${service}' that the caller may get`,
    required: true,
    schema: parent ? toIdSchema(parent) : NAME
  }
}

/** What a placeholder of a path stands for, unless it is an id. */
const NAME: JsonSchema = Object.freeze({ type: 'string', minLength: 1 })

function getItem(paths: PathItems, service: ManifestService, segments: readonly string[]): PathItem {
  const all = [...service.path.split('/').filter((segment) => segment !== ''), ...segments]
  const pattern = all.map((segment) => (segment.startsWith(':') ? ':' : segment)).join('/')
  const known = paths.get(pattern)

  // Two templates that differ in the names of their placeholders are the same.
  if (known) return known

  const placeholders: string[] = []
  const path = all.map((segment) => {
    if (!segment.startsWith(':')) return segment

    const wanted = segment === ID ? (service.by ?? service.id) : segment.slice(1)
    const name = placeholders.includes(wanted) ? `${wanted}${placeholders.length + 1}` : wanted

    placeholders.push(name)

    return `{${name}}`
  })
  const item = { path: `/${path.join('/')}`, placeholders, operations: {} }

  paths.set(pattern, item)

  return item
}

function toOperation(
  service: ManifestService,
  method: ManifestMethod,
  call: OperationCall,
  place: Place,
  { login, securitySchemes, operationIds, schemas, sources, toStatus }: ServiceSources,
  { tags, queries }: Shared
): OpenApiOperation {
  const isLoggingIn = isLogin(service, login)
  const isUpsert = isUpsertOf(service, method)
  const guard = toGuard(method.who, securitySchemes)
  const query = toQuery(service, method, call, queries, sources)
  const data =
    isLoggingIn && method.name === 'create'
      ? toLoginData(login)
      : toDataSchema(service, method, call, schemas)
  const result =
    isLoggingIn && isStandardMethod(method.name)
      ? toLoginResult(login, method.name)
      : toResultSchema(service, method, call, schemas)

  const operation: Draft = {
    operationId: operationIds.take(call.name),
    tags,
    summary: `${toTitle(method.name)}: for ${guard.words}`,
    security: guard.security
  }
  const parameters = listParameters(place, query, method)

  // One after the other: spreading what may be missing takes several times as long.
  if (parameters.length > 0) operation.parameters = parameters
  if (data) {
    operation.requestBody = {
      required: data.isRequired,
      content: toBodyContent(service, method.name, data)
    }
  }

  operation.responses = toResponses({
    method: method.name,
    status: service.definition?.status[method.name],
    result,
    mayBeEmpty: mayBeEmpty(service, method, result),
    toStatus,
    mayRedirect: !service.isStored && !service.definition,
    // The rules of `create` and `patch` hold too.
    guard: isUpsert ? { ...guard, isAuthenticated: true, isGuarded: true } : guard,
    isUpsert,
    mayMiss: place.parameters.length > 0 || service.isSingleton || !isStandardMethod(method.name),
    mayConflict: WRITING_VERBS.includes(call.verb) || (service.isStored && method.name === 'remove'),
    isLogin: isLoggingIn
  })
  if (method.name === 'find') operation['x-query'] = QUERY_TYPES

  return operation as OpenApiOperation
}

/** Most operations have none of their own: they share the list of their query. */
function listParameters(
  { parameters }: Place,
  query: readonly OpenApiParameter[],
  { takesKey }: ManifestMethod
): readonly OpenApiParameter[] {
  if (parameters.length === 0 && !takesKey) return query

  return takesKey ? [...parameters, ...query, IDEMPOTENCY_KEY] : parameters.concat(query)
}

/** An operation that is being made. */
type Draft = { -readonly [Name in keyof OpenApiOperation]?: OpenApiOperation[Name] }

function toTitle(name: string): string {
  const words = isStandardMethod(name)
    ? name
    : name
        .replaceAll(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/g, ' ')
        .trim()
        .toLowerCase()

  return words.charAt(0).toUpperCase() + words.slice(1)
}

function toQuery(
  { definition, isSingleton }: ManifestService,
  { name }: ManifestMethod,
  { segments }: OperationCall,
  { ofOne, ofSeveral, ofFind }: ServiceQueries,
  { hidden }: QuerySources
): readonly OpenApiParameter[] {
  if (!isStandardMethod(name)) {
    const query = definition && getMethodDefinition(definition, name)?.query

    return query ? toQueryParameters(query, hidden) : []
  }
  if (name === 'find') return ofFind()

  return name === 'create' || isSingleton || segments.includes(ID) ? ofOne(name) : ofSeveral(name)
}

/** Whether a method is the `upsert` of adapters, which takes and returns records. */
function isUpsertOf({ hasUpsert }: ManifestService, { name }: ManifestMethod): boolean {
  return hasUpsert && name === 'upsert'
}

/** The data of a call; `undefined` for one without. */
export function toDataSchema(
  service: ManifestService,
  method: ManifestMethod,
  { verb }: Pick<OperationCall, 'verb'>,
  schemas: ServiceSchemas
): CallData | undefined {
  const { isStored, definition } = service
  const { name, hasData, several } = method
  // An adapter takes records alone.
  const takesRecord = (isStored && isStandardMethod(name)) || isUpsertOf(service, method)
  const schema = schemas.data.get(name) ?? (takesRecord ? { type: 'object' } : undefined)

  if (!hasData || verb === 'GET' || (BODILESS_VERBS.includes(verb) && !schema)) return undefined

  const { envelope, unknown } = definition ?? {}
  const isList = name === 'create' && several && isStored

  if (envelope?.request) {
    const kind = toDataKind(definition, name)
    const rules = {
      mayBeOne: kind !== 'list',
      // Whether a list is in the field of one value is not known.
      mayBeList: isList || kind === 'list' || (kind === 'unknown' && envelope.many !== undefined),
      isClosed: unknown !== 'drop'
    }

    const request = toRequest(schema, envelope, rules)

    return { schema: request, form: request, isRequired: schema !== undefined }
  }
  if (!schema) return { schema: {}, form: {}, isRequired: isStandardMethod(name) }

  const form = toDataKind(definition, name) === 'list' ? undefined : schema

  if (!isList) return { schema, form, isRequired: true }

  return { schema: { anyOf: [schema, { type: 'array', items: schema }] }, form, isRequired: true }
}

/** The result of a call; `undefined` where it is not known, and may be nothing. */
function toResultSchema(
  service: ManifestService,
  method: ManifestMethod,
  { segments }: OperationCall,
  schemas: ServiceSchemas
): JsonSchema | undefined {
  const { isStored, definition, isSingleton } = service
  const { name, several } = method

  if (definition?.hasView || (!definition && isUpsertOf(service, method))) return schemas.one
  if (!isStandardMethod(name)) return schemas.results.get(name)
  if (!definition && !isStored) return undefined
  if (name === 'find') return schemas.page

  if (name === 'create') return several && isStored ? { anyOf: [schemas.one, schemas.list] } : schemas.one

  return isSingleton || segments.includes(ID) ? schemas.one : schemas.list
}

/** Whether the data of a method is one value, a list, or either. */
function toDataKind(definition: SchemaDefinition | undefined, name: string): 'one' | 'list' | 'unknown' {
  const data = definition && getMethodDefinition(definition, name)?.data
  const kind = data ? toResultKind(data) : 'one'

  return kind === 'page' ? 'one' : kind
}

/** Whether a call may return nothing, as far as it is known. */
function mayBeEmpty(
  { definition }: ManifestService,
  { name }: ManifestMethod,
  response: JsonSchema | undefined
): boolean {
  if (!response) return true
  if (definition?.hasView) return !definition.view || mayBeNothing(definition.view)

  const result = definition && getMethodDefinition(definition, name)?.result

  return result !== undefined && mayBeNothing(result)
}
