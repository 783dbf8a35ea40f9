import type { ServiceEvent } from '../core/internals.ts'
import { toEventData } from '../core/publish.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, HookContext } from '../core/types.ts'
import { createError } from '../utils/developer-error.ts'
import { decode, encode } from './codec.ts'

/** What publishers need of a call and what may leave the process: no headers, no credentials, no connection. */
const PARAMS = ['provider', 'query', 'route']

/** An event that another process has sent, and the service here that it is an event of. */
export interface ReceivedEvent {
  readonly service: object
  readonly serviceEvent: ServiceEvent
}

/**
 * Writes an event of a service as text for other processes.
 *
 * @param serviceEvent The event
 * @param names The names of further params that travel
 * @throws Error for an event that cannot be written
 */
export function toEventText({ path, event, data, context }: ServiceEvent, names: readonly string[]): string {
  const { method, id, params } = context

  try {
    const shown = toEventData(context, data)

    return encode({
      path,
      event,
      data,
      // What is shown is in most cases what there is.
      dispatch: shown === data ? undefined : shown,
      // An event that the service sent itself has none.
      call: method === undefined ? undefined : { method, id, event: context.event },
      params: params && pickOwn(params, [...PARAMS, ...names])
    })
  } catch (cause) {
    throw createError(
      'ALULA_UNSENDABLE_EVENT',
      `The event '${event}' of '${path}' cannot be sent to other processes`,
      { cause }
    )
  }
}

/**
 * Reads what {@link toEventText} has written, in another process.
 *
 * @param app The application
 * @param text The text
 * @returns `undefined` for an event that this process does not know
 * @throws What {@link decode} throws for a string that cannot be read
 */
export function toReceivedEvent(app: Application, text: string): ReceivedEvent | undefined {
  const { path, event, data, dispatch, call, params } = decode(text) as any
  const service = Object.hasOwn(app.services, path) ? app.services[path] : undefined

  if (!service || !getServiceOptions(service).serviceEvents.includes(event)) return undefined

  // By name: who can write to the stream must not choose the application or the service that publishers get.
  const context = {
    ...{ app, service, path, result: data },
    ...(call && { method: call.method, id: call.id, event: call.event }),
    ...(params && { params }),
    ...(dispatch !== undefined && { dispatch })
  } as HookContext

  return { service, serviceEvent: { path, event, data, context } }
}

function pickOwn(
  source: { readonly [name: string]: unknown },
  names: readonly string[]
): { [name: string]: unknown } {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(source, name)).map((name) => [name, source[name]])
  )
}
