// Related records that come with a page. Their services are called afterwards all the same: it only saves statements.

import { isPlainMethod } from '../core/adapter-method.ts'
import { getProvider } from '../core/client-call.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { hasSets, type PrefetchRequest, type SetAdapter } from '../query/related.ts'
import type { DescribedExtension } from '../schema/declared.ts'
import { getThrough, isCountRelation, type Relation, type Relations } from '../schema/relation.ts'
import { addServiceSlots, getServiceSlots } from '../utils/call-state.ts'
import { getLinkSource } from './ask.ts'
import { MAX_LOADED } from './budget.ts'
import { getEnds, getListRules, getListSort } from './ends.ts'
import type { Includes } from './include.ts'

/** Asks the adapter of a page to read related records in its statement: the params of the call get what is asked for. */
export function askPrefetch(context: HookContext, includes: Includes, relations: Relations): void {
  const { service, method } = context

  if ((method !== 'find' && method !== 'get') || !hasSets(service)) return

  const requests = new Map<string, PrefetchRequest>()

  for (const name of includes.keys()) {
    const request = toRequest(context, relations[name] as Relation)

    if (request) requests.set(name, request)
  }

  if (requests.size === 0) return

  context.params = addServiceSlots(context.params, service, { prefetch: { requests, max: MAX_LOADED } })
}

/** What was read for a relation, if anything; for one through links these, and what they lead to as `next`. */
export function getPrefetched({ service, params }: HookContext, name: string): PrefetchRequest | undefined {
  return getServiceSlots(params, service).prefetch?.requests.get(name)
}

/** Asks for what the calls of the related services will want. */
function toRequest(context: HookContext, relation: Relation): PrefetchRequest | undefined {
  const { app } = context
  const { from, to, related } = getEnds(context, relation)
  const through = getThrough(relation)
  const isCount = isCountRelation(relation)
  const service = isPlain(related, Boolean(getProvider(context))) ? related : undefined

  if (!through) return service && { service, from, to, isCount, list: getListRules(app, relation) }

  // Links are found by an internal call, or without any.
  const links = getLinkSource(context, through)
  // Rows that links lead to have no order.
  const next = getListSort(app, relation) ? undefined : service

  if (!hasSets(links) || (through.path !== undefined && !isPlain(links, false))) return undefined

  return {
    ...{ service: links, from, to: through.from, isCount },
    next: next && { service: next, from: through.to, to, isCount }
  }
}

/**
 * Whether calls of `find` of a service return what its adapter finds. Hooks, a class, access (which is asked with `isOutside`),
 * scope and schema may change that.
 */
function isPlain(service: object, isOutside: boolean): service is SetAdapter {
  if (!hasSets(service)) return false

  const { access, schema, parent, singleton } = getServiceOptions(service)
  const mayNarrow = schema !== undefined && (schema as Partial<DescribedExtension>).narrowsFind !== false
  const mayRestrict = isOutside && access?.innermost?.('find') !== undefined
  const isScoped = (parent ?? singleton) !== undefined

  return !mayNarrow && !mayRestrict && !isScoped && isPlainMethod(service, 'find')
}
