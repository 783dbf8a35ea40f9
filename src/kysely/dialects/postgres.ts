import { sql } from 'kysely'
import type { AnyKysely } from '../any-kysely.ts'
import type { Dialect, Field, Fragment, Place, Typed } from '../dialect.ts'
import { fromType, type TypeNames } from '../json.ts'
import { ESCAPE, toLikePattern } from '../like-pattern.ts'
import { fromSqlState } from '../sql-states.ts'
import { type Column, type Kind, type TableDescription, toColumns, toKind, toLength } from '../table.ts'

/** Locales whose collations order text by its code points, if ICU has nothing to do with them. */
const ORDERED_LOCALES: readonly unknown[] = ['C', 'POSIX', 'C.UTF-8', 'C.utf8', 'PG_UNICODE_FAST']

/** Below which number the integers of a type are. */
const INTEGER_LIMITS: ReadonlyMap<string, number> = new Map([
  ['int2', 2 ** 15],
  ['int4', 2 ** 31],
  ['int8', 2 ** 53]
])

const JSON_TYPES: TypeNames = ['null', ['number'], ['string'], ['boolean'], ['array'], ['object']]

/** PostgreSQL, through `pg`. */
export const postgres: Dialect = {
  name: 'PostgreSQL',
  probe: '"a" = $1',
  readTable,

  // They are counted with two bytes, and more would begin again.
  maxValues: 65_535,
  unlimited: sql.raw('all'),
  toParameter: (value) => value,
  bind(field, value) {
    if (field.column.kind === 'json' && typeof value === 'boolean') return String(value)

    const cast = toCast(field, value)

    // The column says which type it is, where nothing else does.
    return cast === undefined ? value : sql`${value}::${sql.raw(cast)}`
  },
  isOneOfMany(subject, field, values) {
    const { kind, type } = field.column
    // No integer of the column equals the others.
    const possible = kind === 'integer' ? values.filter((value) => fits(value, type)) : values
    const cast = possible.map((value) => toCast(field, value)).find((name) => name !== undefined)

    return cast === undefined
      ? sql`${subject} = any(${possible})`
      : sql`${subject} = any(${possible}::${sql.raw(cast)}[])`
  },
  toDefault: () => sql`default`,

  // What is no text, such as an enum, has an order of its own, and `citext` has no difference of upper and lower case.
  toOrderedText: (column) =>
    column.kind === 'text' && column.isOrdered
      ? column.reference
      : sql`${column.reference}::text collate "C"`,
  toTime: (column) => column.reference,
  toExact: (column) => (column.type === 'int8' ? sql`${column.reference}::text` : undefined),
  // A cast takes the blanks away that fill a column of a fixed length, and that records have.
  toText: ({ reference, type, length }) =>
    type === 'bpchar' && length !== undefined
      ? sql`rpad(${reference}::text, ${sql.lit(length)})`
      : sql`cast(${reference} as text)`,
  toTyped,
  toLike: (text, pattern) => sql`${text}::text collate "C" like ${toLikePattern(pattern)} escape ${ESCAPE}`,
  toLetterLike: (text, pattern) =>
    sql`lower(${text}::text collate "C") like ${toLikePattern(pattern)} escape ${ESCAPE}`,
  json: {
    toValue: toJsonValue,
    toRow: (values) => sql`json_build_array(${sql.join(values)})::text`,
    toList: (values) => sql`json_agg(json_build_array(${sql.join(values)}))::text`
  },
  toOrder(value, direction, isNullable) {
    if (!isNullable) return direction === 1 ? sql`${value} asc` : sql`${value} desc`

    return direction === 1 ? sql`${value} asc nulls first` : sql`${value} desc nulls last`
  },

  storesNoId: () => false,
  numbersZero: false,
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

  hasOneConnection: false,
  abortsOnError: true,
  staysBusy: true,
  failsEmptyCommit: false,
  isAlive: (transaction) =>
    sql`select 1`.execute(transaction).then(
      () => true,
      () => false
    ),

  toErrorKind({ code, message }) {
    const kind = fromSqlState(code)

    return kind === 'reference' && namesReferrer(String(message)) ? 'referenced' : kind
  },
  toErrorNames: ({ column, constraint }) => [column ?? constraint].filter((name) => typeof name === 'string'),
  toReferrer: ({ table }) => (typeof table === 'string' ? table : undefined)
}

/** A column, as the database describes it. */
interface ColumnRow {
  readonly name: string
  readonly type: string
  /** The type of the elements of an array. */
  readonly element: string | null
  readonly required: boolean
  readonly identity: string
  readonly generated: string
  readonly fallback: string | null
  readonly sequence: string | null
  /** Its type as a definition has it. */
  readonly full: string
  readonly collation: string | null
  /** The locale of its collation; null where ICU compares its text. */
  readonly locale: string | null
  readonly exact: boolean
  readonly indexed: boolean
  readonly single: boolean
  readonly values: string[] | null
  readonly view: boolean
}

/**
 * The locale of the database, null for one of ICU. What versions do not have in common is read as JSON: 15 has the
 * provider, 17 a name for `datlocale`.
 */
const DATABASE_LOCALE = sql`(
  select case coalesce(to_jsonb(b) ->> 'datlocprovider', 'c') when 'c' then b.datcollate
    when 'b' then to_jsonb(b) ->> 'datlocale' end
  from pg_database b where b.datname = current_database())`

async function readTable(db: AnyKysely, { schema, name }: Place): Promise<TableDescription> {
  const path = schema === undefined ? [name] : [schema, name]
  const table = sql`to_regclass(${path.map(quote).join('.')})`
  const columns = await sql<ColumnRow>`
    select a.attname as name, t.typname as type, e.typname as element, a.attnotnull or t.strict as required,
      a.attidentity as identity, a.attgenerated as generated,
      coalesce(pg_get_expr(d.adbin, d.adrelid), t.fallback) as fallback,
      pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) as sequence,
      format_type(a.atttypid, a.atttypmod) as full,
      c.collname as collation,
      case c.collprovider when 'd' then ${DATABASE_LOCALE} when 'c' then c.collcollate
        when 'b' then to_jsonb(c) ->> 'colllocale' end as locale,
      coalesce(c.collisdeterministic, true) as exact,
      case when t.typtype = 'e' then array(select enumlabel::text from pg_enum
        where enumtypid = t.oid order by enumsortorder) end as values,
      exists (select from pg_index i join pg_class o on o.oid = i.indexrelid join pg_am m on m.oid = o.relam
        where i.indrelid = a.attrelid and i.indkey[0] = a.attnum and i.indcollation[0] = a.attcollation
          and i.indisvalid and i.indpred is null and m.amname in ('btree', 'hash')) as indexed,
      exists (select from pg_index where indrelid = a.attrelid and indkey[0] = a.attnum and indnkeyatts = 1
          and indisunique and indisvalid and indimmediate and indpred is null)
        and not exists (select from pg_inherits join pg_class on oid = inhparent
          where inhparent = a.attrelid and relkind <> 'p') as single,
      (select relkind in ('v', 'm') from pg_class where oid = a.attrelid) as view
    from pg_attribute a join lateral (
        with recursive base as (
          select oid, typname, typcategory, typtype, typelem, typbasetype, typnotnull as strict,
            typdefault as fallback
          from pg_type where oid = a.atttypid
          union all select t.oid, t.typname, t.typcategory, t.typtype, t.typelem, t.typbasetype,
            base.strict or t.typnotnull, coalesce(base.fallback, t.typdefault)
          from pg_type t join base on base.typtype = 'd' and t.oid = base.typbasetype
        ) select * from base where typtype <> 'd') t on true
      left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      left join pg_collation c on c.oid = a.attcollation
    where a.attrelid = ${table} and a.attnum > 0 and not a.attisdropped order by a.attnum`.execute(db)
  const constraints = await sql<{ name: string; columns: string[] }>`
    select c.relname as name, array(select attname::text from pg_attribute
      where attrelid = i.indrelid and attnum = any(i.indkey)) as columns
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = ${table} and i.indisunique
    union all select conname, array(select attname::text from pg_attribute
      where attrelid = conrelid and attnum = any(conkey))
    from pg_constraint where conrelid = ${table} and contype in ('c', 'f')`.execute(db)

  return {
    name,
    columns: toColumns(
      columns.rows.map((row) => {
        const kind: Kind = row.element === null ? toKind(row.type) : 'list'

        return {
          name: row.name,
          kind,
          type: row.element === null ? row.type : `${row.element}[]`,
          elementKind: row.element === null ? undefined : toElementKind(row.element),
          isNullable: !row.required,
          length: toLength(row.full),
          isComputed: row.generated !== '' || row.identity === 'a',
          isAutoIncrement: row.sequence !== null || /^nextval\(/.test(row.fallback ?? ''),
          isIndexed: row.indexed,
          isUnique: row.single,
          fallback: row.fallback ?? undefined,
          sequence: row.sequence ?? undefined,
          // What is no text is compared by its text.
          isExact: row.exact && kind !== 'other' && row.type !== 'citext',
          collation: row.collation ?? undefined,
          isOrdered: ORDERED_LOCALES.includes(row.locale) && row.type !== 'citext',
          isParsed: true,
          values: row.values ?? undefined
        }
      })
    ),
    isView: columns.rows.some(({ view }) => view),
    constraints: new Map(constraints.rows.map((row) => [row.name, row.columns])),
    collation: 'C',
    returning: { insert: true, update: true, delete: true }
  }
}

/**
 * Whether an error about a foreign key is that of the table that others refer to. In every language its message quotes
 * that table, the key and the table that refers; the message for a reference to nothing quotes the last two.
 */
function namesReferrer(message: string): boolean {
  return (message.match(/["«»„“”‚‘「」]/g)?.length ?? 0) >= 6
}

/** Drivers return large integers in lists as strings, as they do decimals. */
function toElementKind(type: string): Kind {
  return type === 'int8' ? 'decimal' : toKind(type)
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
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
      return type === 'float4' && Math.abs(value as number) > 3e38 ? 'float8' : undefined
    case 'date':
    case 'day':
      return type === 'timestamptz' ? undefined : 'timestamp'
    default:
      return undefined
  }
}

function fits(value: unknown, type: string): boolean {
  return Number.isInteger(value) && Math.abs(value as number) < (INTEGER_LIMITS.get(type) ?? 0)
}

/** Drivers can be told how to read numbers and times; they read the others alike. */
function toJsonValue({ kind, values, reference }: Column): Fragment | undefined {
  return values || ['boolean', 'integer', 'json', 'text', 'uuid'].includes(kind) ? reference : undefined
}

function toTyped({ column, path }: Field): Typed {
  const value = path.reduce<Fragment>((outer, name) => sql`${outer} -> ${name}::text`, toJsonb(column))
  const type = sql`jsonb_typeof(${value})`
  const text = sql`(${value}) #>> '{}'`

  return fromType(
    type,
    JSON_TYPES,
    { string: text, number: sql`(${text})::numeric`, boolean: text },
    sql`"C"`
  )
}

function toJsonb(column: Column): Fragment {
  return column.type === 'jsonb' ? column.reference : sql`${column.reference}::jsonb`
}
