import type { EmitterLike } from './emitter.ts'
import { implementEmitter } from './events.ts'
import { installExtensions } from './extensions.ts'
import { implementHooks } from './hooks.ts'
import { implementPublish } from './publish.ts'
import type { Router } from './router.ts'
import { getServiceOptions } from './service.ts'
import type { FeathersService, RouteLookup } from './types.ts'

/** What an application knows of a path. */
export interface RegisteredRoute extends RouteLookup {
  /** The path of the service. */
  readonly path: string
  /** The route of a method that has this path, or one of them; missing for the paths of standard methods. */
  readonly name?: string
  /** The paths of all routes of the service. */
  paths?: readonly string[]
}

/** The part of an application that registration needs. */
export interface RegisteringApplication extends EmitterLike {
  readonly routes: Router<RegisteredRoute>
  get?(name: string): unknown
}

type RegistrationStep = (this: RegisteringApplication, service: FeathersService, path: string) => void

/**
 * What happens to every service that is registered, in this order. It is the start of `app.mixins`: plugins
 * put their own steps before or after these.
 */
export const registrationSteps: readonly RegistrationStep[] = /* @__PURE__ */ [
  installExtensions,
  implementHooks,
  implementEmitter,
  implementPublish,
  addRoutes
].map(toStep)

function toStep(
  run: (service: FeathersService, path: string, app: RegisteringApplication) => void
): RegistrationStep {
  return function (service, path) {
    run(service, path, this)
  }
}

function addRoutes(service: FeathersService, path: string, { routes }: RegisteringApplication): void {
  const { routeParams = {} } = getServiceOptions(service)
  const route: RegisteredRoute = { service, params: routeParams, path }

  routes.insert(path, route)

  try {
    routes.insert(`${path}/:__id`, route)
  } catch (error) {
    routes.remove(path)
    throw error
  }
}

/** Removes all paths of a service. */
export function removeRoutes(app: { routes: Router<RegisteredRoute> }, path: string): void {
  const { paths = [] } = app.routes.get(path) ?? {}

  for (const each of [path, `${path}/:__id`, ...paths]) app.routes.remove(each)
}
