import { sql } from 'kysely'
import type { PatternPart } from '../../query/like.ts'
import type { AnyKysely } from '../any-kysely.ts'
import type { Dialect, ErrorKind, Fragment, Place, Typed } from '../dialect.ts'
import { fromType, NOWHERE, type TypeNames, toJsonPath } from '../json.ts'
import { ESCAPE, toLikePattern } from '../like-pattern.ts'
import { type Column, type Kind, type TableDescription, toColumns, toKind, toLength } from '../table.ts'

/** The names of errors, their beginnings last. https://sqlite.org/rescode.html */
const CODES: readonly (readonly [code: string, kind: ErrorKind])[] = [
  ['SQLITE_CONSTRAINT_UNIQUE', 'conflict'],
  ['SQLITE_CONSTRAINT_PRIMARYKEY', 'conflict'],
  ['SQLITE_CONSTRAINT_ROWID', 'conflict'],
  ['SQLITE_CONSTRAINT_NOTNULL', 'missing'],
  ['SQLITE_CONSTRAINT_CHECK', 'check'],
  ['SQLITE_CONSTRAINT_FOREIGNKEY', 'foreignKey'],
  ['SQLITE_CONSTRAINT_TRIGGER', 'check'],
  ['SQLITE_CONSTRAINT', 'invalid'],
  ['SQLITE_MISMATCH', 'invalid'],
  ['SQLITE_TOOBIG', 'invalid'],
  ['SQLITE_BUSY', 'unavailable'],
  ['SQLITE_LOCKED', 'unavailable'],
  ['SQLITE_CANTOPEN', 'unavailable'],
  ['SQLITE_IOERR', 'unavailable'],
  ['SQLITE_FULL', 'unavailable']
]

/** Limits have no codes. https://sqlite.org/limits.html */
const SIZE_MESSAGE = /too (?:many|large|deep)|stack overflow/i

const JSON_TYPES: TypeNames = [
  'null',
  ['integer', 'real'],
  ['text'],
  ['true', 'false'],
  ['array'],
  ['object']
]

/** SQLite, through a driver with the API of `better-sqlite3`. */
export const sqlite: Dialect = {
  name: 'SQLite',
  probe: '"a" = ?',
  readTable,

  maxValues: 32_766,
  unlimited: sql.raw('-1'),
  toParameter,
  bind: ({ column }, value) =>
    column.kind === 'json' && typeof value === 'boolean' ? String(value) : toOperand(value),
  isOneOfMany(subject, _field, values) {
    const operands = values.map(toOperand)

    // JSON has neither bytes nor all large integers.
    if (!operands.every((value) => typeof value === 'string' || typeof value === 'number')) return undefined

    return sql`${subject} in (select value from json_each(${JSON.stringify(operands)}))`
  },
  // There is no word for it.
  toDefault: ({ fallback }) => (fallback === undefined ? sql`null` : sql.raw(`(${fallback})`)),

  // In place of another collation of the column; an index on the usual one serves.
  toOrderedText: (column) => (column.isOrdered ? column.reference : sql`${column.reference} collate binary`),
  // Two forms of times are in use, and only one of them can be compared as text.
  toTime: (column) => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${column.reference})`,
  toExact(column) {
    const reference = column.reference

    // To look whether it is large would make statements that return what they change slower by a third.
    if (column.kind === 'integer') return sql`${reference} || ''`
    if (column.kind !== 'any') return undefined

    return sql`case when typeof(${reference}) = 'integer' and ${reference} not between -9007199254740991 and 9007199254740991
      then cast(${reference} as text) else ${reference} end`
  },
  toText: (column) => sql`cast(${column.reference} as char)`,
  toTyped: (field) => (field.column.kind === 'any' ? toTypedColumn(field.column) : toTypedJson(field)),
  // LIKE takes upper and lower case for the same.
  toLike: (text, pattern) => sql`${text} glob ${toGlob(pattern)}`,
  toLetterLike: (text, pattern) => sql`${text} like ${toLikePattern(pattern)} escape ${ESCAPE}`,
  json: {
    toValue: toJsonValue,
    toRow: (values) => sql`json_array(${sql.join(values)})`,
    toList: (values) => sql`json_group_array(json_array(${sql.join(values)}))`,
    // Any column may hold them.
    isRefusal: ({ message }) => message === 'JSON cannot hold BLOB values'
  },
  toOrder: (value, direction) => (direction === 1 ? sql`${value} asc` : sql`${value} desc`),

  // A primary key can be null where it is not the number of the row.
  storesNoId: ({ isAutoIncrement, isComputed, fallback }) =>
    !isAutoIncrement && !isComputed && fallback === undefined,
  numbersZero: false,

  hasOneConnection: true,
  abortsOnError: false,
  staysBusy: false,
  failsEmptyCommit: true,
  async isAlive(transaction) {
    try {
      // In a transaction none can begin. One that begins here is empty, and is rolled back in place of the other.
      await sql`begin`.execute(transaction)

      return false
    } catch {
      return true
    }
  },

  toErrorKind({ code, message }) {
    if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return undefined
    if (code === 'SQLITE_ERROR' && SIZE_MESSAGE.test(String(message))) return 'size'

    return CODES.find(([name]) => code.startsWith(name))?.[1]
  },
  toErrorNames({ message }, { name: table, columns }) {
    const [, kind, rest = ''] = /^(.*) constraint failed: (.*)$/s.exec(message) ?? []

    // A check has no more than its text.
    if (kind === 'CHECK') return rest.match(/\w+/g)?.filter((word) => columns.has(word)) ?? []

    // A trigger writes to other tables.
    return rest
      .split(', ')
      .flatMap((name) => (hasPrefix(name, `${table}.`) ? name.slice(table.length + 1) : []))
  }
}

/** Names of tables have no case. */
function hasPrefix(name: string, prefix: string): boolean {
  return name.toLowerCase().startsWith(prefix.toLowerCase())
}

/** A column, as the database describes it. A driver may be told to return a bigint for each integer. */
interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly required: number | bigint
  readonly fallback: string | null
  readonly pk: number | bigint
  readonly indexed: number | bigint
  readonly single: number | bigint | null
  readonly hidden: number | bigint
}

async function readTable(db: AnyKysely, { schema, name }: Place): Promise<TableDescription> {
  const { rows } = await sql<ColumnRow>`
    select name, type, "notnull" as required, dflt_value as fallback, pk, hidden,
      name in (select field.name from pragma_index_list(${name}, ${schema ?? 'main'}) as list,
        pragma_index_xinfo(list.name, ${schema ?? 'main'}) as field
        where field.seqno = 0 and field.coll = 'BINARY' and list.partial = 0) as indexed,
      name in (select field.name from pragma_index_list(${name}, ${schema ?? 'main'}) as list,
        pragma_index_xinfo(list.name, ${schema ?? 'main'}) as field
        where list."unique" = 1 and list.partial = 0 and field.key = 1
        group by list.name having count(*) = 1) as single
    from pragma_table_xinfo(${name}, ${schema ?? 'main'}) where hidden <> 1`.execute(db)
  const keys = rows.filter((row) => row.pk > 0).length
  const definition = await readDefinition(db, { schema, name })
  // No column has a collation of its own when the definition does not have the word.
  const isOrdered = definition !== '' && !/collate/i.test(definition)
  const continuesFromMax = /autoincrement/i.test(definition)

  return {
    name,
    columns: toColumns(
      rows.map((row) => ({
        name: row.name,
        kind: toDeclaredKind(row.type),
        type: row.type.toLowerCase(),
        length: toLength(row.type),
        // SQLite takes null in keys of some tables, by a mistake that it keeps.
        isNullable: Number(row.required) === 0 && Number(row.pk) === 0,
        isComputed: Number(row.hidden) !== 0,
        isAutoIncrement: isRowNumber(row, keys),
        isIndexed: Number(row.indexed) !== 0 || isRowNumber(row, keys),
        isUnique: Number(row.single) !== 0 || isRowNumber(row, keys),
        continuesFromMax: continuesFromMax && row.pk > 0,
        isExact: isOrdered,
        isOrdered,
        fallback: row.fallback ?? undefined,
        mayHoldBooleans: true
      }))
    ),
    isView: definition === '',
    constraints: new Map(),
    collation: 'binary',
    returning: { insert: true, update: true, delete: true }
  }
}

/** Whether a column is an alias of the number of the row (https://sqlite.org/lang_createtable.html#rowid). */
function isRowNumber({ pk, type }: ColumnRow, keys: number): boolean {
  return pk > 0 && keys === 1 && /^integer$/i.test(type)
}

/** How a table was made; empty for what is none, such as a view. */
async function readDefinition(db: AnyKysely, { schema, name }: Place): Promise<string> {
  const { rows } = await sql<{ definition: string }>`
    select sql as definition from ${sql.id(schema ?? 'main', 'sqlite_master')}
    where name = ${name} collate nocase and sql like 'CREATE TABLE %'`.execute(db)

  return rows[0]?.definition ?? ''
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

  // There are no days and no decimals: their columns hold what they get.
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

function toParameter(value: unknown): unknown {
  return isTooLarge(value) ? undefined : toOperand(value)
}

function toOperand(value: unknown): unknown {
  // All integers of a column are less than one that is too large, and a number says that too.
  if (typeof value === 'boolean' || isTooLarge(value)) return Number(value)

  return value instanceof Date ? value.toISOString() : value
}

function isTooLarge(value: unknown): boolean {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value
}

/** JSON has no bytes, and rounds fractions. Times are text. */
function toJsonValue({ kind, reference }: Column): Fragment | undefined {
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

  const column = field.column.reference
  const type = sql`json_type(${column}, ${path})`
  const value = sql`json_extract(${column}, ${path})`

  return fromType(type, JSON_TYPES, { string: value, number: value, boolean: type }, sql`binary`)
}

function toGlob(pattern: readonly PatternPart[]): string {
  return pattern.map((part) => toGlobPart(part)).join('')
}

function toGlobPart(part: PatternPart): string {
  if (part.kind === 'text') return part.text.replace(/[*?[]/g, '[$&]')

  return part.kind === 'any' ? '*' : '?'
}
