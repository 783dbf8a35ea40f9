// What a service is narrowed to: the records that its path names, and the one record of its caller.

import { addRestriction, createEnforcer } from '../access/restriction.ts'
import { defaultServiceMethods, isStandardMethod } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService, ServiceExtension } from '../core/types.ts'
import { getTraits, TRAITS, type Traits } from '../hooks/traits.ts'
import { isFunction } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { assertOption, type OptionCheck } from '../utils/options.ts'
import { andThen } from '../utils/promise.ts'
import { assertParents } from './check.ts'
import { parseParents } from './options.ts'
import { resolveParents } from './parents.ts'
import { OF_MANY, resolveSingleton } from './singleton.ts'

/**
 * Holds the calls of a service to its parents, and to its one record; a step of its registration. Throws an Error for a path
 * that lacks a placeholder, and for options that contradict each other.
 */
export function addScope(service: FeathersService, path: string): void {
  const options = getServiceOptions(service)
  const { parent, singleton } = options

  if (parent) Object.assign(options, { parent: parseParents(path, parent) })
  if (singleton) Object.assign(options, { methods: toSingleMethods(service, path) })
  if (!parent && !singleton) return

  const traits: Traits = { ...getTraits(service), scope: createScope(service) }

  // Defined: the object of the application, which has those of the library, may be frozen.
  Object.defineProperty(service, TRAITS, { value: traits, configurable: true })
}

/** Its restriction holds a call as access holds it to the query of a rule: what has such a rule holds it to both. */
function createScope(service: FeathersService): ServiceExtension {
  const { parent, singleton } = getServiceOptions(service)

  return {
    inner: {
      input: (method) => (isStandardMethod(method) && method !== 'create' ? addRestriction : undefined),
      innermost(method) {
        if (!isStandardMethod(method) || getServiceOptions(service).access?.innermost?.(method))
          return undefined

        return createEnforcer(method)
      }
    },
    setup: (own, path, app) => assertParents(own, path, parent ?? {}, app as Application),
    // Comes before the schema: the data has the ids of the parents when it is checked.
    input(method) {
      const isStandard = isStandardMethod(method)

      return (context) =>
        andThen(parent ? resolveParents(context, parent) : undefined, () => {
          if (singleton && isStandard) return resolveSingleton(context, singleton)
        })
    }
  }
}

/** A client says `true`. */
const SINGLETON: OptionCheck = [isFunction, 'a function of the params that returns an id']

/** The methods of a single record; those of its service where none are listed. */
function toSingleMethods(service: FeathersService, path: string): readonly string[] {
  const { singleton, methods, by } = getServiceOptions(service)
  const own = defaultServiceMethods.filter((name) => isFunction(service[name as keyof FeathersService]))
  const listed = OF_MANY.find((name) => methods.includes(name))

  assertOption(`service '${path}'`, 'singleton', singleton, SINGLETON)

  if (by !== undefined) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `The service '${path}' is a singleton, whose path has no id: leave 'by' out`
    )
  }
  if (listed !== undefined && methods.join() !== own.join()) {
    throw createError(
      'ALULA_INVALID_OPTION',
      `The service '${path}' is a singleton, and 'methods' lists '${listed}', which a single record does not have: leave it out`
    )
  }

  return methods.filter((name) => !OF_MANY.includes(name))
}
