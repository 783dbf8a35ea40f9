// What an application does with a declaration. Browsers that only declare do without it: their size counts.
import { getProvider, goesToClient } from '../core/client-call.ts'
import { reportMistake } from '../core/events.ts'
import { assertJsonResult } from '../core/json-result.ts'
import { defaultServiceEvents, getDefinition, isStandardMethod } from '../core/methods.ts'
import { getIdField, getServiceOptions } from '../core/service.ts'
import { withoutPrivateFields } from '../core/shown.ts'
import type {
  Application,
  FeathersService,
  HookContext,
  NormalizedServiceOptions,
  Params,
  Query
} from '../core/types.ts'
import { getTraits } from '../hooks/traits.ts'
import type { AroundHook, Hook } from '../hooks/types.ts'
import { addConditions } from '../query/conditions.ts'
import { describeValue } from '../query/operators.ts'
import { keepValidated } from '../query/validated.ts'
import { getServiceSlots, getSlots, setSlots } from '../utils/call-state.ts'
import { isFunction, isRaw, isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { keepOwner } from '../utils/dispatch.ts'
import type { ErrorCode } from '../utils/error-codes.ts'
import { copyWith, getFirstName, isEmpty, isPlainObject } from '../utils/object.ts'
import { andThen } from '../utils/promise.ts'
import { helpsDevelopers } from '../utils/runtime.ts'
import {
  type CompiledSchema,
  compileSchema,
  listDeclared,
  returnsRecords,
  type SchemaDefinition
} from './compile.ts'
import { addComputed } from './computed.ts'
import type { DataSource } from './data.ts'
import { isQuerySettings, type LongForm, type ViewContext, type ViewFunction } from './declaration.ts'
import { DECLARED, type Declaration, type DescribedExtension, type InnerExtension } from './declared.ts'
import { assertEnforced, assertResponses } from './envelope.ts'
import { HiddenFields } from './hidden.ts'
import { warnOfMissingId } from './missing-id.ts'
import { type Picker, showAll, showOther } from './output.ts'
import { assertSentId } from './own-id.ts'
import { listRecords, type PageTest, pickResult, toPageTest } from './page.ts'
import type { QueryCheck } from './query.ts'
import type { Relations } from './relation.ts'
import { compileExternal, compileResult, type ResolverSettings, resolveInput } from './resolvers.ts'
import { compileResultCheck, type ResultCheck } from './result.ts'
import { dropSources, selectSources } from './selection.ts'
import type { Validator } from './validator.ts'
import { assertPlaceholders, createReceive, toEnvelopePageTest, wrapResult } from './wrap.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** What `$include` of the query was, which is for relations. */
    readonly include?: unknown
  }
}

/** Puts what enforces a declaration in its place among the options of a service; the first step of its registration. */
export function enforceSchema(
  _service: FeathersService,
  _path: string,
  options: NormalizedServiceOptions
): void {
  const declaration = (options.schema as { readonly [DECLARED]?: Declaration } | undefined)?.[DECLARED]

  if (declaration) Object.assign(options, { schema: createExtension(declaration) })
}

/** What takes part in the calls of one service: others with the same declaration have other methods, ids and operators. */
export function createExtension(declaration: Declaration): DescribedExtension {
  const enforced = new ServiceSchema(declaration)

  return declaration.form.enforce === false ? describeOnly(enforced) : enforced
}

/** For a service whose own hooks check: its calls stay as they are. */
function describeOnly(declared: ServiceSchema): DescribedExtension {
  return {
    get definition() {
      return declared.definition
    },
    narrowsFind: false,
    install: (service, path, app) => declared.install(service, path, app)
  }
}

/** A service that shows clients places in an order, as adapters do. */
interface Hiding {
  _hide?(isHidden: (path: string) => boolean): void
}

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i

class ServiceSchema implements DescribedExtension {
  inner?: InnerExtension
  readonly narrowsFind: boolean
  readonly receive: DescribedExtension['receive']
  private readonly declaration: Declaration
  private readonly form: LongForm
  private readonly record: Validator
  /** The fields that results have beside what is stored. */
  private readonly added: readonly string[]
  private compiled: CompiledSchema | undefined
  private resultCheck: ResultCheck | undefined
  /** In development: reports a result of another kind than its schema describes, which does not leave. */
  private reportKind: ((result: unknown, context: HookContext) => void) | undefined
  private hidden: HiddenFields | undefined
  /** Whether clients of a service name its records by another field than the id. */
  private hasBy = false

  constructor(declaration: Declaration) {
    const { form, record } = declaration

    this.declaration = declaration
    this.form = form
    this.record = record
    this.added = Object.keys({ ...form.computed, ...form.relations })
    assertEnforced(form)
    assertResponses(form)
    this.receive = createReceive(form)
    this.narrowsFind = !isQuerySettings(form.query ?? {}) || form.resolvers?.query !== undefined
  }

  /** What the service checks, as plain data; there once the service is registered. */
  get definition(): SchemaDefinition | undefined {
    return this.compiled?.definition
  }

  get relations(): Relations {
    return this.form.relations ?? {}
  }

  get include(): readonly string[] {
    return this.form.include ?? []
  }

  /** Whether clients must learn nothing of a field or count: it is hidden, or the schema does not declare it. */
  private isKept(field: string, declared: readonly string[] | undefined, id: string): boolean {
    // The name of a column may have a dot.
    const name = declared?.includes(field) ? field : getFirstName(field)
    const isDeclared = declared?.includes(name) !== false || Object.hasOwn(this.relations, name)

    return this.hiddenFields.tellsOfHidden(field) || (name !== id && !isDeclared)
  }

  /** Made when a cursor that is not encrypted is first asked for: the schema is not read at start. */
  private get hiddenFields(): HiddenFields {
    this.hidden ??= new HiddenFields(this.form.hidden ?? [], this.record.output)

    return this.hidden
  }

  install(service: FeathersService, path: string, app: object): void {
    const { methods } = getServiceOptions(service)
    const id = getIdField(service)
    const isDevelopment = helpsDevelopers()
    const report = (code: ErrorCode, message: string, context?: HookContext) =>
      reportMistake(app as Application, code, message, context)

    for (const name of Object.keys({ ...this.form.methods, ...this.form.status })) {
      // With `methods: []`, as at the second path of a relation, clients call none of them.
      if (methods.length > 0 && !methods.includes(name)) {
        throw createError(
          'ALULA_UNKNOWN_METHOD',
          `The schema of service '${path}' describes the method '${name}', which the service does not have${didYouMean(name, methods)}`
        )
      }
    }

    assertPlaceholders(this.form, service, path)
    // Cursors show the values of an order.
    ;(service as Hiding)._hide?.((field) => this.isKept(field, listDeclared(service), id))
    this.hasBy = getServiceOptions(service).by !== undefined

    // In development: what is missing in a response is hard to find.
    this.compiled ??= compileSchema(this.form, this.record, service, id, (field) => {
      if (!isDevelopment) return

      report(
        'ALULA_UNDECLARED_FIELD',
        `The field '${field}' of service '${path}' does not leave, because its schema does not declare it. Declare it, and name it in 'hidden' if clients must not see it; or leave it out of the result`
      )
    })
    if (isDevelopment) {
      const reported = new Set<string>()

      this.reportKind = (result, context) => {
        if (reported.has(context.method)) return

        reported.add(context.method)
        report(
          'ALULA_RESULT',
          `The result of '${context.path}' (${context.method}) does not leave: its schema does not describe ${describeValue(result)}`,
          context
        )
      }
      this.resultCheck = compileResultCheck(this.record.output, (difference, context) =>
        report(
          'ALULA_RESULT',
          `A result of '${context.path}' (${context.method}) is not what its schema says: ${difference}`,
          context
        )
      )
    }
    this.declaration.definition = this.compiled.definition
  }

  async setup(service: FeathersService, path: string): Promise<void> {
    const { validators, definition } = this.compiled as CompiledSchema
    const { create } = definition.data

    warnOfMissingId(service, path, definition)

    for (const validator of validators) await validator.load?.()

    await getTraits(service).compare?.({ ...this.form, path, record: this.record.output, create })
  }

  output(method: string): Hook<HookContext> {
    const status = new Map(Object.entries(this.form.status ?? {})).get(method)
    const present = this.toPresent(method)
    const { pick, pickers, mark, definition } = this.compiled as CompiledSchema
    const isStandard = isStandardMethod(method)
    const hasRecords = isStandard || returnsRecords(definition, method)
    const pickOwn = pickers.get(method)
    const resolve = pickOwn ? undefined : compileExternal(this.resolvers, hasRecords ? pick : showAll)
    const { event: ofMethod } = getDefinition(method)
    const resultCheck = isStandard ? this.resultCheck : undefined
    const reportKind = pickOwn && this.reportKind
    const isPage = toPageTest(method)
    const pickShown = (value: unknown) => {
      if (value === undefined) return undefined

      // Without a dispatch the result would leave.
      return (hasRecords ? this.pickRecords(value, pick, isPage) : this.pickOther(value, pickOwn)) ?? null
    }

    /** Some fields are for the caller alone. */
    const keepPrivate = (context: HookContext, event: string, source: unknown): void => {
      const left = withoutPrivateFields(context.app, source)

      context.dispatch = this.showInside(event, left === source ? context.dispatch : pickShown(left), context)
    }

    return (context) => {
      resultCheck?.compare(context)
      // Listeners of an event get the result too.
      if (isStandard && (ofMethod || !goesToClient(context))) {
        for (const record of listRecords(context)) keepOwner(record, mark)
      }

      return resolve ? resolve(context).then(() => show(context)) : show(context)
    }

    function show(context: HookContext): unknown {
      const { params, service, dispatch, result, http } = context

      // What a hook has chosen stays.
      if (http && status !== undefined) http.status ??= status

      // A hook may have named an event for any method.
      const event = isString(context.event) ? context.event : ofMethod
      const source = dispatch !== undefined ? dispatch : result

      // The records that a relation leads to say themselves what clients see of them.
      const isShown = dispatch === undefined && getServiceSlots(params, service).relation !== undefined

      if (event || (getProvider(context) && !isShown)) {
        // What has no fields can have none left out.
        if (!event && !present) assertJsonResult(context, source)

        context.dispatch = pickShown(source)
        if (context.dispatch === null && source !== null) reportKind?.(source, context)
      }
      if (present && goesToClient(context)) {
        return andThen(present(context as ViewContext), (presented) => {
          setSlots(context, { response: presented })
          if (event) keepPrivate(context, event, source)
        })
      }
      if (!event) return

      const shown = context.dispatch

      keepPrivate(context, event, source)
      if (context.dispatch !== shown && goesToClient(context)) setSlots(context, { response: shown })
    }
  }

  /** What makes the response of what leaves: an envelope or a view; `undefined` where the response is that. */
  private toPresent(method: string): ViewFunction | undefined {
    const { envelope, view, hidden = [] } = this.form

    if (envelope) {
      const isPage = toEnvelopePageTest(method, this.definition?.methods[method]?.result)

      return ({ dispatch }) => wrapResult(dispatch, envelope, isPage)
    }
    if (!view || (isFunction(view) && isEmpty(hidden))) return view

    const { pickView } = this.compiled as CompiledSchema
    const make: ViewFunction = isFunction(view) ? view : view.make

    return (context) =>
      andThen(make(context), (made) => (isRaw(made) ? made : this.pickOther(made, pickView)))
  }

  /** What may leave of a value that is no record, such as a custom result: its records may be anywhere in it. */
  private pickOther(value: unknown, pick: Picker | undefined): unknown {
    const { mark } = this.compiled as CompiledSchema
    const { hidden = [] } = this.form
    const showEach = (item: unknown): unknown =>
      Array.isArray(item) ? item.map(showEach) : showOther(item, mark, [])
    const picked = pick ? pick(pickResult(value, showEach, toPageTest(undefined))) : value

    // What was picked is a copy already: another is made only to leave fields out.
    return pick && isEmpty(hidden) ? picked : showAll(picked, [], hidden)
  }

  complete(method: string): Hook<HookContext> | undefined {
    const { id } = this.compiled as CompiledSchema
    const { computed = {}, relations = {}, methods } = this.form
    const resolve = methods?.[method]?.result ? undefined : compileResult(this.resolvers)
    const isStandard = isStandardMethod(method)
    const fields = Object.entries(computed)

    if (!resolve && !(isStandard && this.added.length > 0)) return undefined

    const sources = [
      ...Object.values(computed).flatMap(({ from }) => from),
      ...Object.values(relations).map(({ from = id }) => from)
    ]

    return async (context) => {
      if (isStandard) {
        const { selected } = getSlots(context)

        await addComputed(context, selected ? fields.filter(([name]) => selected.has(name)) : fields)
        dropSources(context, sources)
      }

      await resolve?.(context)
    }
  }

  innermost(method: string): AroundHook<HookContext> | undefined {
    const isStandard = isStandardMethod(method)
    const resultCheck = isStandard ? this.resultCheck : undefined
    const checksId = this.hasBy && (method === 'update' || method === 'patch')
    const { holdsRecords, mark } = this.compiled as CompiledSchema
    const marks = isStandard && holdsRecords

    if (!resultCheck && !checksId && !marks) return undefined

    return async (context, next) => {
      if (checksId) await assertSentId(context)
      await next()
      // An instance of a class may become a record of another service.
      if (marks) for (const record of listRecords(context).filter(isPlainObject)) keepOwner(record, mark)
      resultCheck?.remember(context)
    }
  }

  show(event: string, data: unknown, context: HookContext): unknown {
    const { pickEvent } = this.compiled as CompiledSchema
    const left = withoutPrivateFields(context.app, data)
    const isPage = toPageTest((context as { readonly method?: string }).method)
    const shown = defaultServiceEvents.includes(event)
      ? this.pickRecords(left, pickEvent, isPage)
      : showAll(left, [], this.form.hidden)

    return this.showInside(event, shown, context)
  }

  /** What the inner extension leaves of it. */
  private showInside(event: string, shown: unknown, context: HookContext): unknown {
    return this.inner?.show ? this.inner.show(event, shown, context) : shown
  }

  /** What may leave of records: those of other services leave as these show them. */
  private pickRecords(value: unknown, pick: Picker, isPage: PageTest): unknown {
    const { mark } = this.compiled as CompiledSchema

    return pickResult(value, (record) => pick(showOther(record, mark, this.added)), isPage)
  }

  private get resolvers(): ResolverSettings {
    return this.form.resolvers ?? {}
  }

  input(method: string): Hook<HookContext> | undefined {
    return resolveInput(this.resolvers, method, this.check(method))
  }

  private check(method: string): Hook<HookContext> | undefined {
    const { id: idField, checks, convertId } = this.compiled as CompiledSchema
    const { data: checkData, query: checkQuery } = checks.get(method) ?? {}
    const { computed = {}, relations = {} } = this.form
    const isStandard = isStandardMethod(method)
    const takesInclude = isStandard && !isEmpty(relations)
    const sources = new Map(
      isStandard ? Object.entries(computed).map(([name, { from }]) => [name, from]) : []
    )

    if (!checkData && !checkQuery && !takesInclude && sources.size === 0) return undefined

    return (context) => {
      const { params, id } = context
      const isOutside = Boolean(params.provider)

      if (isOutside && id !== undefined && id !== null) context.id = convertId(id, getBy(params))

      const query = takesInclude ? takeInclude(context, params.query) : params.query
      const checked = isOutside && checkQuery ? checkAsked(context, query ?? {}, checkQuery) : query

      return andThen(checked, (asked) => {
        const final =
          asked && sources.size > 0
            ? selectSources(context, asked, idField, (name) => sources.get(name))
            : asked

        if (final !== params.query) context.params = copyWith(context.params, { query: final })
        if (!checkData || (!isOutside && params.schema === false)) return

        return andThen(checkData(context.data, toSource(context), context), (data) => {
          context.data = data
        })
      })
    }
  }
}

/** Takes `$include` out of a query and keeps it: a schema for queries does not know it. */
function takeInclude(context: HookContext, query: Query | undefined): Query | undefined {
  if (query?.$include === undefined) return query

  const { $include, ...others } = query

  setSlots(context, { include: $include })

  return others
}

/**
 * Checks the query of a client. What a relation has added is not narrowed by what clients may ask for, because no client has
 * written it: the fields by which its call finds records, which clients may never see, or how many records it reads for a
 * filter, and which field.
 */
function checkAsked(
  { service, params }: HookContext,
  query: Query,
  checkClient: QueryCheck
): Query | Promise<Query> {
  const { relation, addedByRelation: settings } = getServiceSlots(params, service)
  const isUrl = params.provider === 'rest'

  // Hooks may make other calls with these params.
  if (relation && query[relation.field]?.$in === relation.values) {
    const fields = [relation.field, ...(relation.further ?? [])]

    return andThen(checkClient({}, false), (added) => addDefaults(query, added, fields))
  }
  if (!settings || ['$limit', '$select'].some((name) => query[name] !== settings[name])) {
    return checkClient(query, isUrl)
  }

  const { $limit, $select, ...conditions } = query

  return andThen(checkClient(conditions, isUrl), (checked) => {
    // A schema for queries may add a page of its own.
    const { $limit: _, $select: __, ...others } = checked

    return keepValidated(checked, { ...others, ...settings })
  })
}

/**
 * The query of a relation with what the schema adds to one that says nothing. Its page is left out: one call finds the
 * records of many.
 */
function addDefaults(query: Query, added: Query, fields: readonly string[]): Query {
  if (isEmpty(added)) return query

  const { $limit, $skip, $sort, $select, ...conditions } = added
  const narrowed = isEmpty(conditions) ? query : addConditions(query, [conditions])
  const selected = $select === undefined ? {} : { $select: [...new Set([$select, fields].flat())] }

  return keepValidated(added, copyWith(narrowed, selected))
}

/** The field that the client has named the record by, where it is not the id. */
function getBy({ adapter }: Params & { adapter?: { readonly id?: string; readonly by?: object } }) {
  return adapter?.by === undefined ? undefined : adapter.id
}

/** Forms have nothing but strings, and so have URLs. */
function toSource(context: HookContext): DataSource {
  const { provider, headers }: Params = context.params
  const type = provider === 'rest' ? String(headers?.['content-type'] ?? '') : ''

  return {
    isOutside: Boolean(provider),
    isForm: FORM.test(type),
    within: getSlots(context).clientCall?.within
  }
}
