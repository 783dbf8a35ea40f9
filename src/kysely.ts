export { KyselyAdapter } from './kysely/adapter.ts'
export { cacheStatements } from './kysely/cached-statements.ts'
export { registerDialect, type SessionOption, type SettingValue } from './kysely/databases.ts'
export type {
  Dialect,
  DriverError,
  ErrorKind,
  Field,
  Fragment,
  Place,
  Table,
  Typed
} from './kysely/dialect.ts'
export { mysql } from './kysely/dialects/mysql.ts'
export { postgres } from './kysely/dialects/postgres.ts'
export { sqlite } from './kysely/dialects/sqlite.ts'
export { toFeathersError } from './kysely/errors.ts'
export { transaction } from './kysely/hooks.ts'
export { createIdempotencyTable, createSessionTable } from './kysely/migrations.ts'
export { nodeSqlite } from './kysely/node-sqlite.ts'
export type { KyselyOptions, KyselyParams } from './kysely/options.ts'
export { type PgliteDatabase, pglite } from './kysely/pglite.ts'
export { KyselyService, kysely } from './kysely/service.ts'
export type { SqlMessage } from './kysely/statements.ts'
export {
  type Column,
  type Kind,
  type PartialColumn,
  type TableDescription,
  toColumns,
  toKind
} from './kysely/table.ts'
export { type TableSettings, type TypesOfTable, table } from './kysely/table-schema.ts'
export type { TimeFormat } from './kysely/times.ts'
export type { Transaction } from './kysely/transaction.ts'
export { getTransaction, withTransaction } from './kysely/with-transaction.ts'
