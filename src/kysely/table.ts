import { type RawBuilder, sql } from 'kysely'
import { copyWith } from '../utils/object.ts'
import type { Limits } from './limits.ts'
import { type TimeFormat, UTC_TIMES } from './times.ts'

/**
 * What a column holds, as far as it matters to a query: `decimal` is exact and comes as text, `day` is a date without a
 * time, `list` an array of PostgreSQL, `any` a column of SQLite that was declared without a type or with one that SQLite
 * does not know, `other` any type that can be read as text.
 */
export type Kind =
  | 'any'
  | 'boolean'
  | 'bytes'
  | 'date'
  | 'day'
  | 'decimal'
  | 'integer'
  | 'json'
  | 'list'
  | 'number'
  | 'other'
  | 'text'
  | 'uuid'

/** A column of a table, as the database describes it. */
export interface Column {
  readonly name: string
  /** The column in a statement. Names come from the list of the table, and never from a query. */
  readonly reference: RawBuilder<unknown>
  readonly kind: Kind
  /** The name of its type, in lower case. */
  readonly type: string
  /** What each element of a list is: what a column of its type would hold. */
  readonly element?: Column | undefined
  readonly isNullable: boolean
  /** Whether rows may have null in it although it is a key: on SQLite. */
  readonly mayHoldNull?: boolean | undefined
  /** Whether the database computes it, so that no statement can set it. */
  readonly isComputed: boolean
  /** Whether the database gives each new record the next number. */
  readonly isAutoIncrement: boolean
  /** Whether an index finds the rows that have a value in it. */
  readonly isIndexed: boolean
  /** Whether an index sees to it that no two rows have the same value in it, whatever the other columns hold. */
  readonly isUnique: boolean
  /** Whether the next number follows the largest one that was ever stored. */
  readonly continuesFromMax: boolean
  /** What it is when it is not given: an expression in SQL. */
  readonly fallback?: string | undefined
  /** The sequence that numbers it, on PostgreSQL. */
  readonly sequence?: string | undefined
  /** Whether `=` tells all strings apart. */
  readonly isExact: boolean
  /** Whether `<` and `order by` compare strings by their code points. */
  readonly isOrdered: boolean
  /** The name of the collation of its strings, where the database tells. */
  readonly collation?: string | undefined
  /** The encoding of text, where it may not be UTF-8. */
  readonly charset?: string | undefined
  /** Whether the driver parses JSON in it. */
  readonly isParsed: boolean
  /** The type of a list in SQL, to convert text to it; missing where its lists are ordered by their text. */
  readonly orderedAs?: string | undefined
  /** The strings that it can hold, where its type lists them. */
  readonly values?: readonly string[] | undefined
  /** How the times in it are written. */
  readonly times: TimeFormat
  /** Strings that it holds beside the numbers, times or days of its kind: `NaN`, `infinity`. JSON has no such numbers. */
  readonly others?: readonly string[] | undefined
  /** What it has room for, where the database refuses more. */
  readonly limits?: Limits | undefined
  /** How many digits its numbers have after the point, where the database rounds them. */
  readonly scale?: number | undefined
  /** Whether each change of its row gives it another value. */
  readonly isRenewed?: boolean
  /** To how many characters the database fills its strings with blanks. */
  readonly filledTo?: number | undefined
  /** Whether its numbers have four bytes, of which the driver shows fewer digits than they have. */
  readonly isSingle?: boolean
  /** Whether numbers in it may stand for true and false. */
  readonly mayHoldBooleans?: boolean
}

/** A column before a dialect has said everything about it. */
export type PartialColumn = Pick<Column, 'name' | 'kind' | 'type' | 'isNullable'> & Partial<Column>

/** An index that serves no statement by one of its columns. */
export interface UnusedIndex {
  /** Its name. */
  readonly index: string
  readonly column: string
  /** What it would have to be on in place of the column. */
  readonly expression: string
}

/** What a database says about a table. */
export interface TableDescription {
  /** Its own name, without that of a schema. */
  readonly name: string
  readonly columns: ReadonlyMap<string, Column>
  /** Whether it is a view, whose columns do not tell whether they can be null. */
  readonly isView?: boolean
  /** Indexes on columns that statements compare by an expression, which no other index has. */
  readonly unusedIndexes?: readonly UnusedIndex[]
  /** The columns of its keys and checks, by the names that errors mention. */
  readonly constraints: ReadonlyMap<string, readonly string[]>
  /** A collation that tells all characters apart, trailing blanks too, and orders them by code points. */
  readonly collation: string
  /** Whether a select can keep its rows from others until the transaction ends. */
  readonly locksRows: boolean
  /** Whether a subquery would give its columns other names. */
  readonly losesNames?: boolean
  /** Whether a trigger, a rule or a view may leave out a row that is inserted, without an error. */
  readonly mayLeaveOut?: boolean
  /** Whether the database may store other values than a statement has in any column: by a trigger, or by a rule. */
  readonly mayChangeRows?: boolean
  /** Which statements return the rows that they concern. */
  readonly returning: Changes
  /** Which statements a view takes. Left out for a table, which takes all. */
  readonly takes?: Changes | undefined
}

/** Something about each statement that changes rows. */
export interface Changes {
  readonly insert: boolean
  readonly update: boolean
  readonly delete: boolean
}

/**
 * Whether the numbers of a column are the database's to give: those of the id, and of a column in which a chosen one would be
 * in the way of those that follow. An `integer primary key` of SQLite finds free ones, and may refer to another table.
 */
export function isNumbered(column: Column, id: string): boolean {
  const { name, isAutoIncrement, isUnique, continuesFromMax, sequence, fallback } = column
  // Its numbers do not follow those that are stored.
  const hasSequence = (sequence ?? fallback) !== undefined

  return isAutoIncrement && (name === id || (isUnique && hasSequence) || continuesFromMax)
}

const COLUMN_DEFAULTS = {
  isComputed: false,
  isAutoIncrement: false,
  isIndexed: false,
  isUnique: false,
  continuesFromMax: false,
  isExact: true,
  isOrdered: true,
  isParsed: false,
  times: UTC_TIMES
}

/** The columns of a table by their names, with everything that a dialect leaves out. */
export function toColumns(columns: readonly PartialColumn[]): Map<string, Column> {
  return new Map(columns.map((column) => [column.name, toWholeColumn(column)]))
}

/** A column with everything that a dialect leaves out. */
export function toWholeColumn(column: PartialColumn): Column {
  return copyWith(COLUMN_DEFAULTS, { reference: sql.id(column.name), ...column })
}

const UUID_LENGTH = 36

/** Whether a column can hold the UUID that the adapter makes for an id which is not given. */
export function holdsUuid({ kind, type, limits, values }: Column): boolean {
  if (kind !== 'text' || values) return kind === 'uuid'

  return (limits?.maxLength ?? toDeclaredLength(type) ?? UUID_LENGTH) >= UUID_LENGTH
}

/** How many characters a column of SQLite such as `varchar(20)` is meant for: it is no limit, but no UUID is expected there. */
function toDeclaredLength(type: string): number | undefined {
  const [, length] = /^n?(?:var)?char(?:acter)?(?: varying)? *\((\d+)\)/.exec(type) ?? []

  return length === undefined ? undefined : Number(length)
}

const INTEGERS = /^(?:tiny|small|medium|big)?(?:int|integer|serial)\d?(?: unsigned)?$|^year$|^oid$/
const NUMBERS = /^(?:real|double(?: precision)?|float\d?)$/
const DATES = /^(?:datetime|timestamp|timestamptz)$/
const BYTES = /^(?:bytea|(?:tiny|medium|long)?blob|(?:var)?binary)$/
const TEXTS =
  /^(?:n?(?:var)?char(?:acter)?(?: varying)?|(?:tiny|medium|long)?text|clob|bpchar|citext|name|enum|set)$/

/** The kind of a type by its name without a length. */
export function toKind(type: string): Kind {
  if (INTEGERS.test(type)) return 'integer'
  if (NUMBERS.test(type)) return 'number'
  if (TEXTS.test(type)) return 'text'
  if (DATES.test(type)) return 'date'
  if (BYTES.test(type)) return 'bytes'

  switch (type) {
    case 'bool':
    case 'boolean':
      return 'boolean'
    case 'date':
      return 'day'
    case 'decimal':
    case 'numeric':
      return 'decimal'
    case 'json':
    case 'jsonb':
      return 'json'
    case 'uuid':
      return 'uuid'
    default:
      return 'other'
  }
}

/** Groups the columns of indexes, from a row for each. An index on an expression, which has no name, is left out. */
export function groupColumns(
  rows: readonly { readonly index: string; readonly column: string | null }[]
): readonly (readonly string[])[] {
  const indexes = new Map<string, readonly (string | null)[]>()

  for (const { index, column } of rows) indexes.set(index, [...(indexes.get(index) ?? []), column])

  return [...indexes.values()].filter((columns): columns is readonly string[] => !columns.includes(null))
}
