import { createError } from './developer-error.ts'

/**
 * Imports an optional peer dependency.
 *
 * @param name The name of the package
 * @param user What needs it, as a sentence begins: `'alula/socketio'`
 * @param load The import
 * @param command What installs it
 * @throws Error that says what to do when the package is not there
 */
export async function importPeer<T>(
  name: string,
  user: string,
  load: () => Promise<T>,
  command?: string
): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw createMissingPeer(name, user, cause, command)
  }
}

/** The error for an optional peer dependency that cannot be loaded. */
export function createMissingPeer(
  name: string,
  user: string,
  cause: unknown,
  command = `npm install ${name}`
): Error {
  return createError('ALULA_MISSING_PACKAGE', `${user} needs the package '${name}': ${command}`, {
    cause
  })
}
