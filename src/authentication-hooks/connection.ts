import type { HookContext, NextFunction } from '../core/types.ts'

/** What happened to a real-time connection. */
export type ConnectionEvent = 'login' | 'logout' | 'disconnect'

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
  const { service, params, result } = context

  if (params.connection) await service.handleConnection(event, params.connection, result)
}
