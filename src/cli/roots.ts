import { existsSync } from 'node:fs'

/**
 * Lists the folders that may have the sources of an application, in the order to look into them. Where
 * `npm create alula` has added an API to an application, `src` belongs to that application.
 */
export function listRoots(): readonly string[] {
  const isAdded = ['ts', 'js'].some((extension) => existsSync(`api/mount.${extension}`))

  return isAdded ? ['api', 'src'] : ['src', 'api']
}
