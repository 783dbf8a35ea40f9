// Related records that come with a page. Their services are called afterwards all the same: it only saves statements.
import { hasHooks } from '../core/gate.ts'
import { getIdField, getServiceOptions } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { hasSets, type PrefetchRequest } from '../query/related.ts'
import type { DescribedExtension } from '../schema/declared.ts'
import { getThrough, isCountRelation, type Relation, type Relations } from '../schema/relation.ts'
import { addServiceSlots, getServiceSlots } from '../utils/call-state.ts'
import { MAX_LOADED } from './budget.ts'
import type { Includes } from './include.ts'

/**
 * Asks the adapter of a page to read related records in its statement.
 *
 * @param context The context of the call; its params get what is asked for
 * @param includes What is included
 * @param relations The relations of the service
 */
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
  const { path, to } = relation
  const from = relation.from ?? getIdField(context.service)
  const through = getThrough(relation)

  if (!through) return toFoundRequest(context, path, { from, to, isCount: isCountRelation(relation) })

  const links = toFoundRequest(context, through.path, { from, to: through.from, isLink: true })

  return links && { ...links, next: toFoundRequest(context, path, { from: through.to, to }) }
}

/** Asks for what a call will want, if that is sure: hooks, access and schema of the service may change queries. */
function toFoundRequest(
  { app, params }: HookContext,
  path: string,
  {
    from,
    to,
    isCount = false,
    isLink = false
  }: { from: string; to: string | undefined; isCount?: boolean; isLink?: boolean }
): PrefetchRequest | undefined {
  const service = app.service(path)

  if (!hasSets(service)) return undefined

  const { access, schema } = getServiceOptions(service)
  const mayNarrow = schema !== undefined && (schema as Partial<DescribedExtension>).narrowsFind !== false
  // Links are found by an internal call.
  const mayRestrict = !isLink && Boolean(params.provider) && access?.innermost?.('find') !== undefined

  if (mayNarrow || mayRestrict || hasHooks(app, service, 'find')) return undefined

  return { service, from, to: to ?? getIdField(service), isCount }
}
