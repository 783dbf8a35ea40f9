import { goesToClient } from '../core/client-call.ts'
import type { HookContext } from '../core/types.ts'
import type { NextFunction } from '../hooks/types.ts'
import { isFunction } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { type Logger, toClientError, writeCall } from './error.ts'
import { toStatus } from './http.ts'

/**
 * Creates a hook that writes a line for each call of a client, whatever the transport: `notes.find 200 3 ms`. Register it
 * first on the application. The status is that of HTTP, over sockets too: 201 for `create`. Failed calls have a line with the
 * status of the error; the error itself is written by the transport.
 *
 * @param logger Where lines are written to, with its method `info`: `console`, or a logger of pino or winston as it is. pino
 * gets `{ context }` first and the line second; other loggers the line and then `{ context }`, except `console`
 * @throws TypeError for a logger without `info`
 * @example
 * app.hooks([logCalls(pino())])
 */
export function logCalls(
  logger: Required<Pick<Logger, 'info'>> = console
): (context: HookContext, next: NextFunction) => Promise<void> {
  if (!isFunction((logger as Partial<Logger> | null)?.info))
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      "Invalid logger of logCalls: expected an object with the method 'info'"
    )

  return async function logCall(context, next) {
    // Params that hooks pass on are those of a client, and their calls are not.
    if (!goesToClient(context)) {
      await next()
      return
    }

    const start = performance.now()
    let status = 200

    try {
      await next()
      status = toStatus(context)
    } catch (error) {
      ;({ status } = toClientError(error, context.app))
      throw error
    } finally {
      const { path, method, params } = context
      const { provider } = params
      const duration = Math.round((performance.now() - start) * 10) / 10

      writeCall(logger, `${path}.${method} ${status} ${duration} ms`, {
        path,
        method,
        provider,
        ...(params.requestId !== undefined && { requestId: params.requestId }),
        status,
        duration
      })
    }
  }
}
