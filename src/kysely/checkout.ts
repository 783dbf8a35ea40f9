import { type Dialect, type Driver, Transaction as KyselyTransaction, type QueryExecutor } from 'kysely'
import type { AnyTransaction } from './any-kysely.ts'

/** Runs statements when it is their turn. */
type Use = <T>(run: () => Promise<T>) => Promise<T>

/**
 * Makes a Kysely instance of the connection of a transaction that application code can run statements with. Each takes its turn
 * in `use`: otherwise it could come between a savepoint of a call and its end, and be taken back with that call.
 */
export function checkout(db: AnyTransaction, use: Use): KyselyTransaction<any> {
  const executor = queueStatements(db.getExecutor(), use)
  // It is asked for the tables of the database, and for nothing else: statements go through the executor.
  const dialect: Dialect = {
    createAdapter: () => executor.adapter,
    createIntrospector: () => db.introspection,
    createDriver: unused,
    createQueryCompiler: unused
  }

  return new KyselyTransaction({ config: { dialect }, dialect, driver: {} as Driver, executor })
}

/** An executor whose statements take turns. A stream takes none: how long it is read is up to its reader. */
function queueStatements(executor: QueryExecutor, use: Use): QueryExecutor {
  return {
    adapter: executor.adapter,
    plugins: executor.plugins,
    transformQuery: (node, queryId) => executor.transformQuery(node, queryId),
    compileQuery: (node, queryId) => executor.compileQuery(node, queryId),
    // Kysely 0.29 has options too, such as an abort signal.
    executeQuery: (...values) => use(() => executor.executeQuery(...values)),
    provideConnection: (...values) => use(() => executor.provideConnection(...values)),
    stream: (...values) => executor.stream(...values),
    withConnectionProvider: (provider) => executor.withConnectionProvider(provider),
    withPlugin: (plugin) => queueStatements(executor.withPlugin(plugin), use),
    withPlugins: (plugins) => queueStatements(executor.withPlugins(plugins), use),
    withPluginAtFront: (plugin) => queueStatements(executor.withPluginAtFront(plugin), use),
    withoutPlugins: () => queueStatements(executor.withoutPlugins(), use)
  }
}

function unused(): never {
  throw new Error('A transaction has no driver of its own')
}
