import { keepFromEvents } from '../core/shown.ts'
import type { HookContext, Query } from '../core/types.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { isEmpty, isPlainObject } from '../utils/object.ts'
import { askAlong } from './along.ts'
import { addComputed, type ComputedFields } from './computed.ts'
import { getRelations, type Includes, isPrivate, readIncludes } from './include.ts'
import { pickResult, toRecords } from './output.ts'
import { addRelated } from './related.ts'
import { hasFilter, hasSort, resolveFilters, resolveSorts } from './related-filter.ts'
import type { Relation, Relations } from './relation.ts'

/** What results have beside what is stored. */
export interface DerivedFields {
  readonly computed: ComputedFields
  readonly relations: Relations
  /** The names by which queries filter through relations. */
  readonly filters: ReadonlySet<string>
  /** The name of the id field, which is always selected. */
  readonly id: string
}

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** What the call has asked for beside what is stored. */
    readonly wanted?: Wanted
  }
}

interface Wanted {
  readonly includes: Includes
  /** The fields that the call has selected; `undefined` for all. */
  readonly selected?: ReadonlySet<string>
}

/**
 * Takes `$include` out of a query and keeps what it says.
 *
 * @param context The context of the call
 * @param query The query, which is not changed
 * @param fields What results have beside what is stored
 * @returns The query to go on with
 * @throws BadRequest for names that are no relations
 */
export function takeIncludes(
  context: HookContext,
  query: Query | undefined,
  { relations }: DerivedFields
): Query | undefined {
  if (query?.$include === undefined) return query

  const { $include, ...rest } = query

  setSlots(context, { wanted: { includes: readIncludes(context, $include, relations) } })

  return rest
}

/**
 * Turns what a query asks of related records into what the adapter understands, and has the fields read that derived
 * ones are made from.
 *
 * @param context The context of the call
 * @param query The query without `$include`, checked; it is not changed
 * @param fields What results have beside what is stored
 * @returns The query to go on with
 * @throws BadRequest where too many related records match, or the adapter cannot sort by their number
 */
export function settleDerived(
  context: HookContext,
  query: Query,
  fields: DerivedFields
): Query | Promise<Query> {
  const { relations } = fields
  const asksRelated = !isEmpty(relations) && (hasFilter(query, relations) || hasSort(query, relations))

  return asksRelated ? settleRelated(context, query, fields) : settleSources(context, query, fields)
}

async function settleRelated(context: HookContext, query: Query, fields: DerivedFields): Promise<Query> {
  const { relations, filters, id } = fields
  const filtered = await resolveFilters(context, query, relations, filters, id)
  const sorted = await resolveSorts(context, filtered, relations, id)

  return settleSources(context, sorted, fields)
}

function settleSources(context: HookContext, query: Query, fields: DerivedFields): Query {
  const settled = selectSources(context, query, fields)

  askAlong(context, getSlots(context).wanted?.includes ?? new Map(), fields.relations, fields.id)

  return settled
}

function selectSources(context: HookContext, query: Query, fields: DerivedFields): Query {
  const { computed, relations, id } = fields
  const selected = query.$select === undefined ? undefined : [query.$select].flat()

  // Its shape is for the adapter.
  if (!selected?.every((name) => typeof name === 'string')) return query

  const includes = new Map(getSlots(context).wanted?.includes)
  const isRelation = (name: string) => Object.hasOwn(relations, name)

  for (const name of selected) if (isRelation(name) && !includes.has(name)) includes.set(name, [])

  const sources = [
    ...computed.filter(([name]) => selected.includes(name)).flatMap(([, { from }]) => from),
    ...[...includes.keys()].map((name) => relations[name]?.from ?? id)
  ]
  const stored = selected.filter((name) => !isRelation(name) && !computed.some(([field]) => field === name))

  setSlots(context, { wanted: { includes, selected: new Set([...selected, id]) } })

  return { ...query, $select: [...new Set([...stored, ...sources])] }
}

/**
 * Puts computed fields and related records into a result, and takes out what was read only for them.
 *
 * @param context The context after the call
 * @param fields What results have beside what is stored
 */
export async function addDerived(context: HookContext, fields: DerivedFields): Promise<void> {
  const { includes, selected } = getSlots(context).wanted ?? { includes: new Map() }
  const { computed, relations, id } = fields
  const wanted = computed.filter(([name]) => selected?.has(name) ?? true)

  if (wanted.length > 0) await addComputed(context, wanted)
  if (includes.size > 0) await addRelated(context, includes, relations, id)
  if (!selected) return

  const sources = [
    ...computed.flatMap(([, { from }]) => from),
    ...Object.values(relations).map(({ from = id }) => from)
  ].filter((name) => !selected.has(name))

  for (const record of toRecords(context.result)) {
    if (isPlainObject(record)) for (const name of sources) delete record[name]
  }
}

/**
 * What events carry of a dispatch: related records that not all callers may find are for the caller alone. A hook or a
 * custom method may have loaded them by a call of its own, so the records are looked at and not the query.
 *
 * @param context The context after the call
 * @param dispatch What the caller gets
 * @param relations The relations of the service
 * @param isDeep Whether records may be below other names, as in results of custom methods
 * @returns The same dispatch where nothing is private
 */
export function withoutPrivate(
  context: HookContext,
  dispatch: unknown,
  relations: Relations,
  isDeep: boolean
): unknown {
  const pick = (record: unknown) => dropPrivate(context, record, relations, isDeep)
  const shown = pickResult(dispatch, pick)
  const records = toRecords(shown)

  return toRecords(dispatch).every((record, index) => record === records[index]) ? dispatch : shown
}

function dropPrivate(context: HookContext, value: unknown, relations: Relations, isDeep: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => dropPrivate(context, item, relations, isDeep))

    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isPlainObject(value)) return value

  let shown = value

  for (const name of isDeep ? Object.keys(value) : Object.keys(relations)) {
    const relation = Object.hasOwn(relations, name) ? relations[name] : undefined

    if (!Object.hasOwn(value, name)) continue

    if (relation && isPrivate(context, relation)) {
      const { [name]: _, ...others } = shown

      shown = others
      continue
    }

    const field = value[name]
    const picked = relation
      ? dropPrivate(context, field, getRelations(context, relation.path), false)
      : dropPrivate(context, field, relations, isDeep)

    if (picked !== field) shown = { ...shown, [name]: picked }
  }

  return shown
}

/**
 * Has events carry records without the related ones that not all callers may find, also below other names and in events
 * of other services.
 *
 * @param context The context after the call
 * @param relations The relations of the service
 */
export function markPrivate(context: HookContext, relations: Relations): void {
  const { app } = context
  const names = Object.keys(relations)
  // Kept as long as the record, so without the rest of the context.
  const of = { app }
  const listPrivate = () => names.filter((name) => isPrivate(of, relations[name] as Relation))

  for (const record of toRecords(context.result)) {
    if (isPlainObject(record) && names.some((name) => name in record))
      keepFromEvents(app, record, listPrivate)
  }
}
