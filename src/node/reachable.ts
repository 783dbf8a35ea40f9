import { getInternals } from '../core/internals.ts'

/** Notes that requests reach the services of an application. */
export function markReachable(app: object): void {
  getInternals(app).plugins.add('rest')
}

/** Warns when a server has started whose application has services that no transport reaches. */
export function warnOfMissingTransport(app: { readonly services: object; readonly io?: unknown }): void {
  if (getInternals(app).plugins.has('rest') || app.io || Object.keys(app.services).length === 0) return

  process.emitWarning(
    'No request reaches the services of this application: configure a transport, for example app.configure(rest())',
    { code: 'ALULA_NO_TRANSPORT' }
  )
}
