import { createError } from '../utils/developer-error.ts'
import type { BaseContext } from './types.ts'

/** Creates the context of a call from what a transport knows about it, for example `{ http: {} }`. */
export interface HookContextClass<C extends BaseContext = BaseContext> {
  new (data?: object): C
}

/** The base of all contexts. What differs by call is its own; what all calls of a method share is inherited. */
export class BaseHookContext implements BaseContext {
  // Not initialized here: V8 takes ten times as long to define properties as to assign them, where it sees many classes.
  declare self: unknown
  declare arguments: unknown[]
  declare type: string

  constructor(data?: object) {
    this.self = undefined
    this.arguments = []
    if (data) Object.assign(this, data)
  }

  /** All enumerable properties, the inherited ones included. */
  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = {}

    for (const key in this) json[key] = this[key]

    return json
  }
}

/**
 * Creates the context class of one method. `parameters` are the names of the arguments, in order; each reads and writes
 * `context.arguments`. `properties` are what every context starts with; getters and setters are kept. Throws an Error when a
 * name is both a parameter and a property.
 */
export function createContextClass<C extends BaseContext>(
  parameters: readonly string[],
  properties: object
): HookContextClass<C> {
  const ContextClass = class HookContext extends BaseHookContext {}

  for (const [index, name] of parameters.entries()) {
    if (Object.hasOwn(properties, name)) {
      throw createError(
        'ALULA_RESERVED_NAME',
        `Hooks can not have a property and param named '${name}'. Use .defaults instead.`
      )
    }

    Object.defineProperty(ContextClass.prototype, name, {
      enumerable: true,
      configurable: true,
      get(this: BaseHookContext) {
        return this.arguments[index]
      },
      set(this: BaseHookContext, value: unknown) {
        this.arguments[index] = value
      }
    })
  }

  Object.defineProperties(ContextClass.prototype, Object.getOwnPropertyDescriptors(properties))

  return ContextClass as unknown as HookContextClass<C>
}
