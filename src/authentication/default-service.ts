import type { Application } from '../core/types.ts'

/** Creates `defaultAuthentication` of an application, which finds the registered service of the default setting. */
export function createFinder(): (this: Application, location?: string) => any {
  // Each request asks for it, several times.
  let known = ''

  return function findAuthentication(location) {
    if (location) return this.service(location)

    const configKey = this.get('defaultAuthentication')
    const services: { [path: string]: any } = this.services

    if (services[known]?.configKey === configKey) return services[known]

    const path = Object.keys(services).find((path) => services[path].configKey === configKey)

    if (path === undefined) return null

    known = path

    return services[path]
  }
}
