/**
 * Imports a package that not everybody installs.
 *
 * @param name The name of the package
 * @param user What needs it, for example `'alula/socketio'`
 * @param load The import
 * @param command What installs it
 * @throws Error that says what to do when the package is not there
 */
export async function importPeer<T>(
  name: string,
  user: string,
  load: () => Promise<T>,
  command = `npm install ${name}`
): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new Error(`The package '${name}', which is needed by ${user}, is not installed: ${command}`, {
      cause
    })
  }
}
