import { type Kysely, sql } from 'kysely'
import { type Dialect, findDialect } from './dialect.ts'
import { type Column, type Table, toKind, toSqliteKind } from './table.ts'

/** Where a table is, as the plugins of a Kysely instance have it, `withSchema` among them. */
interface Place {
  readonly schema: string | undefined
  readonly name: string
}

/** A column before the rest of the table is known. */
type PartialColumn = Pick<Column, 'name' | 'kind' | 'type' | 'isNullable'> & Partial<Column>

const READERS: { readonly [dialect in Dialect]: (db: Kysely<any>, place: Place) => Promise<Table> } = {
  mysql: readMysqlTable,
  postgres: readPostgresTable,
  sqlite: readSqliteTable
}

/** Collations that order text by its code points. */
const ORDERED_COLLATIONS = ['C', 'POSIX', 'C.UTF-8', 'C.utf8', 'ucs_basic']

/**
 * Reads from the database what a table is made of.
 *
 * @param db Through what to ask: a Kysely instance or a transaction
 * @param source What a query selects from, in the Kysely instance that is configured
 * @throws Error when there is no such table
 */
export async function readTable(db: Kysely<any>, source: { compile(): { query: any } }): Promise<Table> {
  const place = findPlace(source)
  const table = await READERS[findDialect(db)](db.withoutPlugins(), place)

  if (table.columns.size === 0) throw new Error(`The database has no table '${place.name}'`)

  return table
}

function findPlace(source: { compile(): { query: any } }): Place {
  const { schema, identifier } = source.compile().query.from.froms[0].table

  return { schema: schema?.name, name: identifier.name }
}

async function readSqliteTable(db: Kysely<any>, { schema, name }: Place): Promise<Table> {
  const { rows } = await sql<any>`
    select name, type, "notnull" as required, dflt_value as fallback, pk, hidden
    from pragma_table_xinfo(${name}, ${schema ?? 'main'}) where hidden <> 1`.execute(db)
  const keys = rows.filter((row) => row.pk > 0).length
  const definition = await readDefinition(db, { schema, name })
  // No column has a collation of its own when the definition does not have the word.
  const isOrdered = definition !== '' && !/collate/i.test(definition)
  const countsOn = /autoincrement/i.test(definition)

  return {
    dialect: 'sqlite',
    name,
    columns: toColumns(
      rows.map((row) => ({
        name: row.name,
        kind: toSqliteKind(row.type),
        type: row.type.toLowerCase(),
        // A driver may be told to give a bigint for each integer.
        isNullable: Number(row.required) === 0,
        isComputed: Number(row.hidden) !== 0,
        // An alias of the number of the row (https://sqlite.org/lang_createtable.html#rowid).
        isCounted: row.pk > 0 && keys === 1 && /^integer$/i.test(row.type),
        countsOn: countsOn && row.pk > 0,
        isOrdered,
        fallback: row.fallback ?? undefined
      }))
    ),
    constraints: new Map(),
    collation: 'binary',
    returning: { insert: true, update: true, delete: true }
  }
}

/** How a table was made; empty for what is none, such as a view. */
async function readDefinition(db: Kysely<any>, { schema, name }: Place): Promise<string> {
  const { rows } = await sql<{ definition: string }>`
    select sql as definition from ${sql.id(schema ?? 'main', 'sqlite_master')}
    where name = ${name} collate nocase and sql like 'CREATE TABLE %'`.execute(db)

  return rows[0]?.definition ?? ''
}

async function readPostgresTable(db: Kysely<any>, { schema, name }: Place): Promise<Table> {
  const table = sql`to_regclass(${[schema, name].filter(isText).map(quote).join('.')})`
  const columns = await sql<any>`
    select a.attname as name, t.typname as type, t.typcategory as category, a.attnotnull as required,
      a.attidentity as identity, a.attgenerated as generated, pg_get_expr(d.adbin, d.adrelid) as fallback,
      pg_get_serial_sequence(a.attrelid::regclass::text, a.attname) as sequence,
      case when c.collname = 'default' then current_setting('lc_collate') else c.collname end as collation,
      coalesce(c.collisdeterministic, true) as exact
    from pg_attribute a join lateral (
        with recursive base as (
          select * from pg_type where oid = a.atttypid
          union all select t.* from pg_type t join base on base.typtype = 'd' and t.oid = base.typbasetype
        ) select * from base where typtype <> 'd') t on true
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      left join pg_collation c on c.oid = a.attcollation
    where a.attrelid = ${table} and a.attnum > 0 and not a.attisdropped order by a.attnum`.execute(db)
  const constraints = await sql<any>`
    select c.relname as name, array(select attname::text from pg_attribute
      where attrelid = i.indrelid and attnum = any(i.indkey)) as columns
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = ${table} and i.indisunique
    union all select conname, array(select attname::text from pg_attribute
      where attrelid = conrelid and attnum = any(conkey))
    from pg_constraint where conrelid = ${table} and contype in ('c', 'f')`.execute(db)

  return {
    dialect: 'postgres',
    name,
    columns: toColumns(
      columns.rows.map((row) => ({
        name: row.name,
        kind: row.category === 'A' ? 'list' : toKind(row.type),
        type: row.type,
        isNullable: !row.required,
        isComputed: row.generated !== '' || row.identity === 'a',
        isCounted: row.sequence !== null,
        fallback: row.fallback ?? undefined,
        sequence: row.sequence ?? undefined,
        isExact: row.exact,
        isOrdered: ORDERED_COLLATIONS.includes(row.collation),
        isParsed: true
      }))
    ),
    constraints: new Map(constraints.rows.map((row) => [row.name, row.columns])),
    collation: 'C',
    returning: { insert: true, update: true, delete: true }
  }
}

async function readMysqlTable(db: Kysely<any>, { schema, name }: Place): Promise<Table> {
  const inTable = sql`table_schema = coalesce(${schema ?? null}, database()) and table_name = ${name}`
  const server = await sql<any>`
    select version() as version, @@sql_mode as mode, json_array('a') as json, collation_name as collation from information_schema.collations
    where collation_name in ('utf8mb4_0900_bin', 'utf8mb4_nopad_bin') limit 1`.execute(db)

  // The driver puts values into statements, and protects quotes by a backslash.
  if (/NO_BACKSLASH_ESCAPES/.test(server.rows[0].mode)) {
    throw new Error('The SQL mode NO_BACKSLASH_ESCAPES is not supported: a quote in a value would end it')
  }

  const columns = await sql<any>`
    select column_name as name, data_type as type, column_type as full, is_nullable as nullable, extra as extra,
      column_default as fallback, character_set_name as charset, collation_name as collation
    from information_schema.columns where ${inTable} order by ordinal_position`.execute(db)
  const keys = await sql<any>`
    select index_name as name, column_name as field from information_schema.statistics
    where ${inTable} and non_unique = 0`.execute(db)
  const { version, json: parsed, collation } = server.rows[0]
  const isMariadb = /mariadb/i.test(version)
  const checks = isMariadb
    ? await sql<any>`
        select constraint_name as name, check_clause as clause from information_schema.check_constraints
        where constraint_schema = coalesce(${schema ?? null}, database()) and table_name = ${name}`.execute(
        db
      )
    : await sql<any>`
        select c.constraint_name as name, c.check_clause as clause from information_schema.check_constraints c
        join information_schema.table_constraints t
          on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
        where t.table_schema = coalesce(${schema ?? null}, database()) and t.table_name = ${name}`.execute(db)
  // MariaDB has no type for JSON: it is text with a check.
  const json = checks.rows.flatMap(({ clause }) => /^json_valid\(`(.*)`\)$/i.exec(clause)?.[1] ?? [])

  return {
    dialect: 'mysql',
    name,
    columns: toColumns(
      columns.rows.map((row) => ({
        name: row.name,
        kind: toMysqlKind(row, json),
        type: row.type,
        isNullable: row.nullable === 'YES',
        isComputed: /\b(?:virtual|stored|persistent) generated\b/i.test(row.extra),
        isCounted: /auto_increment/i.test(row.extra),
        countsOn: /auto_increment/i.test(row.extra),
        fallback: row.fallback === 'NULL' ? undefined : (row.fallback ?? undefined),
        isExact: row.collation === collation,
        isOrdered: row.collation === collation,
        charset: row.charset ?? undefined,
        // It depends on the driver and on its settings.
        isParsed: typeof parsed === 'object'
      }))
    ),
    constraints: toConstraints(
      keys.rows,
      checks.rows,
      columns.rows.map((row) => row.name)
    ),
    collation,
    returning: { insert: isMariadb, update: false, delete: isMariadb }
  }
}

function toMysqlKind(
  row: { name: string; type: string; full: string },
  json: readonly string[]
): Column['kind'] {
  if (json.includes(row.name)) return 'json'

  // What BOOLEAN is short for.
  return row.full === 'tinyint(1)' ? 'boolean' : toKind(row.type)
}

function toConstraints(
  keys: readonly { name: string; field: string }[],
  checks: readonly { name: string; clause: string }[],
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

function toColumns(columns: readonly PartialColumn[]): Map<string, Column> {
  const defaults = {
    isComputed: false,
    isCounted: false,
    countsOn: false,
    isExact: true,
    isOrdered: true,
    isParsed: false
  }

  return new Map(columns.map((column) => [column.name, { ...defaults, ...column }]))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
