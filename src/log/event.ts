import { getHome } from '../core/extensions.ts'
import type { ServiceEvent } from '../core/internals.ts'
import { toEventData } from '../core/publish.ts'
import { getServiceOptions } from '../core/service.ts'
import { withShown } from '../core/shown.ts'
import type { Application, HookContext } from '../core/types.ts'
import { showInstances } from '../utils/dispatch.ts'
import { copyPlain, copyWith } from '../utils/object.ts'

/** What is kept of an event: what another process is told of it. No headers, no credentials, no connection. */
export interface KeptEvent {
  readonly path: string
  readonly event: string
  readonly data: unknown
  /** What clients see of it, where that is something else. */
  readonly dispatch?: unknown
  /** There is none for an event that the service sent itself. */
  readonly call?: { readonly method: string; readonly id: unknown; readonly event: unknown } | undefined
  readonly params?: { readonly [name: string]: unknown } | undefined
  /** The span of the write. */
  readonly traceparent?: string | undefined
}

/** What publishers need of a call. */
const PARAMS = ['provider', 'query', 'route', 'requestId']

/**
 * What is kept of an event; `names` are those of further params that publishers need. Throws an Error where it is not known
 * what clients see of it.
 */
export function toKeptEvent(serviceEvent: ServiceEvent, names: readonly string[]): KeptEvent {
  const { path, event, data, context, traceparent } = serviceEvent
  const { method, id, params } = context
  const shown = toEventData(context, data)

  return {
    path,
    event,
    data,
    // What is shown is in most cases what there is.
    dispatch: shown === data ? undefined : shown,
    call: method === undefined ? undefined : { method, id, event: context.event },
    params: params && pickOwn(params, names),
    ...(traceparent !== undefined && { traceparent })
  }
}

/**
 * A copy, for later: code that has got the result of a call may change it after the event. Publishers get an instance of a
 * class as it is, because they may call its methods; clients get what it has now.
 */
export function copyEvent(kept: KeptEvent): KeptEvent {
  const data = copyPlain(kept.data)
  const shown = kept.dispatch === undefined ? data : copyPlain(kept.dispatch)
  const sent = showInstances(shown)

  return copyWith(kept, { data, dispatch: sent === data ? undefined : sent })
}

/** An event of this process that is sent later, with all that publishers get of its call. */
export function toLaterEvent(serviceEvent: ServiceEvent, { data, dispatch = data }: KeptEvent): ServiceEvent {
  return copyWith(serviceEvent, { data, context: withShown(serviceEvent.context, dispatch) })
}

/** An event of a service as publishers get it again; `undefined` for an event that this process does not know. */
export function toKnownEvent(
  app: Application,
  kept: KeptEvent
): { readonly service: object; readonly serviceEvent: ServiceEvent } | undefined {
  const { path, event, data, dispatch, call, params, traceparent } = kept
  const service: object | undefined = app.services[path]

  if (!service || !getServiceOptions(service).serviceEvents.includes(event)) return undefined

  // By name: who can write to a shared log must not choose the application or the service that publishers get.
  const context = {
    ...{ app: getHome(service, path, app).app, service, path, result: data },
    ...(call && { method: call.method, id: call.id, event: call.event }),
    ...(params && { params }),
    ...(dispatch !== undefined && { dispatch })
  } as HookContext

  return { service, serviceEvent: { path, event, data, context, traceparent } }
}

function pickOwn(
  source: { readonly [name: string]: unknown },
  names: readonly string[]
): { [name: string]: unknown } {
  const picked: { [name: string]: unknown } = {}

  for (const name of PARAMS) if (Object.hasOwn(source, name)) picked[name] = source[name]
  for (const name of names) if (Object.hasOwn(source, name)) picked[name] = source[name]

  return picked
}
