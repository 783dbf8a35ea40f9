import { emitConnection } from '../core/joining.ts'
import type { HookContext, NextFunction } from '../core/types.ts'
import type { ConnectionEvent } from './connection.ts'

/**
 * An around hook for an authentication service: tells the application of a call that succeeded, with
 * `(result, params, context)`. Only external calls count.
 *
 * @param event The event to emit on the application
 */
export function event(event: ConnectionEvent) {
  return async function emitAfter(context: HookContext, next: NextFunction): Promise<void> {
    await next()
    emitOnApplication(event, context)
  }
}

/** Tells the application of an external call that succeeded. */
export function emitOnApplication(event: ConnectionEvent, context: HookContext): void {
  const { app, params, result } = context

  if (!params.provider || !result) return

  emitConnection(app, event, params.connection, [result, params, context])
}
