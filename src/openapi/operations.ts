import { getDefinition, isStandardMethod } from '../core/methods.ts'
import { BODILESS_VERBS } from '../core/routes.ts'
import type { ManifestLogin } from '../manifest/login.ts'
import type { ManifestMethod, ManifestService } from '../manifest/services.ts'
import { getMethodDefinition } from '../schema/compile.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { isLogin, toLoginData, toLoginResult } from './login.ts'
import type { Names, ServiceNames } from './names.ts'
import { type QuerySources, type ServiceQueries, toQueries } from './parameters.ts'
import { toQueryParameters } from './query-schema.ts'
import { toJsonContent, toResponses } from './responses.ts'
import type { ServiceSchemas } from './schemas.ts'
import { describeWho, toSecurity } from './security.ts'
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
  readonly operationIds: Names
  readonly names: ServiceNames
  readonly schemas: ServiceSchemas
  readonly sources: QuerySources
}

/** One way to call a method. */
interface Call {
  readonly method: ManifestMethod
  /** What the method does and who may call it, in words. */
  readonly summary: string
  readonly verb: string
  /** After the path of the service; {@link ID} for the id of a record. */
  readonly segments: readonly string[]
  readonly name: string
}

/** Stands for the id in a path. */
const ID = ':'

const WRITING_VERBS: readonly string[] = ['POST', 'PUT', 'PATCH']

/** What comes after the path of a service: nothing, or the id of a record. */
const NO_SEGMENTS: readonly string[] = []
const RECORD_SEGMENTS: readonly string[] = [ID]

/**
 * Adds the calls of a service to the paths of a document.
 *
 * @param paths The paths
 * @param service The service, with the methods that clients may call
 * @param of What else is known of it
 */
export function addOperations(paths: PathItems, service: ManifestService, of: ServiceSources): void {
  // Once for a service: many methods have the same.
  const queries = toQueries(service, of.sources)
  const items = new Map<readonly string[], PathItem>()

  for (const method of service.methods) {
    for (const call of listCalls(service, method, of.names)) {
      const item = items.get(call.segments) ?? getItem(paths, service, call)

      items.set(call.segments, item)
      item.operations[call.verb.toLowerCase()] ??= toOperation(service, call, item, of, queries)
    }
  }
}

function listCalls(
  { isStored, definition }: ManifestService,
  method: ManifestMethod,
  { one, all }: ServiceNames
): readonly Call[] {
  const { name, routes, several, who } = method
  const { args, verb } = getDefinition(name)
  const summary = `${toTitle(name)}: for ${describeWho(who)}`

  if (!isStandardMethod(name)) {
    const ways = routes.length > 0 ? routes : [{ verb, segments: [name] }]

    return ways.map((way) => ({
      method,
      summary,
      verb: way.verb,
      segments: way.segments,
      name: name + all
    }))
  }
  if (!args.includes('id')) {
    return [{ method, summary, verb, segments: NO_SEGMENTS, name: name + (name === 'find' ? all : one) }]
  }

  // Of other services it is not known whether they do without an id.
  const isOptional = several && (isStored || !definition)

  const ofRecord = { method, summary, verb, segments: RECORD_SEGMENTS, name: name + one }

  return isOptional
    ? [ofRecord, { method, summary, verb, segments: NO_SEGMENTS, name: name + all }]
    : [ofRecord]
}

function getItem(paths: PathItems, service: ManifestService, { segments }: Call): PathItem {
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
  call: Call,
  { placeholders }: PathItem,
  of: ServiceSources,
  queries: ServiceQueries
): OpenApiOperation {
  const { method, summary, verb, segments } = call
  const { login, operationIds, schemas } = of
  const isLoggingIn = isLogin(service, login)
  const parameters = toPathParameters(queries, segments, placeholders).concat(
    toQuery(service, call, queries, of.sources)
  )
  const data = isLoggingIn && method.name === 'create' ? toLoginData(login) : toData(service, call, schemas)
  const result =
    isLoggingIn && isStandardMethod(method.name) ? toLoginResult() : toResult(service, call, schemas)

  const operation: Draft = {
    operationId: operationIds.take(call.name.charAt(0).toLowerCase() + call.name.slice(1)),
    tags: [service.path],
    summary,
    security: toSecurity(method.who, login)
  }

  // One after the other: spreading what may be missing takes several times as long.
  if (parameters.length > 0) operation.parameters = parameters
  if (data) operation.requestBody = { required: data.isRequired, content: toJsonContent(data.schema) }

  operation.responses = toResponses({
    method: method.name,
    result,
    mayRedirect: !service.isStored && !service.definition,
    who: method.who,
    hasRecord: placeholders.length > 0,
    writes: WRITING_VERBS.includes(verb),
    isLogin: isLoggingIn
  })

  return operation as OpenApiOperation
}

/** An operation that is being made. */
type Draft = { -readonly [Name in keyof OpenApiOperation]?: OpenApiOperation[Name] }

function toTitle(name: string): string {
  const words = name
    .replaceAll(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .trim()
    .toLowerCase()

  return words.charAt(0).toUpperCase() + words.slice(1)
}

function toPathParameters(
  { id }: ServiceQueries,
  segments: readonly string[],
  placeholders: readonly string[]
): readonly OpenApiParameter[] {
  const isOfRecord = segments.includes(ID)

  return placeholders.map((name, index) => ({
    name,
    in: 'path',
    required: true,
    schema: isOfRecord && index === placeholders.length - 1 ? id : { type: 'string', minLength: 1 }
  }))
}

function toQuery(
  service: ManifestService,
  { method: { name }, segments }: Call,
  { toFilters, paging, include }: ServiceQueries,
  sources: QuerySources
): readonly OpenApiParameter[] {
  const { definition } = service

  if (!isStandardMethod(name)) {
    const query = definition && getMethodDefinition(definition, name)?.query

    return query ? toQueryParameters(query, sources.hidden) : []
  }

  const isOfSeveral = name !== 'create' && !segments.includes(ID)

  return (isOfSeveral ? toFilters() : []).concat(name === 'find' ? paging : [], include)
}

/** The data of a call; `undefined` for one without. */
function toData(
  { isStored }: ManifestService,
  { method, verb }: Call,
  schemas: ServiceSchemas
): { readonly schema: JsonSchema; readonly isRequired: boolean } | undefined {
  const { name, hasData, several } = method
  // An adapter takes records alone.
  const schema = schemas.toData(name) ?? (isStored && isStandardMethod(name) ? { type: 'object' } : undefined)

  if (!hasData || verb === 'GET' || (BODILESS_VERBS.includes(verb) && !schema)) return undefined
  if (!schema) return { schema: {}, isRequired: isStandardMethod(name) }
  if (name !== 'create' || !several || !isStored) return { schema, isRequired: true }

  return { schema: { anyOf: [schema, { type: 'array', items: schema }] }, isRequired: true }
}

/** The result of a call; `undefined` where it is not known, and may be nothing. */
function toResult(
  { isStored, definition }: ManifestService,
  { method: { name, several }, segments }: Call,
  schemas: ServiceSchemas
): JsonSchema | undefined {
  if (definition?.hasView) return undefined
  if (!isStandardMethod(name)) return schemas.toResult(name)
  if (!definition && !isStored) return undefined
  if (name === 'find') return schemas.page

  const list = { type: 'array', items: schemas.record }

  if (name === 'create') return several && isStored ? { anyOf: [schemas.record, list] } : schemas.record

  return segments.includes(ID) ? schemas.record : list
}
