import { type Emitter, implementEmitter } from './events.ts'
import { implementHooks } from './hooks.ts'
import { implementPublish } from './publish.ts'
import type { Router } from './router.ts'
import { getServiceOptions } from './service.ts'
import type { FeathersService, RouteLookup } from './types.ts'

/** The part of an application that registration needs. */
interface RegisteringApplication extends Emitter {
  readonly routes: Router<RouteLookup>
}

type RegistrationStep = (this: RegisteringApplication, service: FeathersService, path: string) => void

/**
 * What happens to every service that is registered, in this order. It is the start of `app.mixins`: plugins
 * put their own steps before or behind these.
 */
export const registrationSteps: readonly RegistrationStep[] = [addHooks, addEvents, addPublish, addRoutes]

function addHooks(this: RegisteringApplication, service: FeathersService, path: string): void {
  implementHooks(service, path, this)
}

function addEvents(this: RegisteringApplication, service: FeathersService): void {
  implementEmitter(service, this)
}

function addPublish(this: RegisteringApplication, service: FeathersService, path: string): void {
  implementPublish(service, path, this)
}

function addRoutes(this: RegisteringApplication, service: FeathersService, path: string): void {
  const { routeParams = {} } = getServiceOptions(service)
  const route = { service, params: routeParams }

  this.routes.insert(path, route)

  try {
    this.routes.insert(`${path}/:__id`, route)
  } catch (error) {
    this.routes.remove(path)
    throw error
  }
}

/** Takes back what `addRoutes` did. */
export function removeRoutes(app: { routes: Router }, path: string): void {
  app.routes.remove(path)
  app.routes.remove(`${path}/:__id`)
}
