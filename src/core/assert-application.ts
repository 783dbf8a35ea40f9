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

/** Throws an Error that names the entry that is configured, such as `alula/sync`, where an application is set up already. */
export function assertBeforeSetup({ _isSetup }: { readonly _isSetup: boolean }, entry: string): void {
  if (_isSetup)
    throw createError(
      'ALULA_CONFIGURED_TOO_LATE',
      `'${entry}' has to be configured before the application is set up`
    )
}

/**
 * Throws TypeError where a function for `app.configure` was passed on, not called: then it gets the application as its options.
 */
export function assertCalled(name: string, options: unknown): void {
  if (typeof (options as { configure?: unknown } | null | undefined)?.configure !== 'function') return

  throw createTypeError(
    'ALULA_NOT_CALLED',
    `Call ${name}: app.configure(${name}()), not app.configure(${name})`
  )
}
