import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import { hasCode } from '../utils/check.ts'

/** What the socket of a client that has gone fails with. */
const GONE = ['ECONNRESET', 'EPIPE']

/**
 * Keeps Koa from reporting that a client has gone before it had the whole response: for a server that is no error, and Express
 * does not report it either.
 *
 * @param context The prototype of the contexts of an application
 */
export function ignoreAborts(context: Pick<Koa.BaseContext, 'onerror'>): void {
  const { onerror } = context

  context.onerror = function (this: Koa.Context, error) {
    if (!isAbort(error, this.req)) onerror.call(this, error)
  }
}

/** A stream that breaks off by itself closes the connection too: the socket says on whose side it was. */
function isAbort(error: unknown, { socket }: IncomingMessage): boolean {
  const hasGone = socket.readableEnded || GONE.some((code) => hasCode(socket.errored, code))

  return hasGone && [...GONE, 'ERR_STREAM_PREMATURE_CLOSE'].some((code) => hasCode(error, code))
}
