/** The applications that a transport of HTTP was configured on. */
const reachable = new WeakSet<object>()

/** Notes that requests reach the services of an application. */
export function markReachable(app: object): void {
  reachable.add(app)
}

/** Warns when a server has started whose application has services that no transport reaches. */
export function warnOfMissingTransport(app: { readonly services: object; readonly io?: unknown }): void {
  if (reachable.has(app) || app.io || Object.keys(app.services).length === 0) return

  process.emitWarning(
    'No request reaches the services of this application: configure a transport, for example app.configure(rest())',
    { code: 'ALULA_NO_TRANSPORT' }
  )
}
