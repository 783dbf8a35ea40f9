import type {
  AliasedRawBuilder,
  DeleteQueryBuilder,
  InsertQueryBuilder,
  RawBuilder,
  SelectQueryBuilder,
  UpdateQueryBuilder
} from 'kysely'
import type { Path } from '../query/ast.ts'
import type { PatternPart } from '../query/like.ts'
import type { AnyKysely } from './any-kysely.ts'
import type { Column, TableDescription } from './table.ts'

/** Part of a statement: a condition, a value or a column, so that Kysely has to take it anywhere. */
export type Fragment = RawBuilder<any>

/** A column, or what a path leads to in the JSON of one. */
export interface Field {
  readonly column: Column
  /** The names after that of the column. */
  readonly path: Path
  /** The value, where it is an element of a list in JSON, to which no path leads. */
  readonly typed?: Typed | undefined
}

/** A table, and the database that it is in. */
export interface Table extends TableDescription {
  readonly dialect: Dialect
  /** The table in a fragment, with its schema: Kysely adds one only to the tables of query builders. */
  readonly reference: Fragment
  /** What statements begin with, made once. Those that change rows return them where the database can. */
  readonly statements: Statements
  /** What the number of all rows is called beside the columns of one. No column has this name. */
  readonly totalName: string
  /** Columns that no two rows have in common, and that are never null; none where the database names none. */
  readonly key: readonly string[]
  /** What differs between a row of the driver and a record, by the names of the columns. */
  readonly readers: ReadonlyMap<string, (value: unknown) => unknown>
}

/** What the driver returns for a row, by the names of the columns. */
export type StoredRow = Record<string, unknown>

/** The tables of a database as far as statements are concerned: columns that may hold anything. */
type Tables = Record<string, StoredRow>

/** The beginnings of the statements for a table. */
export interface Statements {
  /** All columns, so that drivers round none of their numbers. */
  readonly columns: AliasedRawBuilder<unknown, string>
  /** Selects whole rows. */
  readonly select: SelectQueryBuilder<Tables, string, StoredRow>
  /** Counts rows, as `count`. */
  readonly count: SelectQueryBuilder<Tables, string, StoredRow>
  readonly insert: InsertQueryBuilder<Tables, string, unknown>
  readonly update: UpdateQueryBuilder<Tables, string, string, unknown>
  readonly delete: DeleteQueryBuilder<Tables, string, unknown>
}

/** Where a table is, as a Kysely instance has it. */
export interface Place {
  readonly schema: string | undefined
  readonly name: string
}

/** A value whose type differs from record to record, as parts of a statement. Each is null where the value has another type. */
export interface Typed {
  /** Whether there is no value, or null. */
  readonly isNull: Fragment
  readonly string: Fragment
  readonly number: Fragment
  readonly boolean: Fragment
  /** What it is ordered by, the most important part first. */
  readonly order: readonly Fragment[]
}

/** A list as rows. */
export interface Elements {
  /** Whether the field is a list. */
  readonly isList: Fragment
  /** What a statement reads the rows from; no error for what is no list. */
  readonly rows: Fragment
  /** What a row holds. */
  readonly element: Field
}

/** A value that rows are ordered by. */
export interface SortPart {
  readonly value: Fragment
  readonly direction: 1 | -1
  readonly isNullable: boolean
  /** What it is: what a column holds, its string, time or truth, or a number that is none of a column. */
  readonly form: 'number' | 'text' | 'time' | 'truth' | 'value'
  /** The column that it is of; missing for numbers of related rows. */
  readonly column?: Column | undefined
}

/** Makes JSON of rows, so that a statement can read rows of several tables. */
export interface JsonRows {
  /**
   * A column as a value of JSON: a string, a boolean, an integer, or JSON itself; `undefined` for a column that the driver
   * reads otherwise than JSON has it. Integers may be beyond 2^53.
   */
  toValue(column: Column): Fragment | undefined
  /** A row as a string: an array of its values. */
  toRow(values: readonly Fragment[]): Fragment
  /** All rows as a string: an array with an array of values for each row. Null where there is none, or an empty array. */
  toList(values: readonly Fragment[]): Fragment
  /** Whether a statement has failed because JSON cannot hold a value. */
  isRefusal?(error: DriverError): boolean
}

/**
 * What a database objects to, in the terms of none of them. `reference` is a reference to a record that does not exist,
 * `referenced` a record that others refer to, `foreignKey` one of both, and `forbidden` what a policy for rows does not let a
 * role write.
 */
export type ErrorKind =
  | 'check'
  | 'conflict'
  | 'deadlock'
  | 'forbidden'
  | 'foreignKey'
  | 'invalid'
  | 'missing'
  | 'readOnly'
  | 'reference'
  | 'referenced'
  | 'size'
  | 'unavailable'

/** What drivers say about an error: each has some of it, and none has to be as it is here. */
export interface DriverError {
  readonly message?: unknown
  readonly code?: unknown
  readonly errno?: unknown
  readonly errcode?: unknown
  readonly sqlState?: unknown
  readonly column?: unknown
  readonly constraint?: unknown
  readonly table?: unknown
  readonly where?: unknown
  readonly routine?: unknown
}

/**
 * Everything that differs from one database to another. The three that alula knows are in `dialects/`, a file for each;
 * no other file asks which database it is.
 */
export interface Dialect {
  /** The name of the database, for messages. */
  readonly name: string
  /** How its Kysely dialect compiles the comparison of a column `a` with a value. It is recognised by that. */
  readonly probe: string

  /**
   * Reads what a table is made of.
   *
   * @param db A Kysely instance without plugins, or a transaction
   * @param place The table
   * @returns The table, without columns when there is none
   */
  readTable(db: AnyKysely, place: Place): Promise<TableDescription>

  /**
   * Reads the unique indexes of a table, each as the names of its columns: those that hold for all rows, at once. Left out,
   * nothing checks the key of `upsert`, and rows with the same id have no order.
   */
  readUniqueKeys?(db: AnyKysely, place: Place): Promise<readonly (readonly string[])[]>

  /** Selects a value of each kind that drivers return in one way only: `text` is a string, `bytes` is a byte. */
  readonly samples: Fragment

  /** How many values a statement can have. */
  readonly maxValues: number
  /** What stands after `limit` for all records. */
  readonly unlimited: Fragment
  /** Converts a value for a column to what the driver takes; `undefined` for one that no column of the database can hold. */
  toParameter(value: unknown, column: Column): unknown
  /** Binds a value that a field is compared with. It comes from the kind of the column. */
  bind(field: Field, value: unknown): unknown
  /** Compares with a list that is too long to bind each value by itself; `undefined` where it has to be. */
  isOneOfMany(subject: Fragment, field: Field, values: readonly unknown[]): Fragment | undefined
  /** What stands for the default of a column among the values of a statement. */
  toDefault(column: Column): Fragment
  /** The type of a column for strings of any length. Left out where that is `text`. */
  readonly longText?: Fragment

  /** Holds where a condition is false, and where it is unknown. */
  toNegation(condition: Fragment): Fragment
  /** The string in a column, so that it is compared by its code points. */
  toOrderedText(column: Column, table: TableDescription): Fragment
  /** The condition that a boolean is true, or that it is false: databases without booleans store them in several ways. */
  isTruth(column: Column, value: boolean): Fragment
  /** The time or the day in a column, so that it can be compared with one as `column.times` writes it. */
  toTime(column: Column): Fragment
  /**
   * A column, so that the driver changes nothing of it: it rounds no number, and reads no time in a zone of its own;
   * `undefined` where it changes nothing anyway.
   */
  toExact(column: Column): Fragment | undefined
  /** What a column holds as a string; of bytes, which are no text, their hexadecimal digits. */
  toText(column: Column): Fragment
  /** A value in JSON, or in a column without a type. Paths are bound like values; a step into an array finds nothing. */
  toTyped(field: Field, table: TableDescription): Typed
  /** The elements of an array, or of a list in JSON; `undefined` where a path cannot be written. */
  toElements(field: Field, table: TableDescription): Elements | undefined
  /** Whether a string matches a pattern. */
  toLike(text: Fragment, pattern: readonly PatternPart[], table: TableDescription): Fragment
  /** The same with the letters A–Z equal to a–z, and no others. The letters of the pattern are lower case. */
  toLetterLike(text: Fragment, pattern: readonly PatternPart[], table: TableDescription): Fragment
  /** How rows become JSON. Left out for a database whose JSON cannot hold them as they are. */
  readonly json?: JsonRows
  /** What rows are ordered by as a string that loses no digit of it, for a cursor; null for null. */
  toKeyText(part: SortPart): Fragment
  /**
   * Binds such a string again, to be compared with what rows are ordered by. A client may have made it up.
   *
   * @throws BadRequest for a number that the database does not take
   */
  bindKey(text: string, part: SortPart): unknown
  /** Orders by a value, with null before all others. */
  toOrder(value: Fragment, direction: 1 | -1, isNullable: boolean): Fragment
  /** Whether what a page selects is also made for rows that sorting leaves out. */
  readonly sortsWhatItSelects?: boolean

  /** Whether an id that is not given would be stored as null. */
  storesNoId?(column: Column): boolean
  /** Whether an insert takes the id 0 for one that is not given. */
  readonly numbersZero?: boolean
  /** The numbers that the last insert of this connection has given. Only where `returning.insert` is false. */
  readInsertedIds?(db: AnyKysely, length: number): Promise<readonly bigint[]>
  /** Moves the counter of a column past the numbers that are taken. Only where a column has a `sequence`. */
  skipTakenIds?(db: AnyKysely, table: string, column: Column): Promise<void>

  /** Whether a pool has a single connection, which a transaction keeps from all others. */
  readonly hasOneConnection?: boolean
  /** Whether a statement that fails fails its transaction too, up to the last savepoint. */
  readonly abortsOnError?: boolean
  /** Whether a connection is busy until the statement ends that the driver has stopped waiting for. */
  readonly isBusyAfterTimeout?: boolean
  /** Whether `commit` fails after the transaction has ended. */
  readonly failsEmptyCommit?: boolean
  /** Whether a transaction is open: MySQL ends one by itself after a deadlock, SQLite when the disk is full. */
  isAlive(transaction: AnyKysely): Promise<boolean>

  /**
   * Why the policies of a table do not hold for the role of the connection, as part of a sentence; `undefined` where they do.
   * Left out for a database without row level security.
   *
   * @param db A Kysely instance without plugins
   * @param place The table
   */
  findUnheld?(db: AnyKysely, place: Place): Promise<string | undefined>

  /** What an error of the driver means; `undefined` for one of another database, and for what is no error of a client. */
  toErrorKind(error: DriverError): ErrorKind | undefined
  /** Which value of the statement the database could not read, counted from 0. Left out where errors name its column. */
  toErrorParameter?(error: DriverError): number | undefined
  /** The names of columns and constraints in an error of the driver. */
  toErrorNames(error: DriverError & { readonly message: string }, table: TableDescription): readonly string[]
  /** The name of the table that refers to a record, in an error of the kind `referenced`. Left out where errors do not tell. */
  toReferrer?(error: DriverError & { readonly message: string }): string | undefined
}
