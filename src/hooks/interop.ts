// Services written for Feathers v5 may carry hooks of the package `@feathersjs/hooks`: set by its decorators
// or by `hooks(target, …)`. They sit under a symbol of the global registry, so no import is needed to read them.
import type { AroundHook, BaseContext, Method } from './types.ts'

/** Where `@feathersjs/hooks` keeps the hook manager of an object or a function. */
export const HOOKS = Symbol.for('@feathersjs/hooks')

interface HookManager {
  getMiddleware(): AroundHook<any>[] | null
  getParams?(): null
  getProps?(): object | null
  getDefaults?(self: unknown, args: unknown[], context: unknown): object | null
}

/** The hooks on a function or an object; those of the prototype chain come first. */
export function getMiddleware<C extends BaseContext>(target: unknown): readonly AroundHook<C>[] {
  return getManager(target)?.getMiddleware() ?? []
}

/**
 * Puts hooks, the outermost first, around a method before its object is registered, as the decorators of `@feathersjs/hooks`
 * do. They run outside of what `service.hooks` registers. The method is not changed.
 */
export function attachHooks<Attached extends (...args: never[]) => unknown>(
  method: Attached,
  around: readonly AroundHook<any>[]
): Attached {
  const original = getOriginal(method)
  const attached = function (this: unknown, ...args: unknown[]): unknown {
    return original.apply(this, args)
  }
  // What decorators put on the method stays inside of the hooks given here.
  const inner = getManager(method)
  const manager: HookManager = {
    getMiddleware: () => [...around, ...(inner?.getMiddleware() ?? [])],
    // Asked by decorators alone.
    getParams: () => null,
    getProps: () => inner?.getProps?.() ?? null,
    getDefaults: (self, args, context) => inner?.getDefaults?.(self, args, context) ?? null
  }

  return Object.assign(attached, { [HOOKS]: manager }) as unknown as Attached
}

/** The context properties that decorators defined for a method. */
export function getProperties(method: unknown): object {
  return getManager(method)?.getProps?.() ?? {}
}

/** The context values that decorators compute for each call of a method, or `undefined` when there are none. */
export function getDefaults(
  method: unknown
): ((context: BaseContext) => object | null | undefined) | undefined {
  const manager = getManager(method)

  if (typeof manager?.getDefaults !== 'function') return undefined

  return (context) => manager.getDefaults?.(context.self, context.arguments, context)
}

/** The function below all wrappers. */
export function getOriginal(method: object): Method {
  const { original } = method as { original?: unknown }

  return typeof original === 'function' ? getOriginal(original) : (method as Method)
}

function getManager(target: unknown): HookManager | null {
  return (target as { [HOOKS]?: HookManager | null })[HOOKS] ?? null
}
