import type { HookContext, Params, Query } from '../core/types.ts'
import type { Hook } from '../hooks/types.ts'
import { isFunction, isObject } from '../utils/check.ts'
import { keepDispatch } from '../utils/dispatch.ts'
import { copyWith, isEmpty } from '../utils/object.ts'
import { mapAll } from '../utils/promise.ts'
import type { Picker } from './output.ts'
import { toPageTest, toRecords } from './page.ts'

// Resolvers of Feathers, called as its hooks call them. The package itself is not needed.

/** The part of a resolver of `@feathersjs/schema` that is used: what its `resolve()` makes. */
export interface Resolver {
  resolve(value: any, context: any, status?: any): Promise<any>
  /** The properties that it resolves. */
  readonly propertyNames?: readonly PropertyKey[]
  /** Those of them that are not stored. */
  readonly virtualNames?: readonly PropertyKey[]
}

/** One resolver, or several that run one after another. */
export type Resolvers = Resolver | readonly Resolver[]

/** Resolvers by what they resolve. */
export interface ResolverSettings {
  /** Data after its check: for `create`, `update` and `patch`, or for each of them. */
  readonly data?: Resolvers | { readonly [Method in DataMethod]?: Resolvers }
  /** Each record of a result. */
  readonly result?: Resolvers
  /** What clients see of each record. */
  readonly external?: Resolvers
  /** The query after its check, of every call. */
  readonly query?: Resolvers
}

type DataMethod = (typeof DATA_METHODS)[number]

/** Runs resolvers one after another. */
type Resolve = (value: unknown, context: HookContext, status?: object) => Promise<unknown>

const DATA_METHODS = ['create', 'update', 'patch'] as const

const KINDS: readonly string[] = ['data', 'result', 'external', 'query']

/** Whether a value is what the option `resolvers` takes. */
export function isResolverSettings(value: unknown): value is ResolverSettings {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([kind, resolvers]) =>
        KINDS.includes(kind) && (isResolvers(resolvers) || (kind === 'data' && isByMethod(resolvers)))
    )
  )
}

/** The properties that resolvers of results make and that are not stored. */
export function getVirtualNames({ result }: ResolverSettings = {}): readonly string[] {
  return toList(result).flatMap(({ virtualNames = [] }) => virtualNames.map(String))
}

/** The properties that clients see otherwise than they are. */
export function getExternalNames({ external }: ResolverSettings = {}): readonly string[] {
  return toList(external).flatMap(({ propertyNames = [] }) => propertyNames.map(String))
}

/**
 * Adds the resolvers of queries and data to the check of the input. Without a check the input is resolved all the same; where
 * there is nothing to resolve, the check itself is returned.
 */
export function resolveInput(
  settings: ResolverSettings,
  method: string,
  check: Hook<HookContext> | undefined
): Hook<HookContext> | undefined {
  if (isEmpty(settings)) return check

  const resolveQuery = toResolve(settings.query)
  const resolveData = toResolve(toDataResolvers(settings.data, method))
  const virtual = getVirtualNames(settings)

  if (!resolveQuery && !resolveData && !settings.result) return check

  return async function resolveChecked(context) {
    const { params, data: sent } = context

    if (!params.provider && params.schema === false) return await check?.call(this, context)
    if (settings.result) context.params = withStatus(context, virtual)

    await check?.call(this, context)

    if (resolveQuery) {
      const query = (await resolveQuery(context.params.query ?? {}, context)) as Query

      context.params = copyWith(context.params, { query })
    }
    if (resolveData && sent !== undefined) {
      const { data } = context
      const resolve = (value: unknown) => resolveData(value, context, { originalContext: context })

      context.data = await (Array.isArray(data) ? mapAll(data, resolve) : resolve(data))
    }
  }
}

/** Prepares the resolvers of each record of a result; `undefined` where there is none. */
export function compileResult(
  settings: ResolverSettings
): ((context: HookContext) => Promise<void>) | undefined {
  const resolve = toResolve(settings.result)

  if (!resolve) return undefined

  return async (context) => {
    context.result = await mapRecords(context.result, context, (record) =>
      resolve(record, context, context.params.resolve)
    )
  }
}

/**
 * Prepares the resolvers of what clients see, which set the dispatch; `undefined` where there is none. Each record of the
 * result keeps what they return, for results of other services that hold it.
 */
export function compileExternal(
  settings: ResolverSettings,
  pick: Picker
): ((context: HookContext) => Promise<void>) | undefined {
  const resolve = toResolve(settings.external)

  if (!resolve) return undefined

  return async (context) => {
    const { result, dispatch } = context
    const resolveAll = (records: unknown) =>
      mapRecords(records, context, async (record) => {
        const shown = await resolve(record, context, context.params.resolve)

        keepDispatch(record, pick(shown))

        return shown
      })
    const shown = await resolveAll(result)

    context.dispatch = dispatch === undefined ? shown : await resolveAll(dispatch)
  }
}

function isResolvers(value: unknown): boolean {
  return (
    value === undefined ||
    [value].flat().every((resolver) => isFunction((resolver as Partial<Resolver> | null)?.resolve))
  )
}

function isByMethod(value: unknown): boolean {
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([method, resolvers]) => (DATA_METHODS as readonly string[]).includes(method) && isResolvers(resolvers)
    )
  )
}

function toDataResolvers(data: ResolverSettings['data'], method: string): Resolvers | undefined {
  const known = DATA_METHODS.find((name) => name === method)

  if (!known || !data) return undefined

  return isResolvers(data) ? (data as Resolvers) : (data as { [Name in DataMethod]?: Resolvers })[known]
}

function toList(resolvers: Resolvers | undefined): readonly Resolver[] {
  return [resolvers ?? []].flat() as readonly Resolver[]
}

function toResolve(resolvers: Resolvers | undefined): Resolve | undefined {
  const list = toList(resolvers)

  if (list.length === 0) return undefined

  return async (value, context, status) => {
    let current = value

    for (const resolver of list) current = await resolver.resolve(current, context, status)

    return current
  }
}

/**
 * Has the resolvers return only the properties that are selected. Where one of them is not stored, the record is read
 * whole, because it may be made from any field.
 */
function withStatus(context: HookContext, virtual: readonly string[]): Params {
  const { params } = context
  const { $select, ...others } = params.query ?? {}
  const isWhole = Array.isArray($select) && $select.some((name) => virtual.includes(name))

  return copyWith(params, {
    resolve: { originalContext: context, ...params.resolve, properties: $select },
    ...(isWhole && { query: others })
  })
}

/** Replaces each record of a result of a call. */
async function mapRecords(
  result: any,
  { method }: HookContext,
  map: (record: object) => Promise<unknown>
): Promise<unknown> {
  const records = toRecords(result, toPageTest(method))
  const mapped = await mapAll(records, (record) =>
    typeof record === 'object' && record !== null ? map(record) : record
  )

  if (Array.isArray(result)) return mapped
  if (records === result?.data) return { ...result, data: mapped }

  return records.length === 0 ? result : mapped[0]
}
