import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { assertOption } from '../utils/options.ts'
import { cacheStatements } from './cached-statements.ts'

/** How long a statement waits for another process that writes, in milliseconds. */
const BUSY_TIMEOUT = 5000

/** What is used of the module `node:sqlite`. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string, options: { timeout: number }) => NodeDatabase
  readonly StatementSync: { readonly prototype: object }
}

interface NodeDatabase {
  prepare(text: string): NodeStatement
  close(): void
}

interface NodeStatement {
  columns(): readonly unknown[]
  setReadBigInts(isEnabled: boolean): void
  all(...parameters: readonly unknown[]): object[]
  iterate(...parameters: readonly unknown[]): Iterable<object>
  run(...parameters: readonly unknown[]): ReturnType<SqliteStatement['run']>
}

/**
 * Opens a file of SQLite with the driver that is part of Node, for the `SqliteDialect` of Kysely. It checks references, and
 * waits up to five seconds for another process that writes. Integers beyond 2^53 are a `bigint`, and bytes are a `Buffer`.
 *
 * @param path The path of the file, which is created if it does not exist, or `:memory:`
 * @throws TypeError for anything else; Error where Node is older than 22.16, or has no `node:sqlite`
 * @example
 * const db = new Kysely({ dialect: new SqliteDialect({ database: nodeSqlite('notes.db') }) })
 */
export function nodeSqlite(path: string): SqliteDatabase {
  assertOption('nodeSqlite()', 'path', path, [isString, "the path of a file, or ':memory:'"])

  const { DatabaseSync } = loadNodeSqlite()
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT })

  return cacheStatements({
    prepare: (text) => toStatement(database.prepare(text)),
    close: () => database.close()
  })
}

/** Bundlers do not see the module, so that a bundle also runs where it is missing. */
function loadNodeSqlite(): NodeSqlite {
  const sqlite = process.getBuiltinModule?.('node:sqlite' as 'node:process') as unknown as
    | NodeSqlite
    | undefined

  if (sqlite && 'columns' in sqlite.StatementSync.prototype) return sqlite

  throw createError(
    'ALULA_UNSUPPORTED_RUNTIME',
    `nodeSqlite() needs Node 22.16 or later, and this is ${process.version}: give SqliteDialect a database of the package 'libsql' or 'better-sqlite3'`
  )
}

function toStatement(statement: NodeStatement): SqliteStatement {
  // Without it the driver throws for an integer beyond 2^53.
  statement.setReadBigInts(true)

  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toParameter)).map(toRow),
    run: (parameters) => statement.run(...parameters.map(toParameter)),
    *iterate(parameters) {
      for (const row of statement.iterate(...parameters.map(toParameter))) yield toRow(row)
    }
  }
}

/** Node 22 takes no booleans. */
function toParameter(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value
}

/** Rows of the driver have no prototype. */
function toRow(row: object): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...row }

  for (const name in copy) copy[name] = toValue(copy[name])

  return copy
}

function toValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value

  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}
