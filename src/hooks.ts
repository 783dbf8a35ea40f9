export { compose } from './hooks/compose.ts'
export { collect } from './hooks/phase.ts'
export { type AroundHook, type BaseContext, GUARD, type Hook, type NextFunction } from './hooks/types.ts'
