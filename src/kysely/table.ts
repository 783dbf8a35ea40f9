import type { Dialect } from './dialect.ts'

/**
 * What a column holds, as far as it matters to a query: `decimal` is exact and comes as text, `day` is a date without a
 * time, `list` an array of PostgreSQL, `any` a column of SQLite that was declared without a type, `other` whatever has a
 * text.
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
  readonly kind: Kind
  /** The name of its type, in lower case. */
  readonly type: string
  readonly isNullable: boolean
  /** Whether the database computes it, so that nobody else can set it. */
  readonly isComputed: boolean
  /** Whether the database counts it up. */
  readonly isCounted: boolean
  /** Whether it counts on from the largest id that was given. */
  readonly countsOn: boolean
  /** What it is when it is not given: an expression in SQL. */
  readonly fallback?: string | undefined
  /** What counts it up, on PostgreSQL. */
  readonly sequence?: string | undefined
  /** Whether text in it is equal only when every character is. */
  readonly isExact: boolean
  /** Whether text in it is ordered by its code points. */
  readonly isOrdered: boolean
  /** The encoding of text, where it may not be UTF-8. */
  readonly charset?: string | undefined
  /** Whether the driver parses JSON in it. */
  readonly isParsed: boolean
}

/** What we know of a table. */
export interface Table {
  readonly dialect: Dialect
  /** Its own name, without that of a schema. */
  readonly name: string
  readonly columns: ReadonlyMap<string, Column>
  /** The columns of its keys and checks, by the names that errors mention. */
  readonly constraints: ReadonlyMap<string, readonly string[]>
  /** The collation of MySQL or MariaDB that tells all characters apart, trailing blanks too. */
  readonly collation: string
  /** Which statements return the rows that they concern. */
  readonly returning: { readonly insert: boolean; readonly update: boolean; readonly delete: boolean }
}

const INTEGERS = /^(?:tiny|small|medium|big)?(?:int|integer|serial)\d?(?: unsigned)?$|^year$|^oid$/
const NUMBERS = /^(?:real|double(?: precision)?|float\d?)$/
const DATES = /^(?:datetime|timestamp|timestamptz)$/
const BYTES = /^(?:bytea|(?:tiny|medium|long)?blob|(?:var)?binary)$/
const TEXTS =
  /^(?:n?(?:var)?char(?:acter)?(?: varying)?|(?:tiny|medium|long)?text|clob|bpchar|citext|name|enum|set)$/

/** The kind of a type of PostgreSQL, MySQL or MariaDB, by its name without a length. */
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

/**
 * The kind of a type as it was declared on SQLite, which knows numbers, text and bytes only: for booleans, dates and
 * JSON it is the name that tells. What it has no name for it treats by rules of its own
 * (https://sqlite.org/datatype3.html), and so do we.
 */
export function toSqliteKind(declared: string): Kind {
  const type = declared
    .replace(/\(.*\)/, '')
    .trim()
    .toLowerCase()

  if (type === '') return 'any'
  // SQLite has no days and no decimals: their columns hold what they get.
  if (type === 'date') return 'date'
  if (type === 'decimal' || type === 'numeric') return 'number'

  const kind = toKind(type)

  if (kind !== 'other' && kind !== 'uuid') return kind
  if (type.includes('int')) return 'integer'
  if (/char|clob|text|uuid/.test(type)) return 'text'
  if (type.includes('blob')) return 'bytes'
  if (/real|floa|doub/.test(type)) return 'number'

  return 'any'
}
