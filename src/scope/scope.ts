// What a service is narrowed to: the records that its path names, and the one record of its caller.

import { addRestriction, createEnforcer } from '../access/restriction.ts'
import { defaultServiceMethods, isStandardMethod } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application, FeathersService, HookContext, ServiceExtension } from '../core/types.ts'
import { getTraits, TRAITS, type Traits } from '../hooks/traits.ts'
import type { Hook } from '../hooks/types.ts'
import { isFunction } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { assertOption, type OptionCheck } from '../utils/options.ts'
import { andThen } from '../utils/promise.ts'
import { assertParents } from './check.ts'
import { type Parents, parseParents } from './options.ts'
import { resolveParents } from './parents.ts'
import { OF_MANY, resolveSingleton } from './singleton.ts'

/**
 * Holds the calls of a service to its parents, and to its one record; a step of its registration.
 *
 * @throws Error for a path that lacks a placeholder, and for options that contradict each other
 */
export function addScope(service: FeathersService, path: string): void {
  const options = getServiceOptions(service)
  const { parent, singleton } = options

  if (parent) Object.assign(options, { parent: parseParents(path, parent) })
  if (singleton) Object.assign(options, { methods: toSingleMethods(service, path) })
  if (!parent && !singleton) return

  const traits: Traits = { ...getTraits(service), scope: new ServiceScope(service) }

  // Defined: the object of the application, which has those of the library, may be frozen.
  Object.defineProperty(service, TRAITS, { value: traits, configurable: true })
}

class ServiceScope implements ServiceExtension {
  readonly inner: ServiceExtension
  private readonly service: FeathersService
  private readonly parents: Parents

  constructor(service: FeathersService) {
    this.service = service
    this.parents = getServiceOptions(service).parent ?? {}
    this.inner = new ScopeRestriction(service)
  }

  async setup(service: FeathersService, path: string, app: object): Promise<void> {
    await assertParents(service, path, this.parents, app as Application)
  }

  /** Comes before the schema: the data has the ids of the parents when it is checked. */
  input(method: string): Hook<HookContext> {
    const { parent, singleton } = getServiceOptions(this.service)
    const isStandard = isStandardMethod(method)

    return (context) =>
      andThen(parent ? resolveParents(context, this.parents) : undefined, () => {
        if (singleton && isStandard) return resolveSingleton(context, singleton)
      })
  }
}

/** Holds a call to its scope as access holds it to the query of a rule: what has such a rule holds it to both. */
class ScopeRestriction implements ServiceExtension {
  private readonly service: FeathersService

  constructor(service: FeathersService) {
    this.service = service
  }

  input(method: string): Hook<HookContext> | undefined {
    return isStandardMethod(method) && method !== 'create' ? addRestriction : undefined
  }

  innermost(method: string): ReturnType<typeof createEnforcer> | undefined {
    if (!isStandardMethod(method) || getServiceOptions(this.service).access?.innermost?.(method))
      return undefined

    return createEnforcer(method)
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
