// Statements that application code runs with the Kysely instance of its services while it is in a transaction. They are
// outside of that transaction, and where they would wait for its connection, they would wait for ever.
import type { Kysely, QueryExecutor } from 'kysely'
import { findDialect } from './databases.ts'
import { Transaction } from './transaction.ts'
import { ADVICE, warnOutside } from './warnings.ts'

type Provide = QueryExecutor['provideConnection']

/** What is known of the connections of a database. */
interface Pool {
  /** Whether there is one connection, and a transaction has it. */
  readonly hasOneConnection: boolean
  /** How many connections are in use. */
  used: number
  /** Transactions whose function waits for a further connection, and how many statements do. */
  readonly waiting: Map<Transaction, number>
}

/** How long a pool may take to open a further connection, in milliseconds, before none is to be expected. */
const CONNECTION_TIMEOUT = 1000

const pools = new WeakMap<object, Pool>()
const watched = new WeakSet<object>()

/**
 * Has statements of a Kysely instance, and of those that are made of it, fail where they would wait for the connection
 * that their own transaction has, and warns of others that are outside of it.
 */
export function watchStatements(db: Kysely<any>): void {
  if (!db.isTransaction) watch(db.getExecutor(), getPool(db))
}

function getPool(db: Kysely<any>): Pool {
  const { adapter } = db.getExecutor()
  const { hasOneConnection } = findDialect(db)
  const pool = pools.get(adapter) ?? { hasOneConnection, used: 0, waiting: new Map() }

  pools.set(adapter, pool)

  return pool
}

/** Kysely has no other place that every statement passes, those of `db.transaction()` included. */
function watch(executor: QueryExecutor, pool: Pool): QueryExecutor {
  if (watched.has(executor)) return executor

  watched.add(executor)

  const provide: Provide = executor.provideConnection.bind(executor)
  const { withPlugin, withPlugins, withPluginAtFront, withoutPlugins } = executor

  return Object.assign(executor, {
    provideConnection: ((consumer) => {
      const transaction = Transaction.leftOut(executor.adapter)

      return transaction
        ? provideOutside(transaction, executor.adapter, pool, provide, consumer)
        : provideCounted(pool, provide, consumer)
    }) as Provide,
    withPlugin: (plugin: any) => watch(withPlugin.call(executor, plugin), pool),
    withPlugins: (plugins: any) => watch(withPlugins.call(executor, plugins), pool),
    withPluginAtFront: (plugin: any) => watch(withPluginAtFront.call(executor, plugin), pool),
    withoutPlugins: () => watch(withoutPlugins.call(executor), pool)
  })
}

function provideCounted<T>(
  pool: Pool,
  provide: Provide,
  consumer: (connection: any) => Promise<T>
): Promise<T> {
  if (pool.hasOneConnection) return provide(consumer)

  return provide(async (connection) => {
    pool.used++

    try {
      return await consumer(connection)
    } finally {
      pool.used--
    }
  })
}

/** A statement of a function in a transaction that does not run in it. */
async function provideOutside<T>(
  transaction: Transaction,
  adapter: object,
  pool: Pool,
  provide: Provide,
  consumer: (connection: any) => Promise<T>
): Promise<T> {
  if (pool.hasOneConnection) throw toStalemate()

  warnOutside(adapter)
  pool.waiting.set(transaction, (pool.waiting.get(transaction) ?? 0) + 1)

  const wait = { isOver: false, hasFailed: false }

  function endWait(): void {
    if (wait.isOver) return

    const others = (pool.waiting.get(transaction) ?? 1) - 1

    wait.isOver = true
    clearInterval(timer)
    if (others === 0) pool.waiting.delete(transaction)
    else pool.waiting.set(transaction, others)
  }

  let timer: NodeJS.Timeout | undefined
  const stalemate = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      // Each connection belongs to a transaction whose function waits for another one.
      if (pool.used > pool.waiting.size) return

      wait.hasFailed = true
      endWait()
      reject(toStalemate())
    }, CONNECTION_TIMEOUT)
  })
  const provided = provideCounted(pool, provide, async (connection) => {
    endWait()

    // It comes too late: the statement has failed.
    return wait.hasFailed ? (undefined as T) : await consumer(connection)
  }).finally(endWait)

  return await Promise.race([provided, stalemate])
}

function toStalemate(): Error {
  return new Error(
    `This statement would wait for ever for the connection that its own transaction has: ${ADVICE}`
  )
}
