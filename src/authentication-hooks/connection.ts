import type { DefaultAuthentication, HookContext, NextFunction } from '../core/types.ts'
import { getInherited, setInherited } from '../utils/call-state.ts'

/** What happened to a real-time connection. */
export type ConnectionEvent = 'login' | 'logout' | 'disconnect'

declare module '../utils/call-state.ts' {
  interface InheritedSlots {
    /** Of a connection: the authentication service that has logged it in, unless that is the default one. */
    readonly loginService?: DefaultAuthentication
  }
}

/**
 * An around hook for an authentication service: hands the result of a call that came over a real-time connection
 * to the strategies, which note on the connection who it belongs to.
 *
 * @param event What a successful call means to the connection
 */
export function connection(event: ConnectionEvent) {
  return async function updateConnectionAfter(context: HookContext, next: NextFunction): Promise<void> {
    await next()
    await updateConnection(event, context)
  }
}

/** Hands the result of a call that came over a real-time connection to the strategies. */
export async function updateConnection(event: ConnectionEvent, context: HookContext): Promise<void> {
  const { app, service, params, result } = context
  const { connection } = params

  if (!connection) return

  await service.handleConnection(event, connection, result)
  if (event !== 'login') return

  const loginService = service === app.defaultAuthentication?.() ? undefined : service

  if (getInherited(connection).loginService !== loginService) setInherited(connection, { loginService })
}
