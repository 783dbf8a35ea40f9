import {
  BadRequest,
  Conflict,
  type FeathersError,
  GeneralError,
  isFeathersError,
  Unavailable
} from '../errors.ts'
import type { Table } from './table.ts'

/** What a database objects to, in the terms of none of them. */
type Complaint = 'away' | 'conflict' | 'missing' | 'invalid' | 'reference' | 'check' | 'deadlock' | 'size'

/** The names of SQLite, their beginnings last. https://sqlite.org/rescode.html */
const SQLITE_CODES: readonly (readonly [code: string, complaint: Complaint])[] = [
  ['SQLITE_CONSTRAINT_UNIQUE', 'conflict'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 'conflict'],
  ['SQLITE_CONSTRAINT_ROWID', 'conflict'],
  ['SQLITE_CONSTRAINT_NOTNULL', 'missing'],
  ['SQLITE_CONSTRAINT_CHECK', 'check'],
  ['SQLITE_CONSTRAINT_FOREIGNKEY', 'reference'],
  ['SQLITE_CONSTRAINT', 'invalid'],
  ['SQLITE_MISMATCH', 'invalid'],
  ['SQLITE_TOOBIG', 'invalid'],
  ['SQLITE_BUSY', 'away'],
  ['SQLITE_LOCKED', 'away'],
  ['SQLITE_CANTOPEN', 'away'],
  ['SQLITE_IOERR', 'away'],
  ['SQLITE_FULL', 'away']
]

/** States of SQL, their classes last. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SQL_STATES: readonly (readonly [state: string, complaint: Complaint])[] = [
  ['23505', 'conflict'],
  ['23P01', 'conflict'],
  ['23502', 'missing'],
  ['23503', 'reference'],
  ['23514', 'check'],
  ['40001', 'deadlock'],
  ['40P01', 'deadlock'],
  // A value for a column that the database counts up.
  ['428C9', 'invalid'],
  ['54', 'size'],
  // Statement and lock timeouts, an administrator who shuts down, too many connections.
  ['57014', 'away'],
  ['55P03', 'away'],
  ['57P', 'away'],
  ['53', 'away'],
  ['08', 'away'],
  ['22', 'invalid']
]

/** Limits of SQLite have no codes. https://sqlite.org/limits.html */
const SIZE_MESSAGE = /too (?:many|large|deep)|stack overflow/i

/** Numbers of MySQL and MariaDB, which share one state for many errors. */
const MYSQL_NUMBERS: ReadonlyMap<number, Complaint> = new Map([
  ...[1022, 1062, 1169, 1586].map((number) => [number, 'conflict'] as const),
  ...[1048, 1364].map((number) => [number, 'missing'] as const),
  ...[1216, 1217, 1451, 1452].map((number) => [number, 'reference'] as const),
  ...[3819, 4025].map((number) => [number, 'check'] as const),
  ...[1264, 1265, 1292, 1366, 1367, 1406, 1411, 1416, 1441, 3140, 3156].map(
    (number) => [number, 'invalid'] as const
  ),
  ...[1038, 1153, 1436].map((number) => [number, 'size'] as const),
  [1213, 'deadlock'],
  ...[1040, 1053, 1159, 1161, 1203, 1205, 1226, 1927, 1969, 2006, 2013, 3024].map(
    (number) => [number, 'away'] as const
  )
])

/** What drivers and the network say when there is no connection. */
const LOST_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT'
]

/** Some have no code for it. */
const LOST_MESSAGE =
  /connection (?:is )?(?:terminated|lost|closed|not open)|connection timeout|timeout exceeded when trying to connect|query read timeout|closed state|pool (?:is|has been) closed|not queryable|database (?:connection )?is not open|driver has already been destroyed/i

/**
 * Turns what a driver throws into an error that a client may see. The original is its `cause`, which stays on the
 * server, and so does every text of SQL.
 *
 * @param error What was thrown
 * @param table The table, where it is known
 */
export function toFeathersError(error: unknown, table?: Table): FeathersError {
  if (isFeathersError(error)) return error

  return withCause(toComplaintError(findComplaint(error), findFields(error, table)), error)
}

/** What everything gets that is asked of a transaction, or of its commit, when there is none any more. */
export function toLoss(cause: unknown): FeathersError {
  return withCause(new Unavailable('The database has taken the transaction back. Try again'), cause)
}

/** What a call gets that comes when its transaction has ended: outside of it, half of the work would be stored. */
export function toEnd(): FeathersError {
  return new Unavailable('The transaction of this call has ended')
}

/** Whether a connection is of no use any more, or does not answer: what is asked next would have to wait for that. */
export function isDisconnection(error: any): boolean {
  return LOST_CODES.includes(error?.code) || (error instanceof Error && LOST_MESSAGE.test(error.message))
}

/** Whether a driver has not waited for the answer. What was asked may still happen. */
export function isGivenUp(error: any): boolean {
  return isDisconnection(error) && /timeout/i.test(error.message)
}

/** Whether the same statements may succeed when they are tried again. */
export function isDeadlock(error: unknown): boolean {
  return findComplaint(error) === 'deadlock'
}

/** Whether the database says that an id is taken. Where it has counted that id itself, the next one may be free. */
export function isTaken(error: unknown, id: string, table: Table): boolean {
  return findComplaint(error) === 'conflict' && findFields(error, table).join() === id
}

/** What a client hears of a complaint, and of the fields that it is about. */
function toComplaintError(complaint: Complaint | undefined, fields: readonly string[]): FeathersError {
  const names = fields.map((field) => `'${field}'`).join(', ')
  const errors = (text: string) =>
    fields.length > 0 ? { errors: Object.fromEntries(fields.map((field) => [field, text])) } : undefined

  switch (complaint) {
    case 'conflict':
      return new Conflict(`A record with the same ${names || 'key'} exists already`, errors('is taken'))
    case 'missing':
      return new BadRequest(`Invalid data: ${names || 'a field'} must not be null`, errors('is required'))
    case 'reference':
      return new BadRequest(
        `Invalid data: ${names || 'a reference'} leads to no record, or is led to by one`,
        errors('leads to no record')
      )
    case 'check':
      return new BadRequest(`Invalid data: ${names || 'a value'} is not allowed`, errors('is not allowed'))
    case 'invalid':
      return new BadRequest(
        `Invalid data: ${names || 'a value'} cannot be stored`,
        errors('cannot be stored')
      )
    case 'size':
      return new BadRequest('The request is too large for the database')
    case 'deadlock':
      return new Unavailable('The database could not serve several requests at once. Try again')
    case 'away':
      return new Unavailable('The database is not available')
    case undefined:
      return new GeneralError('The database failed')
  }
}

function findComplaint(error: any): Complaint | undefined {
  const code = typeof error?.code === 'string' ? error.code : ''
  const state = error?.sqlState ?? code

  if (isDisconnection(error)) return 'away'
  if (code === 'SQLITE_ERROR' && SIZE_MESSAGE.test(error.message)) return 'size'
  if (code.startsWith('SQLITE_')) return SQLITE_CODES.find(([name]) => code.startsWith(name))?.[1]

  return MYSQL_NUMBERS.get(error?.errno) ?? SQL_STATES.find(([prefix]) => state.startsWith(prefix))?.[1]
}

/** The columns that an error is about, as far as it tells. None but those of the table. */
function findFields(error: any, table: Table | undefined): readonly string[] {
  if (!table || typeof error?.message !== 'string') return []

  const { columns, constraints } = table

  return toNames(error, table).flatMap((name) => (columns.has(name) ? [name] : (constraints.get(name) ?? [])))
}

/** The names of columns or constraints in an error. */
function toNames(error: any, { dialect, columns }: Table): readonly string[] {
  const { message } = error as Error

  switch (dialect) {
    case 'postgres':
      return [error.column ?? error.constraint].filter((name) => typeof name === 'string')
    case 'mysql':
      return toMysqlNames(message)
    case 'sqlite': {
      const [, kind, rest = ''] = /^(.*) constraint failed: (.*)$/s.exec(message) ?? []

      // A check has no more than its text.
      if (kind === 'CHECK') return rest.match(/\w+/g)?.filter((word) => columns.has(word)) ?? []

      return rest.split(', ').map((name) => name.slice(name.lastIndexOf('.') + 1))
    }
  }
}

function toMysqlNames(message: string): string[] {
  const reference = /^Cannot add .* FOREIGN KEY \((.*?)\) REFERENCES/.exec(message)?.[1]

  if (reference !== undefined) return reference.split(', ').map((name) => name.slice(1, -1))

  const name =
    /for key '(.*)'$/.exec(message)?.[1] ??
    /^CONSTRAINT `(.*)` failed/.exec(message)?.[1] ??
    /^Check constraint '(.*)' is/.exec(message)?.[1] ??
    /(?:[Cc]olumn|^Field) '(.*?)'/.exec(message)?.[1] ??
    /for column `.*`\.`(.*)`/.exec(message)?.[1]

  // A newer version puts the name of the table before it.
  return name === undefined ? [] : [...new Set([name, name.slice(name.indexOf('.') + 1)])]
}

/** What happened stays on the server. */
function withCause(error: FeathersError, cause: unknown): FeathersError {
  return Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
}
