import { createError } from './developer-error.ts'

/**
 * Returns a handler for the rejected import of an optional peer dependency. Write it directly after the import: bundlers
 * fail on a package that is not installed, unless they see there that its absence is handled.
 *
 * @example
 * const { Server } = await import('socket.io').catch(rethrowMissingPeer('socket.io', "'alula/socketio'"))
 * @param user What needs it, as a sentence begins: `'alula/socketio'`
 */
export function rethrowMissingPeer(name: string, user: string): (cause: unknown) => never {
  return (cause) => {
    throw createError('ALULA_MISSING_PACKAGE', `${user} needs the package '${name}': npm install ${name}`, {
      cause
    })
  }
}
