// A login and a logout, from their turn on the connection to what the client gets.
import { type ConnectionEvent, updateConnection } from '../authentication-hooks/connection.ts'
import { emitOnApplication } from '../authentication-hooks/event.ts'
import type { HookContext, NextFunction } from '../core/types.ts'
import { addServiceSlots, getServiceSlots, withoutServiceSlots } from '../utils/call-state.ts'
import { addSetCookie } from '../utils/cookie.ts'
import { copyWith } from '../utils/object.ts'
import { findTokenResponse, markTokenResponse } from '../utils/token-response.ts'
import type { AuthenticationBase } from './base.ts'
import { getRunningCall, type RunningCall } from './connections.ts'
import { setDispatch, toDispatch } from './dispatch.ts'
import type { AuthenticationParams } from './types.ts'

/**
 * Runs a login or a logout when it is the turn of the call: all that happens around the method, in this order. Meanwhile the
 * params of `context` have what is kept of the login. `event` is what a successful call means to its connection.
 */
export async function runLogin(
  service: AuthenticationBase,
  event: ConnectionEvent,
  context: HookContext,
  next: NextFunction
): Promise<void> {
  const { params, http } = context
  const outer = getServiceSlots(params, service.strategies)
  const endsLogin = isLogoutOfConnection(context)

  async function work(ownParams: AuthenticationParams): Promise<void> {
    context.params = endsLogin ? withLogin(ownParams) : ownParams

    try {
      await next()
    } catch (error) {
      // What this call is a part of may succeed all the same.
      if (!outer.running) getRunningCall(service, ownParams)?.undo?.()
      throw error
    }

    // Listeners get the params as they came.
    context.params = withoutServiceSlots(context.params)
    await updateConnection(event, context)
    emitOnApplication(event, context)
    prepareResponse(context, getRunningCall(service, ownParams)?.cookie)
  }

  await service.connections.run(params, () => http?.isAborted === true, work)

  if (outer.running) context.params = addServiceSlots(context.params, service.strategies, outer)
}

/**
 * Prepares what a client gets: entities as it may see them, and headers: one keeps it out of caches (RFC 6749 §5.1). Logs of
 * events and kept responses do without it, because it has the token.
 */
function prepareResponse(context: HookContext, ofCall: RunningCall['cookie']): void {
  const { http, result } = context
  // A hook may have copied the result. One that takes the token out withholds the login.
  const isWithheld = ofCall?.accessToken !== undefined && ofCall.accessToken !== result?.accessToken
  const { cookie = isWithheld ? undefined : ofCall?.text, ...response } = findTokenResponse(result) ?? {}

  context.dispatch = markTokenResponse(toDispatch(context.dispatch ?? result ?? {}), response)
  setDispatch(result, context.dispatch)

  if (http) http.headers = addSetCookie({ ...http.headers, 'Cache-Control': 'no-store' }, cookie)
}

/** Whether a call ends the login of its connection, whatever that is when its turn comes, and no token that it names. */
function isLogoutOfConnection({ method, id, params }: HookContext): boolean {
  const { connection, authentication } = params as AuthenticationParams

  return method === 'remove' && id === null && authentication === connection?.authentication
}

/** What came before a logout may have logged its connection in, or out. */
function withLogin(params: AuthenticationParams): AuthenticationParams {
  return copyWith(params, { authentication: params.connection?.authentication })
}
