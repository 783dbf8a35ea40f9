import { type Kysely, sql } from 'kysely'
import { isDeadlock } from './errors.ts'

/** How often something is tried that the database gave up in favour of others. */
const ATTEMPTS = 10

let savepoints = 0

/**
 * Runs statements that succeed together or not at all: in a transaction, or behind a savepoint where there is one
 * already. A transaction that the database gave up, because others stood in its way, is tried again.
 *
 * @param db A Kysely instance or a transaction
 * @param run The statements; they may run more than once
 */
export async function atomically<T>(db: Kysely<any>, run: (db: Kysely<any>) => Promise<T>): Promise<T> {
  return db.isTransaction ? await behindSavepoint(db, run) : await inTransaction(db, run, ATTEMPTS)
}

async function inTransaction<T>(
  db: Kysely<any>,
  run: (db: Kysely<any>) => Promise<T>,
  attempts: number
): Promise<T> {
  try {
    return await db.transaction().execute(run)
  } catch (error) {
    if (attempts === 1 || !isDeadlock(error)) throw error

    return await inTransaction(db, run, attempts - 1)
  }
}

async function behindSavepoint<T>(db: Kysely<any>, run: (db: Kysely<any>) => Promise<T>): Promise<T> {
  const name = sql.id(`alula_${++savepoints}`)

  await sql`savepoint ${name}`.execute(db)

  try {
    const result = await run(db)

    await sql`release savepoint ${name}`.execute(db)

    return result
  } catch (error) {
    // It fails where the connection is lost: what happened is said by the first error.
    await sql`rollback to savepoint ${name}`.execute(db).catch(() => undefined)
    throw error
  }
}

/** What runs in each transaction at the moment, so that the next one waits. */
const queues = new WeakMap<object, Promise<unknown>>()

/**
 * Runs what uses a transaction when all that has been asked of it before is through. It has one connection: statements
 * of two calls must not come between a savepoint and its end.
 *
 * @param transaction The transaction
 * @param run What uses it
 */
export async function inTurn<T>(transaction: object, run: () => Promise<T>): Promise<T> {
  const turn = (queues.get(transaction) ?? Promise.resolve()).then(run)

  queues.set(
    transaction,
    turn.catch(() => undefined)
  )

  return await turn
}
