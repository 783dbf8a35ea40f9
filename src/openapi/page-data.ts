// What the page knows of an application, as plain data: it is read from the manifest, like documents and audits.
import { getInternals } from '../core/internals.ts'
import { isStandardMethod } from '../core/methods.ts'
import type { Application } from '../core/types.ts'
import { type ManifestLogin, readLogin } from '../manifest/login.ts'
import {
  hasSockets,
  type ManifestMethod,
  type ManifestService,
  readOpenServices,
  readRelatedServices
} from '../manifest/services.ts'
import { CURSOR_FIELDS } from '../query/operators.ts'
import { toAlternatives } from '../schema/alternatives.ts'
import { getMethodDefinition, isFieldTable, type SchemaDefinition } from '../schema/compile.ts'
import type { Envelope } from '../schema/envelope.ts'
import { type Field, isHidden } from '../schema/fields.ts'
import { getProperties, isOpenObject, type JsonSchema } from '../schema/json-schema.ts'
import { type FormField, toFormFields } from './form-fields.ts'
import { isLogin } from './login.ts'
import { type PageLogin, toCredentialFields, toPageLogin } from './page-login.ts'
import { listOperators } from './parameters.ts'
import { listHidden } from './service-schemas.ts'

/** What the page knows of an application before anyone has logged in. */
export interface LoginData {
  readonly title: string
  readonly version: string
  /** Whether everyone gets the rest too. */
  readonly isForAll: boolean
  /** How to log in; `null` without an authentication service. */
  readonly login: PageLogin | null
  /** Where events come from; `null` where they come neither by Socket.IO nor by `alula/events`. */
  readonly events: PageEvents | null
}

/** Where events come from. */
export interface PageEvents {
  /** For Socket.IO on the server; for `alula/events` below the API. */
  readonly path: string
  readonly isSocket: boolean
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
  /** The columns of its table; `null` where its fields are not declared. */
  readonly columns: readonly string[] | null
  /** The fields of its records as clients get them; `null` where they are not declared. */
  readonly fields: readonly FormField[] | null
  /** What may be queried, by path; `null` where that is not declared. */
  readonly filters: { readonly [path: string]: Field } | null
  readonly sort: readonly string[] | null
  /** The operators that may stand under a field; `null` where that is not declared. */
  readonly operators: readonly string[] | null
  /** Whether queries take `$limit`. */
  readonly hasLimit: boolean
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
  /** The fields of its data; `null` where they are not known. */
  readonly data: readonly FormField[] | null
  /** The fields of its query, of a custom method; `null` where they are not known. */
  readonly query: readonly FormField[] | null
  /** What it returns, in words. */
  readonly returns: string
  /** The fields of its result, of a custom method; `null` where they are not known. */
  readonly result: readonly FormField[] | null
  /** The first route of a custom method; `null` for one that is called by its name. */
  readonly route: {
    readonly verb: string
    readonly path: string
    readonly placeholders: readonly string[]
  } | null
}

/** What the page says of the application. */
export interface PageInfo {
  readonly title?: string
  readonly version?: string
  readonly isForAll: boolean
}

/** Reads what the page shows. */
export function toPageData(app: Application): PageData {
  const services = readOpenServices(app)
  const found = [...services, ...readRelatedServices(app, services)].filter(({ isFound }) => isFound)
  const paths = new Set(found.map(({ path }) => path))
  const login = readLogin(app)
  // The service that logs in comes last: nothing is seen there.
  const sorted = [...services].sort((a, b) => Number(isLogin(a, login)) - Number(isLogin(b, login)))

  return {
    services: sorted.map((service) => {
      const page = toPageService(service, paths)

      return login && isLogin(service, login) ? withCredentials(page, login) : page
    })
  }
}

/** The service that logs in: its data are the credentials of all strategies. */
function withCredentials(service: PageService, login: ManifestLogin): PageService {
  const methods = service.methods.map((method) =>
    method.name === 'create'
      ? { ...method, data: toCredentialFields(login), returns: 'an access token and the user' }
      : method
  )

  return { ...service, methods }
}

/** Reads what the page needs for a login. */
export function toLoginData(app: Application, info: PageInfo): LoginData {
  const { title = 'API', version = '', isForAll } = info
  const login = readLogin(app)

  return {
    title,
    version,
    isForAll,
    login: login ? toPageLogin(login) : null,
    events: readEvents(app)
  }
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
    methods: methods.map((method) => toPageMethod(method, service, isShown)),
    columns: definition ? toColumns(definition).filter(isShown) : null,
    fields: toFields(definition && getOutput(definition))?.filter(({ path }) => isShown(path)) ?? null,
    filters: query
      ? Object.fromEntries(Object.entries(query.fields).filter(([path]) => isShown(path)))
      : null,
    sort: isSingleton ? [] : (query?.sort.filter(isShown) ?? null),
    operators: query ? listOperators(service, query) : null,
    hasLimit: !isSingleton && (!definition || isFieldTable(definition.query) || takesLimit(definition.query)),
    envelope: definition?.envelope ?? null,
    relations: Object.entries(definition?.relations ?? {})
      .filter(([name, { path }]) => found.has(path) && isShown(name))
      .map(([name]) => name)
  }
}

function toPageMethod(
  { name, who, hasData, routes: [route] }: ManifestMethod,
  service: ManifestService,
  isShown: (path: string) => boolean
): PageMethod {
  const { definition } = service
  const own = definition && getMethodDefinition(definition, name)
  const data = isStandardMethod(name) ? definition?.data[name] : own?.data
  const { envelope, hidden = [] } = definition ?? {}

  return {
    name,
    who,
    hasData,
    data: toFields(data, envelope?.request ? envelope.one : undefined),
    query: toFields(own?.query)?.filter(({ path }) => isShown(path)) ?? null,
    returns: toReturns(name, service),
    result:
      toFields(own?.result)?.filter(({ path }) => isShown(path) && !isWithinHidden(path, hidden)) ?? null,
    route: route
      ? { verb: route.verb, path: route.segments.join('/'), placeholders: route.placeholders }
      : null
  }
}

/** Whether a path leads through a hidden field, in whatever object: results of custom methods have records anywhere. */
function isWithinHidden(path: string, hidden: readonly string[]): boolean {
  return hidden.some((one) => `.${path}.`.includes(`.${one}.`))
}

/** Whether a schema for queries takes `$limit`, by name or as whatever it does not name. */
function takesLimit(query: JsonSchema): boolean {
  return toAlternatives(query, query).some((part) => getProperties(part).has('$limit') || isOpenObject(part))
}

/** What responses are; `undefined` where a view does not say what it makes of them. */
function getOutput({ hasView, view, record }: SchemaDefinition): JsonSchema | undefined {
  return hasView ? view : record
}

function toReturns(name: string, { definition, page }: ManifestService): string {
  if (!isStandardMethod(name)) return definition ? 'a result' : 'what the method returns'
  if (name !== 'find') return 'the record'
  if (!page) return 'a list of records'
  if (page.hasCursors) return `a page of records: ${['data', 'limit', ...CURSOR_FIELDS].join(', ')}`

  return `a page of records: ${page.hasTotal ? 'total, ' : ''}limit, skip, data`
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

function readEvents(app: Application): PageEvents | null {
  if (hasSockets(app)) {
    const { io } = app as { io?: { path?(): string } }

    return { path: io?.path?.() ?? '/socket.io', isSocket: true }
  }

  const { eventsPath } = getInternals(app)

  return eventsPath === undefined ? null : { path: eventsPath, isSocket: false }
}
