export { compose } from './hooks/compose.ts'
export { collect } from './hooks/phase.ts'
export { GUARD } from './hooks/traits.ts'
export type { AroundHook, BaseContext, Hook, NextFunction } from './hooks/types.ts'
