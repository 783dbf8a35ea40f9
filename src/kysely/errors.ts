import {
  BadRequest,
  Conflict,
  type FeathersError,
  Forbidden,
  GeneralError,
  isFeathersError,
  MethodNotAllowed,
  Unavailable
} from '../errors.ts'
import type { AnyKysely } from './any-kysely.ts'
import { DIALECTS, findDatabase } from './databases.ts'
import type { Dialect, DriverError, ErrorKind, Table } from './dialect.ts'

/** What drivers and the network say when there is no connection. */
const LOST_CODES: readonly unknown[] = [
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

/** Some have no code for it. Only errors of drivers are matched. */
const LOST_MESSAGE =
  /connection (?:is )?(?:terminated|lost|closed|not open)|connection timeout|timeout exceeded when trying to connect|query read timeout|closed state|pool (?:is|has been) closed|PGlite is closed|not queryable|database (?:connection )?is not open|queue limit reached|no connections available|driver has already been destroyed/i

/**
 * Turns what a driver throws into an error that a client may see, for statements of one's own: what is taken is a 409, a
 * value that cannot be a 400, a database that is away or busy a 503, and anything else a 500. It returns the error and
 * throws nothing. The error of the driver is its `cause`, which stays on the server; outside production the message of a
 * 500 and a 503 holds that of the driver.
 *
 * @param error What was thrown. An error of Feathers comes back as it is
 * @param db The Kysely instance, where `registerDialect` was called for it
 * @example
 * await db.insertInto('likes').values({ user, note }).execute().catch((error) => {
 *   throw toFeathersError(error)
 * })
 */
export function toFeathersError(error: unknown, db?: AnyKysely): FeathersError {
  return toKnownError(error, db ? [findDatabase(db).dialect] : DIALECTS)
}

/** A call of a service that has failed. */
export interface FailedCall {
  /** Its table, once that was read. */
  readonly table: Table | undefined
  /** Whether it creates or removes records, where it is known to. */
  readonly action?: 'create' | 'remove' | undefined
  /** The paths of services by the names of their tables. */
  readonly services: ReadonlyMap<string, string>
}

/** The same for an error of a service: it names the columns of its table. */
export function toTableError(error: unknown, call: FailedCall): FeathersError {
  return toKnownError(error, call.table ? [call.table.dialect] : DIALECTS, call)
}

/**
 * The same for a statement that stores values, where the database counts them instead of naming a column: `names` are the
 * columns of its first values, in their order. Any other error is returned as it is.
 */
export function toValueError(error: unknown, table: Table, names: readonly string[]): unknown {
  const index = hasMessage(error) ? table.dialect.toErrorParameter?.(error) : undefined

  if (index === undefined) return error

  const kind = toErrorKind(error, [table.dialect]) === 'check' ? 'check' : 'invalid'

  return withCause(toErrorOf(kind, names.slice(index, index + 1), ''), error)
}

function toKnownError(error: unknown, dialects: readonly Dialect[], call?: FailedCall): FeathersError {
  if (isFeathersError(error)) return error
  // What the application has set wrongly is no fault of the database.
  if (String((error as DriverError | undefined)?.code).startsWith('ALULA_'))
    return withCause(new GeneralError(`The service failed${toDetail(error)}`), error)

  const found = toErrorKind(error, dialects)
  // Which record lacks the other, where the database does not tell.
  const side = call?.action === 'create' ? 'reference' : 'referenced'
  const kind = found === 'foreignKey' && call?.action ? side : found
  const known =
    kind === 'referenced'
      ? toReferenced(error, dialects, call)
      : toErrorOf(kind, findFields(error, kind, call?.table), toDetail(error))

  return withCause(known, error)
}

/** The error for a record that others refer to. The columns that it is about are those of another table. */
function toReferenced(error: unknown, dialects: readonly Dialect[], call?: FailedCall): FeathersError {
  const table = hasMessage(error)
    ? dialects.find((dialect) => dialect.toErrorKind(error) === 'referenced')?.toReferrer?.(error)
    : undefined
  const others = table === undefined ? 'other records' : `records of '${call?.services.get(table) ?? table}'`

  return new Conflict(`A record is in use: ${others} refer to it`)
}

/** What the driver says, where a client may see it. */
function toDetail(error: unknown): string {
  const { message: text, code } = (error ?? {}) as DriverError
  const message = text || code

  return process.env.NODE_ENV === 'production' || typeof message !== 'string' ? '' : `: ${message}`
}

/** The error of every statement, and of the commit, after the transaction was lost. */
export function transactionLost(cause: unknown): FeathersError {
  return withCause(new Unavailable('The database has rolled the transaction back. Try again'), cause)
}

/** What a call gets that comes when its transaction has ended: outside of it, half of the work would be stored. */
export function transactionEnded(): FeathersError {
  return new Unavailable('The transaction of this call has ended')
}

/** The error of a call that collided with others, and has changed nothing. */
export function requestsCollided(): FeathersError {
  return new Unavailable('The database could not serve several requests at once. Try again')
}

/** Whether a connection is broken or does not respond: the next statement would have to wait for it. */
export function isDisconnection(error: unknown): boolean {
  if (LOST_CODES.includes((error as DriverError | undefined | null)?.code)) return true

  return error instanceof Error && !isOfDatabase(error) && LOST_MESSAGE.test(error.message)
}

/** Whether the database itself reports an error. Its message may repeat a value of a client or the words of a trigger. */
function isOfDatabase({ code, errcode, sqlState }: DriverError): boolean {
  return sqlState !== undefined || errcode !== undefined || /^(?:[0-9A-Z]{5}$|SQLITE_)/.test(String(code))
}

/** Whether a driver has stopped waiting for the reply. What was asked may still happen. */
export function isClientTimeout(error: unknown): boolean {
  return isDisconnection(error) && /timeout/i.test(String((error as DriverError).message))
}

/** Whether the same statements may succeed when they are tried again. */
export function isDeadlock(error: unknown, db: AnyKysely): boolean {
  return toErrorKind(error, [findDatabase(db).dialect]) === 'deadlock'
}

/** Whether the database says that an id is taken. Where it has numbered that id itself, the next one may be free. */
export function isTaken(error: unknown, id: string, table: Table): boolean {
  const kind = toErrorKind(error, [table.dialect])

  return kind === 'conflict' && findFields(error, kind, table).join() === id
}

/** The error that a client gets, with the fields that it is about. */
function toErrorOf(
  kind: Exclude<ErrorKind, 'referenced'> | undefined,
  fields: readonly string[],
  detail: string
): FeathersError {
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
        `Invalid data: ${names || 'a reference'} refers to a record that does not exist`,
        errors('refers to no record')
      )
    case 'foreignKey':
      return new BadRequest(
        'Invalid data: a reference refers to a record that does not exist, or other records refer to what was there'
      )
    case 'check':
      return new BadRequest(`Invalid data: ${names || 'a value'} is not allowed`, errors('is not allowed'))
    case 'invalid':
      return new BadRequest(
        `Invalid data: ${names || 'a value'} cannot be stored`,
        errors('cannot be stored')
      )
    case 'forbidden':
      return new Forbidden('The database does not let you write this record')
    case 'readOnly':
      return new MethodNotAllowed('The database does not make this change through a view')
    case 'size':
      return new BadRequest('The request is too large for the database')
    case 'deadlock':
      return requestsCollided()
    case 'unavailable':
      return new Unavailable(`The database is not available${detail}`)
    case undefined:
      return new GeneralError(`The database failed${detail}`)
  }
}

function toErrorKind(error: unknown, dialects: readonly Dialect[]): ErrorKind | undefined {
  if (isDisconnection(error)) return 'unavailable'
  if (typeof error !== 'object' || error === null) return undefined

  return dialects.map((dialect) => dialect.toErrorKind(error)).find(Boolean)
}

/** The columns that an error is about, as far as it tells. None but those of the table. */
function findFields(
  error: unknown,
  kind: ErrorKind | undefined,
  table: Table | undefined
): readonly string[] {
  if (!table || !hasMessage(error)) return []

  const { columns, constraints } = table
  // A constraint may have the name of a column: MariaDB gives a key that of its first one.
  const isOfConstraint = kind === 'conflict' || kind === 'check'
  const isColumn = (name: string) => columns.has(name) && !(isOfConstraint && constraints.has(name))

  return table.dialect
    .toErrorNames(error, table)
    .flatMap((name) => (isColumn(name) ? [name] : (constraints.get(name) ?? [])))
}

function hasMessage(error: unknown): error is DriverError & { readonly message: string } {
  return typeof (error as DriverError | null | undefined)?.message === 'string'
}

/** What happened stays on the server. */
function withCause(error: FeathersError, cause: unknown): FeathersError {
  return Object.defineProperty(error, 'cause', { value: cause, configurable: true, writable: true })
}
