import { sql } from 'kysely'
import { toCursorError } from '../../adapter/cursors.ts'
import { createError } from '../../utils/developer-error.ts'
import type { AnyKysely } from '../any-kysely.ts'
import type { Dialect, Elements, ErrorKind, Field, Fragment, Place, SortPart, Typed } from '../dialect.ts'
import { fromType, NOWHERE, type TypeNames, toJsonPath } from '../json.ts'
import type { Limits } from '../limits.ts'
import { ESCAPE, toLikePattern } from '../pattern.ts'
import { fromSqlState } from '../sql-states.ts'
import {
  type Column,
  groupColumns,
  type Kind,
  type PartialColumn,
  type TableDescription,
  toColumns,
  toKind
} from '../table.ts'
import { toTableReference } from '../table-reference.ts'
import { LOCAL_TIMES, type TimeFormat, toShiftedTimes, UTC_TIMES } from '../times.ts'
import { fitsSingle } from '../values.ts'

/** Numbers of errors, which share one state for many of them. */
const NUMBERS: ReadonlyMap<number, ErrorKind> = new Map([
  ...[1022, 1062, 1169, 1586].map((number) => [number, 'conflict'] as const),
  ...[1048, 1364, 1423].map((number) => [number, 'missing'] as const),
  ...[1216, 1452].map((number) => [number, 'reference'] as const),
  ...[1217, 1451].map((number) => [number, 'referenced'] as const),
  ...[1369, 1644, 3819, 4025].map((number) => [number, 'check'] as const),
  ...[1288, 1393, 1395, 1471].map((number) => [number, 'readOnly'] as const),
  ...[1264, 1265, 1292, 1348, 1366, 1367, 1406, 1411, 1416, 1441, 3140, 3156].map(
    (number) => [number, 'invalid'] as const
  ),
  ...[1038, 1153, 1436].map((number) => [number, 'size'] as const),
  ...[1020, 1213].map((number) => [number, 'deadlock'] as const),
  ...[1040, 1053, 1159, 1161, 1203, 1205, 1226, 1927, 1969, 2006, 2013, 3024].map(
    (number) => [number, 'unavailable'] as const
  )
])

/** Times in the two halves of a year, in which zones may differ. */
const JANUARY = Date.UTC(2024, 0, 1)
const JULY = Date.UTC(2024, 6, 1)

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
  readUniqueKeys,
  samples: sql`select 'a' as text, cast('a' as binary) as bytes`,

  // The driver writes them into the statement.
  maxValues: Number.POSITIVE_INFINITY,
  unlimited: sql.raw('18446744073709551615'),
  toParameter: (value) => value,
  bind({ column: { kind, isSingle } }, value) {
    if (kind === 'json' && typeof value === 'boolean') return String(value)
    // A string would lose its time.
    if (kind === 'day' && String(value).includes('T')) return sql`cast(${value} as datetime(6))`
    // The database would compare it with the digits of eight bytes.
    if (isSingle && fitsSingle(value as number)) return sql`cast(${value} as float)`

    return toNumber(kind, value)
  },
  isOneOfMany: () => undefined,
  toDefault: () => sql`default`,
  longText: sql`longtext`,

  toNegation: (condition) => sql`(${condition}) is not true`,
  toOrderedText: (column, { collation }) =>
    column.isOrdered
      ? column.reference
      : sql`${toUnicode(column.reference, column)} collate ${sql.raw(collation)}`,
  // A column for booleans holds other integers too.
  isTruth: ({ reference }, value) => (value ? sql`(${reference} <> 0)` : sql`(${reference} = 0)`),
  toTime: (column) => column.reference,
  toExact,
  toText: ({ kind, reference }) =>
    kind === 'bytes' ? sql`hex(${reference})` : sql`cast(${reference} as char)`,
  toTyped,
  toElements,
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
  toKeyText,
  bindKey: toKeyValue,
  toOrder: (value, direction) => (direction === 1 ? sql`${value} asc` : sql`${value} desc`),

  numbersZero: true,
  async readInsertedIds(db, length) {
    // The driver has the first of them too, and may have rounded it. The others follow it.
    const { rows } = await sql<{ first: string; step: number }>`
      select cast(last_insert_id() as char) as first, @@auto_increment_increment as step`.execute(db)
    const { first, step } = rows[0] as { first: string; step: number }

    return Array.from({ length }, (_, index) => BigInt(first) + BigInt(index) * BigInt(step))
  },

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
  toErrorNames({ errno, message }, { columns }) {
    if (errno === NO_GEOMETRY) return toOnlyGeometry(columns)

    const reference = /^Cannot add .* FOREIGN KEY \((.*?)\) REFERENCES/.exec(message)?.[1]

    if (reference !== undefined) return reference.split(', ').map((name) => name.slice(1, -1))

    const name =
      /.* for key '(.*)'$/s.exec(message)?.[1] ??
      /^CONSTRAINT `(.*)` failed/.exec(message)?.[1] ??
      /^Check constraint '(.*)' is/.exec(message)?.[1] ??
      /^(?:Field|(?:Unknown )?[Cc]olumn|The value specified for generated column) '(.*?)'/.exec(
        message
      )?.[1] ??
      // A value that stands before it may look like it.
      /.* for column (?:`.*`\.`(.*)`|'(.*)')(?: at row \d+|\.)?$/s.exec(message)?.slice(1).find(Boolean)

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
  readonly length: number | null
  readonly precision: number | null
  readonly scale: number | null
  /** Of a view, whether it takes changes; null for a table. */
  readonly updatable: string | null
  /** How many triggers the table has that may change what is written. */
  readonly triggers: number | bigint
}

/** A column of a unique index; an expression has no name. */
interface KeyRow {
  readonly index: string
  readonly column: string | null
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
  readonly january: string
  readonly july: string
}

async function readTable(db: AnyKysely, { schema, name }: Place): Promise<TableDescription> {
  const server = await readServer(db)
  const place = schema ?? null
  const inTable = sql`table_schema = coalesce(${place}, database()) and table_name = ${name}`
  const { rows: columns } = await sql<ColumnRow>`
    select column_name as name, data_type as type, column_type as full, is_nullable as nullable, extra as extra,
      column_default as fallback, character_set_name as charset, collation_name as collation,
      character_maximum_length as length, numeric_precision as ${sql.id('precision')}, numeric_scale as scale,
      (select is_updatable from information_schema.views where ${inTable}) as updatable,
      (select count(*) from information_schema.triggers where event_object_schema = coalesce(${place}, database())
        and event_object_table = ${name} and action_timing = 'BEFORE') as triggers
    from information_schema.columns where ${inTable} order by ordinal_position`.execute(db)
  const keys = await readKeys(db, { schema, name })
  const checks = await readChecks(db, { schema, name }, server)
  const isUpdatable = columns[0]?.updatable !== 'NO'
  const fixed = columns[0]?.updatable === 'YES' ? await listFixed(db, { schema, name }, columns) : []
  const facts = {
    server,
    fixed,
    // MariaDB has no type for JSON: it is text with a check.
    json: checks.flatMap(({ clause }) => /^json_valid\(`(.*)`\)$/i.exec(clause)?.[1] ?? []),
    unique: groupColumns(keys).flatMap((names) => (names.length === 1 ? names : []))
  }

  return {
    name,
    columns: toColumns(columns.map((row) => toColumn(row, facts))),
    isView: columns.some(({ updatable }) => updatable !== null),
    takes: isUpdatable ? undefined : { insert: false, update: false, delete: false },
    constraints: toConstraints(
      keys,
      checks,
      columns.map((row) => row.name)
    ),
    collation: server.collation,
    locksRows: true,
    mayChangeRows: !server.isStrict || columns.some(({ triggers }) => Number(triggers) > 0),
    returning: { insert: server.isMariadb, update: false, delete: server.isMariadb }
  }
}

async function readUniqueKeys(db: AnyKysely, place: Place): Promise<readonly (readonly string[])[]> {
  return groupColumns(await readKeys(db, place))
}

async function readKeys(db: AnyKysely, { schema, name }: Place): Promise<readonly KeyRow[]> {
  const { rows } = await sql<KeyRow>`
    select index_name as ${sql.id('index')}, column_name as ${sql.id('column')} from information_schema.statistics
    where table_schema = coalesce(${schema ?? null}, database()) and table_name = ${name} and non_unique = 0`.execute(
    db
  )

  return rows
}

async function readChecks(
  db: AnyKysely,
  { schema, name }: Place,
  { isMariadb }: Server
): Promise<readonly CheckRow[]> {
  const place = schema ?? null
  const { rows } = isMariadb
    ? await sql<CheckRow>`
        select constraint_name as name, check_clause as clause from information_schema.check_constraints
        where constraint_schema = coalesce(${place}, database()) and table_name = ${name}`.execute(db)
    : await sql<CheckRow>`
        select c.constraint_name as name, c.check_clause as clause from information_schema.check_constraints c
        join information_schema.table_constraints t
          on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
        where t.table_schema = coalesce(${place}, database()) and t.table_name = ${name}`.execute(db)

  return rows
}

/** What the row of a column does not say of it. */
interface ColumnFacts {
  readonly server: Server
  /** The names of the columns that a view computes. */
  readonly fixed: readonly string[]
  /** The names of the columns that hold JSON. */
  readonly json: readonly string[]
  /** The names of the columns with a separate unique index. */
  readonly unique: readonly string[]
}

function toColumn(row: ColumnRow, { server, fixed, json, unique }: ColumnFacts): PartialColumn {
  return {
    name: row.name,
    kind: toMysqlKind(row, json),
    type: row.type,
    isNullable: row.nullable === 'YES',
    isComputed: /\b(?:virtual|stored|persistent) generated\b/i.test(row.extra) || fixed.includes(row.name),
    isAutoIncrement: /auto_increment/i.test(row.extra),
    isUnique: unique.includes(row.name),
    continuesFromMax: /auto_increment/i.test(row.extra),
    fallback: row.fallback === 'NULL' ? undefined : (row.fallback ?? undefined),
    isExact: row.collation === server.collation,
    // Of a bare column, these are ordered by the numbers of their strings.
    isOrdered: row.collation === server.collation && row.type !== 'enum' && row.type !== 'set',
    charset: row.charset ?? undefined,
    isParsed: server.isParsed,
    times: server.times,
    limits: toLimits(row),
    isSingle: row.type === 'float',
    isRenewed: /\bon update\b/i.test(row.extra),
    scale: row.scale === null ? undefined : Number(row.scale),
    values: row.type === 'enum' ? toValues(row.full) : undefined
  }
}

/** The columns of a view that are none of a table. No table of the catalog has them: only a statement tells. */
async function listFixed(db: AnyKysely, place: Place, columns: readonly ColumnRow[]): Promise<string[]> {
  const table = toTableReference(place)
  const fixed: string[] = []

  for (const { name: column } of columns) {
    await sql`explain update ${table} set ${sql.id(column)} = ${sql.id(column)} where false`
      .execute(db)
      .catch(({ errno }) => {
        if (errno === NO_COLUMN_OF_TABLE) fixed.push(column)
      })
  }

  return fixed
}

const NO_COLUMN_OF_TABLE = 1348

interface Server {
  readonly isMariadb: boolean
  /** Whether it refuses values for which a column has no room. */
  readonly isStrict: boolean
  /** Whether the driver parses JSON. */
  readonly isParsed: boolean
  /** The one that tells all characters apart. */
  readonly collation: string
  readonly times: TimeFormat
}

async function readServer(db: AnyKysely): Promise<Server> {
  const { rows } = await sql<ServerRow>`
    select version() as version, @@sql_mode as mode, json_array('a') as json, collation_name as collation,
      cast(${new Date(JANUARY)} as char) as january, cast(${new Date(JULY)} as char) as july
    from information_schema.collations
    where collation_name in ('utf8mb4_0900_bin', 'utf8mb4_nopad_bin') limit 1`.execute(db)
  const [server] = rows

  if (!server) {
    throw createError(
      'ALULA_UNSUPPORTED_DATABASE',
      'The database has no collation that tells all characters apart: expected MySQL 8.0.17, MariaDB 10.11, or a newer version'
    )
  }

  const { version, mode, json, collation, january, july } = server

  // The driver puts values into statements, and protects quotes by a backslash.
  if (/NO_BACKSLASH_ESCAPES/.test(mode)) {
    throw createError(
      'ALULA_UNSUPPORTED_DATABASE',
      'The SQL mode NO_BACKSLASH_ESCAPES is not supported: a quote in a value would end it'
    )
  }

  return {
    isMariadb: /mariadb/i.test(version),
    isStrict: /STRICT_(?:ALL|TRANS)_TABLES/.test(mode),
    // It depends on the driver and on its settings.
    isParsed: typeof json === 'object',
    collation,
    times: toTimes(january, july)
  }
}

/** How a driver writes times, by what it has made of two: in the zone of the process, or in one that never changes. */
function toTimes(january: string, july: string): TimeFormat {
  const isLocal = Number(LOCAL_TIMES.read(january)) === JANUARY && Number(LOCAL_TIMES.read(july)) === JULY

  return isLocal ? LOCAL_TIMES : toShiftedTimes((Number(UTC_TIMES.read(january)) - JANUARY) / 60_000)
}

function toMysqlKind(row: ColumnRow, json: readonly string[]): Kind {
  if (json.includes(row.name)) return 'json'

  // What BOOLEAN is short for, and a single bit.
  if (row.full === 'tinyint(1)' || row.full === 'bit(1)') return 'boolean'
  if (row.type === 'bit') return 'integer'

  return GEOMETRIES.test(row.type) ? 'bytes' : toKind(row.type)
}

const GEOMETRIES = /^(?:geometry|geom(?:etry)?collection|(?:multi)?(?:point|linestring|polygon))$/

/** The number of the error about bytes that are no geometry, which names no column. */
const NO_GEOMETRY = 1416

function toOnlyGeometry(columns: TableDescription['columns']): readonly string[] {
  const names = [...columns.values()].filter(({ type }) => GEOMETRIES.test(type)).map(({ name }) => name)

  return names.length === 1 ? names : []
}

/** How many bits integers of a type have. */
const INTEGER_BITS: ReadonlyMap<string, number> = new Map([
  ['tinyint', 8],
  ['smallint', 16],
  ['mediumint', 24],
  ['int', 32]
])

function toLimits({ type, full, length, precision, scale }: ColumnRow): Limits | undefined {
  const bits = INTEGER_BITS.get(type)

  if (bits !== undefined) {
    return { range: /unsigned/.test(full) ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] }
  }
  if (type === 'bit' && Number(precision) < 53) return { range: [0, 2 ** Number(precision) - 1] }
  if (type === 'decimal') return { integerDigits: Number(precision) - Number(scale) }

  return type === 'char' || type === 'varchar' ? { maxLength: Number(length) } : undefined
}

/** The driver rounds some numbers, and makes objects of geometries and bytes of bits. */
function toExact({ kind, type, isSingle, reference }: Column): Fragment | undefined {
  if (type === 'bigint' || kind === 'date' || kind === 'day') return sql`cast(${reference} as char)`
  if (type === 'bit') return sql`cast(cast(${reference} as unsigned) as char)`
  if (isSingle) return sql`cast(${reference} as double)`

  return GEOMETRIES.test(type) ? sql`concat('', ${reference})` : undefined
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

  for (const { index, column } of keys) {
    constraints.set(index, [...(constraints.get(index) ?? []), ...(column === null ? [] : [column])])
  }
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

function toTyped(field: Field, table: TableDescription): Typed {
  const path = toJsonPath(field)

  return path === undefined
    ? NOWHERE
    : toTypedValue(sql`json_extract(${field.column.reference}, ${path})`, table)
}

function toElements(field: Field, table: TableDescription): Elements | undefined {
  const path = toJsonPath(field)

  if (path === undefined) return undefined

  const list = sql`json_extract(${field.column.reference}, ${path})`
  const value = sql`json_extract(alula_element.alula_value, '$')`

  return {
    isList: sql`json_type(${list}) = 'ARRAY'`,
    rows: sql`json_table(${list}, '$[*]' columns (alula_value json path '$')) as alula_element`,
    element: { ...field, typed: toTypedValue(value, table) }
  }
}

function toTypedValue(value: Fragment, { collation }: TableDescription): Typed {
  const type = sql`json_type(${value})`
  const text = sql`convert(json_unquote(${value}) using utf8mb4)`

  return fromType(
    type,
    JSON_TYPES,
    { string: text, number: sql`cast(${text} as double)`, boolean: text },
    sql.raw(collation)
  )
}

/** Bytes are no text in any encoding; a `float` is shown with fewer digits than it has. */
function toKeyText({ value, form, column }: SortPart): Fragment {
  if (form === 'value' && column?.kind === 'bytes') return sql`hex(${value})`
  if (form === 'value' && column?.type === 'bit') return sql`cast(cast(${value} as unsigned) as char)`

  return form === 'value' && column?.isSingle
    ? sql`cast(cast(${value} as double) as char)`
    : sql`cast(${value} as char)`
}

function toKeyValue(text: string, { form, column }: SortPart): unknown {
  if (form === 'truth') return toFinite(text)
  if (form === 'number' || (form === 'value' && column?.kind === 'number')) {
    const number = toFinite(text)

    return column?.isSingle ? sql`cast(${text} as float)` : number
  }
  if (form !== 'value' || !column) return text

  switch (column.kind) {
    case 'bytes':
      return Buffer.from(text, 'hex')
    case 'integer': {
      const number = toFinite(text)

      return /^-?\d+$/.test(text) && !Number.isSafeInteger(number)
        ? toNumber('integer', BigInt(text))
        : number
    }
    default:
      return toNumber(column.kind, text)
  }
}

/** The driver would write NaN and Infinity into the statement, for a key that a client has made up. */
function toFinite(text: string): number {
  const number = Number(text)

  if (Number.isFinite(number)) return number

  throw toCursorError()
}

function toUnicode(text: Fragment, { charset }: Column): Fragment {
  return charset === 'utf8mb4' ? text : sql`convert(${text} using utf8mb4)`
}

function toComparable(text: Fragment, { collation }: TableDescription): Fragment {
  return sql`convert(${text} using utf8mb4) collate ${sql.raw(collation)}`
}
