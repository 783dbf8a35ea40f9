import { type QueryResult, sql } from 'kysely'
import { toCursorError } from '../../adapter/cursors.ts'
import type { AnyKysely } from '../any-kysely.ts'
import type { Dialect, Elements, ErrorKind, Field, Fragment, Place, Typed } from '../dialect.ts'
import { fromType, NOWHERE, type TypeNames, toJsonPath } from '../json.ts'
import { ESCAPE, toLikePattern, writePattern } from '../pattern.ts'
import {
  type Changes,
  type Column,
  groupColumns,
  type Kind,
  type TableDescription,
  toColumns,
  toKind,
  type UnusedIndex
} from '../table.ts'
import { type TimeFormat, UTC_TIMES } from '../times.ts'
import { FALSE_VALUES } from '../values.ts'

/** The names of errors and their numbers, the general ones last. https://sqlite.org/rescode.html */
const CODES: readonly (readonly [name: string, number: number, kind: ErrorKind])[] = [
  ['SQLITE_CONSTRAINT_UNIQUE', 2067, 'conflict'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 1555, 'conflict'],
  ['SQLITE_CONSTRAINT_ROWID', 2579, 'conflict'],
  ['SQLITE_CONSTRAINT_NOTNULL', 1299, 'missing'],
  ['SQLITE_CONSTRAINT_CHECK', 275, 'check'],
  ['SQLITE_CONSTRAINT_FOREIGNKEY', 787, 'foreignKey'],
  ['SQLITE_CONSTRAINT_TRIGGER', 1811, 'check'],
  ['SQLITE_CONSTRAINT_DATATYPE', 3091, 'invalid'],
  ['SQLITE_CONSTRAINT', 19, 'invalid'],
  ['SQLITE_MISMATCH', 20, 'invalid'],
  ['SQLITE_TOOBIG', 18, 'invalid'],
  ['SQLITE_BUSY', 5, 'unavailable'],
  ['SQLITE_LOCKED', 6, 'unavailable'],
  ['SQLITE_CANTOPEN', 14, 'unavailable'],
  ['SQLITE_IOERR', 10, 'unavailable'],
  ['SQLITE_FULL', 13, 'unavailable']
]

/** A value of another type in a strict table: `libsql` has no name for it. */
const DATATYPE_CODE = 'UNKNOWN_SQLITE_ERROR_3091'

/** Limits have no codes. https://sqlite.org/limits.html */
const SIZE_MESSAGE = /too (?:many|large|deep)|stack overflow/i

/** What no trigger of a view does has no code either. */
const VIEW_MESSAGE = /^cannot modify .* because it is a view$/s

const JSON_TYPES: TypeNames = [
  'null',
  ['integer', 'real'],
  ['text'],
  ['true', 'false'],
  ['array'],
  ['object']
]

/** It compares milliseconds: further digits are rounded, as it rounds them itself. */
const TIMES: TimeFormat = {
  read: (text) =>
    UTC_TIMES.read(
      text.replace(/\d\d\.\d{4,}/, (seconds) => Math.min(Number(seconds), 59.999).toFixed(3).padStart(6, '0'))
    ),
  write: (date) => new Date(date).toISOString()
}

/** Numbers and strings; the database has no booleans. */
const FALSEHOODS = sql.join(FALSE_VALUES.filter((value) => typeof value !== 'boolean').map(sql.lit))

/** SQLite, through a driver with the API of `better-sqlite3`. */
export const sqlite: Dialect = {
  name: 'SQLite',
  probe: '"a" = ?',
  readTable,
  readUniqueKeys,
  samples: sql`select 'a' as text, x'61' as bytes`,

  maxValues: 32_766,
  unlimited: sql.raw('-1'),
  toParameter,
  bind: ({ column }, value) =>
    column.kind === 'json' && typeof value === 'boolean' ? String(value) : toOperand(value, column),
  isOneOfMany(subject, { column }, values) {
    const operands = values.map((value) => toOperand(value, column))

    // JSON has neither bytes nor all large integers, no infinity, and fractions that are read as the number beside them.
    if (!operands.every((value) => typeof value === 'string' || Number.isSafeInteger(value))) return undefined

    return sql`${subject} in (select value from json_each(${JSON.stringify(operands)}))`
  },
  // There is no word for it.
  toDefault: ({ fallback }) => (fallback === undefined ? sql`null` : sql.raw(`(${fallback})`)),

  // A column may be called `true`.
  toNegation: (condition) => sql`(not coalesce(${condition}, 0))`,
  // In place of another collation of the column; an index on the usual one serves.
  toOrderedText: (column) => (column.isOrdered ? column.reference : sql`${column.reference} collate binary`),
  // An index serves the list of what is false.
  isTruth: ({ reference }, value) =>
    value ? sql`(${reference} not in (${FALSEHOODS}))` : sql`(${reference} in (${FALSEHOODS}))`,
  // Several forms of times are in use. They can be compared as text in this one.
  toTime,
  toExact(column) {
    const reference = column.reference

    // To look whether it is large would make statements that return what they change slower by a third.
    if (column.kind === 'integer') return sql`${reference} || ''`
    if (column.kind === 'day') return toShownDay(column)
    if (column.type === 'jsonb') return toShownJson(column)
    if (column.kind !== 'any') return undefined

    return sql`case when typeof(${reference}) = 'integer' and ${reference} not between -9007199254740991 and 9007199254740991
      then cast(${reference} as text) else ${reference} end`
  },
  toText: ({ kind, reference }) =>
    kind === 'bytes' ? sql`hex(${reference})` : sql`cast(${reference} as char)`,
  toTyped: (field) => (field.column.kind === 'any' ? toTypedColumn(field.column) : toTypedJson(field)),
  toElements,
  // LIKE takes upper and lower case for the same.
  toLike: (text, pattern) =>
    sql`${text} glob ${writePattern(pattern, { any: '*', one: '?' }, (part) => part.replace(/[*?[]/g, '[$&]'))}`,
  toLetterLike: (text, pattern) => sql`${text} like ${toLikePattern(pattern)} escape ${ESCAPE}`,
  json: {
    toValue: toJsonValue,
    toRow: (values) => sql`json_array(${sql.join(values)})`,
    toList: (values) => sql`json_group_array(json_array(${sql.join(values)}))`,
    // Any column may hold them.
    isRefusal: ({ message }) => message === 'JSON cannot hold BLOB values'
  },
  toKeyText: ({ value }) => sql`case when ${value} is not null then quote(${value}) end`,
  bindKey: fromLiteral,
  toOrder: (value, direction) => (direction === 1 ? sql`${value} asc` : sql`${value} desc`),
  sortsWhatItSelects: true,

  // A primary key can be null where it is not the number of the row.
  storesNoId: ({ isAutoIncrement, isComputed, fallback }) =>
    !isAutoIncrement && !isComputed && fallback === undefined,

  hasOneConnection: true,
  failsEmptyCommit: true,
  // In a transaction none can begin. One that begins here is empty, and is rolled back in place of the other.
  isAlive: (transaction) =>
    sql`begin`.execute(transaction).then(
      () => false,
      () => true
    ),

  toErrorKind({ code, errcode, message }) {
    if (code === DATATYPE_CODE) return 'invalid'

    const error = toErrorName(code, errcode)

    if (error === undefined) return undefined
    if (error === 'SQLITE_ERROR' && VIEW_MESSAGE.test(String(message))) return 'readOnly'
    if (error === 'SQLITE_ERROR' && SIZE_MESSAGE.test(String(message))) return 'size'

    return CODES.find(([name]) => error.startsWith(name))?.[2]
  },
  toErrorNames({ message }, { name: table, columns }) {
    const [, kind, rest = ''] =
      /^(.*) constraint failed: (.*)$/s.exec(message) ??
      /^cannot store \w+ value in (\w+) column (.*)$/s.exec(message) ??
      []

    // A check has no more than its text.
    if (kind === 'CHECK') return rest.match(/\w+/g)?.filter((word) => columns.has(word)) ?? []

    const prefix = `${table}.`.toLowerCase()

    // A trigger writes to other tables. Names of tables have no case.
    return rest
      .split(', ')
      .flatMap((name) => (name.toLowerCase().startsWith(prefix) ? name.slice(table.length + 1) : []))
  }
}

/** The name of an error. `node:sqlite` has its number, whose lowest byte is that of the general one. */
function toErrorName(code: unknown, number: unknown): string | undefined {
  if (typeof code !== 'string') return undefined
  if (code.startsWith('SQLITE_')) return code
  if (code !== 'ERR_SQLITE_ERROR' || typeof number !== 'number') return undefined

  return CODES.find(([, known]) => known === number || known === (number & 0xff))?.[0] ?? 'SQLITE_ERROR'
}

/** A column, as the database describes it. A driver may be told to return a bigint for each integer. */
interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly required: number | bigint
  readonly fallback: string | null
  readonly pk: number | bigint
  readonly hidden: number | bigint
}

async function readTable(db: AnyKysely, place: Place): Promise<TableDescription> {
  const { name } = place
  const { rows } = await readColumns(db, place)
  const indexes = await readIndexes(db, place)
  const leading = indexes.filter(({ leads }) => Number(leads) !== 0).map(({ column }) => column)
  const unique = toUniqueKeys(indexes).flatMap((names) => (names.length === 1 ? names : []))
  const rowNumber = findRowNumber(rows, indexes)
  const parts = await readParts(db, place)
  // How the table was made; empty for what is none, such as a view.
  const definition = parts.find(isPlainTable)?.definition ?? ''
  // No column has a collation of its own when the definition does not have the word.
  const isOrdered = definition !== '' && !/collate/i.test(definition)
  const takes = toTaken(parts)
  // Any of them may leave a row out: by `raise(ignore)`.
  const mayChangeRows = parts.some(({ type }) => type === 'trigger')
  const continuesFromMax = /autoincrement/i.test(definition)

  const columns = toColumns(
    rows.map((row) => ({
      name: row.name,
      kind: toDeclaredKind(row.type),
      type: row.type.toLowerCase(),
      // SQLite takes null in keys of some tables, by a mistake that it keeps.
      isNullable: Number(row.required) === 0 && Number(row.pk) === 0,
      mayHoldNull: Number(row.required) === 0 && Number(row.pk) !== 0 && row.name !== rowNumber,
      isComputed: Number(row.hidden) !== 0,
      isAutoIncrement: row.name === rowNumber,
      isIndexed: leading.includes(row.name) || row.name === rowNumber,
      isUnique: unique.includes(row.name) || row.name === rowNumber,
      continuesFromMax: continuesFromMax && row.pk > 0,
      isExact: isOrdered,
      isOrdered,
      fallback: row.fallback ?? undefined,
      times: TIMES,
      others: toDeclaredKind(row.type) === 'number' ? INFINITE_NUMBERS : undefined,
      mayHoldBooleans: true
    }))
  )

  return {
    name,
    columns,
    unusedIndexes: toUnusedIndexes(db, [...columns.values()], indexes),
    isView: definition === '',
    constraints: new Map(),
    collation: 'binary',
    locksRows: false,
    // SQLite renames them, because they are words too.
    losesNames: rows.some((row) => /^(?:true|false)$/i.test(row.name)),
    mayLeaveOut: /\bon\s+conflict\s+ignore\b/i.test(definition) || mayChangeRows,
    mayChangeRows,
    // Of a view, statements return what they were given, and not what its triggers have made of it.
    returning: takes ? NOTHING_RETURNED : { insert: true, update: true, delete: true },
    takes
  }
}

/** What columns of numbers hold too: `9e999`. */
const INFINITE_NUMBERS = ['Infinity', '-Infinity']

const NOTHING_RETURNED: Changes = { insert: false, update: false, delete: false }

/** A table, a view, an index or a trigger. */
interface PartRow {
  readonly type: string
  readonly definition: string | null
}

/** A table or a view, with its indexes and triggers. */
async function readParts(db: AnyKysely, { schema = 'main', name }: Place): Promise<readonly PartRow[]> {
  const { rows } = await sql<PartRow>`
    select type, sql as definition from ${sql.id(schema, 'sqlite_master')}
    where tbl_name = ${name} collate nocase`.execute(db)

  return rows
}

/** Whether it is a table, and no virtual one. */
function isPlainTable({ type, definition }: PartRow): boolean {
  return type === 'table' && /^create table /i.test(definition ?? '')
}

/** For which statements a view has triggers; `undefined` for what is no view, such as a virtual table. */
function toTaken(parts: readonly PartRow[]): Changes | undefined {
  const has = (event: string) =>
    parts.some(
      ({ type, definition }) =>
        type === 'trigger' && new RegExp(`\\binstead\\s+of\\s+${event}\\b`, 'i').test(definition ?? '')
    )

  return parts.some(({ type }) => type === 'view')
    ? { insert: has('insert'), update: has('update'), delete: has('delete') }
    : undefined
}

function readColumns(db: AnyKysely, { schema = 'main', name }: Place): Promise<QueryResult<ColumnRow>> {
  return sql<ColumnRow>`
    select name, type, "notnull" as required, dflt_value as fallback, pk, hidden
    from pragma_table_xinfo(${name}, ${schema}) where hidden <> 1`.execute(db)
}

/** A column of an index that all rows are in; an expression has no name. */
interface IndexRow {
  readonly index: string
  readonly column: string | null
  readonly definition: string | null
  /** What made it: `pk` for the primary key. */
  readonly origin: string
  readonly single: number | bigint
  /** Whether it is the first column, and finds what `=` finds. */
  readonly leads: number | bigint
}

async function readIndexes(db: AnyKysely, { schema = 'main', name }: Place): Promise<readonly IndexRow[]> {
  const { rows } = await sql<IndexRow>`
    select list.name as "index", field.name as "column", master.sql as definition, list.origin as origin,
      list."unique" as single, field.seqno = 0 and field.coll = 'BINARY' as leads
    from pragma_index_list(${name}, ${schema}) as list,
      pragma_index_xinfo(list.name, ${schema}) as field
      left join ${sql.id(schema, 'sqlite_master')} as master on master.name = list.name and master.type = 'index'
    where list.partial = 0 and field.key = 1`.execute(db)

  return rows
}

async function readUniqueKeys(db: AnyKysely, place: Place): Promise<readonly (readonly string[])[]> {
  return toUniqueKeys(await readIndexes(db, place))
}

function toUniqueKeys(indexes: readonly IndexRow[]): readonly (readonly string[])[] {
  return groupColumns(indexes.filter(({ single }) => Number(single) !== 0))
}

/**
 * The column that is an alias of the number of the row (https://sqlite.org/lang_createtable.html#rowid). It is the only key. Any
 * other key has an index: that of `primary key desc`, and that of a table `without rowid`, too.
 */
function findRowNumber(columns: readonly ColumnRow[], indexes: readonly IndexRow[]): string | undefined {
  const [key, ...others] = columns.filter(({ pk }) => pk > 0)
  const hasIndex = indexes.some(({ origin }) => origin === 'pk')

  return key && others.length === 0 && !hasIndex && /^integer$/i.test(key.type) ? key.name : undefined
}

/** The indexes on days and times, which statements compare by an expression. Unique ones have another use. */
function toUnusedIndexes(
  db: AnyKysely,
  columns: readonly Column[],
  indexes: readonly IndexRow[]
): readonly UnusedIndex[] {
  const others = indexes.filter(({ single }) => Number(single) === 0)
  const definitions = others.map(({ definition }) => toCompact(definition ?? ''))

  return columns
    .filter(({ kind }) => kind === 'date' || kind === 'day')
    .flatMap((column) => {
      const expression = toTime(column).compile(db).sql
      const isServed = definitions.some((definition) => definition.includes(toCompact(expression)))

      return others
        .filter((row) => row.column === column.name && !isServed)
        .map(({ index }) => ({ index, column: column.name, expression }))
    })
}

/** SQL without what has no meaning for an expression. */
function toCompact(statement: string): string {
  return statement.replace(/[\s"`[\]]/g, '').toLowerCase()
}

/**
 * The kind of a type as it was declared. SQLite knows numbers, text and bytes only: for booleans, dates and JSON it is
 * the name that tells. Other names it treats by rules of its own (https://sqlite.org/datatype3.html), and so do we.
 */
function toDeclaredKind(declared: string): Kind {
  const type = declared
    .replace(/\(.*\)/, '')
    .trim()
    .toLowerCase()

  // There are no decimals: their columns hold what they get.
  if (type === 'decimal' || type === 'numeric') return 'number'

  const kind = toKind(type)

  if (kind !== 'other' && kind !== 'uuid') return kind
  if (type.includes('int')) return 'integer'
  if (/char|clob|text|uuid/.test(type)) return 'text'
  if (type.includes('blob')) return 'bytes'
  if (/real|floa|doub/.test(type)) return 'number'

  return 'any'
}

function toParameter(value: unknown, column: Column): unknown {
  return isTooLarge(value) ? undefined : toPlain(value, column)
}

function toOperand(value: unknown, column: Column): unknown {
  return column.kind === 'date' ? String(value).slice(0, -1) : toPlain(value, column)
}

function toPlain(value: unknown, { kind }: Column): unknown {
  const isInfinity = kind === 'number' && typeof value === 'string'

  // All integers of a column are less than one that is too large, and a number says that too.
  return typeof value === 'boolean' || isInfinity || isTooLarge(value) ? Number(value) : value
}

/** Without a zone, so that a time with more digits is after one with fewer. */
function toTime({ kind, reference }: Column): Fragment {
  return kind === 'day' ? sql`date(${reference})` : sql`strftime('%Y-%m-%dT%H:%M:%f', ${reference})`
}

/** A day as a statement reads it: the column may hold a time, and what is no time at all. */
function toShownDay(column: Column): Fragment {
  return sql`coalesce(${toTime(column)}, ${column.reference})`
}

/** JSON as text: it may be stored as bytes, which only the database reads. */
function toShownJson({ reference }: Column): Fragment {
  return sql`case when typeof(${reference}) = 'blob' then json(${reference}) || '' else ${reference} end`
}

/** JSON that a path leads into: text that is none would fail the statement. */
function toValidJson({ reference }: Column): Fragment {
  return sql`case when typeof(${reference}) = 'blob' or json_valid(${reference}) then ${reference} end`
}

function isTooLarge(value: unknown): boolean {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value
}

/** JSON has no bytes, and rounds fractions. Times are text. */
function toJsonValue(column: Column): Fragment | undefined {
  const { kind, reference } = column

  if (kind === 'day') return toShownDay(column)
  if (column.type === 'jsonb') return toShownJson(column)

  return ['boolean', 'date', 'integer', 'json', 'text'].includes(kind) ? reference : undefined
}

/** What a column without a type holds. */
function toTypedColumn(column: Column): Typed {
  const value = column.reference
  const type = sql`typeof(${value})`

  return {
    isNull: sql`${value} is null`,
    string: sql`case when ${type} = 'text' then ${value} end collate binary`,
    number: sql`case when ${type} in ('integer', 'real') then ${value} end`,
    boolean: sql`null`,
    // SQLite itself puts numbers before strings.
    order: [value]
  }
}

function toTypedJson(field: Parameters<Dialect['toTyped']>[0]): Typed {
  const path = toJsonPath(field)

  if (path === undefined) return NOWHERE

  const column = toValidJson(field.column)
  const type = sql`json_type(${column}, ${path})`
  const value = sql`json_extract(${column}, ${path})`

  return fromType(type, JSON_TYPES, { string: value, number: value, boolean: type }, sql`binary`)
}

function toElements(field: Field): Elements | undefined {
  const path = toJsonPath(field)

  if (path === undefined) return undefined

  const column = toValidJson(field.column)
  const type = sql`alula_element.type`
  // It is false, 0 and null for what has no such value.
  const value = sql`alula_element.atom`

  return {
    isList: sql`json_type(${column}, ${path}) = 'array'`,
    // The function has columns of its own, one of which may have the name of the column.
    rows: sql`(select ${column} as alula_json) as alula_list,
      json_each(alula_list.alula_json, ${path}) as alula_element`,
    element: {
      ...field,
      typed: fromType(type, JSON_TYPES, { string: value, number: value, boolean: type }, sql`binary`)
    }
  }
}

/** A value of its literal, as `quote` writes it. */
function fromLiteral(text: string): unknown {
  if (text.startsWith("'")) return text.slice(1, -1).replaceAll("''", "'")
  if (text.startsWith("X'")) return Buffer.from(text.slice(2, -1), 'hex')
  if (!/^-?\d+$/.test(text)) return Number(text.replace('Inf', 'Infinity'))

  const number = Number(text)
  const integer = Number.isSafeInteger(number) ? number : BigInt(text)

  if (!isTooLarge(integer)) return integer

  // A client has made it up.
  throw toCursorError()
}
