export {
  type RedisRevocationOptions,
  RedisRevocationStore
} from './authentication/redis-revocation.ts'
export type { ServiceEvent } from './core/internals.ts'
export { type RedisLoginBudgetOptions, RedisLoginBudgetStore } from './login-budget/redis-store.ts'
export type { RedisClient, RedisLocation } from './redis/connection.ts'
export type { Outage, SyncGap as Gap } from './sync/link.ts'
export { type SyncOptions, sync } from './sync/sync.ts'
