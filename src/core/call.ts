import type { HookMethod } from '../hooks/method.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { showRecords } from '../utils/dispatch.ts'
import { noteParams } from './caller.ts'
import { receiveCall } from './extensions.ts'
import { createContext, type HookedMethods } from './hooks.ts'
import { getInternals } from './internals.ts'
import { type ServiceCall, toArguments } from './methods.ts'
import type { HookContext } from './types.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** What the client that called gets, where that differs from what events carry. */
    readonly response?: unknown
  }
}

/**
 * The one entrance through which every transport reaches a service. Whether the method exists for clients is
 * decided before, by the transport’s conversion into a `ServiceCall`.
 *
 * @param service A registered service
 * @param call The method, its id and data, and the params
 * @param context A context made by `createContext`, for a transport that wants to keep it when the call fails
 * @returns The context of the finished call
 */
export async function callService(
  service: object,
  call: ServiceCall,
  context: HookContext = createContext(service, call.method)
): Promise<HookContext> {
  const method = (service as HookedMethods)[call.method] as HookMethod<HookContext>
  const received = receiveCall(service, call)
  const internals = getInternals(context.app)
  const { repeatedCalls } = internals

  setSlots(context, { clientCall: received })
  noteParams(internals, received.params)

  const args = toArguments(received)

  if (!repeatedCalls) return await method.call(service, ...args, context)

  return await repeatedCalls.run(context, () => method.call(service, ...args, context))
}

/**
 * What the client that called gets: the response that was set, else `dispatch`, else the result. A record of another service
 * in it leaves as that service shows it, also where this service has no schema.
 */
export function getResponse(context: HookContext): unknown {
  return showRecords(getOwnResponse(context))
}

/** The same, with records of other services as this service has them. */
export function getOwnResponse(context: HookContext): unknown {
  const { dispatch, result } = context
  const { response } = getSlots(context)

  if (response !== undefined) return response

  return dispatch !== undefined ? dispatch : result
}
