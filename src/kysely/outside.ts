// Statements that application code runs with the Kysely instance of its services while it is in a transaction. They are
// outside of that transaction, and where they would wait for its connection, they would wait for ever.
import type { DatabaseConnection, KyselyPlugin, QueryExecutor } from 'kysely'
import { createError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import { type Database, findDatabase } from './databases.ts'
import { Transaction } from './transaction.ts'
import { ADVICE, HOOKS_ADVICE, warnOutside } from './warnings.ts'

type Provide = QueryExecutor['provideConnection']

/** How long a pool may take to open a further connection, in milliseconds, before none is to be expected. */
const CONNECTION_TIMEOUT = 1000

/**
 * Has statements of a Kysely instance, and of those that are made of it, fail where they would wait for the connection
 * that their own transaction has, and warns of others that are outside of it.
 */
export function watchStatements(db: AnyKysely): void {
  if (!db.isTransaction) watch(db.getExecutor(), findDatabase(db))
}

/** Kysely has no other place that every statement passes, those of `db.transaction()` included. */
function watch(executor: QueryExecutor, database: Database): QueryExecutor {
  if (database.watched.has(executor)) return executor

  database.watched.add(executor)

  const provide: Provide = executor.provideConnection.bind(executor)
  const { withPlugin, withPlugins, withPluginAtFront, withoutPlugins } = executor

  return Object.assign(executor, {
    // Kysely 0.29 has options too, such as an abort signal.
    provideConnection: ((consumer, ...options: []) => {
      const transaction = Transaction.findBypassed(database)
      const provideWith: Provide = (own) => provide(own, ...options)

      return transaction
        ? provideOutsideTransaction(transaction, database, provideWith, consumer)
        : provideCounted(database, provideWith, consumer)
    }) as Provide,
    withPlugin: (plugin: KyselyPlugin) => watch(withPlugin.call(executor, plugin), database),
    withPlugins: (plugins: readonly KyselyPlugin[]) => watch(withPlugins.call(executor, plugins), database),
    withPluginAtFront: (plugin: KyselyPlugin) => watch(withPluginAtFront.call(executor, plugin), database),
    withoutPlugins: () => watch(withoutPlugins.call(executor), database)
  })
}

function provideCounted<T>(
  database: Database,
  provide: Provide,
  consumer: (connection: DatabaseConnection) => Promise<T>
): Promise<T> {
  if (database.dialect.hasOneConnection) return provide(consumer)

  return provide(async (connection) => {
    database.usedConnections++

    try {
      return await consumer(connection)
    } finally {
      database.usedConnections--
    }
  })
}

/** A statement of a function in a transaction that does not run in it. */
async function provideOutsideTransaction<T>(
  transaction: Transaction,
  database: Database,
  provide: Provide,
  consumer: (connection: DatabaseConnection) => Promise<T>
): Promise<T> {
  if (database.dialect.hasOneConnection) throw toDeadlockError(transaction)

  // Calls of services without `params.transaction` are among those of hooks.
  if (transaction.isScope) warnOutside(database)

  const wait = { transaction }
  let hasFailed = false
  let timer: NodeJS.Timeout | undefined

  function endWait(): void {
    clearInterval(timer)
    database.waiting.delete(wait)
  }

  const deadlock = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      if (!isDeadlocked(database)) return

      hasFailed = true
      endWait()
      reject(toDeadlockError(transaction))
    }, CONNECTION_TIMEOUT)
  })

  database.waiting.add(wait)

  const provided = provideCounted(database, provide, async (connection) => {
    endWait()

    // It comes too late: the statement has failed.
    return hasFailed ? (undefined as T) : await consumer(connection)
  }).finally(endWait)

  return await Promise.race([provided, deadlock])
}

/** Whether each connection belongs to a transaction whose function waits for another one. */
function isDeadlocked({ usedConnections, waiting }: Database): boolean {
  return usedConnections <= new Set([...waiting].map(({ transaction }) => transaction)).size
}

function toDeadlockError({ isScope }: Transaction): Error {
  return createError(
    'ALULA_TRANSACTION_DEADLOCK',
    `This statement would wait for ever for the connection that its own transaction has: ${isScope ? ADVICE : HOOKS_ADVICE}`
  )
}
