import type { HookContext, Query } from '../core/types.ts'
import { hasSets, type RelatedSort } from '../query/related.ts'
import { copyQuery } from '../query/validated.ts'
import { toBadRequest } from '../schema/faults.ts'
import { isCountRelation, type Relation, type Relations } from '../schema/relation.ts'
import { addServiceSlots } from '../utils/call-state.ts'
import { isPlainObject } from '../utils/object.ts'
import { findSet } from './ask.ts'
import { getEnds } from './ends.ts'
import { namesRelation } from './filter.ts'

/**
 * Prepares a `$sort` by numbers of related records, and returns the query to go on with. The params of the call get what
 * adapters need for it. Throws BadRequest where the adapter cannot sort by it.
 */
export async function resolveSorts(context: HookContext, query: Query, relations: Relations): Promise<Query> {
  const { service } = context
  const { $sort } = query
  const sorts = new Map<string, RelatedSort>()
  const kept: Query = { ...$sort }

  for (const name of Object.keys($sort)) {
    const relation: Relation | undefined = Object.hasOwn(relations, name) ? relations[name] : undefined

    if (!relation && !namesRelation(name, relations)) continue
    if (!relation || !isCountRelation(relation)) refuseSort(name)

    const set = hasSets(service) ? await findSet(context, relation) : undefined

    if (set === undefined) refuseSort(name)
    // Where the caller may find none, all have the same number of them.
    if (set === null) {
      delete kept[name]
      continue
    }

    const { from, to } = getEnds(context, relation)

    sorts.set(name, { set, from, to, exists: relation.kind === 'exists' })
  }

  context.params = addServiceSlots(context.params, service, { relatedSorts: sorts })

  return copyQuery(query, { $sort: kept })
}

/** Whether a query sorts by a relation. */
export function hasSort({ $sort }: Query, relations: Relations): boolean {
  return isPlainObject($sort) && Object.keys($sort).some((name) => namesRelation(name, relations))
}

function refuseSort(name: string): never {
  throw toBadRequest('query', [{ path: name, message: 'cannot be sorted by' }])
}
