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

/** What was read for a relation, if anything. */
export function getPrefetched({ service, params }: HookContext, name: string): object | undefined {
  return getServiceSlots(params, service).prefetch?.requests.get(name)?.rows
}

/**
 * Asks for what the call of the related service will want, if that is sure: its hooks, access and schema may change queries.
 * Of a service between two others it is the first of both calls, which is internal.
 */
function toRequest(context: HookContext, relation: Relation): PrefetchRequest | undefined {
  const { app, params } = context
  const through = getThrough(relation)
  const service = app.service((through ?? relation).path)

  if (!hasSets(service)) return undefined

  const { access, schema } = getServiceOptions(service)
  const mayNarrow = schema !== undefined && (schema as Partial<DescribedExtension>).narrowsFind !== false
  const mayRestrict = !through && Boolean(params.provider) && access?.innermost?.('find') !== undefined

  if (mayNarrow || mayRestrict || hasHooks(app, service, 'find')) return undefined

  return {
    service,
    from: relation.from ?? getIdField(context.service),
    to: through?.from ?? relation.to ?? getIdField(service),
    isCount: isCountRelation(relation)
  }
}
