import { BadRequest } from '../errors.ts'
import { describe } from '../query/operators.ts'
import type { Table } from './dialect.ts'
import type { Column, Kind, TableDescription } from './table.ts'
import { fromTimeText, isStorableText, NOTHING, toBoolean, toDate, toJsonText, toNumber } from './values.ts'

/**
 * Which form of a column a statement compares: its value as it is, its string by code points, its time, or that part of
 * it that has the type of the other side.
 */
export type Form = 'text' | 'time' | 'typed' | 'value'

/** What a kind of column does. */
export interface KindRules {
  /** What it holds, for messages. */
  readonly expects: string
  /** What a value of a query is compared with; `NOTHING` for one that no field equals. */
  readonly toOperand: (value: unknown, column: Column) => unknown
  /** What is stored for a value of data; `NOTHING` for one that it cannot hold. */
  readonly toStored: (value: unknown, column: Column) => unknown
  /** What a record holds for a value that the driver returns. */
  readonly fromStored?: (value: unknown, column: Column) => unknown
  readonly equality: Form
  readonly comparison: Form
  readonly order: Form
  /** What a pattern is compared with, where it holds strings: as it is, converted, or the strings among other types. */
  readonly pattern?: 'converted' | 'typed' | 'value'
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

const BY_VALUE = { equality: 'value', comparison: 'value', order: 'value' } as const
const BY_TEXT = { equality: 'text', comparison: 'text', order: 'text' } as const
const BY_TIME = { equality: 'time', comparison: 'time', order: 'time' } as const
const BY_TYPE = { equality: 'typed', comparison: 'typed', order: 'typed' } as const

/** What each kind of column does. */
export const KINDS: { readonly [kind in Kind]: KindRules } = {
  any: {
    expects: 'text or a number',
    toOperand: toScalar,
    toStored: toScalar,
    fromStored: toPlainNumber,
    ...BY_TYPE,
    // SQLite puts numbers before strings itself.
    order: 'value',
    pattern: 'typed'
  },
  boolean: {
    expects: 'true or false',
    toOperand: toBoolean,
    toStored: toBoolean,
    fromStored: (value) => (typeof value === 'boolean' ? value : Number(value) !== 0),
    ...BY_VALUE
  },
  bytes: {
    expects: 'bytes',
    toOperand: toBytes,
    toStored: toBytes,
    fromStored: (value) => (value instanceof ArrayBuffer ? Buffer.from(value) : value),
    ...BY_VALUE
  },
  date: {
    expects: 'a date',
    toOperand: (value) => toDate('date', value),
    toStored: (value) => toDate('date', value),
    fromStored: fromTime,
    ...BY_TIME
  },
  day: {
    expects: 'a date',
    toOperand: (value) => toDate('day', value),
    toStored: (value) => toDate('day', value),
    fromStored: fromTime,
    ...BY_TIME
  },
  decimal: {
    expects: 'a number',
    toOperand: (value) => toNumber('decimal', value),
    toStored: (value) => finite(toNumber('decimal', value)),
    ...BY_VALUE
  },
  integer: {
    expects: 'a whole number',
    toOperand: (value) => toNumber('integer', value),
    toStored: (value) => whole(toNumber('integer', value)),
    fromStored: fromInteger,
    ...BY_VALUE
  },
  json: {
    expects: 'a value that JSON can hold',
    toOperand: toScalar,
    toStored: toJsonText,
    fromStored: (value, { isParsed }) =>
      isParsed || typeof value !== 'string' ? toPlainNumber(value) : JSON.parse(value),
    ...BY_TYPE,
    pattern: 'typed'
  },
  list: {
    expects: 'an array of strings, numbers or booleans',
    toOperand: () => NOTHING,
    toStored: (value) =>
      Array.isArray(value) && !value.some((element) => typeof element === 'object') ? value : NOTHING,
    ...BY_VALUE
  },
  number: {
    expects: 'a number',
    toOperand: (value) => toNumber('number', value),
    toStored: (value) => finite(toNumber('number', value)),
    fromStored: toPlainNumber,
    ...BY_VALUE
  },
  other: {
    expects: 'a single value',
    toOperand: toText,
    toStored: (value) => (typeof value === 'number' || typeof value === 'boolean' ? value : toText(value)),
    ...BY_TEXT,
    pattern: 'converted'
  },
  text: {
    expects: 'well-formed text without NUL',
    toOperand: toText,
    toStored: toText,
    ...BY_TEXT,
    pattern: 'value'
  },
  uuid: {
    expects: 'a UUID',
    toOperand: toUuid,
    toStored: (value) => (typeof value === 'string' ? toUuid(value.toLowerCase()) : NOTHING),
    ...BY_VALUE,
    comparison: 'text',
    pattern: 'converted'
  }
}

/**
 * Converts a value of a query into what a column is compared with. A string that is exactly that of a number, a boolean
 * or a date is one, because in a URL everything is a string.
 *
 * @returns `NOTHING` for a value of another type, which no field equals
 */
export function toOperand(column: Column, value: unknown): unknown {
  return KINDS[column.kind].toOperand(value, column)
}

/**
 * Converts a value of data into what the driver gets for a column.
 *
 * @throws BadRequest that names the field, for a value of another type
 */
export function toStored(column: Column, value: unknown, { dialect }: Table): unknown {
  if (value === null || value === undefined) return null

  const { expects, toStored } = KINDS[column.kind]
  const stored = toStored(value, column)
  const parameter = stored === NOTHING ? undefined : dialect.toParameter(stored)

  if (parameter === undefined) {
    throw new BadRequest(`Invalid data: '${column.name}' expects ${expects}, got ${describe(value)}`, {
      errors: { [column.name]: `expects ${expects}` }
    })
  }

  return parameter
}

/** What differs between a row of the driver and a record: functions by the names of the columns that they read. */
export function toReaders({ columns }: TableDescription): Table['readers'] {
  return [...columns.values()].flatMap((column) => {
    const { fromStored } = KINDS[column.kind]

    return fromStored ? [[column.name, (value) => (value === null ? null : fromStored(value, column))]] : []
  })
}

function toText(value: unknown): unknown {
  return isStorableText(value) ? value : NOTHING
}

function toScalar(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? value : toText(value)
}

function toBytes(value: unknown): unknown {
  return value instanceof Uint8Array ? value : NOTHING
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

/** Statements return integers as strings, because not all of them are numbers of JavaScript. */
function fromInteger(value: unknown): unknown {
  const number = Number(value)

  // In SQLite a column of integers may hold text or a fraction.
  return Number.isNaN(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? value : number
}

function toPlainNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

function fromTime(value: unknown): unknown {
  return typeof value === 'string' ? fromTimeText(value) : value
}
