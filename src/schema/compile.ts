import { getServiceOptions, getUpsertKey, isUpsert } from '../core/service.ts'
import type { FeathersService, Id, Query } from '../core/types.ts'
import { listAsked } from '../query/asked.ts'
import type { QueryOptions } from '../query/parse.ts'
import { VALIDATED } from '../query/validated.ts'
import { addServiceSlots } from '../utils/call-state.ts'
import { isFunction, isObject, isStringList } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import type { Mark } from '../utils/dispatch.ts'
import { andThen } from '../utils/promise.ts'
import { toNames } from './alternatives.ts'
import { assertComputed } from './computed.ts'
import { compileData, compileValue, type DataCheck, type DataSettings } from './data.ts'
import {
  getAjv,
  hasAjvOfQueries,
  isQuerySettings,
  type LongForm,
  listHiddenFields,
  type MethodSchemas,
  type QuerySettings
} from './declaration.ts'
import { makePartial, omitFields } from './derive.ts'
import type { Envelope } from './envelope.ts'
import { toBadRequest } from './faults.ts'
import { ANY_FIELD, type Field, type FieldTable, findField, isHidden, toFieldTable } from './fields.ts'
import { HiddenFields } from './hidden.ts'
import { getProperties, hasPart, isOpenObject, isUndescribed, type JsonSchema } from './json-schema.ts'
import { assertKeywords, toCheckedValidator } from './keywords.ts'
import { compilePicker, type OutputRules, type Picker } from './output.ts'
import { compileQuery, type QueryCheck, toId } from './query.ts'
import { listReachable } from './references.ts'
import { isCountRelation, listFilters, type Relation, type Relations } from './relation.ts'
import { getExternalNames, getVirtualNames } from './resolvers.ts'
import { mayHavePath, readShape } from './shape.ts'
import { withTimestamps } from './timestamps.ts'
import { leaveOutUndeclared } from './unknown.ts'
import type { AnySchema, Validator } from './validator.ts'

/** What a service checks, as plain data. */
export interface SchemaDefinition {
  readonly record: JsonSchema
  /** What the data of each method may be: `create`, `update` and `patch`, as far as the service has them. */
  readonly data: { readonly [method: string]: JsonSchema }
  /** Which queries clients may send: by field, or as a schema. */
  readonly query: QueryDefinition | JsonSchema
  /** The custom methods by name. */
  readonly methods: { readonly [method: string]: MethodDefinition }
  /** The fields that the server sets. */
  readonly server: readonly string[]
  /** The paths of fields that never leave. */
  readonly hidden: readonly string[]
  /** The names of fields that are made for each result. */
  readonly computed: readonly string[]
  /** What is related to a record, by name. */
  readonly relations: Relations
  /** The names of relations that are included by default. */
  readonly include: readonly string[]
  readonly extra: 'drop' | 'keep'
  readonly unknown: 'refuse' | 'drop'
  /** The fields that clients get otherwise than they are, by resolvers. */
  readonly resolved: readonly string[]
  /** The fields that requests and responses have their records in. */
  readonly envelope?: Envelope
  /** Whether responses are made by a function of the service. */
  readonly hasView: boolean
  /** The statuses of successful HTTP responses by method, where they are not the usual ones. */
  readonly status: { readonly [method: string]: number }
  /** What that function makes, where it says so. */
  readonly view?: JsonSchema
  /** Whether this is checked by the schema; otherwise it only describes what the hooks of the service do. */
  readonly enforce: boolean
}

/** The queries that clients may send. */
export interface QueryDefinition {
  readonly fields: { readonly [path: string]: Field }
  readonly sort: readonly string[]
  /** The operators that are allowed; all that the service has when left out. */
  readonly operators?: readonly string[]
}

/** Whether queries are described by field, and not by a schema. */
export function isFieldTable(query: QueryDefinition | JsonSchema): query is QueryDefinition {
  return typeof query.fields === 'object' && Array.isArray(query.sort)
}

/** What a custom method takes and returns. */
export interface MethodDefinition {
  readonly data?: JsonSchema
  readonly result?: JsonSchema
  readonly query?: JsonSchema
}

/** What is known of a declaration once the service is. */
export interface CompiledSchema {
  /** The name of the id field. */
  readonly id: string
  readonly definition: SchemaDefinition
  /** Whether a record may be somewhere in a result where the schema names no fields. */
  readonly holdsRecords: boolean
  readonly validators: readonly Validator[]
  /** Converts an id that a client sent, or the value of the field that stands in its place. */
  readonly convertId: (id: Id, by?: string) => Id
  readonly checks: ReadonlyMap<string, MethodChecks>
  /** Copies what clients may see of a record. */
  readonly pick: Picker
  /** The mark of the records: what `pick` makes of them. */
  readonly mark: Mark
  /** The same for events that the service sends by itself, which no resolver sees. */
  readonly pickEvent: Picker
  /** The same for the results of custom methods that have a schema. */
  readonly pickers: ReadonlyMap<string, Picker>
  /** The same for what a view with a schema makes. */
  readonly pickView?: Picker | undefined
}

/** What the schema of a registered service says; `undefined` for a service without one, and before a table was read. */
export function getSchemaDefinition(service: object): SchemaDefinition | undefined {
  const { schema } = getServiceOptions(service) ?? {}

  return (schema as { readonly definition?: SchemaDefinition } | undefined)?.definition
}

/** The fields that the schema of a service declares; `undefined` where records may have others. */
export function listDeclared(service: FeathersService): readonly string[] | undefined {
  const definition = getSchemaDefinition(service)

  return definition && !mayHaveMore(definition) ? toNames(definition.record) : undefined
}

/** Whether records may have fields that the schema does not declare. */
export function mayHaveMore({ extra, record }: SchemaDefinition): boolean {
  return extra === 'keep' || isOpenObject(record)
}

/** Whether a record of the service may be somewhere in a result where its schema names no fields: a hook may put it there. */
function mayHoldRecords(definition: SchemaDefinition): boolean {
  const { record, hasView, computed } = definition

  return hasView || computed.length > 0 || mayHaveMore(definition) || hasPart(record, isUndescribed)
}

/** What the schema of a service says of a custom method; `undefined` where it says nothing. */
export function getMethodDefinition(
  { methods }: Pick<SchemaDefinition, 'methods'>,
  name: string
): MethodDefinition | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined
}

/** Whether the results of a custom method are records of the service, which leave as those of standard methods do. */
export function returnsRecords(definition: SchemaDefinition, name: string): boolean {
  return getMethodDefinition(definition, name)?.result === definition.record
}

/** The checks of one method. */
export interface MethodChecks {
  readonly data?: DataCheck | undefined
  readonly query?: QueryCheck | undefined
}

type Parts<T> = { readonly [Part in keyof MethodSchemas]: T }

/** A custom method, with the validators of what it takes and returns. */
type Method = readonly [name: string, parts: Parts<Validator>]

/** What the definition of a service says, beside its declaration. */
interface Compiled {
  readonly queries: SchemaDefinition['query']
  readonly validators: ReadonlyMap<string, Validator>
  readonly methods: readonly Method[]
  readonly view: Validator | undefined
  /** The names of the computed fields. */
  readonly computed: readonly string[]
  /** The validator of the data of `upsert`, where the declaration does not describe it. */
  readonly upserted: Validator | undefined
}

/**
 * Compiles what a service checks. `onDropped` gets the path of a field that is dropped because it is not declared. Throws
 * TypeError for schemas that cannot be derived, and for names that the record does not have.
 */
export function compileSchema(
  declaration: LongForm,
  record: Validator,
  service: FeathersService,
  id: string,
  onDropped: (path: string) => void
): CompiledSchema {
  const form = withTimestamps(withParents(declaration, service), record.output)
  const { hidden = [], resolvers } = form
  const computed = getComputedNames(form)

  assertKeywords(form.record, 'The record of schema()', getAjv(form, 'data'))
  assertPaths(listHiddenFields(form), record.output)
  assertComputed(form.computed ?? {}, id)

  // What is made for each result is not stored, so no query finds it.
  const table = toQueryable(form, record.output, new HiddenFields([...hidden, ...computed], record.output))
  const output = toOutputRules(form, record.output, onDropped)
  const validators = createValidators(form, record, service, id)
  const view = toViewValidator(form)
  const methods = listMethods(form, record)
  const { definition: queries, ...query } = compileQueries(form, table, record, service, id)
  const pick = compilePicker(output)
  const convertId = (value: Id, by = id) => toId(value, table.get(by))
  const settings = { id, convertId, parents: listParents(service) }
  // It takes what `create` takes, unless the declaration describes it.
  const upserted = isUpsert(service, 'upsert') && !form.methods?.upsert ? validators.get('create') : undefined
  const definition = toDefinition(form, record, { queries, validators, methods, view, computed, upserted })

  return {
    id,
    checks: new Map([
      ...compileChecks(form, validators, methods, query, settings),
      ...(upserted ? [['upsert', { data: compileUpsert(form, upserted, settings, service) }] as const] : [])
    ]),
    pick,
    mark: { show: pick },
    pickEvent: compilePicker({ ...output, hidden: [...hidden, ...getExternalNames(resolvers)] }),
    pickers: new Map(
      methods.flatMap(([name, { result }]) =>
        result && result !== record ? [[name, compileResultPicker(result.output)] as const] : []
      )
    ),
    pickView: view && compileResultPicker(view.output),
    convertId,
    validators: [
      ...(view ? [view] : []),
      ...new Set(validators.values()),
      ...methods.flatMap(([, parts]) => Object.values(parts))
    ],
    definition,
    holdsRecords: mayHoldRecords(definition)
  }
}

/** What clients see of records. */
function toOutputRules(form: LongForm, schema: JsonSchema, onDropped: (path: string) => void): OutputRules {
  const { hidden = [], extra, relations = {}, computed = {} } = form
  const names = toNames(schema)
  const made = getComputedNames(form).filter((name) => computed[name] || !names.includes(name))

  return {
    schema,
    hidden,
    computed: [...made, ...Object.keys(relations)],
    keepsExtra: extra === 'keep',
    showsAnything: extra === 'keep',
    onDropped
  }
}

/** What a declaration says, for documents and for other services. */
function toDefinition(
  form: LongForm,
  record: Validator,
  { queries, validators, methods, view, computed, upserted }: Compiled
): SchemaDefinition {
  const { hidden = [], relations = {}, extra = 'drop', resolvers } = form

  return {
    record: record.output,
    data: Object.fromEntries([...validators].map(([method, { input }]) => [method, input])),
    query: queries,
    methods: Object.fromEntries([
      ...methods.map(([name, parts]) => [name, toMethodDefinition(parts)] as const),
      ...(upserted ? [['upsert', { data: upserted.input, result: record.output }] as const] : [])
    ]),
    server: Object.keys(form.server ?? {}),
    hidden,
    computed,
    relations,
    include: form.include ?? [],
    extra,
    unknown: form.unknown ?? 'refuse',
    resolved: getExternalNames(resolvers),
    ...(form.envelope && { envelope: form.envelope }),
    hasView: form.view !== undefined,
    status: form.status ?? {},
    ...(view && { view: view.output }),
    enforce: form.enforce ?? true
  }
}

/**
 * A declaration for a service with parents: their fields are fields of the server. Throws TypeError where the declaration sets
 * such a field itself.
 */
export function withParents<Form extends Pick<LongForm, 'server'>>(form: Form, service: object): Form {
  const names = listParents(service)
  const twice = names.find((name) => form.server?.[name])

  if (twice !== undefined) {
    throw createTypeError(
      'ALULA_CONFLICTING_FIELD',
      `The schema has the field '${twice}' in 'server', and the path of its service sets it: leave it out`
    )
  }

  if (names.length === 0) return form

  return {
    ...form,
    server: { ...form.server, ...Object.fromEntries(names.map((name) => [name, undefined])) }
  }
}

/** The fields that the path of a service sets. */
function listParents(service: object): readonly string[] {
  return Object.keys(getServiceOptions(service).parent ?? {})
}

/** What the check of data knows of the service: its id, what converts one, and the fields that its path sets. */
type RecordSettings = Pick<CompiledSchema, 'id' | 'convertId'> & Required<Pick<DataSettings, 'parents'>>

function compileChecks(
  form: LongForm,
  validators: ReadonlyMap<string, Validator>,
  methods: readonly Method[],
  query: QueryChecks,
  settings: RecordSettings
): ReadonlyMap<string, MethodChecks> {
  const checks = new Map<string, MethodChecks>()

  checks.set('find', { query: query.lenient })
  checks.set('get', { query: query.lenient })
  checks.set('remove', { query: query.check })
  for (const [method, validator] of validators) {
    checks.set(method, { query: query.check, data: compileMethod(form, method, validator, settings) })
  }
  for (const [name, { data, query: ofMethod }] of methods) {
    checks.set(name, {
      data: data && compileValue(data, form.unknown, 'data'),
      query: ofMethod && compileQuerySchema(ofMethod, form)
    })
  }

  return checks
}

/**
 * Checks the data of `upsert`, and leaves it to `create` or `patch` to convert it and to add the fields of the server. The key
 * is that of the record which `create` would make of it.
 */
function compileUpsert(
  form: LongForm,
  validator: Validator,
  settings: RecordSettings,
  service: object
): DataCheck {
  const by = getUpsertKey(service)
  const server = Object.fromEntries(
    Object.entries(form.server ?? {}).map(([name, make]) => [name, by.includes(name) ? make : undefined])
  )
  const check = compileMethod({ ...form, server }, 'create', validator, settings)

  return (data, source, context) =>
    andThen(check(data, source, context), (checked) => {
      if (isObject(checked)) {
        const pickKey = (record: Query) => Object.fromEntries(by.map((name) => [name, record[name]]))
        // A copy: later hooks may change the data in place.
        const upsertKey = { values: pickKey(checked), data: pickKey(data as Query) }

        context.params = addServiceSlots(context.params, service, { upsertKey })
      }

      return data
    })
}

function compileResultPicker(schema: JsonSchema): Picker {
  const rules = { keepsExtra: false, showsAnything: true, hidden: [], computed: [] }

  return compilePicker({ schema, ...rules, onDropped: () => undefined })
}

function toViewValidator({ view, ...form }: LongForm): Validator | undefined {
  if (!view || isFunction(view)) return undefined

  return toCheckedValidator(view.schema, "'schema' of 'view'", getAjv(form, 'data'))
}

/** The fields that are made for each result. */
function getComputedNames({ computed, resolvers }: LongForm): readonly string[] {
  return [...new Set([...Object.keys(computed ?? {}), ...getVirtualNames(resolvers)])]
}

/** The validators of the methods that the service has; derived from the record where the form has none. */
function createValidators(
  form: LongForm,
  record: Validator,
  service: FeathersService,
  id: string
): ReadonlyMap<string, Validator> {
  const omitted = [id, ...Object.keys(form.server ?? {}), ...getComputedNames(form)]
  let derived: AnySchema | undefined
  const toCreate = () => {
    derived ??= form.create ?? omitFields(form.record, omitted, toNames(record.output))

    return derived
  }
  const schemas: readonly [string, () => AnySchema][] = [
    ['create', toCreate],
    ['update', () => form.update ?? toCreate()],
    ['patch', () => form.patch ?? makePartial(toCreate(), omitted, form.enforce !== false)]
  ]
  const present = schemas.filter(([method]) =>
    isFunction((service as object as { [name: string]: unknown })[method])
  )

  // `update` has the schema of `create` unless it is written.
  const known = new Map<AnySchema, Validator>()

  return new Map(
    present.map(([method, toSchema]) => {
      const schema = toSchema()
      const validator =
        known.get(schema) ?? toCheckedValidator(schema, `The schema for '${method}'`, getAjv(form, 'data'))

      known.set(schema, validator)

      return [method, validator]
    })
  )
}

function compileMethod(
  form: LongForm,
  method: string,
  validator: Validator,
  { id, convertId, parents }: RecordSettings
): DataCheck {
  const { server = {}, hidden = [], unknown } = form
  const names = toNames(validator.input)
  const twice = Object.keys(server).find((name) => names.includes(name))

  if (twice !== undefined) {
    throw createTypeError(
      'ALULA_CONFLICTING_FIELD',
      `The schema for '${method}' has the field '${twice}', which the server sets: leave it out`
    )
  }

  return compileData({
    validator,
    server,
    parents,
    unknown,
    id: names.includes(id) ? undefined : id,
    hidesId: hidden.includes(id),
    convertId,
    writes: method as 'create' | 'update' | 'patch'
  })
}

/** A result that is the record of the service has the validator of that: its records leave as all others do. */
function listMethods(form: LongForm, record: Validator): readonly Method[] {
  const toPart = (name: string, part: string, schema: AnySchema): Validator =>
    part === 'result' && schema === form.record
      ? record
      : toCheckedValidator(
          schema,
          `'${part}' of the method '${name}'`,
          getAjv(form, part === 'query' ? 'query' : 'data')
        )

  return Object.entries(form.methods ?? {}).map(([name, parts]) => [
    name,
    Object.fromEntries(
      Object.entries(parts).flatMap(([part, schema]) => (schema ? [[part, toPart(name, part, schema)]] : []))
    )
  ])
}

function toMethodDefinition({ data, result, query }: Parts<Validator>): MethodDefinition {
  return {
    ...(data && { data: data.input }),
    ...(result && { result: result.output }),
    ...(query && { query: query.input })
  }
}

/** A path that leads nowhere hides nothing. */
function assertPaths(hidden: readonly string[], record: JsonSchema): void {
  const shape = readShape(record)
  const missing = hidden.find((path) => !mayHavePath(shape, path.split('.')))

  if (missing === undefined) return

  throw createTypeError(
    'ALULA_UNKNOWN_FIELD',
    `The record of schema() has nothing at '${missing}', which 'hidden' names. A path has no numbers for places in a list`
  )
}

/** The fields that queries may name: those of the table, and the deeper ones that the settings of queries name. */
function toQueryable({ query = {} }: LongForm, record: JsonSchema, hidden: HiddenFields): FieldTable {
  const table = new Map(toFieldTable(record))
  const named = isQuerySettings(query) ? [...(query.fields ?? []), ...(query.sort ?? [])] : []

  for (const path of named) {
    const field = table.get(path) ?? findField(record, path)

    if (field) table.set(path, field)
  }

  return new Map([...table].filter(([path]) => !hidden.tellsOfHidden(path)))
}

/** The checks of queries. */
interface QueryChecks {
  readonly check: QueryCheck
  /** That of `find` and `get`, which may leave out what is not declared: with other methods the call would concern more records. */
  readonly lenient: QueryCheck
}

function compileQueries(
  form: LongForm,
  table: FieldTable,
  record: Validator,
  service: FeathersService,
  id: string
): QueryChecks & { readonly definition: QueryDefinition | JsonSchema } {
  const { check, definition } = compileStrictQueries(form, table, record, service)

  if (form.unknown !== 'drop') return { check, definition, lenient: check }

  const names = [
    id,
    ...getComputedNames(form),
    ...Object.keys(form.relations ?? {}),
    ...listFilterNames(service)
  ]
  const query = isQuerySettings(form.query ?? {}) ? undefined : (definition as JsonSchema)
  const declared = { record: record.output, table, names, query }

  return { check, definition, lenient: leaveOutUndeclared(check, declared) }
}

function compileStrictQueries(
  form: LongForm,
  table: FieldTable,
  record: Validator,
  service: FeathersService
): { check: QueryCheck; definition: QueryDefinition | JsonSchema } {
  const { query = {}, relations = {}, hidden = [] } = form

  if (!isQuerySettings(query)) {
    const validator = toCheckedValidator(query, "'query' of schema()", getAjv(form, 'query'))
    const check = compileQuerySchema(validator, form)

    return {
      check:
        hidden.length === 0
          ? check
          : refuseHidden(check, validator.input, new HiddenFields(hidden, record.output)),
      definition: validator.input
    }
  }

  const virtual = getVirtualNames(form.resolvers)
  const counts = Object.keys(relations).filter(
    (name) => isCountRelation(relations[name] as Relation) && !isHidden(name, hidden)
  )

  assertQueryable(query, table, counts, hidden)

  const fields = new Map([...table].filter(([path]) => query.fields?.includes(path) ?? true))
  const sort =
    query.sort ?? [...fields].flatMap(([path, { kinds }]) => (kinds.includes('list') ? [] : [path]))
  const definition: QueryDefinition = {
    fields: Object.fromEntries(fields),
    sort,
    ...(query.operators && { operators: query.operators })
  }
  const check = compileQuery({
    // The other service checks what its fields are compared with.
    fields: new Map([...fields, ...listFilters(relations).map((name) => [name, ANY_FIELD] as const)]),
    sort: query.sort ?? [...sort, ...counts],
    operators: query.operators,
    selectable: [
      ...[...table.keys(), ...toNames(record.output)].filter((path) => !hidden.includes(path)),
      ...Object.keys({ ...form.computed, ...relations })
    ].filter((path) => !virtual.includes(path)),
    further: listFilterNames(service),
    convertSetting: (name, value) => convertFilter(service, name, value),
    hasContains: (query.operators ?? getOperators(service)).includes('$contains')
  })

  return { check, definition }
}

/** The settings of queries name fields that the record has, or counts to sort by, and none that are hidden. */
function assertQueryable(
  { fields, sort }: QuerySettings,
  table: FieldTable,
  counts: readonly string[],
  hidden: readonly string[]
): void {
  const sorted = sort?.filter((name) => !counts.includes(name))

  for (const [name, paths] of Object.entries({ fields, sort: sorted })) {
    const missing = paths?.find((path) => !table.has(path))

    if (missing === undefined) continue
    if (isHidden(missing, hidden)) {
      throw createTypeError(
        'ALULA_INVALID_SCHEMA',
        `'${name}' of 'query' of schema() names '${missing}', which clients cannot query because it is hidden`
      )
    }

    throw createTypeError(
      'ALULA_UNKNOWN_FIELD',
      `The record of schema() has no field '${missing}', which '${name}' of 'query' names${didYouMean(missing, [...table.keys()])}`
    )
  }
}

/** Names at the top of a query that the adapter was told to take: one that is `undefined` is a condition. */
function listFilterNames(service: object): readonly string[] {
  const filters = getFilters(service)

  return Object.keys(filters).filter((name) => filters[name] !== undefined)
}

/** What the adapter makes of a value at the top of a query. */
function convertFilter(service: object, name: string, value: unknown): unknown {
  const convert = getFilters(service)[name]

  return isFunction(convert) ? convert(value, (service as { options: QueryOptions }).options) : value
}

function getFilters(service: object): NonNullable<QueryOptions['filters']> {
  return (service as { options?: QueryOptions }).options?.filters ?? {}
}

function getOperators(service: object): readonly string[] {
  const { operators } = (service as { options?: { operators?: unknown } }).options ?? {}

  return isStringList(operators) ? operators : []
}

/** A schema that takes any name does not open the hidden fields: it has to name them. */
function refuseHidden(check: QueryCheck, schema: JsonSchema, hidden: HiddenFields): QueryCheck {
  const named = new Set(
    [schema, ...listReachable(schema, schema)].flatMap((part) => [...getProperties(part).keys()])
  )

  return (query, isUrl) => {
    const refused = listAsked(query).filter((path) => !named.has(path) && hidden.tellsOfHidden(path))

    if (refused.length > 0) {
      throw toBadRequest(
        'query',
        refused.map((path) => ({ path, message: 'is not a field that can be queried' }))
      )
    }

    return check(query, isUrl)
  }
}

function compileQuerySchema(validator: Validator, form: LongForm): QueryCheck {
  const check = compileValue(validator, 'refuse', 'query')

  // As by field, strings are converted whichever way the query came.
  if (!hasAjvOfQueries(form)) {
    return (query) => check(query, { isOutside: true, isForm: true }) as Query
  }

  // The instance does what `validateQuery` of Feathers did.
  return async (query) => {
    const checked = await check(query, { isOutside: true, isForm: false })

    return Object.defineProperty(checked as Query, VALIDATED, { value: true })
  }
}
