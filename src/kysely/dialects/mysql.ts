import { sql } from 'kysely'
import { createError } from '../../utils/developer-error.ts'
import type { AnyKysely } from '../any-kysely.ts'
import type { Dialect, ErrorKind, Field, Fragment, Place, Typed } from '../dialect.ts'
import { fromType, NOWHERE, type TypeNames, toJsonPath } from '../json.ts'
import { ESCAPE, toLikePattern } from '../like-pattern.ts'
import { fromSqlState } from '../sql-states.ts'
import { type Column, type Kind, type TableDescription, toColumns, toKind, toLength } from '../table.ts'

/** Numbers of errors, which share one state for many of them. */
const NUMBERS: ReadonlyMap<number, ErrorKind> = new Map([
  ...[1022, 1062, 1169, 1586].map((number) => [number, 'conflict'] as const),
  ...[1048, 1364].map((number) => [number, 'missing'] as const),
  ...[1216, 1452].map((number) => [number, 'reference'] as const),
  ...[1217, 1451].map((number) => [number, 'referenced'] as const),
  ...[3819, 4025].map((number) => [number, 'check'] as const),
  ...[1264, 1265, 1292, 1366, 1367, 1406, 1411, 1416, 1441, 3140, 3156].map(
    (number) => [number, 'invalid'] as const
  ),
  ...[1038, 1153, 1436].map((number) => [number, 'size'] as const),
  [1213, 'deadlock'],
  ...[1040, 1053, 1159, 1161, 1203, 1205, 1226, 1927, 1969, 2006, 2013, 3024].map(
    (number) => [number, 'unavailable'] as const
  )
])

/** How many digits a decimal can have after the point. */
const MAX_FRACTION_DIGITS = 30

const JSON_TYPES: TypeNames = [
  'NULL',
  ['INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL'],
  ['STRING'],
  ['BOOLEAN'],
  ['ARRAY'],
  ['OBJECT']
]

/** MySQL and MariaDB, through `mysql2`. MariaDB is a MySQL that can do more. */
export const mysql: Dialect = {
  name: 'MySQL',
  probe: '`a` = ?',
  readTable,

  // The driver writes them into the statement.
  maxValues: Number.POSITIVE_INFINITY,
  unlimited: sql.raw('18446744073709551615'),
  toParameter: (value) => value,
  bind({ column: { kind } }, value) {
    if (kind === 'json' && typeof value === 'boolean') return String(value)

    return toNumber(kind, value)
  },
  isOneOfMany: () => undefined,
  toDefault: () => sql`default`,

  toOrderedText: (column, { collation }) =>
    column.isOrdered
      ? column.reference
      : sql`${toUnicode(column.reference, column)} collate ${sql.raw(collation)}`,
  toTime: (column) => column.reference,
  toExact: (column) => (column.type === 'bigint' ? sql`cast(${column.reference} as char)` : undefined),
  toText: (column) => sql`cast(${column.reference} as char)`,
  toTyped,
  toLike: (text, pattern, table) =>
    sql`${toComparable(text, table)} like ${toLikePattern(pattern)} escape ${ESCAPE}`,
  toLetterLike(text, pattern, table) {
    const like = toLikePattern(pattern)
    // LOWER knows more letters: only those of the pattern need be lower.
    const letters = new Set(like.match(/[a-z]/g))
    const lower = [...letters].reduce<Fragment>(
      (inner, letter) => sql`replace(${inner}, ${letter.toUpperCase()}, ${letter})`,
      toComparable(text, table)
    )

    return sql`${lower} like ${like} escape ${ESCAPE}`
  },
  toOrder: (value, direction) => (direction === 1 ? sql`${value} asc` : sql`${value} desc`),

  storesNoId: () => false,
  numbersZero: true,
  async readInsertedIds(db, length) {
    // The driver has the first of them too, and may have rounded it. The others follow it.
    const { rows } = await sql<{ first: string; step: number }>`
      select cast(last_insert_id() as char) as first, @@auto_increment_increment as step`.execute(db)
    const { first, step } = rows[0] as { first: string; step: number }

    return Array.from({ length }, (_, index) => BigInt(first) + BigInt(index) * BigInt(step))
  },

  hasOneConnection: false,
  abortsOnError: false,
  staysBusy: false,
  failsEmptyCommit: false,
  async isAlive(transaction) {
    try {
      // Without a transaction a savepoint is forgotten at once.
      await sql`savepoint alula_alive`.execute(transaction)
      await sql`release savepoint alula_alive`.execute(transaction)

      return true
    } catch {
      return false
    }
  },

  toErrorKind: ({ errno, sqlState }) => NUMBERS.get(Number(errno)) ?? fromSqlState(sqlState),
  toErrorNames({ message }) {
    const reference = /^Cannot add .* FOREIGN KEY \((.*?)\) REFERENCES/.exec(message)?.[1]

    if (reference !== undefined) return reference.split(', ').map((name) => name.slice(1, -1))

    const name =
      /for key '(.*)'$/.exec(message)?.[1] ??
      /^CONSTRAINT `(.*)` failed/.exec(message)?.[1] ??
      /^Check constraint '(.*)' is/.exec(message)?.[1] ??
      /(?:[Cc]olumn|^Field) '(.*?)'/.exec(message)?.[1] ??
      /for column `.*`\.`(.*)`/.exec(message)?.[1]

    // A newer version puts the name of the table before it.
    return name === undefined ? [] : [...new Set([name, name.slice(name.indexOf('.') + 1)])]
  },
  toReferrer: ({ message }) => /^Cannot delete .*?\(`.*?`\.`(.*?)`, CONSTRAINT/.exec(message)?.[1]
}

/** A column, as the database describes it. */
interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly full: string
  readonly nullable: string
  readonly extra: string
  readonly fallback: string | null
  readonly charset: string | null
  readonly collation: string | null
  readonly view: number
}

/** A column of a unique index. */
interface KeyRow {
  readonly name: string
  readonly field: string
}

interface CheckRow {
  readonly name: string
  readonly clause: string
}

interface ServerRow {
  readonly version: string
  readonly mode: string
  readonly json: unknown
  readonly collation: string
}

async function readTable(db: AnyKysely, { schema, name }: Place): Promise<TableDescription> {
  const { isMariadb, isParsed, collation } = await readServer(db)
  const place = schema ?? null
  const inTable = sql`table_schema = coalesce(${place}, database()) and table_name = ${name}`
  const { rows: columns } = await sql<ColumnRow>`
    select column_name as name, data_type as type, column_type as full, is_nullable as nullable, extra as extra,
      column_default as fallback, character_set_name as charset, collation_name as collation,
      exists (select 1 from information_schema.views where ${inTable}) as view
    from information_schema.columns where ${inTable} order by ordinal_position`.execute(db)
  const { rows: keys } = await sql<KeyRow>`
    select index_name as name, column_name as field from information_schema.statistics
    where ${inTable} and non_unique = 0`.execute(db)
  const { rows: checks } = isMariadb
    ? await sql<CheckRow>`
        select constraint_name as name, check_clause as clause from information_schema.check_constraints
        where constraint_schema = coalesce(${place}, database()) and table_name = ${name}`.execute(db)
    : await sql<CheckRow>`
        select c.constraint_name as name, c.check_clause as clause from information_schema.check_constraints c
        join information_schema.table_constraints t
          on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
        where t.table_schema = coalesce(${place}, database()) and t.table_name = ${name}`.execute(db)
  const unique = toConstraints(keys, [], [])
  // MariaDB has no type for JSON: it is text with a check.
  const json = checks.flatMap(({ clause }) => /^json_valid\(`(.*)`\)$/i.exec(clause)?.[1] ?? [])

  return {
    name,
    columns: toColumns(
      columns.map((row) => ({
        name: row.name,
        kind: toMysqlKind(row, json),
        type: row.type,
        isNullable: row.nullable === 'YES',
        length: toLength(row.full),
        isComputed: /\b(?:virtual|stored|persistent) generated\b/i.test(row.extra),
        isAutoIncrement: /auto_increment/i.test(row.extra),
        isUnique: [...unique.values()].some(([name, another]) => name === row.name && another === undefined),
        continuesFromMax: /auto_increment/i.test(row.extra),
        fallback: row.fallback === 'NULL' ? undefined : (row.fallback ?? undefined),
        isExact: row.collation === collation,
        isOrdered: row.collation === collation,
        charset: row.charset ?? undefined,
        isParsed,
        values: row.type === 'enum' ? toValues(row.full) : undefined
      }))
    ),
    isView: columns.some((row) => Number(row.view) === 1),
    constraints: toConstraints(
      keys,
      checks,
      columns.map((row) => row.name)
    ),
    collation,
    returning: { insert: isMariadb, update: false, delete: isMariadb }
  }
}

async function readServer(db: AnyKysely) {
  const { rows } = await sql<ServerRow>`
    select version() as version, @@sql_mode as mode, json_array('a') as json, collation_name as collation
    from information_schema.collations
    where collation_name in ('utf8mb4_0900_bin', 'utf8mb4_nopad_bin') limit 1`.execute(db)
  const { version, mode, json, collation } = rows[0] as ServerRow

  // The driver puts values into statements, and protects quotes by a backslash.
  if (/NO_BACKSLASH_ESCAPES/.test(mode)) {
    throw createError(
      'ALULA_UNSUPPORTED_DATABASE',
      'The SQL mode NO_BACKSLASH_ESCAPES is not supported: a quote in a value would end it'
    )
  }

  return {
    isMariadb: /mariadb/i.test(version),
    // It depends on the driver and on its settings.
    isParsed: typeof json === 'object',
    collation
  }
}

function toMysqlKind(row: ColumnRow, json: readonly string[]): Kind {
  if (json.includes(row.name)) return 'json'

  // What BOOLEAN is short for.
  return row.full === 'tinyint(1)' ? 'boolean' : toKind(row.type)
}

/** The strings in `enum('a','b')`. */
function toValues(type: string): readonly string[] {
  return [...type.matchAll(/'((?:[^']|'')*)'/g)].map(([, value]) => (value as string).replaceAll("''", "'"))
}

function toConstraints(
  keys: readonly KeyRow[],
  checks: readonly CheckRow[],
  columns: readonly string[]
): Map<string, string[]> {
  const constraints = new Map<string, string[]>()

  for (const { name, field } of keys) constraints.set(name, [...(constraints.get(name) ?? []), field])
  for (const { name, clause } of checks) {
    constraints.set(
      name,
      columns.filter((column) => clause.includes(`\`${column}\``))
    )
  }

  return constraints
}

/** Text and large integers would be compared as floating point. */
function toNumber(kind: Kind, value: unknown): unknown {
  if (kind === 'integer' && typeof value === 'bigint') return sql`cast(${String(value)} as decimal(20, 0))`
  if (kind !== 'decimal') return value

  const [, fraction = ''] = String(value).split('.')
  const digits =
    typeof value === 'string' ? Math.min(fraction.length, MAX_FRACTION_DIGITS) : MAX_FRACTION_DIGITS

  return sql`cast(${value} as decimal(65, ${sql.lit(digits)}))`
}

function toTyped(field: Field, { collation }: TableDescription): Typed {
  const path = toJsonPath(field)

  if (path === undefined) return NOWHERE

  const value = sql`json_extract(${field.column.reference}, ${path})`
  const type = sql`json_type(${value})`
  const text = sql`convert(json_unquote(${value}) using utf8mb4)`

  return fromType(
    type,
    JSON_TYPES,
    { string: text, number: sql`cast(${text} as double)`, boolean: text },
    sql.raw(collation)
  )
}

function toUnicode(text: Fragment, { charset }: Column): Fragment {
  return charset === 'utf8mb4' ? text : sql`convert(${text} using utf8mb4)`
}

function toComparable(text: Fragment, { collation }: TableDescription): Fragment {
  return sql`convert(${text} using utf8mb4) collate ${sql.raw(collation)}`
}
