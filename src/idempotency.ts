export { type IdempotencyOptions, idempotency } from './idempotency/configure.ts'
export { isRepetition } from './idempotency/repetition.ts'
