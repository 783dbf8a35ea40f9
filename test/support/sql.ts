import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Dialect,
  Kysely,
  type Logger,
  MysqlDialect,
  PostgresDialect,
  type SqliteDatabase,
  SqliteDialect,
  sql
} from 'kysely'
import Database from 'libsql'
import { createPool } from 'mysql2'
import { Pool, type PoolConfig } from 'pg'
import { it, onTestFinished } from 'vitest'
import { nodeSqlite } from '../../src/kysely.ts'
import { answers } from './answers.ts'
import { describeUnless } from './describe-unless.ts'
import { startPglite } from './pglite.ts'

/** The PostgreSQL that tests share. */
export const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'

/** The MariaDB that tests share. */
export const MARIADB_URL = process.env.MARIADB_URL ?? 'mysql://root@127.0.0.1:3306/test'

/** What opens databases in place of `libsql` or `pg`, where `scripts/test-databases.mjs` chooses it. */
const DRIVER = process.env.TEST_DRIVER

const PGLITE = DRIVER === 'pglite' ? await startPglite() : undefined

export type DatabaseName = 'SQLite' | 'PostgreSQL' | 'MariaDB'

/** A database, and what its types are called. */
export interface TestDatabase {
  readonly name: DatabaseName
  /** The type of an id that is counted. */
  readonly countedId: string
  /** The type of an id that is text, with a default. */
  readonly textId: string
  readonly text: string
  readonly number: string
  readonly boolean: string
  readonly date: string
  readonly json: string
  /** Opens it, with as many connections as it can have. Each statement is told to a logger. */
  open(log?: Logger, url?: string): Kysely<any>
}

export const SQLITE: TestDatabase = {
  name: 'SQLite',
  countedId: 'integer primary key autoincrement',
  textId: 'text primary key default (lower(hex(randomblob(16))))',
  text: 'text',
  number: 'double precision',
  boolean: 'boolean',
  date: 'timestamp',
  json: 'json',
  open: (log, path = ':memory:') => toKysely(log, new SqliteDialect({ database: openSqlite(path) }))
}

export const POSTGRES: TestDatabase = {
  name: 'PostgreSQL',
  countedId: 'serial primary key',
  textId: 'text primary key default gen_random_uuid()::text',
  text: 'text',
  number: 'double precision',
  boolean: 'boolean',
  date: 'timestamptz',
  json: 'jsonb',
  open: (log, connectionString) => toKysely(log, openPostgres(connectionString))
}

export const MARIADB: TestDatabase = {
  name: 'MariaDB',
  countedId: 'integer auto_increment primary key',
  textId: 'varchar(100) collate utf8mb4_nopad_bin primary key default (uuid())',
  text: 'varchar(500)',
  number: 'double',
  boolean: 'boolean',
  date: 'datetime(3)',
  json: 'json',
  open: (log, url = MARIADB_URL) => toKysely(log, new MysqlDialect({ pool: createPool(url) }))
}

const SERVERS: { readonly [name in DatabaseName]: readonly [url: string, port: number] | undefined } = {
  SQLite: undefined,
  PostgreSQL: PGLITE ? undefined : [POSTGRES_URL, 5432],
  MariaDB: [MARIADB_URL, 3306]
}

const lacks = new Map<DatabaseName, string>()

for (const [name, server] of Object.entries(SERVERS)) {
  if (server && !(await answers(...server))) {
    lacks.set(name as DatabaseName, `no ${name} answers at ${server[0]}: start one, and create the database`)
  }
}

/** The only database, where `npm run check`, `npm run test:core` or `scripts/mutation.mjs` chooses one. */
const CHOSEN = process.env.TEST_DATABASE

/**
 * Groups tests once for each database. Without its server a group is skipped, or fails where all servers have to be
 * there.
 */
export function describeDatabases(
  title: string,
  define: (database: TestDatabase) => void,
  databases: readonly TestDatabase[] = [SQLITE, POSTGRES, MARIADB]
): void {
  for (const database of databases) {
    const group = `${title} on ${database.name}`

    // A file without any test fails.
    if (CHOSEN !== undefined && CHOSEN !== database.name) it.skip(group)
    else describeUnless(lacks.get(database.name), group, () => define(database))
  }
}

/**
 * Makes a table, and drops it when the test ends.
 *
 * @param database The database
 * @param name Its name, which no other file of tests has
 * @param columns Its columns as they stand in SQL
 * @param log What is told each statement
 */
export async function createTable(
  database: TestDatabase,
  name: string,
  columns: string,
  log?: Logger
): Promise<Kysely<any>> {
  const db = database.open(log)

  onTestFinished(async () => {
    await sql`drop table if exists ${sql.table(name)}`.execute(db)
    await db.destroy()
  })
  await sql`drop table if exists ${sql.table(name)}`.execute(db)
  await sql`create table ${sql.table(name)} (${sql.raw(columns)})`.execute(db)

  return db
}

/** A database that nobody else has, gone after the test. Returns its URL, or the path of its file. */
export async function createDatabase({ name, open }: TestDatabase): Promise<string> {
  if (name === 'SQLite') {
    const folder = await mkdtemp(join(tmpdir(), 'alula-'))

    onTestFinished(() => rm(folder, { recursive: true }))

    return join(folder, 'records.db')
  }

  const [address] = SERVERS[name] as readonly [url: string, port: number]
  const url = new URL(address)
  const database = `alula_own_${process.pid}_${Date.now()}`
  const db = open()

  await sql`create database ${sql.id(database)}`.execute(db)
  onTestFinished(async () => {
    await sql`drop database ${sql.id(database)} ${sql.raw(name === 'PostgreSQL' ? 'with (force)' : '')}`.execute(
      db
    )
    await db.destroy()
  })
  url.pathname = `/${database}`

  return url.href
}

/** Opens a file of SQLite. */
export function openSqlite(path: string): SqliteDatabase {
  return DRIVER === 'node:sqlite' ? nodeSqlite(path) : (new Database(path) as any)
}

function openPostgres(connectionString: string = POSTGRES_URL): Dialect {
  return PGLITE ?? new PostgresDialect({ pool: openPool({ connectionString }) })
}

/** Whether Node has a driver for SQLite. Node 20 has none. */
export const hasNodeSqlite = process.getBuiltinModule('node:sqlite' as 'node:process') !== undefined

/** Connections to PostgreSQL. One that breaks does not end the process. */
export function openPool(config: PoolConfig): Pool {
  const pool = new Pool(config)

  pool.on('error', () => undefined)
  // The pool listens to those that nobody uses, and the driver to those that a statement runs on: not between two.
  pool.on('connect', (client) => client.on('error', () => undefined))

  return pool
}

function toKysely(log: Logger | undefined, dialect: Dialect): Kysely<any> {
  return new Kysely({ dialect, ...(log ? { log } : {}) })
}
