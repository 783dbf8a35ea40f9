import { type QueryResult, sql } from 'kysely'
import { createError } from '../../utils/developer-error.ts'
import { copyWith } from '../../utils/object.ts'
import type { AnyKysely } from '../any-kysely.ts'
import type { Dialect, Elements, Field, Fragment, Place, SortPart, Typed } from '../dialect.ts'
import { fromType, type TypeNames } from '../json.ts'
import { toElement } from '../kinds.ts'
import type { Limits } from '../limits.ts'
import { ESCAPE, toLikePattern } from '../pattern.ts'
import { fromSqlState } from '../sql-states.ts'
import {
  type Changes,
  type Column,
  type Kind,
  type PartialColumn,
  type TableDescription,
  toColumns,
  toKind,
  toWholeColumn
} from '../table.ts'
import { LOCAL_TIMES, type TimeFormat, UTC_TIMES } from '../times.ts'
import { fitsSingle } from '../values.ts'

/** Locales whose collations order text by its code points, if ICU has nothing to do with them. */
const ORDERED_LOCALES: readonly unknown[] = ['C', 'POSIX', 'C.UTF-8', 'C.utf8', 'PG_UNICODE_FAST']

/** Below which number the integers of a type are; those of an `oid` are compared as `int8`. */
const INTEGER_LIMITS: ReadonlyMap<string, number> = new Map([
  ['int2', 2 ** 15],
  ['int4', 2 ** 31],
  ['int8', 2 ** 53],
  ['oid', 2 ** 53]
])

const JSON_TYPES: TypeNames = ['null', ['number'], ['string'], ['boolean'], ['array'], ['object']]

const TIMES = toEraTimes(UTC_TIMES)
/** Times without a zone. Drivers have always written and read them in that of the process. */
const TIMESTAMPS = toEraTimes(LOCAL_TIMES)

/** PostgreSQL, through `pg`. */
export const postgres: Dialect = {
  name: 'PostgreSQL',
  probe: '"a" = $1',
  readTable,
  findUnheld,
  readUniqueKeys,
  samples: sql`select 'a'::text as text, 'a'::bytea as bytes`,

  // They are counted with two bytes, and more would begin again.
  maxValues: 65_535,
  unlimited: sql.raw('all'),
  toParameter: (value, column) => (Array.isArray(value) ? toArrayText(value, toDelimiter(column)) : value),
  bind(field, value) {
    if (field.column.kind === 'json' && typeof value === 'boolean') return String(value)

    const cast = toCast(field, value)

    // The column says which type it is, where nothing else does.
    return cast === undefined ? value : sql`${value}::${sql.raw(cast)}`
  },
  isOneOfMany(subject, field, values) {
    const { kind, type } = field.column
    const hasRange = kind === 'integer' || type === 'float4'
    // No number of the column equals the others, and their type would make those of a `float4` longer.
    const possible = hasRange ? values.filter((value) => toCast(field, value) === undefined) : values
    const cast = possible.map((value) => toCast(field, value)).find((name) => name !== undefined)

    return cast === undefined
      ? sql`${subject} = any(${possible})`
      : sql`${subject} = any(${possible}::${sql.raw(cast)}[])`
  },
  toDefault: () => sql`default`,

  toNegation: (condition) => sql`(${condition}) is not true`,
  // What is no text, such as an enum, has an order of its own, and `citext` has no difference of upper and lower case.
  toOrderedText: (column) =>
    column.kind === 'text' && column.isOrdered ? column.reference : sql`${toText(column)} collate "C"`,
  isTruth: ({ reference }, value) => (value ? reference : sql`(not ${reference})`),
  toTime: (column) => column.reference,
  toExact,
  toText,
  toTyped,
  toElements,
  toLike: (text, pattern) => sql`${text}::text collate "C" like ${toLikePattern(pattern)} escape ${ESCAPE}`,
  toLetterLike: (text, pattern) =>
    sql`lower(${text}::text collate "C") like ${toLikePattern(pattern)} escape ${ESCAPE}`,
  json: {
    toValue: toJsonValue,
    toRow: (values) => sql`json_build_array(${sql.join(values)})::text`,
    toList: (values) => sql`json_agg(json_build_array(${sql.join(values)}))::text`
  },
  // A cast would write times by settings of the server.
  toKeyText: ({ value, form }) =>
    form === 'time' ? sql`to_json(${value}) #>> '{}'` : sql`cast(${value} as text)`,
  bindKey: toKeyValue,
  toOrder(value, direction, isNullable) {
    if (!isNullable) return direction === 1 ? sql`${value} asc` : sql`${value} desc`

    return direction === 1 ? sql`${value} asc nulls first` : sql`${value} desc nulls last`
  },

  async skipTakenIds(db, table, column) {
    const reference = column.reference
    const sequence = column.sequence as string

    // To the last of the ids that are taken in a row: however many they are, and however large others are.
    await db
      .selectFrom(`${table} as taken`)
      .select(sql`setval(${sequence}, min(taken.${reference}))`.as('value'))
      .where(sql<boolean>`taken.${reference} >= (select last_value from ${sql.raw(sequence)})`)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom(`${table} as next`)
              .select(sql`1`.as('one'))
              .where(sql<boolean>`next.${reference} = taken.${reference} + 1`)
          )
        )
      )
      .execute()
  },

  abortsOnError: true,
  isBusyAfterTimeout: true,
  isAlive: (transaction) =>
    sql`select 1`.execute(transaction).then(
      () => true,
      () => false
    ),

  toErrorKind({ code, message, routine }) {
    // A policy and a missing right have one state, and the message may be in any language.
    if (code === '42501' && routine === 'ExecWithCheckOptions') return 'forbidden'

    const kind = fromSqlState(code)

    return kind === 'reference' && namesReferrer(String(message)) ? 'referenced' : kind
  },
  toErrorParameter({ where }) {
    // The line after what the parameter itself has to say.
    const number = /\$(\d+)[^\n]*$/.exec(String(where ?? ''))?.[1]

    return number === undefined ? undefined : Number(number) - 1
  },
  toErrorNames: ({ column, constraint }) => [column ?? constraint].filter((name) => typeof name === 'string'),
  toReferrer: ({ table }) => (typeof table === 'string' ? table : undefined)
}

/** Whether the row policies of a table hold for the role of the connection; the tables that a view reads have a row each. */
interface SecurityRow {
  readonly name: string
  /** Whether the policies of the table hold for the role. */
  readonly active: boolean
  readonly view: boolean
  readonly invoker: boolean
  readonly enabled: boolean
  readonly role: string
  readonly super: boolean
  readonly bypasses: boolean
}

/** A column, as the database describes it. */
interface ColumnRow {
  readonly name: string
  readonly type: string
  /** Its type as SQL has it, with its schema where that is needed. */
  readonly full: string
  /** The type of the elements of an array. */
  readonly element: string | null
  /** How many levels an array was declared with. */
  readonly dimensions: number
  /** What stands in parentheses after the type, as the catalog has it; -1 for nothing. */
  readonly modifier: number
  /** Whether it is never null. From version 18 on, rows may be older than their constraint. */
  readonly required: boolean
  readonly identity: string
  readonly generated: string
  readonly fallback: string | null
  readonly sequence: string | null
  readonly collation: string | null
  /** The locale of its collation; null where ICU compares its text. */
  readonly locale: string | null
  readonly exact: boolean
  readonly indexed: boolean
  readonly single: boolean
  readonly values: string[] | null
  readonly view: boolean
  /** Whether an insert may leave rows out: by a rule, or by a trigger, which a partition or the table of a view may have. */
  readonly skips: boolean
  /** Whether something may change rows that are written: a rule, or a trigger, which a partition may have. */
  readonly changes: boolean
  /** Whether it is a column of a view that is none of a table. */
  readonly fixed: boolean
  /** Which statements the table or view takes. */
  readonly events: number
  /** The kinds of statements for which a view has rules that return nothing. */
  readonly silent: string[]
  /** Whether the server writes floating point with fewer digits than it has. */
  readonly rounds: boolean
  /** What the driver makes of an empty array. */
  readonly json: unknown
  readonly jsonb: unknown
}

/** The kinds of statements, as the catalog has them: each is a bit of the events, and a number of rules. */
const EVENTS = { update: 2, insert: 3, delete: 4 } as const

/**
 * The locale of the database, null for one of ICU. What versions do not have in common is read as JSON: 15 has the
 * provider, 17 a name for `datlocale`.
 */
const DATABASE_LOCALE = sql`(
  select case coalesce(to_jsonb(b) ->> 'datlocprovider', 'c') when 'c' then b.datcollate
    when 'b' then to_jsonb(b) ->> 'datlocale' end
  from pg_database b where b.datname = current_database())`

/** The bits of `pg_trigger.tgtype` for a trigger before the insert of each row: `ROW`, `BEFORE` and `INSERT`. */
const INSERT_TRIGGER = 1 + 2 + 4

/** The bits for triggers of an insert and of an update. */
const WRITE_TRIGGERS = 4 + 16

function toOid({ schema, name }: Place): Fragment {
  const path = schema === undefined ? [name] : [schema, name]

  return sql`to_regclass(${path.map(quote).join('.')})`
}

/** Why the policies of a table do not hold for the role of the connection: of a view, those of the tables that it reads. */
async function findUnheld(db: AnyKysely, place: Place): Promise<string | undefined> {
  const { rows } = await sql<SecurityRow>`
    with recursive used (id) as (
      select ${toOid(place)}::oid
      union
      select d.refobjid from used u
        join pg_rewrite w on w.ev_class = u.id and w.ev_type = '1'
        join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
          and d.refclassid = 'pg_class'::regclass
    )
    select c.relname as name, row_security_active(c.oid) as active, c.relkind in ('v', 'm') as view,
      c.relkind = 'v' and coalesce(c.reloptions::text ~* 'security_invoker=(true|on|yes|1)', false) as invoker,
      current_user as role, c.relrowsecurity as enabled, r.rolsuper as super, r.rolbypassrls as bypasses
    from used u join pg_class c on c.oid = u.id, pg_roles r
    where r.rolname = current_user order by c.oid = ${toOid(place)} desc`.execute(db)
  const [row, ...used] = rows

  if (!row) return `there is no table '${place.name}'`
  if (row.super) return `the role '${row.role}' is a superuser. Connect as a role that is none`
  if (row.bypasses) return `the role '${row.role}' has BYPASSRLS. Connect as a role without it`

  const foreign = rows.find(({ view, invoker }) => view && !invoker)

  if (foreign)
    return `'${foreign.name}' is a view without security_invoker, which has the rights of its owner`
  if (row.view) {
    return used.some(({ active }) => active)
      ? undefined
      : `'${place.name}' reads no table whose policies hold`
  }
  if (row.active) return undefined
  if (!row.enabled) return `'${place.name}' has none. Use: alter table … enable row level security`

  return `the role '${row.role}' owns '${place.name}'. Use: alter table … force row level security`
}

async function readTable(db: AnyKysely, { schema, name }: Place): Promise<TableDescription> {
  const table = toOid({ schema, name })
  const { rows } = await readColumns(db, table)
  const constraints = await readConstraints(db, table)
  const [first] = rows
  const columns = toColumns(rows.map(toColumn))

  if (first?.rounds) assertNoFloats(name, columns)

  return {
    name,
    columns,
    isView: rows.some(({ view }) => view),
    takes: toChanges((event) => (first ? (first.events & (1 << event)) !== 0 : true)),
    constraints: new Map(constraints.rows.map((row) => [row.name, row.columns])),
    collation: 'C',
    // Not those of a view that groups them.
    locksRows: !first?.view,
    mayLeaveOut: first?.skips ?? false,
    mayChangeRows: first?.changes ?? false,
    returning: toChanges((event) => !first?.silent.includes(String(event)))
  }
}

/** Records would have other numbers than the table, and a cursor by such a number may not advance. */
function assertNoFloats(table: string, columns: TableDescription['columns']): void {
  const column = [...columns.values()].find((each) => toElement(each).kind === 'number')

  if (!column) return

  throw createError(
    'ALULA_UNSUPPORTED_DATABASE',
    `The setting 'extra_float_digits' of the server is less than 1: it would round numbers in the column '${column.name}' of table '${table}'. Set it to 1, the default of PostgreSQL`
  )
}

function readColumns(db: AnyKysely, table: Fragment): Promise<QueryResult<ColumnRow>> {
  return sql<ColumnRow>`
    select a.attname as name, t.typname as type, format_type(a.atttypid, -1) as "full",
      e.typname as element, a.attndims as dimensions, greatest(a.atttypmod, t.modifier) as modifier,
      a.attnotnull and not exists (select from pg_constraint where conrelid = a.attrelid and contype = 'n'
        and conkey[1] = a.attnum and not convalidated) or t.strict as required,
      a.attidentity as identity, a.attgenerated as generated,
      coalesce(pg_get_expr(d.adbin, d.adrelid), t.fallback) as fallback,
      pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) as sequence,
      c.collname as collation,
      case c.collprovider when 'd' then ${DATABASE_LOCALE} when 'c' then c.collcollate
        when 'b' then to_jsonb(c) ->> 'colllocale' end as locale,
      coalesce(c.collisdeterministic, true) as exact,
      case when coalesce(e.typtype, t.typtype) = 'e' then array(select enumlabel::text from pg_enum
        where enumtypid = coalesce(e.oid, t.oid) order by enumsortorder) end as values,
      exists (select from pg_index i join pg_class o on o.oid = i.indexrelid join pg_am m on m.oid = o.relam
        where i.indrelid = a.attrelid and i.indkey[0] = a.attnum and i.indcollation[0] = a.attcollation
          and i.indisvalid and i.indpred is null and m.amname in ('btree', 'hash')) as indexed,
      exists (select from pg_index where indrelid = a.attrelid and indkey[0] = a.attnum and indnkeyatts = 1
          and indisunique and indisvalid and indimmediate and indpred is null)
        and not exists (select from pg_inherits join pg_class on oid = inhparent
          where inhparent = a.attrelid and relkind <> 'p') as single,
      (select relkind in ('v', 'm') from pg_class where oid = a.attrelid) as view,
      (select relkind <> 'r' or relhasrules from pg_class where oid = a.attrelid)
        or exists (select from pg_trigger where tgrelid = a.attrelid and not tgisinternal
          and tgtype & ${sql.lit(INSERT_TRIGGER)} = ${sql.lit(INSERT_TRIGGER)}) as skips,
      (select relhasrules from pg_class where oid = a.attrelid)
        or exists (
          with recursive part (id) as (
            select a.attrelid union select inhrelid from pg_inherits join part on inhparent = id
          ) select from pg_trigger join part on tgrelid = id where not tgisinternal
            and tgtype & ${sql.lit(WRITE_TRIGGERS)} <> 0) as changes,
      pg_relation_is_updatable(a.attrelid, true) as events,
      pg_relation_is_updatable(a.attrelid, false) & 20 = 20
        and not pg_column_is_updatable(a.attrelid, a.attnum, false) as fixed,
      array(select ev_type::text from pg_rewrite where ev_class = a.attrelid and is_instead
        and ev_type <> '1' and pg_get_ruledef(oid) !~* 'returning') as silent,
      current_setting('extra_float_digits')::int < 1 as rounds,
      '[]'::json as json, '[]'::jsonb as jsonb
    from pg_attribute a join lateral (
        with recursive base as (
          select oid, typname, typcategory, typtype, typelem, typbasetype, typnotnull as strict,
            typtypmod as modifier, typdefault as fallback
          from pg_type where oid = a.atttypid
          union all select t.oid, t.typname, t.typcategory, t.typtype, t.typelem, t.typbasetype,
            base.strict or t.typnotnull, greatest(base.modifier, t.typtypmod), coalesce(base.fallback, t.typdefault)
          from pg_type t join base on base.typtype = 'd' and t.oid = base.typbasetype
        ) select * from base where typtype <> 'd') t on true
      left join lateral (
        with recursive base as (
          select oid, typname, typtype, typbasetype from pg_type where oid = t.typelem and t.typcategory = 'A'
          union all select t.oid, t.typname, t.typtype, t.typbasetype
          from pg_type t join base on base.typtype = 'd' and t.oid = base.typbasetype
        ) select * from base where typtype <> 'd') e on true
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      left join pg_collation c on c.oid = a.attcollation
    where a.attrelid = ${table} and a.attnum > 0 and not a.attisdropped order by a.attnum`.execute(db)
}

function readConstraints(
  db: AnyKysely,
  table: Fragment
): Promise<QueryResult<{ name: string; columns: string[] }>> {
  return sql<{ name: string; columns: string[] }>`
    select c.relname as name, array(select attname::text from pg_attribute
      where attrelid = i.indrelid and attnum = any(i.indkey)) as columns
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = ${table} and i.indisunique
    union all select conname, array(select attname::text from pg_attribute
      where attrelid = conrelid and attnum = any(conkey))
    from pg_constraint where conrelid = ${table} and contype in ('c', 'f')`.execute(db)
}

/** A deferred index says nothing before the commit, and none of a parent holds for the rows of tables that inherit. */
async function readUniqueKeys(
  db: AnyKysely,
  { schema, name }: Place
): Promise<readonly (readonly string[])[]> {
  const { rows } = await sql<{ columns: (string | null)[] }>`
    select array(select a.attname::text from unnest((i.indkey::int2[])[0:i.indnkeyatts - 1]) as k
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k and k > 0) as columns
    from pg_index i where indrelid = ${toOid({ schema, name })}
      and indisunique and indisvalid and indimmediate and indpred is null
      and not exists (select from pg_inherits join pg_class on oid = inhparent
        where inhparent = indrelid and relkind <> 'p')`.execute(db)

  // An expression has no name.
  return rows.flatMap(({ columns }) => (columns.includes(null) ? [] : [columns as string[]]))
}

function toColumn(row: ColumnRow): PartialColumn {
  const type = toType(row)

  return {
    ...type,
    // Its own type is compared with no numbers.
    ...(type.type === 'oid' && { reference: sql`${sql.id(row.name)}::int8` }),
    isNullable: !row.required,
    isComputed: row.generated !== '' || row.identity === 'a' || row.fixed,
    isAutoIncrement: row.sequence !== null || /^nextval\(/.test(row.fallback ?? ''),
    isIndexed: row.indexed,
    isUnique: row.single,
    fallback: row.fallback ?? undefined,
    sequence: row.sequence ?? undefined,
    isExact: comparesExactly(row, type.kind, row.type),
    collation: row.collation ?? undefined,
    isOrdered: ORDERED_LOCALES.includes(row.locale) && row.type !== 'citext',
    // Drivers can be told to leave JSON as it is.
    isParsed: typeof (row.type === 'jsonb' ? row.jsonb : row.json) === 'object'
  }
}

/**
 * Whether an error about a foreign key is that of the table that others refer to. In every language its message quotes
 * that table, the key and the table that refers; the message for a reference to nothing quotes the last two.
 */
function namesReferrer(message: string): boolean {
  return (message.match(/["«»„“”‚‘「」]/g)?.length ?? 0) >= 6
}

/** Times with the years that JavaScript has no names for: there is no year 0, which is 1 BC, and years may have five digits. */
function toEraTimes(times: TimeFormat): TimeFormat {
  return {
    read(text) {
      const [, year, rest, era] = /^(\d+)(-.*?)( BC)?$/.exec(text) ?? []

      return times.read(year === undefined ? text : `${toYear(Number(year), era !== undefined)}${rest}`)
    },
    write(date) {
      const [, year = '', rest = ''] = /^([+-]?\d+)(.*)$/.exec(times.write(date)) ?? []

      return Number(year) > 0 ? `${toDigits(Number(year))}${rest}` : `${toDigits(1 - Number(year))}${rest} BC`
    }
  }
}

function toYear(year: number, isBefore: boolean): string {
  const number = isBefore ? 1 - year : year
  const isUsual = number >= 0 && number <= 9999

  return isUsual ? toDigits(number) : `${number < 0 ? '-' : '+'}${String(Math.abs(number)).padStart(6, '0')}`
}

function toDigits(year: number): string {
  return String(year).padStart(4, '0')
}

function toChanges(test: (event: number) => boolean): Changes {
  return { insert: test(EVENTS.insert), update: test(EVENTS.update), delete: test(EVENTS.delete) }
}

/** What the type of a column says: for an array also what its elements are, which are arrays where it has more levels. */
function toType(row: ColumnRow): PartialColumn {
  const { name, full, element, dimensions } = row

  if (element === null) return toScalarType(row, row.type)

  const inner = toScalarType(row, element)
  const orderedAs = hasOrder(inner) ? full : undefined
  const list = (each: PartialColumn): PartialColumn => ({
    name,
    kind: 'list',
    type: `${each.type}[]`,
    isNullable: true,
    element: toWholeColumn(each),
    orderedAs
  })
  const levels = Array.from({ length: Math.max(dimensions, 1) })
  const isExact = comparesExactly(row, inner.kind, element)

  return levels.reduce<PartialColumn>(list, copyWith(inner, { isExact }))
}

/** Whether lists of a type can be compared. A type without its own kind may have no order. */
function hasOrder({ kind, type, values }: PartialColumn): boolean {
  return values !== undefined || (kind !== 'other' && type !== 'json')
}

/** Whether the values of a type are compared as they are. What is no text is compared by its text, and `json` by nothing. */
function comparesExactly({ exact }: ColumnRow, kind: Kind, type: string): boolean {
  return exact && kind !== 'other' && type !== 'citext' && type !== 'json'
}

function toScalarType({ name, values, modifier }: ColumnRow, type: string): PartialColumn {
  // The name of an enum may be that of another type, and "char" is no string.
  const kind = values || type === 'char' ? 'other' : toKind(type)
  const limits = toLimits(type, modifier)

  const times = type === 'timestamp' ? TIMESTAMPS : TIMES

  return {
    name,
    kind,
    type,
    isNullable: true,
    values: values ?? undefined,
    limits,
    filledTo: type === 'bpchar' ? limits?.maxLength : undefined,
    scale: type === 'numeric' && modifier >= 0 ? toScale(modifier) : undefined,
    times,
    others: OTHERS[kind]
  }
}

const INFINITE_TIMES = ['infinity', '-infinity']
const INFINITE_NUMBERS = ['NaN', 'Infinity', '-Infinity']

/** What columns hold beside numbers, times and days. */
const OTHERS: { readonly [kind in Kind]?: readonly string[] } = {
  date: INFINITE_TIMES,
  day: INFINITE_TIMES,
  decimal: INFINITE_NUMBERS,
  number: INFINITE_NUMBERS
}

/** Modifiers of strings and decimals count from here. */
const MODIFIER_BASE = 4

function toLimits(type: string, modifier: number): Limits | undefined {
  const limit = INTEGER_LIMITS.get(type)

  if (limit !== undefined && limit < 2 ** 53) return { range: [-limit, limit - 1] }
  if (modifier < 0) return undefined

  switch (type) {
    case 'varchar':
    case 'bpchar':
      return { maxLength: modifier - MODIFIER_BASE }
    case 'bit':
      return { minLength: modifier, maxLength: modifier }
    case 'varbit':
      return { maxLength: modifier }
    case 'numeric':
      return { integerDigits: Math.max(toPrecision(modifier) - toScale(modifier), 0) }
    default:
      return undefined
  }
}

function toPrecision(modifier: number): number {
  return ((modifier - MODIFIER_BASE) >> 16) & 0xffff
}

/** Eleven bits, with a sign. */
function toScale(modifier: number): number {
  return (((modifier - MODIFIER_BASE) & 0x7ff) ^ 0x400) - 0x400
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Types whose values have another string than the cast to text: that of JSON. */
const WRITTEN_AS_JSON: readonly string[] = ['inet', 'date', 'timestamp', 'timestamptz']

/**
 * Drivers parse the arrays of some types, and lose digits of numbers and times. As JSON each of them is a list of strings.
 * What has no kind of its own is a string too: some drivers make objects of it. Texts do not depend on settings of the
 * driver; those of JSON do not depend on settings of the server either.
 */
function toExact(column: Column): Fragment | undefined {
  const { kind, type, values, reference } = column

  if (kind === 'list') {
    return WRITTEN_AS_JSON.includes(type.split('[')[0] as string)
      ? sql`to_json(${reference})::text`
      : sql`to_json(${reference}::text[])::text`
  }
  if (kind === 'day' || type === 'timestamp') return sql`to_json(${reference}) #>> '{}'`
  if (type === 'timestamptz') return sql`to_json(${reference} at time zone 'UTC') #>> '{}'`
  if (type === 'int8') return sql`${reference}::text`

  return kind === 'other' && !values ? toText(column) : undefined
}

/** What a record has: a cast adds a mask to an address, and takes the blanks away that fill a column of a fixed length. */
function toText({ kind, type, limits, reference }: Column): Fragment {
  if (kind === 'bytes') return sql`encode(${reference}, 'hex')`
  if (type === 'inet') return sql`abbrev(${reference})`
  if (type === 'bpchar' && limits?.maxLength !== undefined) {
    return sql`rpad(${reference}::text, ${sql.lit(limits.maxLength)})`
  }

  return sql`cast(${reference} as text)`
}

/** An array as PostgreSQL writes it. */
function toArrayText(list: readonly unknown[], delimiter: string): string {
  return `{${list.map((value) => toElementText(value, delimiter)).join(delimiter)}}`
}

function toElementText(value: unknown, delimiter: string): string {
  if (value === null) return 'NULL'
  if (Array.isArray(value)) return toArrayText(value, delimiter)

  const text = value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value)

  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** The only type whose values have commas. */
function toDelimiter({ type }: Column): string {
  return type.startsWith('box[') ? ';' : ','
}

/** The type that a value has to have, where it is not that of the column. */
function toCast({ column: { kind, type } }: Field, value: unknown): string | undefined {
  switch (kind) {
    case 'integer':
      // Neither a fraction nor what is too large for the column is an error.
      return fits(value, type) ? undefined : 'numeric'
    case 'decimal':
      return 'numeric'
    case 'json':
      return typeof value === 'number' ? 'numeric' : undefined
    case 'number':
      return type === 'float4' && typeof value === 'number' && !fitsSingle(value) ? 'float8' : undefined
    case 'date':
    case 'day':
      return type === 'timestamptz' ? undefined : 'timestamp'
    default:
      return undefined
  }
}

function fits(value: unknown, type: string): boolean {
  if (typeof value === 'bigint') return type === 'int8' && BigInt.asIntN(64, value) === value

  return Number.isInteger(value) && Math.abs(value as number) < (INTEGER_LIMITS.get(type) ?? 0)
}

function toKeyValue(text: string, { form, column }: SortPart): unknown {
  if (form === 'text') return text
  if (form === 'truth') return text === 'true'
  if (form === 'number' || !column) return sql`${text}::text::numeric`

  if (column.orderedAs !== undefined) return sql`${text}::text::${sql.raw(column.orderedAs)}`

  return sql`${text}::text::${sql.id(column.type === 'oid' ? 'int8' : column.type)}`
}

/** Drivers can be told how to read numbers and times; they read the others alike. */
function toJsonValue({ kind, values, reference, isParsed }: Column): Fragment | undefined {
  // As text, as such a driver returns it: the reader of the column parses it.
  if (kind === 'json' && !isParsed) return sql`cast(${reference} as text)`

  return values || ['boolean', 'integer', 'json', 'text', 'uuid'].includes(kind) ? reference : undefined
}

function toTyped(field: Field): Typed {
  const value = toJsonbValue(field)
  const type = sql`jsonb_typeof(${value})`
  const text = sql`(${value}) #>> '{}'`

  return fromType(
    type,
    JSON_TYPES,
    { string: text, number: sql`(${text})::numeric`, boolean: text },
    sql`"C"`
  )
}

/** An array of several levels would be taken for a list of what is in the innermost ones. */
function toElements(field: Field): Elements {
  const { column } = field
  const reference = sql`alula_element.alula_value`

  if (column.kind === 'list') {
    return {
      isList: sql`array_ndims(${column.reference}) = 1`,
      // After `from`, the function would return a column for each field of a composite type.
      rows: sql`(select unnest(${column.reference}) as alula_value) as alula_element`,
      element: { column: copyWith(toElement(column), { reference }), path: [] }
    }
  }

  const value = toJsonbValue(field)
  const isList = sql`jsonb_typeof(${value}) = 'array'`

  return {
    isList,
    rows: sql`jsonb_array_elements(case when ${isList} then ${value} end) as alula_element(alula_value)`,
    element: { column: copyWith(column, { type: 'jsonb', reference }), path: [] }
  }
}

function toJsonbValue({ column: { type, reference }, path }: Field): Fragment {
  const value = type === 'jsonb' ? reference : sql`${reference}::jsonb`

  return path.reduce<Fragment>((outer, name) => sql`${outer} -> ${name}::text`, value)
}
