import { setRestriction } from '../access/restriction.ts'
import { withLookupField } from '../core/by.ts'
import { listPlaceholders } from '../core/method-routes.ts'
import { isStandardMethod } from '../core/methods.ts'
import { getIdField, getServiceOptions, isUpsert } from '../core/service.ts'
import type { HookContext, Id, Params, Parent } from '../core/types.ts'
import { NotFound } from '../errors.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import { toBadRequest } from '../schema/faults.ts'
import { addInherited, getSlots, toNestedParams } from '../utils/call-state.ts'
import { hasCode, isObject } from '../utils/check.ts'
import { copyWith, getPath } from '../utils/object.ts'
import { isSameId } from '../utils/same-id.ts'
import { shorten } from '../utils/shorten.ts'
import { type Parents, toParentError } from './options.ts'

/** The ids of parents by field. */
interface ParentIds {
  [field: string]: unknown
}

/**
 * Asks for the records that the path of a call names, as the caller, and holds the call to them. An internal call has those
 * that its `params.route` names. Throws NotFound where the caller may not get one of them, whether or not it is there.
 */
export async function resolveParents(context: HookContext, parents: Parents): Promise<void> {
  const { provider, route } = context.params
  const ids: ParentIds = {}

  for (const [field, parent] of Object.entries(parents)) {
    const value = getPath(route, [parent.placeholder]) ?? undefined

    if (value !== undefined) ids[field] = await getParentId(context, field, parent, value as Id)
    // A relation of another service leads here, or a hook has taken the route away.
    else if (provider) throw toNotFound(parent, '')
  }

  if (Object.keys(ids).length === 0) return
  if (isStandardMethod(context.method)) setRestriction(context, ids)

  context.data = fillData(context, ids)
}

/** The id of the record that a client of the other service would name by a value. */
async function getParentId(context: HookContext, field: string, parent: Parent, value: Id): Promise<unknown> {
  const { app, path } = context
  const service = app.service(parent.service)
  const { by, methods, access } = getServiceOptions(service)
  const params = toParentParams(context.params, service, parent)

  // Like a relation: a rule decides whether or not clients have the method.
  if (params.provider && !methods.includes('get') && !access?.admit?.('get')) throw toNotFound(parent, value)

  const record = await getRecord(
    () => service.get(value, withLookupField(service, by, 'get', value, params)),
    () => toNotFound(parent, value)
  )
  const id = record[getIdField(service)]

  if (id === undefined || id === null) {
    throw toParentError(
      path,
      field,
      `'get' of '${parent.service}' returned a record without '${getIdField(service)}'`
    )
  }

  return id
}

/**
 * The params of the caller, for the other service: with the placeholders of its path alone. As for a relation, it includes
 * nothing by default.
 */
function toParentParams(
  params: Params & { adapter?: unknown; paginate?: unknown },
  service: object,
  parent: Parent
) {
  const { query, adapter, paginate, route = {}, ...caller } = params
  const names = listPlaceholders(parent.service)
  const own = Object.fromEntries(Object.entries(route).filter(([name]) => names.includes(name)))

  return addInherited(toNestedParams(caller, service, {}, { query: {}, route: own }), { isForRelation: true })
}

/** Errors that say that the record is not for the caller, or that a value names none. */
const REFUSALS: readonly number[] = [400, 401, 403, 404, 405]

async function getRecord(
  get: () => Promise<any>,
  toError: () => Error
): Promise<{ [name: string]: unknown }> {
  let record: unknown

  try {
    record = await get()
  } catch (error) {
    if (!REFUSALS.some((code) => hasCode(error, code))) throw error
  }

  if (!isObject(record)) throw toError()

  return record
}

/** The same for a record that is not there and for one that is not for the caller. */
function toNotFound({ placeholder }: Parent, value: unknown): NotFound {
  return new NotFound(`No record found for ${placeholder} '${shorten(String(value))}'`)
}

/**
 * New records, and those that replace others, get the ids. What clients write back may have them. Throws BadRequest for another
 * value.
 */
function fillData(context: HookContext, ids: ParentIds): unknown {
  const { method, data, params, service } = context
  const hidden = params.provider ? (getSchemaDefinition(service)?.hidden ?? []) : []
  // Of an envelope.
  const within = getSlots(context).clientCall?.within
  const start = within === undefined ? '' : `${within}.`
  const fill = (item: unknown, prefix: string) =>
    fillRecord(item, { ids, hidden, prefix: start + prefix, isWhole: method !== 'patch' })

  if (method === 'create' && Array.isArray(data)) return data.map((item, index) => fill(item, `${index}.`))

  return ['create', 'update', 'patch'].includes(method) || isUpsert(service, method) ? fill(data, '') : data
}

interface Filling {
  readonly ids: ParentIds
  /** Fields that clients never see: they cannot write them back, and a comparison would tell of them. */
  readonly hidden: readonly string[]
  readonly prefix: string
  readonly isWhole: boolean
}

function fillRecord(item: unknown, { ids, hidden, prefix, isWhole }: Filling): unknown {
  if (!isObject(item)) return item

  const sent = Object.keys(ids).filter((field) => Object.hasOwn(item, field) && item[field] !== undefined)
  const wrong = sent.filter((field) => hidden.includes(field) || !isSameId(item[field], ids[field]))

  if (wrong.length > 0) {
    throw toBadRequest(
      'data',
      wrong.map((field) => ({ path: prefix + field, message: 'is set by the path' }))
    )
  }

  return copyWith(item, isWhole ? ids : Object.fromEntries(sent.map((field) => [field, ids[field]])))
}
