import { goesToClient, setResponse } from '../core/call.ts'
import { reportMistake } from '../core/events.ts'
import { defaultServiceEvents, getDefinition, isStandardMethod } from '../core/methods.ts'
import { getIdField, getServiceOptions } from '../core/service.ts'
import type {
  Application,
  FeathersService,
  HookContext,
  Params,
  Query,
  ServiceExtension
} from '../core/types.ts'
import type { AroundHook, Hook } from '../hooks/types.ts'
import { isPromise } from '../utils/check.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import type { MistakeCode } from '../utils/error-codes.ts'
import { type CompiledSchema, compileSchema, type SchemaDefinition } from './compile.ts'
import type { DataSource } from './data.ts'
import {
  getAjv,
  type LongForm,
  ON_WRITE,
  type SchemaSettings,
  type ServerValue,
  toLongForm,
  type WrittenValue
} from './declaration.ts'
import { addDerived, type DerivedFields, settleDerived, takeIncludes, withoutPrivate } from './derived.ts'
import { assertRelated } from './include.ts'
import { toNames } from './json-schema.ts'
import { toValidator } from './libraries.ts'
import { markRecords, pickResult, showAll } from './output.ts'
import { isOfRelation } from './related.ts'
import { listFilters } from './related-filter.ts'
import { compileExternal, compileResult, type ResolverSettings, resolveInput } from './resolvers.ts'
import { compileResultCheck } from './result.ts'
import type { StandardSchema } from './standard.ts'
import { COMPARE, isComparable } from './stored.ts'
import type { DeclaredSchema, OutputOf, SettingsFor, TypesOfForm, TypesOfRecord } from './types.ts'
import type { AnySchema, Validator } from './validator.ts'

/**
 * Declares a service in the long form, with a schema for each method that none can be derived for.
 *
 * @param form The schema of the record as `record`, those of `create`, `update` and `patch`, and the settings of the short form
 * @returns What the option `schema` of `app.use` takes
 * @throws TypeError for settings that are not valid, and for a schema that does not describe itself
 */
export function schema<const Form extends LongForm>(form: Form): DeclaredSchema<TypesOfForm<Form>>
/**
 * Declares what a service takes and what leaves it: the data, the queries and the results of every call, whichever way
 * it comes in.
 *
 * From a schema of the record it derives those for `create` (without the id and the fields of the server), `update` (the
 * same) and `patch` (the same, nothing required). Where the library cannot derive them, the long form has them all.
 *
 * @param record A schema of the record: Zod, Valibot, ArkType, Joi or any other Standard Schema that describes itself,
 * or a JSON Schema such as those of TypeBox
 * @param settings Fields of the server, hidden and computed fields, custom methods, queries
 * @returns What the option `schema` of `app.use` takes
 * @throws TypeError for settings that are not valid, and for a schema that does not describe itself
 * @example
 * const notes = schema(Note, { server: { ownerId: ({ params }) => params.user.id } })
 *
 * app.use('notes', new Notes(options), { schema: notes })
 */
export function schema<const S extends AnySchema, const Settings extends SettingsFor<OutputOf<S>>>(
  record: S,
  settings?: Settings
): DeclaredSchema<TypesOfRecord<S, Settings>>
export function schema<Record extends object = never>(
  // For a library whose schemas do not tell the type of the record.
  record: [Record] extends [never] ? never : object,
  settings?: SettingsFor<NoInfer<Record>>
): DeclaredSchema<TypesOfRecord<StandardSchema<Record>, object>>
export function schema(first: unknown, settings?: SchemaSettings): any {
  const form = toLongForm(first, settings)
  const declared = new ServiceSchema(form)

  return form.enforce === false ? describeOnly(declared) : declared
}

/**
 * Marks a value of the server as one that is made with every write, and not only for new records.
 *
 * @param make Makes the value
 * @example
 * schema(Note, { server: { updatedAt: onWrite(() => new Date()) } })
 */
export function onWrite<Value>(make: ServerValue<Value>): WrittenValue<Value> {
  return Object.assign((context: HookContext) => make(context), { [ON_WRITE]: true as const })
}

/** For a service whose own hooks check: its calls stay as they are. */
function describeOnly(declared: ServiceSchema): DeclaredSchema {
  return {
    get definition() {
      return declared.definition
    },
    install: (service, path, app) => declared.install(service, path, app)
  }
}

const FORM = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i

class ServiceSchema implements ServiceExtension {
  private readonly form: LongForm
  private readonly record: Validator
  private readonly isDevelopment = globalThis.process?.env.NODE_ENV !== 'production'
  private compiled: CompiledSchema | undefined
  private checkResult: ((context: HookContext) => void) | undefined

  constructor(form: LongForm) {
    this.form = form
    this.record = toValidator(form.record, 'The record of schema()', getAjv(form, 'data'))

    const declared = toNames(this.record.output)
    const sources = Object.values(form.computed ?? {}).flatMap(({ from }) => from)

    assertDeclared(Object.keys(form.server ?? {}), declared, 'server')
    assertDeclared(form.hidden?.map((path) => path.split('.')[0] as string) ?? [], declared, 'hidden')
    assertDeclared(sources, declared, 'computed.from')
    assertRelations(form, declared)

    for (const name of Object.keys(form.methods ?? {})) {
      if (isStandardMethod(name)) {
        throw createTypeError(
          'ALULA_INVALID_SCHEMA',
          `'methods' of schema() is for custom methods: '${name}' has a schema of its own`
        )
      }
    }
  }

  /** What the service checks, as plain data; there once the service is registered. */
  get definition(): SchemaDefinition | undefined {
    return this.compiled?.definition
  }

  install(service: FeathersService, path: string, app: object): void {
    const { methods } = getServiceOptions(service)
    const id = getIdField(service)
    const { isDevelopment } = this
    const report = (code: MistakeCode, message: string, context?: HookContext) =>
      reportMistake(app as Application, code, message, context)

    for (const name of Object.keys(this.form.methods ?? {})) {
      if (!methods.includes(name)) {
        throw createError(
          'ALULA_UNKNOWN_METHOD',
          `The schema of service '${path}' describes the method '${name}', which the service does not have${didYouMean(name, methods)}`
        )
      }
    }
    if (this.compiled && this.compiled.id !== id) {
      throw createError(
        'ALULA_SHARED_SCHEMA',
        `The schema of service '${path}' belongs to a service whose id is '${this.compiled.id}': declare one for the id '${id}'`
      )
    }

    // In development: what is missing in a response is hard to find.
    this.compiled ??= compileSchema(this.form, this.record, service, id, (field) => {
      if (!isDevelopment) return

      report(
        'ALULA_UNDECLARED_FIELD',
        `The field '${field}' of service '${path}' does not leave, because its schema does not declare it. Declare it, and name it in 'hidden' if clients must not see it; or leave it out of the result`
      )
    })
    if (isDevelopment) {
      this.checkResult = compileResultCheck(this.record.output, (difference, context) =>
        report(
          'ALULA_RESULT',
          `A result of '${path}' (${context.method}) is not what its schema says: ${difference}`,
          context
        )
      )
    }
  }

  async setup(service: FeathersService, path: string, app: object): Promise<void> {
    assertRelated(app as Application, path, this.form.relations ?? {})
    for (const validator of this.compiled?.validators ?? []) await validator.load?.()

    if (isComparable(service)) await service[COMPARE]({ ...this.form, path, record: this.record.output })
  }

  outer(method: string): AroundHook<HookContext> {
    const { view, hidden } = this.form
    const { pick, pickers, dispatchProperty } = this.compiled as CompiledSchema
    const isStandard = isStandardMethod(method)
    const pickOwn = pickers.get(method)
    const resolve = pickOwn ? undefined : compileExternal(this.resolvers, isStandard ? pick : showAll)
    const hasEvent = getDefinition(method).event !== undefined
    const checkResult = isStandard ? this.checkResult : undefined
    const derived = isStandard ? this.derived : undefined
    const toShown = (value: unknown) => {
      if (isStandard) return pickResult(value, pick)

      return pickOwn ? pickOwn(value) : showAll(value, [], hidden)
    }

    return async (context, next) => {
      await next()

      checkResult?.(context)
      if (resolve) await resolve(context)
      // Listeners of an event get the result too.
      else if (isStandard && (hasEvent || !goesToClient(context)))
        markRecords(context.result, dispatchProperty)
      if (context.params.provider || hasEvent) {
        context.dispatch = toShown(context.dispatch !== undefined ? context.dispatch : context.result)
      }
      if (view && goesToClient(context)) setResponse(context, await view(context))
      if (derived && hasEvent) {
        const { dispatch } = context

        context.dispatch = withoutPrivate(context, dispatch, derived)
        if (!view && context.dispatch !== dispatch && goesToClient(context)) setResponse(context, dispatch)
      }
    }
  }

  inner(method: string): AroundHook<HookContext> | undefined {
    const derived = isStandardMethod(method) ? this.derived : undefined
    const resolve = this.form.methods?.[method]?.result ? undefined : compileResult(this.resolvers)

    if (!derived && !resolve) return undefined

    return async (context, next) => {
      await next()
      if (derived) await addDerived(context, derived)
      await resolve?.(context)
    }
  }

  show(event: string, data: unknown): unknown {
    return defaultServiceEvents.includes(event)
      ? (this.compiled as CompiledSchema).pickEvent(data)
      : showAll(data, [], this.form.hidden)
  }

  /** What results have beside what is stored, if anything. */
  private get derived(): DerivedFields | undefined {
    const { id } = this.compiled as CompiledSchema
    const { computed = {}, relations = {} } = this.form

    if (isEmpty(computed) && isEmpty(relations)) return undefined

    return { computed: Object.entries(computed), relations, filters: new Set(listFilters(relations)), id }
  }

  private get resolvers(): ResolverSettings {
    return this.form.resolvers ?? {}
  }

  input(method: string): Hook<HookContext> | undefined {
    return resolveInput(this.resolvers, method, this.check(method))
  }

  private check(method: string): Hook<HookContext> | undefined {
    const { checks, convertId } = this.compiled as CompiledSchema
    const { data: checkData, query: checkQuery } = checks.get(method) ?? {}

    const derived = isStandardMethod(method) ? this.derived : undefined
    const { hidden = [] } = this.form

    if (!checkData && !checkQuery && !derived) return undefined

    return (context) => {
      const { params, id } = context
      const isOutside = Boolean(params.provider)

      if (isOutside && id !== undefined && id !== null) context.id = convertId(id, getBy(params))

      const query = derived ? takeIncludes(context, params.query, derived) : params.query
      const isOfClient = isOutside && !isOfRelation(params, hidden)
      const checked = isOfClient && checkQuery ? checkQuery(query ?? {}, params.provider === 'rest') : query
      const proceed = (settled: Query | undefined) => {
        if (settled !== params.query) context.params = { ...context.params, query: settled }
        if (!checkData || (!isOutside && params.schema === false)) return

        const data = checkData(context.data, toSource(params), context)

        if (!isPromise(data)) {
          context.data = data
          return
        }

        return data.then((valid) => {
          context.data = valid
        })
      }

      if (derived) {
        return Promise.resolve(checked)
          .then((asked) => asked && settleDerived(context, asked, derived))
          .then(proceed)
      }

      return isPromise(checked) ? checked.then(proceed) : proceed(checked)
    }
  }
}

/** The field that the client has named the record by, where it is not the id. */
function getBy({ adapter }: Params & { adapter?: { readonly id?: string; readonly by?: object } }) {
  return adapter?.by === undefined ? undefined : adapter.id
}

function assertDeclared(names: readonly string[], declared: readonly string[], option: string): void {
  const missing = names.find((name) => !declared.includes(name))

  if (missing === undefined) return

  throw createTypeError(
    'ALULA_UNKNOWN_FIELD',
    `The record of schema() has no field '${missing}', which '${option}' names${didYouMean(missing, declared)}`
  )
}

/** Forms have nothing but strings, and so have URLs. */
function toSource({ provider, headers }: Params): DataSource {
  const type = provider === 'rest' ? String(headers?.['content-type'] ?? '') : ''

  return { isOutside: Boolean(provider), isForm: FORM.test(type) }
}

function assertRelations({ relations = {}, computed = {} }: LongForm, declared: readonly string[]): void {
  for (const [name, { from }] of Object.entries(relations)) {
    if (/^\$|\./.test(name)) {
      throw createTypeError(
        'ALULA_INVALID_RELATION',
        `The relation '${name}' of schema() needs a name without dots, and without $ in front`
      )
    }
    if (declared.includes(name) || Object.hasOwn(computed, name)) {
      throw createTypeError(
        'ALULA_CONFLICTING_FIELD',
        `The relation '${name}' of schema() has the name of a field: choose another name`
      )
    }
    if (from !== undefined) assertDeclared([from], declared, `relations.${name}.from`)
  }
}

function isEmpty(query: object): boolean {
  for (const _ in query) return false

  return true
}
