import { BadRequest } from '../errors.ts'
import { isDay, isInteger, toExactBoolean, toExactDate, toExactNumber } from '../query/coerce.ts'
import { describe } from '../query/operators.ts'
import { assertNever } from '../utils/object.ts'
import type { Column, Table } from './table.ts'

/** A value that a column cannot hold. */
export const NOTHING = Symbol('nothing')

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** Those of a `BIGINT`, with a sign or without. */
const LEAST_INTEGER = -(2n ** 63n)
const GREATEST_INTEGER = 2n ** 64n - 1n
const MOST_DIGITS = 20

/** What each kind is called in a message. */
const EXPECTATIONS: { readonly [kind in Column['kind']]: string } = {
  any: 'text or a number',
  boolean: 'true or false',
  bytes: 'bytes',
  date: 'a date',
  day: 'a date',
  decimal: 'a number',
  integer: 'a whole number',
  json: 'a value that JSON can hold',
  list: 'an array',
  number: 'a number',
  other: 'a single value',
  text: 'text without NUL',
  uuid: 'a UUID'
}

/**
 * Converts a value of a query into what a column is compared with. A string that is exactly how a number,
 * a boolean or a date is written is one, because in a URL every value is a string.
 *
 * @returns `NOTHING` for a value of another type, which no field equals
 */
export function toOperand(column: Column, value: unknown): unknown {
  const { kind } = column

  switch (kind) {
    case 'integer':
    case 'number':
    case 'decimal':
      return toNumber(kind, value)
    case 'boolean':
      return toBoolean(value)
    case 'date':
    case 'day':
      return toDate(column, value)
    case 'bytes':
      return value instanceof Uint8Array ? value : NOTHING
    case 'text':
    case 'other':
      return isSound(value) ? value : NOTHING
    case 'uuid':
      return typeof value === 'string' && UUID.test(value) ? value : NOTHING
    case 'any':
    case 'json':
      return typeof value === 'number' || typeof value === 'boolean' || isSound(value) ? value : NOTHING
    case 'list':
      return NOTHING
    default:
      return assertNever(kind)
  }
}

/**
 * Converts a value of data into what is stored in a column.
 *
 * @throws BadRequest that names the field, for a value of another type
 */
export function toStored(column: Column, value: unknown, { dialect }: Table): unknown {
  if (value === null || value === undefined) return null

  const stored = toParameter(column, value)

  if (stored === NOTHING || (dialect === 'sqlite' && isBeyondSqlite(stored))) {
    throw new BadRequest(
      `Invalid data: '${column.name}' expects ${EXPECTATIONS[column.kind]}, got ${describe(value)}`,
      { errors: { [column.name]: `expects ${EXPECTATIONS[column.kind]}` } }
    )
  }

  return dialect === 'sqlite' ? toSqlite(stored) : stored
}

/** What the drivers of SQLite take. The value comes from `toOperand` or `toStored`. */
export function toSqlite(value: unknown): unknown {
  // All of its integers are less than one that it cannot take, and a number says that too.
  if (typeof value === 'boolean' || isBeyondSqlite(value)) return Number(value)

  return value instanceof Date ? value.toISOString() : value
}

function isBeyondSqlite(value: unknown): boolean {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value
}

/** Converts what a driver returns for a column into what a record holds. */
export function fromStored({ kind, isParsed }: Column, value: any): unknown {
  if (value === null || value === undefined) return null

  switch (kind) {
    case 'boolean':
      return typeof value === 'boolean' ? value : Number(value) !== 0
    case 'integer':
      // Drivers give large ones as text, because not all of them are numbers of JavaScript.
      return Number.isSafeInteger(Number(value)) ? Number(value) : value
    case 'number':
    case 'any':
      return typeof value === 'bigint' ? Number(value) : value
    case 'date':
    case 'day':
      return typeof value === 'string' ? fromDateText(value) : value
    case 'json':
      return isParsed || typeof value !== 'string' ? value : JSON.parse(value)
    case 'bytes':
      return value instanceof ArrayBuffer ? Buffer.from(value) : value
    default:
      return value
  }
}

function toParameter(column: Column, value: unknown): unknown {
  const { kind } = column

  switch (kind) {
    case 'json':
      return toJson(value)
    case 'list':
      return Array.isArray(value) && !value.some((element) => typeof element === 'object') ? value : NOTHING
    case 'other':
      return ['number', 'boolean'].includes(typeof value) ? value : toOperand(column, value)
    case 'uuid':
      return typeof value === 'string' ? toOperand(column, value.toLowerCase()) : NOTHING
    case 'integer':
    case 'number':
    case 'decimal': {
      const number = toOperand(column, value)

      return isStorable(kind, number) ? number : NOTHING
    }
    case 'any':
      return typeof value === 'boolean' ? value : toOperand(column, value)
    default:
      return toOperand(column, value)
  }
}

/** An integer beyond those of the database is a number to compare with, and none to store. */
function isStorable(kind: Column['kind'], value: unknown): boolean {
  if (typeof value !== 'number') return true

  return kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value)
}

function toNumber(kind: 'integer' | 'number' | 'decimal', value: unknown): unknown {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return kind === 'decimal' ? String(value) : toInteger(String(value))
  if (typeof value !== 'string') return NOTHING
  if (kind === 'decimal') return DECIMAL.test(value) ? value : NOTHING
  if (kind === 'integer' && isInteger(value)) return toInteger(value)

  return toExactNumber(value) ?? NOTHING
}

/** A number where it is that integer exactly, or where no database has such an integer. */
function toInteger(text: string): unknown {
  const number = Number(text)

  if (Number.isSafeInteger(number) || text.length > MOST_DIGITS) return number

  const integer = BigInt(text)

  return integer < LEAST_INTEGER || integer > GREATEST_INTEGER ? number : integer
}

function toBoolean(value: unknown): unknown {
  if (typeof value === 'string') return toExactBoolean(value) ?? NOTHING

  return typeof value === 'boolean' ? value : NOTHING
}

function toDate({ kind }: Column, value: unknown): unknown {
  if (typeof value !== 'string') return value instanceof Date ? toKnownDate(value) : NOTHING

  const date = toExactDate(value)

  if (!date) return NOTHING

  // Drivers take a day without a time for one of the place where they are.
  return toKnownDate(kind === 'day' && isDay(value) ? new Date(`${value}T00:00`) : date)
}

/** SQLite and MySQL know no others than those with four digits for a year. */
function toKnownDate(date: Date): unknown {
  const year = date.getUTCFullYear()

  return year >= 0 && year <= 9999 ? new Date(date) : NOTHING
}

/** `CURRENT_TIMESTAMP` of SQLite is the time at Greenwich, without a word about it. */
function fromDateText(text: string): unknown {
  const date = new Date(/^\d{4}-\d\d-\d\d \d\d:\d\d/.test(text) ? `${text.replace(' ', 'T')}Z` : text)

  return Number.isNaN(date.getTime()) ? text : date
}

function toJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value, (name, nested) => {
      if (!isSound(name) || (typeof nested === 'string' && !isSound(nested))) throw new TypeError('NUL')

      return nested
    })

    return text ?? NOTHING
  } catch {
    // A circle, a bigint, too many levels.
    return NOTHING
  }
}

/**
 * Whether something is text that every database takes. PostgreSQL refuses NUL, drivers of SQLite cut text there; half of
 * a pair of surrogates is no text at all.
 */
export function isSound(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0') && value.isWellFormed()
}
