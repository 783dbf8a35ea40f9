import type { Socket } from 'node:net'
import type Koa from 'koa'
import { hasCode } from '../utils/check.ts'

/** What the socket of a client that has gone fails with. */
const GONE = ['ECONNRESET', 'EPIPE']

/**
 * Has the contexts of an application keep Koa from reporting that a client has gone before it had the whole response, or has
 * sent what is no HTTP: for a server that is no error, and Express does not report it either.
 */
export function ignoreAborts(context: Pick<Koa.BaseContext, 'onerror'>): void {
  const { onerror } = context

  context.onerror = function (this: Koa.Context, error) {
    if (!isAbort(error, this.req) && !isMalformed(error, this)) onerror.call(this, error)
  }
}

/**
 * A stream that breaks off by itself closes the connection too: the socket says on whose side it was. A request has none once its
 * body is destroyed, as by middleware that leaves a loop over it.
 */
function isAbort(error: unknown, { socket }: { readonly socket: Socket | null }): boolean {
  const hasGone = socket?.readableEnded || isGone(socket?.errored)

  return hasGone && [...GONE, 'ERR_STREAM_PREMATURE_CLOSE'].some((code) => hasCode(error, code))
}

function isGone(error: unknown): boolean {
  return GONE.some((code) => hasCode(error, code))
}

/**
 * Whether the parser of the server has refused a request. The application may call another server, whose response is malformed: such an
 * error fails its request or its response first.
 */
function isMalformed(error: unknown, { req, res }: Pick<Koa.Context, 'req' | 'res'>): boolean {
  const { socket }: { readonly socket: Socket | null } = req
  const { code } = (error ?? {}) as { code?: unknown }
  // Where the connection is reset, the parser misses the end of the request.
  const errored = socket?.errored

  return (
    String(code).startsWith('HPE_') &&
    (error === errored || isGone(errored)) &&
    error !== req.errored &&
    error !== res.errored
  )
}
