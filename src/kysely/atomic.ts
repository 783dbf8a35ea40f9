import { CompiledQuery, type DatabaseConnection, type QueryResult, sql } from 'kysely'
import type { AnyKysely, AnyTransaction } from './any-kysely.ts'
import type { Dialect } from './dialect.ts'
import { isClientTimeout, isDeadlock, isDisconnection } from './errors.ts'
import { begin, commit, Savepoint, trace } from './statements.ts'

/** How often something is tried that the database gave up in favour of others. */
const ATTEMPTS = 10

/**
 * Runs statements that succeed together or not at all: in a transaction, or after a savepoint if there is a transaction
 * already. They may run more than once: a transaction that the database gave up, because others stood in its way, is tried
 * again.
 */
export async function atomically<T>(db: AnyKysely, run: (db: AnyKysely) => Promise<T>): Promise<T> {
  return db.isTransaction ? await inSavepoint(db, run) : await withAttempts(db, () => inTransaction(db, run))
}

/** Retries a transaction that the database rolled back in favour of others. None of its effects were visible. */
async function withAttempts<T>(db: AnyKysely, run: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (attempts === 1 || !isDeadlock(error, db)) throw error

    return await withAttempts(db, run, attempts - 1)
  }
}

async function inTransaction<T>(db: AnyKysely, run: (db: AnyKysely) => Promise<T>): Promise<T> {
  const transaction = await begin(db)

  try {
    const result = await run(transaction)

    await commit(transaction)

    return result
  } catch (error) {
    await release(transaction, error)
    throw error
  }
}

async function inSavepoint<T>(db: AnyKysely, run: (db: AnyKysely) => Promise<T>): Promise<T> {
  const savepoint = new Savepoint(db)

  await savepoint.set()

  try {
    const result = await run(db)

    await savepoint.release()

    return result
  } catch (error) {
    // It fails where the transaction is lost: what happened is said by the first error.
    if (!isDisconnection(error)) await savepoint.rollBack().catch(() => undefined)
    throw error
  }
}

/**
 * Runs a statement that does nothing when it fails, and leaves the transaction around it as it was. On PostgreSQL the failure
 * of a statement is that of the whole transaction, unless a savepoint comes before it. Without a transaction, a statement that
 * the database aborted is tried again: in InnoDB, statements that write the same id can deadlock.
 */
export function asOneStatement<T>(db: AnyKysely, dialect: Dialect, run: () => Promise<T>): Promise<T> {
  if (!db.isTransaction) return withAttempts(db, run)

  return dialect.abortsOnError ? inSavepoint(db, run) : run()
}

/** Runs a statement that needs no transaction, on a connection that the pool gets back when it is through. */
export function execute<Row>(
  db: AnyKysely,
  dialect: Dialect,
  statement: CompiledQuery<Row>
): Promise<QueryResult<Row>> {
  return trace(db, statement.sql, () => run(db, dialect, statement))
}

function run<Row>(
  db: AnyKysely,
  { isBusyAfterTimeout }: Dialect,
  statement: CompiledQuery<Row>
): Promise<QueryResult<Row>> {
  if (!isBusyAfterTimeout || db.isTransaction) return db.executeQuery(statement)

  const executor = db.getExecutor()

  return keepUntilEnd<DatabaseConnection, QueryResult<Row>>(
    (consumer) => executor.provideConnection(consumer),
    (connection) =>
      // Plugins convert results too.
      executor.plugins.length === 0
        ? connection.executeQuery(statement)
        : executor
            .withConnectionProvider({ provideConnection: (consumer) => consumer(connection) })
            .executeQuery(statement)
  )
}

/** The same for several statements. */
export async function onConnection<T>(
  db: AnyKysely,
  { isBusyAfterTimeout }: Dialect,
  run: (db: AnyKysely) => Promise<T>
): Promise<T> {
  if (!isBusyAfterTimeout || db.isTransaction) return await run(db)

  return await keepUntilEnd<AnyKysely, T>((consumer) => db.connection().execute(consumer), run)
}

/** What statements run with. */
interface Runner {
  executeQuery(statement: CompiledQuery): Promise<unknown>
}

/**
 * A statement of PostgreSQL that was given up is still at work there. Its connection is kept from the pool until it is
 * through, because what got it next would wait for that; the caller does not wait.
 */
function keepUntilEnd<Connection extends Runner, T>(
  provide: (consumer: (connection: Connection) => Promise<void>) => Promise<void>,
  run: (connection: Connection) => Promise<T>
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const isOver = provide(async (connection) => {
      try {
        resolve(await run(connection))
      } catch (error) {
        reject(error)
        if (isClientTimeout(error)) await waitForEnd(connection)
      }
    })

    isOver.catch(reject)
  })
}

async function waitForEnd(connection: Runner): Promise<void> {
  let isBusy = true

  while (isBusy) {
    isBusy = await connection.executeQuery(CompiledQuery.raw('select 1')).then(() => false, isClientTimeout)
  }
}

/**
 * Rolls a transaction back and releases its connection; one that timed out is not waited for. If it fails, nothing is left to
 * roll back.
 */
export async function release(transaction: AnyTransaction, reason: unknown): Promise<void> {
  if (isDisconnection(reason)) void rollbackWhenIdle(transaction)
  else await rollBack(transaction)
}

async function rollBack(transaction: AnyTransaction): Promise<void> {
  await trace(transaction, 'rollback', () => transaction.rollback().execute()).catch(() => undefined)
}

/**
 * Rolls back after a statement that timed out. As long as that is not through, the driver gives up further ones
 * without sending them, and the connection would come into the pool with an open transaction: what others write with it
 * would never be committed.
 */
async function rollbackWhenIdle(transaction: AnyTransaction): Promise<void> {
  try {
    await sql`rollback`.execute(transaction)
  } catch (error) {
    if (isClientTimeout(error)) return await rollbackWhenIdle(transaction)
  }

  await rollBack(transaction)
}
