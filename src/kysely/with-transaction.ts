import type { Kysely, Transaction as KyselyTransaction } from 'kysely'
import { createTypeError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import { findDatabase } from './databases.ts'
import { withPluginsOf } from './instance.ts'
import { watchStatements } from './outside.ts'
import { setSettings } from './settings.ts'
import { Transaction } from './transaction.ts'

/**
 * Runs a function whose calls succeed together or not at all. Every call of a service of `alula/kysely` that is made
 * inside, by other services and hooks too, joins one transaction; a `withTransaction` inside it sets a savepoint. Events
 * wait for the outermost commit, and are dropped when there is none.
 *
 * @param db The Kysely instance: the transaction begins at once, and the function gets it for statements of its own. With
 * an application it begins with the first call that has a database, and `getTransaction(db)` returns it
 * @param run The function. When it throws or rejects, everything is rolled back
 * @returns What the function returns
 * @throws TypeError without an application or a function; what the function throws; FeathersError when the database refuses
 * to commit; Unavailable inside one that has failed; GeneralError inside one of another database
 * @example
 * await withTransaction(db, async (trx) => {
 *   await app.service('accounts').patch(from, { balance: 0 })
 *   await trx.insertInto('transfers').values({ from, to }).execute()
 * })
 */
export async function withTransaction<DB, T>(
  db: Kysely<DB>,
  run: (trx: KyselyTransaction<DB>) => Promise<T>
): Promise<T>
export async function withTransaction<T>(app: object, run: () => Promise<T>): Promise<T>
export async function withTransaction<T>(source: object, run: (trx?: any) => Promise<T>): Promise<T> {
  if (Object(source) !== source || typeof run !== 'function') {
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      'withTransaction expects an application and a function: withTransaction(app, async () => …), or a Kysely instance and a function: withTransaction(db, async (trx) => …)'
    )
  }

  if (!isKysely(source)) return await Transaction.run(() => run())

  watchStatements(source)

  return await Transaction.run((transaction) => run(withPluginsOf(source, transaction.trx)), source)
}

/**
 * The Kysely instance for statements of one's own that belong to the transaction of the moment: inside `withTransaction`,
 * and in the hooks of calls that are made there, the transaction; anywhere else the instance itself.
 *
 * @param db The Kysely instance of the services
 * @param params The params of a call, for hooks and methods of a call with `transaction.start()`: its transaction is found
 * by them alone. With the Kysely instance of a service that has `session`, the statements have the settings of this call
 * @throws GeneralError inside a transaction of another database; Unavailable when there is no connection, and in a
 * transaction that has failed
 * @example
 * const db = await getTransaction(context.service.getModel(), context.params)
 *
 * await db.insertInto('audit').values({ text: 'A new order' }).execute()
 */
export async function getTransaction<DB>(
  db: Kysely<DB>,
  params?: { transaction?: Transaction | undefined }
): Promise<Kysely<DB>> {
  const transaction = await joinTransaction(getOwnTransaction(params), db)

  if (!transaction) return db
  // A call since `transaction.start()`, such as one for an idempotency key, may have had others.
  if (params && findDatabase(db).getInstance(db).session)
    await transaction.use((own) => setSettings(params, db, own))

  return withPluginsOf<AnyKysely>(db, transaction.trx)
}

/**
 * Joins a transaction for statements of a Kysely instance. Throws GeneralError for one of another database, in which there may be a
 * table of the same name.
 */
export function joinTransaction(
  transaction: Transaction | undefined,
  Model: AnyKysely
): Promise<Transaction> | undefined {
  if (!transaction) return undefined

  watchStatements(Model)

  return transaction.join(Model)
}

/**
 * The transaction that a call belongs to: that of its params, or the one whose function runs now. It may not have begun, or belong
 * to another database. Throws Unavailable when the function around it has failed.
 */
export function getOwnTransaction(
  params: { transaction?: Transaction | undefined } | undefined
): Transaction | undefined {
  return params?.transaction ?? Transaction.current
}

function isKysely(source: object): source is AnyKysely {
  return typeof (source as AnyKysely).startTransaction === 'function'
}
