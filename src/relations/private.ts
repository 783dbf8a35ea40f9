// Related records that events do not carry: those that not all callers may find, and those that the call has not asked for.
import { isGuarded } from '../core/gate.ts'
import { getServiceOptions } from '../core/service.ts'
import { keepFromEvents } from '../core/shown.ts'
import type { HookContext } from '../core/types.ts'
import { listRecords, toPageTest } from '../schema/page.ts'
import type { Relation, Relations } from '../schema/relation.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'
import { getRelations, type Includes } from './include.ts'

/**
 * What events carry of a dispatch, the same one where nothing is private: related records that not all callers may find are for
 * the caller alone. A hook or a custom method may have loaded them by a call of its own, so the records are looked at and not
 * the query. `isDeep`: whether records may be below other names, as in results of custom methods.
 */
export function withoutPrivate(
  context: HookContext,
  dispatch: unknown,
  relations: Relations,
  isDeep: boolean
): unknown {
  // Code that sends an event has no method.
  const isPage = toPageTest((context as { readonly method?: string }).method)

  if (!isPage(dispatch)) return dropPrivate(context, dispatch, relations, isDeep)

  const data = dropPrivate(context, dispatch.data, relations, isDeep)

  return data === dispatch.data ? dispatch : copyWith(dispatch, { data })
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
    const within = relation ? getRelations(context.app, relation.path) : relations
    const picked = dropPrivate(context, field, within, !relation)

    if (picked !== field) shown = { ...shown, [name]: picked }
  }

  return shown
}

/**
 * Has events carry records without the related ones that not all callers may find, also below other names and in events of
 * other services. `unasked` is what is included, and the call has not asked for.
 */
export function markPrivate(context: HookContext, relations: Relations, unasked?: Includes): void {
  const { app } = context
  const names = Object.keys(relations)
  // Kept as long as the record, so without the rest of the context.
  const of = { app }
  const listPrivate = () =>
    names.filter((name) => unasked?.has(name) || isPrivate(of, relations[name] as Relation))

  for (const record of listRecords(context)) {
    if (isPlainObject(record) && names.some((name) => name in record))
      keepFromEvents(app, record, listPrivate)
  }
}

/** Whether a relation leads to records that not all callers may find. */
function isPrivate({ app }: Pick<HookContext, 'app'>, { path }: Relation): boolean {
  const service = app.service(path)
  const { access, methods, parent, singleton } = getServiceOptions(service)

  // Their calls depend on the login or the path of the caller, whatever the rule says.
  if (parent || singleton || isGuarded(service, 'find')) return true

  return access ? access.who?.('find') !== 'anyone' : !methods.includes('find')
}
