import { createError, createTypeError } from '../utils/developer-error.ts'

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

/**
 * Checks that an application is not set up yet.
 *
 * @param entry The entry of the package that is configured on it, such as `alula/sync`
 * @throws Error where it is too late
 */
export function assertBeforeSetup({ _isSetup }: { readonly _isSetup: boolean }, entry: string): void {
  if (_isSetup)
    throw createError(
      'ALULA_CONFIGURED_TOO_LATE',
      `'${entry}' has to be configured before the application is set up`
    )
}

/**
 * Checks that a function for `app.configure` was called, and not passed on: then it gets the application as its options.
 *
 * @throws TypeError for an application
 */
export function assertCalled(name: string, options: unknown): void {
  if (typeof (options as { configure?: unknown } | null | undefined)?.configure !== 'function') return

  throw createTypeError(
    'ALULA_NOT_CALLED',
    `Call ${name}: app.configure(${name}()), not app.configure(${name})`
  )
}
