export { compose } from './hooks/compose.ts'
export { BaseHookContext, createContextClass, type HookContextClass } from './hooks/context.ts'
export { type HookMethod, type HookMethodOptions, hookMethod } from './hooks/method.ts'
export { collect } from './hooks/phase.ts'
export { compilePipeline } from './hooks/pipeline.ts'
export { type HookInput, HookRegistry, type HookTypeMap } from './hooks/registry.ts'
export {
  type AroundHook,
  type BaseContext,
  GUARD,
  type Hook,
  type HookType,
  type Layer,
  type NextFunction,
  type Phase,
  type Pipeline
} from './hooks/types.ts'
