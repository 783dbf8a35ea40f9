import { hasHooks } from '../core/gate.ts'
import { getIdField, getServiceOptions } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { getTraits } from '../hooks/traits.ts'
import type { AlongRequest, Found } from '../query/along.ts'
import { hasSets, type RecordSet } from '../query/record-set.ts'
import { addServiceSlots, getServiceSlots } from '../utils/call-state.ts'
import { copyWith } from '../utils/object.ts'
import type { DescribedExtension } from './declared.ts'
import { MAX_LOADED, toCaller } from './find-related.ts'
import type { Includes } from './include.ts'
import { isCountRelation, type Relation, type Relations } from './relation.ts'

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of an adapter: whether no class has overridden a part of its `find`. */
    readonly findsAsIs?: () => boolean
  }
}

/**
 * Asks the adapter of a page to read related records along with it. Their services are called afterwards all the same: what
 * was read only saves the statements of these calls.
 *
 * @param context The context of the call; its params get what is asked for
 * @param includes What is included
 * @param relations The relations of the service
 * @param id The name of its id field
 */
export function askAlong(context: HookContext, includes: Includes, relations: Relations, id: string): void {
  const { service, method } = context

  if (method !== 'find' || includes.size === 0 || !hasSets(service)) return

  const requests = new Map<string, AlongRequest>()

  for (const name of includes.keys()) {
    const request = toRequest(context, relations[name] as Relation, id)

    if (request) requests.set(name, request)
  }

  context.params = addServiceSlots(context.params, service, { along: { requests, max: MAX_LOADED } })
}

/** What was read along for a relation, if anything. */
export function getFound(context: HookContext, name: string): Found | undefined {
  return getRequest(context, name)?.found
}

/** The set of a relation, where nothing takes part in a call for it. */
export function getPlainSet(context: HookContext, name: string): RecordSet | undefined {
  const { service } = getRequest(context, name) ?? {}
  const { provider } = context.params

  if (!service || !findsAsIs(service) || (provider && !isOpen(service))) return undefined

  return service.asSet(copyWith(toCaller(context.params), { paginate: false }))
}

/** Whether `find` of a service without hooks is that of its adapter. */
function findsAsIs(service: object): boolean {
  return getTraits(service).findsAsIs?.() === true
}

/** Whether every client may find the records of a service. */
function isOpen(service: object): boolean {
  const { access, methods } = getServiceOptions(service)

  return !access && methods.includes('find')
}

function getRequest({ service, params }: HookContext, name: string): AlongRequest | undefined {
  return getServiceSlots(params, service).along?.requests.get(name)
}

function toRequest(context: HookContext, relation: Relation, id: string): AlongRequest | undefined {
  const { app } = context
  const service = app.service(relation.path)
  const through = 'through' in relation ? relation.through : undefined
  const between = through && app.service(through.path)

  if (!hasSets(service) || !isPlain(context, service) || mayDemand(context, service)) return undefined
  if (between && (!hasSets(between) || !isPlain(context, between) || !findsAsIs(between))) return undefined

  return {
    service,
    from: relation.from ?? id,
    to: relation.to ?? getIdField(service),
    through: through && between && { ...through, service: between },
    isCount: isCountRelation(relation)
  }
}

/** Whether `find` of a service is surely asked for what the relation needs: hooks, gates and schemas may change queries. */
function isPlain({ app }: HookContext, service: object): boolean {
  const schema: Partial<DescribedExtension> | undefined = getServiceOptions(service).schema

  return (schema === undefined || schema.narrowsFind === false) && !hasHooks(app, service, 'find')
}

/** Whether the access of a service may add conditions. */
function mayDemand({ params }: HookContext, service: object): boolean {
  const { access } = getServiceOptions(service)

  return Boolean(params.provider) && access?.innermost?.('find') !== undefined
}
