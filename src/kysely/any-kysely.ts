import type { ControlledTransaction, Kysely } from 'kysely'

/**
 * A Kysely instance for any tables. `any` because Kysely is invariant in the type of its database: an instance for the
 * tables of an application is assignable to no other type, and alula knows tables only at run time.
 */
export type AnyKysely = Kysely<any>

/** A transaction for any tables, which is committed and rolled back by method calls. */
export type AnyTransaction = ControlledTransaction<any>
