import { hookMethod as addHooks } from './hooks/method.ts'
import { compilePipeline as compile } from './hooks/pipeline.ts'
import { HookRegistry as Registry } from './hooks/registry.ts'
import { deprecate } from './utils/deprecate.ts'

export { compose } from './hooks/compose.ts'
export { collect } from './hooks/phase.ts'
export { type AroundHook, type BaseContext, GUARD, type Hook, type NextFunction } from './hooks/types.ts'

/**
 * Makes one function of layers of hooks.
 *
 * @deprecated Internal: use `compose` or `collect`
 */
export const compilePipeline: typeof compile = deprecate(
  compile,
  'compilePipeline of alula/hooks is deprecated: use compose or collect'
)

/**
 * Puts hooks around a method.
 *
 * @deprecated Internal: use `compose` or `collect`
 */
export const hookMethod: typeof addHooks = deprecate(
  addHooks,
  'hookMethod of alula/hooks is deprecated: use compose or collect'
)

/**
 * Keeps the hooks of a service.
 *
 * @deprecated Internal: use `compose` or `collect`
 */
export const HookRegistry: typeof Registry = Registry
