import type { HookContext } from '../core/types.ts'
import { getTraits, type TRAITS } from '../hooks/traits.ts'
import { isBoolean, isFunction, isObject, isStringList } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import type { Envelope } from './envelope.ts'
import { isRelations, type Relation } from './relation.ts'
import { isResolverSettings, type ResolverSettings } from './resolvers.ts'
import { isStandardSchema } from './standard.ts'
import type { AjvLike, AnySchema } from './validator.ts'

/** Makes the value of a field that clients cannot set. It may be a promise. */
export type ServerValue<Value = unknown, Context = HookContext> = (context: Context) => Value | Promise<Value>

/** The context that values of the server are made with. Its data is that of one record, after it was checked. */
export interface WriteContext<Data = any> extends HookContext {
  data: Data
}

/** A server value that is made anew with each write. */
export type WrittenValue<Value = unknown, Context = HookContext> = ServerValue<Value, Context> & {
  readonly [TRAITS]: { readonly onWrite: true }
}

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of a server value: whether it is made with each write. */
    readonly onWrite?: true
  }
}

/** Which queries clients may send. */
export interface QuerySettings {
  /** The fields that may be filtered by, as paths; all that the record declares when left out. */
  readonly fields?: readonly string[]
  /** The fields and counts that may be sorted by; when left out, those fields that may be filtered by, and all counts. */
  readonly sort?: readonly string[]
  /** The operators that may be used, such as `$gt`; all that the service has when left out. */
  readonly operators?: readonly string[]
}

/** What a custom method takes and returns. What is left out is not checked. */
export interface MethodSchemas {
  readonly data?: AnySchema
  readonly result?: AnySchema
  readonly query?: AnySchema
}

/** A field that is made for each result. */
export interface Computed<Value = any> {
  /** The fields of the record that it is made from; they are read even when `$select` leaves them out. */
  readonly from: readonly string[]
  /** Makes the values for all records of a result, in their order; called once for a page. */
  readonly many: (
    records: readonly any[],
    context: HookContext
  ) => readonly Value[] | Promise<readonly Value[]>
}

/** What a view gets: the context after the call, with what the client would get without the view as `dispatch`. */
export interface ViewContext extends HookContext {
  dispatch: any
}

/** Makes what a client gets in response to a call. It may be a promise. */
export type ViewFunction<Response = unknown> = (context: ViewContext) => Response | Promise<Response>

/** A view that says what its responses are: of what it makes, undeclared fields are left out. */
export interface View<Response = any> {
  readonly schema: AnySchema
  readonly make: ViewFunction<Response>
}

/** What a service checks, beside the schemas of its records. */
export interface SchemaSettings {
  /** Fields that the server sets; clients cannot. The store makes those that are `undefined`. */
  readonly server?: { readonly [field: string]: ServerValue | WrittenValue | undefined }
  /**
   * Whether the server sets `createdAt` of new records and `updatedAt` with each write, as the record declares them: a number
   * of milliseconds, a string in ISO 8601, or a `Date`.
   */
  readonly timestamps?: boolean
  /** Paths of fields that never leave, and cannot be queried; and relations, which code and computed fields see alone. */
  readonly hidden?: readonly string[]
  /** Fields that are made for each result and are not stored. */
  readonly computed?: { readonly [field: string]: Computed }
  /** What is related to a record, made by `one`, `many`, `count` and `exists`. */
  readonly relations?: { readonly [name: string]: Relation }
  /**
   * The relations that calls of clients include where they ask for no others, as `$include` names them: `['author.team']`. With
   * `$select`, those that it names. Internal calls and events have them only when they ask.
   */
  readonly include?: readonly string[]
  /** Whether fields that the record does not declare leave too: `'keep'`, for services whose hooks add some. */
  readonly extra?: 'drop' | 'keep'
  /** The fields that requests and responses of clients have their records in. Events and internal calls have none. */
  readonly envelope?: Envelope
  /**
   * Makes what a client gets in response to a call, where that is no envelope: `({ dispatch }) => ({ note: dispatch })`.
   * `dispatch` is what it would get without; events stay as they are. Documents and types know a view with a schema.
   */
  readonly view?: ViewFunction | View
  /**
   * The statuses of successful HTTP responses by method, where they are not 201 for `create` and 200: `{ remove: 204 }`. One
   * with 204 has no body.
   */
  readonly status?: { readonly [method: string]: number }
  /** Custom methods by name. */
  readonly methods?: { readonly [method: string]: MethodSchemas }
  /** Which queries clients may send; a schema takes the place of what the record declares. */
  readonly query?: QuerySettings | AnySchema
  /** What becomes of fields that no schema declares: they are refused, or with `'drop'` left out. */
  readonly unknown?: 'refuse' | 'drop'
  /**
   * What becomes of differences between the record and the table of the service: the application does not start, or with
   * `'warn'` it starts all the same.
   */
  readonly drift?: 'refuse' | 'warn'
  /** An instance of Ajv for JSON Schemas, in place of the library’s own. */
  readonly ajv?: AjvLike | AjvOfKinds
  /** Resolvers of `@feathersjs/schema`, which take the place of its hooks. */
  readonly resolvers?: ResolverSettings
  /** With `false` the schema only describes: the hooks of the service check, and what leaves is left to them. */
  readonly enforce?: boolean
}

/** Instances of Ajv for data and for queries. That for queries converts strings by itself, with `coerceTypes`. */
export interface AjvOfKinds {
  readonly data?: AjvLike
  readonly query?: AjvLike
}

/** The long form: schemas for what cannot be derived from the record. */
export interface LongForm extends SchemaSettings {
  readonly record: AnySchema
  readonly create?: AnySchema
  readonly update?: AnySchema
  readonly patch?: AnySchema
}

const isSchema = (value: unknown): boolean => isStandardSchema(value) || isObject(value)

const SCHEMA: OptionChecks[string] = [isSchema, 'a schema']

/** What each setting of `schema` may be. */
export const CHECKS: OptionChecks = {
  record: SCHEMA,
  create: SCHEMA,
  update: SCHEMA,
  patch: SCHEMA,
  query: [isSchema, 'an object with fields, sort and operators, or a schema'],
  server: [isFunctions, 'an object with a function for each field'],
  timestamps: [isBoolean, 'true or false'],
  hidden: [isStringList, 'an array of paths'],
  computed: [isComputed, 'an object with `from` and `many` for each field'],
  relations: [isRelations, 'an object with one(), many(), count() or exists() for each name'],
  include: [isStringList, 'an array of names of relations'],
  extra: [(value) => value === 'drop' || value === 'keep', "'drop' or 'keep'"],
  envelope: [isObject, 'an object'],
  view: [(value) => isFunction(value) || isObject(value), 'a function, or an object with schema and make'],
  status: [isObject, 'an object with a status for each method'],
  methods: [isObject, 'an object with data, result and query for each method'],
  unknown: [(value) => value === 'refuse' || value === 'drop', "'refuse' or 'drop'"],
  drift: [(value) => value === 'refuse' || value === 'warn', "'refuse' or 'warn'"],
  ajv: [
    (value) => isAjv(value) || isAjvOfKinds(value),
    'an instance of Ajv, or an object with instances as data and query'
  ],
  resolvers: [
    isResolverSettings,
    'an object with data, result, external and query, each a resolver or an array of resolvers'
  ],
  enforce: [isBoolean, 'true or false']
}

const METHOD_CHECKS: OptionChecks = { data: SCHEMA, result: SCHEMA, query: SCHEMA }

const QUERY_CHECKS: OptionChecks = {
  fields: [isStringList, 'an array of names'],
  sort: [isStringList, 'an array of names'],
  operators: [isOperators, 'an array of operators, such as $gt']
}

/** Brings both forms of `schema` into the long one. Throws TypeError for anything else. */
export function toLongForm(first: unknown, settings: SchemaSettings | undefined): LongForm {
  if (!isSchema(first)) {
    throw createTypeError(
      'ALULA_INVALID_SCHEMA',
      'schema() expects a schema of the record, or an object that has one as `record`'
    )
  }

  if (settings !== undefined && [first, settings].some(isLongForm)) {
    throw createTypeError(
      'ALULA_INVALID_SCHEMA',
      'schema() expects a record and settings, or one object with the settings and the `record`'
    )
  }

  const form = isLongForm(first) ? first : { ...settings, record: first as AnySchema }

  // What is no object must not be spread into one first.
  assertOptions('schema()', settings === undefined ? form : settings, CHECKS)
  if (form.query && isQuerySettings(form.query)) assertOptions('query of schema()', form.query, QUERY_CHECKS)
  for (const [name, parts] of Object.entries(form.methods ?? {})) {
    assertOptions(`methods.${name} of schema()`, parts, METHOD_CHECKS)
  }

  return form
}

/** Keywords of which the schema of an object has one at least. */
const KEYWORDS = [
  '$schema',
  '$id',
  '$ref',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'patternProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if'
] as const

/** One of them. */
export type SchemaKeyword = (typeof KEYWORDS)[number]

/** Whether `query` narrows what the record declares, and is no schema. A name that is misspelt makes it none. */
export function isQuerySettings(query: QuerySettings | AnySchema): query is QuerySettings {
  return !isStandardSchema(query) && !KEYWORDS.some((keyword) => Object.hasOwn(query, keyword))
}

/** The instance of Ajv that was given for data or for queries. */
export function getAjv({ ajv }: SchemaSettings, kind: keyof AjvOfKinds): AjvLike | undefined {
  return isAjv(ajv) ? ajv : ajv?.[kind]
}

/** Whether queries are converted by an instance of Ajv that was given for them, and not by us. */
export function hasAjvOfQueries({ ajv }: SchemaSettings): boolean {
  return !isAjv(ajv) && ajv?.query !== undefined
}

/** Whether a value is made anew with each write. */
export function isWritten(value: object): boolean {
  return getTraits(value).onWrite === true
}

function isLongForm(value: unknown): value is LongForm {
  return !isStandardSchema(value) && isSchema((value as Partial<LongForm> | null)?.record)
}

/** Whether queries can say a name: dots lead into objects, and operators begin with `$`. */
export function isQueryName(name: string): boolean {
  return !/^$|^\$|\./.test(name)
}

function isOperators(value: unknown): boolean {
  return isStringList(value) && value.every((name) => name.startsWith('$'))
}

function isFunctions(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((make) => make === undefined || isFunction(make))
}

function isComputed(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.values(value).every((field) => isStringList(field?.from) && isFunction(field.many))
  )
}

function isAjv(value: unknown): value is AjvLike {
  return isFunction((value as { compile?: unknown } | null | undefined)?.compile)
}

function isAjvOfKinds(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([kind, instance]) => ['data', 'query'].includes(kind) && (instance === undefined || isAjv(instance))
    )
  )
}

/** The hidden paths that the record has; the others are relations. */
export function listHiddenFields({ hidden = [], relations = {} }: SchemaSettings): readonly string[] {
  return hidden.filter((path) => !Object.hasOwn(relations, path))
}
