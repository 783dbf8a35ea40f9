import { getLayers, visitHooks } from '../core/gate.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService } from '../core/types.ts'
import { getTraits } from '../hooks/traits.ts'
import { emitWarning } from '../utils/runtime.ts'

/** Warns of hooks `authenticate` in an application that has no authentication service: clients get a 401 whatever they send. */
export function warnOfMissingLogin(app: Application): void {
  if (app.defaultAuthentication) return

  const services = Object.entries(app.services as { [path: string]: FeathersService })
  const paths = services.filter(([, service]) => isAuthenticated(service)).map(([path]) => `'${path}'`)

  if (paths.length === 0) return

  emitWarning(
    `Hooks authenticate(…) of ${paths.join(', ')} refuse every client with a 401, because the application has no authentication service: register one, app.use('authentication', new AuthenticationService(app))`,
    { code: 'ALULA_NO_AUTHENTICATION' }
  )
}

function isAuthenticated(service: FeathersService): boolean {
  let isFound = false

  for (const method of getServiceOptions(service)?.methods ?? []) {
    visitHooks(getLayers(service, method) ?? [], 'before', (hook) => {
      if (getTraits(hook).authenticates) isFound = true
    })
  }

  return isFound
}
