import type { HookMethod } from '../hooks/method.ts'
import { createContext, type HookedMethods } from './hooks.ts'
import type { ServiceCall } from './methods.ts'
import { toArguments } from './methods.ts'
import type { HookContext } from './types.ts'

/**
 * The one gate through which every transport reaches a service. Whether the method exists for clients is
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

  return method.call(service, ...toArguments(call), context)
}
