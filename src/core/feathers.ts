import { stripSlashes } from '../utils/path.ts'
import { BaseApplication } from './application.ts'
import { addMethodRoutes, assertNoRoute } from './method-routes.ts'
import { registrationSteps } from './register.ts'
import type { RouteLookup, ServiceMixin } from './types.ts'

/** The application, with the routes of methods. */
export class Feathers extends BaseApplication {
  override mixins: ServiceMixin<any>[] = [assertNoRoute, ...registrationSteps, addMethodRoutes]

  override lookup(path: string): RouteLookup | null {
    const match = this.routes.lookup(path)

    if (!match) return null

    const { service, params, routes, path: location } = match.data

    if (!routes) return { service, params: { ...params, ...match.params } }

    const { __id, ...own } = match.params

    return { service, routes, params: { ...params, ...own, ...toRest(path, location) } }
  }
}

/** What a path has after that of its service: one segment is an id, and can be a route too. */
function toRest(path: string, location: string): { [name: string]: string } {
  const stripped = stripSlashes(path)
  let start = 0

  for (let depth = location === '/' ? 0 : location.split('/').length; depth > 0; depth--) {
    const slash = stripped.indexOf('/', start)

    if (slash === -1) return {}

    start = slash + 1
  }

  const rest = stripped.slice(start)

  if (rest === '') return {}

  return rest.includes('/') ? { __rest: rest } : { __id: rest }
}
