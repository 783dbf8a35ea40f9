export { type IdempotencyOptions, idempotency } from './idempotency/configure.ts'
export { isReplay } from './idempotency/extension.ts'
