import { isFeathersError } from '../errors.ts'
import { isObject, isString } from '../utils/check.ts'

/** Where `@feathersjs/knex` keeps the error of the driver, whose message it has taken over. */
const KNEX_ERROR = Symbol.for('@feathersjs/knex/error')

/**
 * The beginning of a statement with its values: Knex begins messages with it, and the connector of MariaDB puts it after
 * `sql:`. It is looked for at these two places only, because clients write parts of messages.
 */
const STATEMENT =
  /(?:^|\bsql: )\s{0,9}(?:(insert|replace)\s(?:ignore\s)?into\s|(delete)\sfrom\s|(update)\s\S{1,200}\sset\s|(select)\s.*\sfrom\s|(with)\s(?:recursive\s)?\S{1,200}\sas\s?\()/is

/** How much of a message is searched. */
const SEARCHED_LENGTH = 5000

/**
 * Whether the message of a Feathers error is that of a database driver: it names tables and columns, and may hold the
 * statement with its values, such as the hash of a password.
 */
export function hasDriverMessage(error: object, message: unknown): boolean {
  const { [KNEX_ERROR]: driverError } = error as { [KNEX_ERROR]?: unknown }

  // What the service throws itself, such as `NotFound`, is marked with itself.
  if (driverError !== undefined && !isFeathersError(driverError)) return true

  const [, ...words] = (isString(message) && STATEMENT.exec(message.slice(0, SEARCHED_LENGTH))) || []

  // Sentences begin with one capital letter.
  return words.some((word) => word !== undefined && [word.toLowerCase(), word.toUpperCase()].includes(word))
}

/** Whether details of an error are the error of a driver: `new GeneralError('Failed', error)` copies its properties. */
export function isDriverError(data: unknown): boolean {
  if (!isObject(data)) return false

  const { sql, sqlMessage, severity, routine } = data

  return isString(sql) || isString(sqlMessage) || (isString(severity) && isString(routine))
}
