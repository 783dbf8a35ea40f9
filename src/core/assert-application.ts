import { createTypeError } from '../utils/developer-error.ts'

/**
 * Checks what something is made for, or is asked about.
 *
 * @param name The name of the function that gets it
 * @param app The application
 * @throws TypeError for anything else
 */
export function assertApplication(name: string, app: unknown): void {
  if (typeof (app as { lookup?: unknown } | null | undefined)?.lookup === 'function') return

  throw createTypeError('ALULA_INVALID_APPLICATION', `${name} expects an application, as alula() returns it`)
}
