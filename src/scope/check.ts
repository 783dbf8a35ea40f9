// What is wrong with parents is said when the application starts: later, every call would be a 404.
import { getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService } from '../core/types.ts'
import { listDeclared } from '../schema/compile.ts'
import { listStored } from '../schema/stored.ts'
import { isFunction } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { listPlaceholders, type Parents, refuse } from './options.ts'

/**
 * Checks that the services of parents are there and have `get`, and that the service has the fields.
 *
 * @param service The service
 * @param path Its path
 * @param parents Its parents
 * @param app The application, when it is set up
 * @throws Error that names the parent and what it needs
 */
export async function assertParents(
  service: FeathersService,
  path: string,
  parents: Parents,
  { services }: Application
): Promise<void> {
  const fields = Object.keys(parents)

  if (fields.length === 0) return

  for (const [field, parent] of Object.entries(parents)) {
    if (!Object.hasOwn(services, parent.service)) {
      throw createError(
        'ALULA_UNKNOWN_SERVICE',
        `The parent '${field}' of service '${path}' is a record of '${parent.service}', which is not registered${didYouMean(parent.service, Object.keys(services))}`
      )
    }

    const { methods, access, singleton } = getServiceOptions(services[parent.service])
    const missing = listPlaceholders(parent.service).find((name) => !listPlaceholders(path).includes(name))

    if (!isFunction(services[parent.service].get) || !(methods.includes('get') || access)) {
      throw createError(
        'ALULA_UNKNOWN_METHOD',
        `The parent '${field}' of service '${path}' needs the method 'get' of '${parent.service}': list it in 'methods', or give it a rule in 'access'`
      )
    }
    if (singleton) {
      throw refuse(path, field, `'${parent.service}' is a singleton, whose path names no record`)
    }
    if (missing !== undefined) {
      throw refuse(path, field, `'${parent.service}' has the placeholder ':${missing}', which the path lacks`)
    }
  }

  const declared = listDeclared(service)
  const names = declared ?? (await listStored(service))
  const unknown = names && fields.find((field) => !names.includes(field))

  if (unknown !== undefined) {
    throw createError(
      'ALULA_UNKNOWN_FIELD',
      `The parent '${unknown}' of service '${path}' is no field of its ${declared ? 'schema' : 'table'}${didYouMean(unknown, names ?? [])}`
    )
  }
}
