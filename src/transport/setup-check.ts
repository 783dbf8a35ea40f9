import { warnOnce } from '../core/internals.ts'

/**
 * Warns once, at the first request, if the application was never set up: its services may lack what their `setup` prepares.
 *
 * @param app The application
 * @returns Checks the application, the first time it is called
 */
export function createSetupCheck(app: { readonly _isSetup?: boolean }): () => void {
  let isChecked = false

  return () => {
    if (isChecked) return

    isChecked = true
    if (app._isSetup === false) {
      warnOnce(
        app,
        'ALULA_NOT_SET_UP',
        'The application receives requests but was never set up: await app.setup() before the server listens'
      )
    }
  }
}
