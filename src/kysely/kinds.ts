import { BadRequest } from '../errors.ts'
import { describeValue } from '../query/operators.ts'
import { isBase64 } from '../utils/base64.ts'
import type { Table } from './dialect.ts'
import { toExpectedLimit } from './limits.ts'
import type { Column, Kind, TableDescription } from './table.ts'
import {
  FALSE_VALUES,
  isBeyondYears,
  isStorableText,
  NOTHING,
  toBoolean,
  toDate,
  toDay,
  toDayOrTime,
  toJsonText,
  toNumber,
  toShortest
} from './values.ts'

/**
 * Which form of a column a statement compares: its value as it is, its string by code points, its time, whether it is
 * true, or that part of it that has the type of the other side.
 */
export type Form = 'text' | 'time' | 'truth' | 'typed' | 'value'

/** What a kind of column does. */
export interface KindRules {
  /** What it holds, for messages. */
  readonly expects: string
  /** What it expects in place of a value that has its type, and is beyond what any column holds. */
  readonly findLimit?: (value: unknown) => string | undefined
  /** What a value of a query is compared with; `NOTHING` for one that no field equals. */
  readonly toOperand: (value: unknown, column: Column) => unknown
  /** What is stored for a value of data; `NOTHING` for one that it cannot hold. */
  readonly toStored: (value: unknown, column: Column) => unknown
  /** What a record holds for a value that the driver returns. */
  readonly fromStored?: (value: unknown, column: Column) => unknown
  /** What is compared with a value; `comparison` for less and greater, and `order` to sort by, where these differ. */
  readonly form: Form
  readonly comparison?: Form
  readonly order?: Form
  /** What a pattern is compared with, where it holds strings: as it is, converted, or the strings among other types. */
  readonly pattern?: 'converted' | 'typed' | 'value'
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** What each kind of column does. */
export const KINDS: { readonly [kind in Kind]: KindRules } = {
  any: {
    expects: 'text or a number',
    toOperand: toScalar,
    toStored: toScalar,
    fromStored: (value) => (isBytes(value) ? toBase64(value) : toPlainNumber(value)),
    form: 'typed',
    // SQLite puts numbers before strings itself.
    order: 'value',
    pattern: 'typed'
  },
  boolean: {
    expects: 'true or false',
    toOperand: toBoolean,
    toStored: toBoolean,
    fromStored: (value) => !FALSE_VALUES.includes(typeof value === 'bigint' ? Number(value) : value),
    form: 'truth'
  },
  bytes: {
    expects: 'bytes as base64',
    toOperand: toBytes,
    toStored: toBytes,
    fromStored: toBase64,
    form: 'value'
  },
  date: {
    expects: 'a date',
    findLimit: (value) =>
      isBeyondYears(value) ? 'a date from the year 0 to the year 9999 in UTC' : undefined,
    toOperand: toTime,
    toStored: toTime,
    fromStored: (value, { times }) => (typeof value === 'string' ? times.read(value) : value),
    form: 'time'
  },
  day: {
    expects: 'a day such as 2026-11-22, or its midnight in UTC',
    toOperand: (value, column) => orOther(value, column, toDayOrTime),
    toStored: (value, column) => orOther(value, column, toDay),
    form: 'time'
  },
  decimal: {
    expects: 'a number',
    toOperand: (value, column) => orOther(value, column, (number) => toNumber('decimal', number)),
    toStored: (value, column) => orOther(value, column, (number) => finite(toNumber('decimal', number))),
    // MariaDB fills some with zeros.
    fromStored: (value) => (typeof value === 'string' ? value.replace(/^(-?)0+(?=\d)/, '$1') : value),
    form: 'value'
  },
  integer: {
    expects: 'a whole number',
    toOperand: (value) => toNumber('integer', value),
    toStored: (value) => whole(toNumber('integer', value)),
    fromStored: fromInteger,
    form: 'value'
  },
  json: {
    expects: 'a value that JSON can hold',
    toOperand: toScalar,
    toStored: toJsonText,
    fromStored: (value, { isParsed }) =>
      isParsed || typeof value !== 'string' ? toPlainNumber(value) : fromJsonText(value),
    form: 'typed',
    pattern: 'typed'
  },
  list: {
    expects: 'an array whose elements have its type',
    toOperand: () => NOTHING,
    toStored: (value, column) => (Array.isArray(value) ? toStoredList(value, toElement(column)) : NOTHING),
    fromStored: (value, column) =>
      typeof value === 'string' ? fromStoredList(JSON.parse(value), toElement(column)) : value,
    form: 'value'
  },
  number: {
    expects: 'a number',
    toOperand: (value, column) => orOther(value, column, (number) => toNumber('number', number)),
    toStored: (value, column) => orOther(value, column, (number) => finite(toNumber('number', number))),
    fromStored: (value, { isSingle }) => fromNumber(isSingle ? toShortest(Number(value)) : value),
    form: 'value'
  },
  other: {
    expects: 'a single value',
    toOperand: toText,
    // MariaDB has another error for a number than for a string that it cannot read.
    toStored: (value) =>
      toText(typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
    form: 'text',
    pattern: 'converted'
  },
  text: {
    expects: 'well-formed text without NUL',
    toOperand: (value, column) => fill(toText(value), column),
    toStored: toText,
    form: 'text',
    pattern: 'value'
  },
  uuid: {
    expects: 'a UUID',
    toOperand: toUuid,
    toStored: (value) => (typeof value === 'string' ? toUuid(value.toLowerCase()) : NOTHING),
    form: 'value',
    comparison: 'text',
    pattern: 'converted'
  }
}

/**
 * Converts a value of a query into what a column is compared with; `NOTHING` for a value of another type, which no field
 * equals. A string that is exactly that of a number, a boolean or a date is one, because in a URL everything is a string.
 */
export function toOperand(column: Column, value: unknown): unknown {
  return KINDS[column.kind].toOperand(value, column)
}

/**
 * Converts a value of data into what the driver gets for a column. Throws BadRequest that names the field, for a value of
 * another type.
 */
export function toStored(column: Column, value: unknown, { dialect }: Table): unknown {
  if (value === null || value === undefined) return null

  const { expects, findLimit, toStored } = KINDS[column.kind]
  const stored = toStored(value, column)
  const parameter = stored === NOTHING ? undefined : dialect.toParameter(stored, column)

  const limit = parameter === undefined ? findLimit?.(value) : toLimit(stored, column)

  if (limit !== undefined) throw toRefusal(column, limit)
  if (parameter === undefined) throw toRefusal(column, expects, `, got ${describeValue(value)}`)

  return parameter
}

function toRefusal({ name }: Column, expects: string, got = ''): BadRequest {
  return new BadRequest(`Invalid data: '${name}' expects ${expects}${got}`, {
    errors: { [name]: `expects ${expects}` }
  })
}

/** What is expected of a value, or of one in a list, for which there is no room. */
function toLimit(stored: unknown, column: Column): string | undefined {
  const { limits } = toElement(column)

  if (!limits) return undefined

  return [stored]
    .flat(Number.POSITIVE_INFINITY)
    .map((value) => toExpectedLimit(value, limits))
    .find((limit) => limit !== undefined)
}

/** What differs between a row of the driver and a record: functions by the names of the columns that they read. */
export function toReaders({ columns }: TableDescription): Table['readers'] {
  const readers = new Map<string, (value: unknown) => unknown>()

  for (const column of columns.values()) {
    const { fromStored } = KINDS[column.kind]

    if (fromStored) readers.set(column.name, (value) => (value === null ? null : fromStored(value, column)))
  }

  return readers
}

function toText(value: unknown): unknown {
  return isStorableText(value) ? value : NOTHING
}

/** A string is compared as it would be stored: with the blanks that a column adds. */
function fill(text: unknown, { filledTo = 0 }: Column): unknown {
  if (typeof text !== 'string' || text.length >= filledTo) return text

  return text + ' '.repeat(Math.max(filledTo - [...text].length, 0))
}

function toScalar(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? value : toText(value)
}

function toBytes(value: unknown): unknown {
  if (typeof value === 'string') return isBase64(value) ? Buffer.from(value, 'base64') : NOTHING

  return value instanceof Uint8Array ? value : NOTHING
}

/** Whether a value is bytes, as some drivers return them, and others. */
export function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array || value instanceof ArrayBuffer
}

/** Bytes as JSON can hold them. SQLite may have text in their column. */
function toBase64(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'bigint'
    ? value
    : Buffer.from(value as Uint8Array).toString('base64')
}

function toUuid(value: unknown): unknown {
  return typeof value === 'string' && UUID.test(value) ? value : NOTHING
}

/** An integer beyond those of the database is a number to compare with, and none to store. */
function whole(value: unknown): unknown {
  return typeof value !== 'number' || Number.isSafeInteger(value) ? value : NOTHING
}

function finite(value: unknown): unknown {
  return typeof value !== 'number' || Number.isFinite(value) ? value : NOTHING
}

/** A number as databases write it. */
const WRITTEN_NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Statements return integers as strings, because not all of them are numbers of JavaScript. */
function fromInteger(value: unknown): unknown {
  // Text of SQLite that only JavaScript takes for a number: '' and '0x10'.
  if (typeof value === 'string' && !WRITTEN_NUMBER.test(value)) return value

  const number = Number(value)

  if (Number.isSafeInteger(number)) return number

  // In SQLite a column of integers may hold text, a fraction or infinity.
  return Number.isNaN(number) || Number.isInteger(number) ? value : toPlainNumber(number)
}

/** Some statements, and some drivers, return numbers as strings. In SQLite a column of numbers may hold text. */
function fromNumber(value: unknown): unknown {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN

  return toPlainNumber(Number.isNaN(number) ? value : number)
}

/** A list of what is stored for each value. Null is one of every type, and so is a further list. */
function toStoredList(list: readonly unknown[], element: Column): unknown {
  const stored = list.map((value) => {
    if (value === null || value === undefined) return null
    if (Array.isArray(value)) return toStoredList(value, element)

    return KINDS[element.kind].toStored(value, element)
  })

  return stored.includes(NOTHING) ? NOTHING : stored
}

/** The same the other way round: statements return each value as a string. */
function fromStoredList(list: readonly unknown[], element: Column): unknown[] {
  return list.map((value) => {
    if (Array.isArray(value)) return fromStoredList(value, element)

    return value === null ? null : fromElement(value as string, element)
  })
}

function fromElement(text: string, element: Column): unknown {
  if (element.kind === 'bytes') return fromBytesText(text).toString('base64')

  const { fromStored } = KINDS[element.kind]

  return fromStored ? fromStored(text, element) : text
}

/** How PostgreSQL writes bytes: in hexadecimal digits after it. */
const BYTES_PREFIX = '\\x'

/** The server may be set to write bytes as ASCII too, with a backslash before another one, or before three octal digits. */
function fromBytesText(text: string): Buffer {
  if (text.startsWith(BYTES_PREFIX)) return Buffer.from(text.slice(BYTES_PREFIX.length), 'hex')

  const characters = text.replace(/\\(\\|\d{3})/g, (_, escaped: string) =>
    escaped === '\\' ? escaped : String.fromCharCode(Number.parseInt(escaped, 8))
  )

  return Buffer.from(characters, 'latin1')
}

/** SQLite may have text in a column of JSON that is none. */
function fromJsonText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What the elements of a list are, however many levels it has. */
export function toElement(column: Column): Column {
  return column.element ? toElement(column.element) : column
}

/** JSON has no infinite numbers, and no `NaN`: it would write null. */
function toPlainNumber(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)

  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

function toTime(value: unknown, column: Column): unknown {
  return orOther(value, column, (time) => {
    const date = toDate(time)

    return date ? column.times.write(date) : NOTHING
  })
}

/** What is made of a value, unless it is one that the column holds beside those of its kind. */
function orOther(value: unknown, { others = [] }: Column, convert: (value: unknown) => unknown): unknown {
  return others.some((other) => other === value) ? value : convert(value)
}
