import {
  BadRequest,
  Conflict,
  type FeathersError,
  GeneralError,
  isFeathersError,
  Unavailable
} from '../errors.ts'
import { DIALECTS } from './databases.ts'
import type { ErrorKind, Table } from './dialect.ts'

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

  return withCause(toKnownError(toErrorKind(error, table), findFields(error, table)), error)
}

/** What everything gets that is asked of a transaction, or of its commit, when there is none any more. */
export function transactionLost(cause: unknown): FeathersError {
  return withCause(new Unavailable('The database has taken the transaction back. Try again'), cause)
}

/** What a call gets that comes when its transaction has ended: outside of it, half of the work would be stored. */
export function transactionEnded(): FeathersError {
  return new Unavailable('The transaction of this call has ended')
}

/** Whether a connection is of no use any more, or does not answer: what is asked next would have to wait for that. */
export function isDisconnection(error: any): boolean {
  return LOST_CODES.includes(error?.code) || (error instanceof Error && LOST_MESSAGE.test(error.message))
}

/** Whether a driver has not waited for the answer. What was asked may still happen. */
export function isClientTimeout(error: any): boolean {
  return isDisconnection(error) && /timeout/i.test(error.message)
}

/** Whether the same statements may succeed when they are tried again. */
export function isDeadlock(error: unknown): boolean {
  return toErrorKind(error) === 'deadlock'
}

/** Whether the database says that an id is taken. Where it has counted that id itself, the next one may be free. */
export function isTaken(error: unknown, id: string, table: Table): boolean {
  return toErrorKind(error, table) === 'conflict' && findFields(error, table).join() === id
}

/** The error that a client gets, with the fields that it is about. */
function toKnownError(kind: ErrorKind | undefined, fields: readonly string[]): FeathersError {
  const names = fields.map((field) => `'${field}'`).join(', ')
  const errors = (text: string) =>
    fields.length > 0 ? { errors: Object.fromEntries(fields.map((field) => [field, text])) } : undefined

  switch (kind) {
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
    case 'unavailable':
      return new Unavailable('The database is not available')
    case undefined:
      return new GeneralError('The database failed')
  }
}

function toErrorKind(error: any, table?: Table): ErrorKind | undefined {
  if (isDisconnection(error)) return 'unavailable'
  if (typeof error !== 'object' || error === null) return undefined
  if (table) return table.dialect.toErrorKind(error)

  for (const dialect of DIALECTS) {
    const kind = dialect.toErrorKind(error)

    if (kind) return kind
  }

  return undefined
}

/** The columns that an error is about, as far as it tells. None but those of the table. */
function findFields(error: any, table: Table | undefined): readonly string[] {
  if (!table || typeof error?.message !== 'string') return []

  const { columns, constraints } = table

  return table.dialect
    .toErrorNames(error, table)
    .flatMap((name) => (columns.has(name) ? [name] : (constraints.get(name) ?? [])))
}

/** What happened stays on the server. */
function withCause(error: FeathersError, cause: unknown): FeathersError {
  return Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
}
