// What the page knows of an application, as plain data: it is read from the manifest, like documents and audits.
import { isStandardMethod } from '../core/methods.ts'
import type { Application } from '../core/types.ts'
import { type ManifestStrategy, readLogin } from '../manifest/login.ts'
import {
  hasSockets,
  type ManifestMethod,
  type ManifestService,
  readOpenServices,
  readRelatedServices
} from '../manifest/services.ts'
import { getMethodDefinition, isFieldTable, type SchemaDefinition } from '../schema/compile.ts'
import type { Envelope } from '../schema/envelope.ts'
import { type Field, isHidden } from '../schema/fields.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { type FormField, toFormFields } from './form-fields.ts'
import { listHidden } from './service-schemas.ts'

/** What the page knows of an application before anyone has logged in. */
export interface LoginData {
  readonly title: string
  readonly version: string
  /** Whether everyone gets the rest too. */
  readonly isForAll: boolean
  /** How to log in; `null` without an authentication service. */
  readonly login: PageLogin | null
  /** The path of Socket.IO on the server; `null` without it. */
  readonly socket: string | null
}

/** What the page knows of an application. */
export interface PageData {
  readonly services: readonly PageService[]
}

/** A service, as far as clients have it. */
export interface PageService {
  readonly path: string
  /** The name of the field that stands in URLs: the id, or what `by` names. */
  readonly id: string
  /** Whether it is one record for each caller, whose path has no id. */
  readonly isSingle: boolean
  /** The services whose records the placeholders of its path name, by placeholder. */
  readonly parents: { readonly [placeholder: string]: string }
  readonly methods: readonly PageMethod[]
  /** The fields of its records; `null` where they are not declared. */
  readonly columns: readonly string[] | null
  /** What may be queried, by path; `null` where that is not declared. */
  readonly filters: { readonly [path: string]: Field } | null
  readonly sort: readonly string[] | null
  /** The operators that are allowed; `null` for all. */
  readonly operators: readonly string[] | null
  /** The fields that requests and responses have their records in; `null` where they are bare. */
  readonly envelope: Envelope | null
  /** The names that `$include` takes. */
  readonly relations: readonly string[]
}

/** A method of a service. */
export interface PageMethod {
  readonly name: string
  readonly who: string
  readonly hasData: boolean
  /** The name of its event; `null` where it sends none. */
  readonly event: string | null
  /** The fields of its data; `null` where they are not known. */
  readonly data: readonly FormField[] | null
  /** The fields of its query, of a custom method; `null` where they are not known. */
  readonly query: readonly FormField[] | null
  /** The first route of a custom method; `null` for one that is called by its name. */
  readonly route: {
    readonly verb: string
    readonly path: string
    readonly placeholders: readonly string[]
  } | null
}

/** How to log in. */
export interface PageLogin {
  /** The path of the authentication service. */
  readonly path: string
  readonly strategies: readonly PageStrategy[]
}

/** A strategy that creates access tokens. */
export interface PageStrategy {
  readonly name: string
  /** The names of its credentials; `null` where they are not known. */
  readonly fields: readonly string[] | null
}

/** What the page says of the application. */
export interface PageInfo {
  readonly title?: string
  readonly version?: string
  readonly isForAll: boolean
}

/**
 * Reads what the page shows.
 *
 * @param app The application, set up
 */
export function toPageData(app: Application): PageData {
  const services = readOpenServices(app)
  const found = [...services, ...readRelatedServices(app, services)].filter(({ isFound }) => isFound)
  const paths = new Set(found.map(({ path }) => path))

  return { services: services.map((service) => toPageService(service, paths)) }
}

/**
 * Reads what the page needs for a login.
 *
 * @param app The application, set up
 * @param info What it is called, and whether the page is for everyone
 */
export function toLoginData(app: Application, info: PageInfo): LoginData {
  const { title = 'API', version = '', isForAll } = info
  const { path = '', strategies } = readLogin(app) ?? {}

  return {
    title,
    version,
    isForAll,
    login: strategies ? { path, strategies: strategies.map(toStrategy) } : null,
    socket: readSocket(app)
  }
}

function toStrategy({ name, fields }: ManifestStrategy): PageStrategy {
  if (name === 'jwt') return { name, fields: ['accessToken'] }

  return { name, fields: fields.length > 0 ? fields : null }
}

function toPageService(service: ManifestService, found: ReadonlySet<string>): PageService {
  const { path, id, by = id, definition, methods, isSingleton, parent = {} } = service
  const query = !isSingleton && definition && isFieldTable(definition.query) ? definition.query : undefined
  const hidden = listHidden(service)
  const isShown = (path: string) => !isHidden(path, hidden)

  return {
    path,
    id: by,
    isSingle: isSingleton,
    parents: Object.fromEntries(
      Object.values(parent).map(({ service, placeholder }) => [placeholder, service])
    ),
    methods: methods.map((method) => toPageMethod(method, definition)),
    columns: definition ? toColumns(definition).filter(isShown) : null,
    filters: query
      ? Object.fromEntries(Object.entries(query.fields).filter(([path]) => isShown(path)))
      : null,
    sort: isSingleton ? [] : (query?.sort.filter(isShown) ?? null),
    operators: query?.operators ?? null,
    envelope: definition?.envelope ?? null,
    relations: Object.entries(definition?.relations ?? {})
      .filter(([name, { path }]) => found.has(path) && isShown(name))
      .map(([name]) => name)
  }
}

function toPageMethod(
  { name, who, hasData, event, routes: [route] }: ManifestMethod,
  definition: SchemaDefinition | undefined
): PageMethod {
  const own = definition && getMethodDefinition(definition, name)
  const data = isStandardMethod(name) ? definition?.data[name] : own?.data
  const { envelope } = definition ?? {}

  return {
    name,
    who,
    hasData,
    event: event?.name ?? null,
    data: toFields(data, envelope?.request ? envelope.one : undefined),
    query: toFields(own?.query),
    route: route
      ? { verb: route.verb, path: route.segments.join('/'), placeholders: route.placeholders }
      : null
  }
}

function toFields(schema: JsonSchema | undefined, within?: string): readonly FormField[] | null {
  const fields = schema ? toFormFields(schema) : null

  if (within === undefined) return fields

  return fields?.map((field) => ({ ...field, path: `${within}.${field.path}` })) ?? null
}

function toColumns({ record, computed }: SchemaDefinition): readonly string[] {
  const fields = toFormFields(record) ?? []
  // Objects are one column.
  return [...new Set([...fields.map(({ names }) => names[0] as string), ...computed])]
}

function readSocket(app: Application): string | null {
  if (!hasSockets(app)) return null

  return (app.io as { path?(): string } | undefined)?.path?.() ?? '/socket.io'
}
