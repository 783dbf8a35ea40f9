import { AsyncLocalStorage } from 'node:async_hooks'
import { type DialectAdapter, type QueryExecutor, sql } from 'kysely'
import { createError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import type { Dialect, Table } from './dialect.ts'
import { mysql } from './dialects/mysql.ts'
import { postgres } from './dialects/postgres.ts'
import { sqlite } from './dialects/sqlite.ts'

/** The databases that are recognised. */
export const DIALECTS: readonly Dialect[] = [sqlite, mysql, postgres]

/** The part of a statement that reads related rows for a record of a page. */
export interface RelatedSelection {
  /** In two parts around the number of rows, where that is limited; nothing where the rows are read by themselves. */
  readonly parts: readonly string[]
  /** Whether each row is followed by the values of the row that it leads to. */
  readonly hasNext: boolean
}

/** What a setting can be: it is text for the database; `undefined` and `null` are the empty text. */
export type SettingValue = string | number | bigint | boolean | null | undefined

/**
 * Makes the settings of a call for the policies of the database, by their names: `{ 'app.user_id': params.user?.id }`.
 *
 * @param params The params of the call of the client that runs now; of an internal call outside of one, its own
 */
// `any`, because applications have params of their own.
export type SessionOption = (params: any) => { readonly [name: string]: SettingValue }

/** What is known of a Kysely instance. Its plugins decide where a table is. */
interface Instance {
  /** The tables by their names in statements; a promise for one that is being read. */
  readonly tables: Map<string, Table | Promise<Table>>
  /** What statements of pages select of related rows, as text. */
  readonly selections: Map<string, RelatedSelection>
  /** The instances that were made of it, by their schemas. */
  readonly schemas: Map<string, AnyKysely>
  /** Those that were made of it for settings of calls, by the functions that make these. */
  readonly sessions: WeakMap<SessionOption, AnyKysely>
  /** Makes the settings of the calls of this one. */
  session?: SessionOption
}

/** A call of a client, as its hooks have it. */
export interface CurrentCall {
  readonly params: { readonly provider?: unknown }
}

/** What is known of a database, for all Kysely instances and transactions that use its connections. */
export class Database {
  readonly dialect: Dialect
  /** The executors whose statements are watched. */
  readonly watched = new WeakSet<QueryExecutor>()
  /** How many connections are in use. */
  usedConnections = 0
  /** Statements that wait for a further connection, each with the transaction whose function waits for it. */
  readonly waiting = new Set<{ readonly transaction: object }>()
  /** The paths of services by the names of their tables, for messages. */
  readonly services = new Map<string, string>()
  /** How many savepoints were set: each has a number, so that none hides another. */
  savepoints = 0
  /** The names of the settings that calls have. */
  readonly settings = new Set<string>()
  /** The call of a client that runs now, where calls have settings. */
  readonly calls = new AsyncLocalStorage<CurrentCall>()
  /** The applications whose calls are followed. */
  readonly followed = new WeakSet<object>()
  /** The tables whose policies hold. */
  readonly guarded = new WeakSet<Table>()
  /** Whether a warning was given about a statement outside of a transaction. */
  hasWarned = false
  private readonly instances = new WeakMap<AnyKysely, Instance>()

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  /** What is known of one of its Kysely instances. */
  getInstance(db: AnyKysely): Instance {
    const known = this.instances.get(db)

    if (known) return known

    const instance: Instance = {
      tables: new Map(),
      selections: new Map(),
      schemas: new Map(),
      sessions: new WeakMap()
    }

    this.instances.set(db, instance)

    return instance
  }
}

/**
 * Databases by the adapter of a Kysely instance. It is the only object that an instance shares with its transactions and
 * with its variants with plugins, and Kysely has no place on it for what others know.
 */
const databases = new WeakMap<object, Database>()

/**
 * Says which database a Kysely instance uses, where alula does not recognise it. Call it before the instance has a
 * service.
 *
 * @param db The Kysely instance
 * @param dialect The dialect, often one of the three with a few members of its own
 * @example
 * registerDialect(db, { ...sqlite, name: 'My database', maxValues: 999 })
 */
export function registerDialect(db: AnyKysely, dialect: Dialect): void {
  registerAdapter(db.getExecutor().adapter, dialect)
}

/** The same for a dialect of Kysely, before an instance has it. */
export function registerAdapter(adapter: DialectAdapter, dialect: Dialect): void {
  databases.set(adapter, new Database(dialect))
}

/**
 * Finds out which database a Kysely instance uses: by the SQL that it compiles. Its classes say less; there is more than one
 * copy of them where some modules use `require`, and other dialects for the same database have their own. Throws for a database
 * that is not known.
 */
export function findDatabase(db: AnyKysely): Database {
  const { adapter } = db.getExecutor()
  const known = databases.get(adapter)

  if (known) return known

  const { sql: text } = sql`${sql.id('a')} = ${0}`.compile(db.withoutPlugins())
  const dialect = DIALECTS.find(({ probe }) => probe === text)

  if (!dialect) {
    throw createError(
      'ALULA_UNSUPPORTED_DATABASE',
      `Invalid adapter option 'Model': expected SQLite, PostgreSQL, MySQL or MariaDB, got what writes ${text}`
    )
  }

  const database = new Database(dialect)

  databases.set(adapter, database)

  return database
}
