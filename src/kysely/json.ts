import { sql } from 'kysely'
import { type Field, type Fragment, toReference } from './field.ts'
import type { Table } from './table.ts'
import { isSound } from './values.ts'

/** What JSON at the end of a path is, as parts of a statement. Each is null where there is nothing of its type. */
export interface Json {
  /** Whether there is no value, or null. */
  readonly isNull: Fragment
  readonly text: Fragment
  readonly number: Fragment
  /** `'true'` or `'false'`. */
  readonly boolean: Fragment
  /** Which type it has, as a number that orders types. */
  readonly rank: Fragment
}

/** Names that cannot be written in a path of SQLite or MySQL. */
const ODD_NAME = /["\\]/

/** What is missing. PostgreSQL has to be told of which type. */
const NOWHERE: Json = {
  isNull: sql`true`,
  text: sql`cast(null as char)`,
  number: sql`cast(null as decimal)`,
  boolean: sql`cast(null as char)`,
  rank: sql`cast(null as decimal)`
}

/** Finds JSON in a column. Paths are bound like values. A step into an array leads nowhere: elements have no names. */
export function toJson(field: Field, table: Table): Json {
  if (field.path.some((name) => isUnreachable(name, table))) return NOWHERE

  switch (table.dialect) {
    case 'sqlite':
      return toSqliteJson(field)
    case 'postgres':
      return toPostgresJson(field)
    case 'mysql':
      return toMysqlJson(field, table)
  }
}

function toSqliteJson(field: Field): Json {
  const column = toReference(field.column)
  const path = toPath(field)
  const type = sql`json_type(${column}, ${path})`
  const value = sql`json_extract(${column}, ${path})`

  return {
    isNull: sql`coalesce(${type}, 'null') = 'null'`,
    text: sql`case when ${type} = 'text' then ${value} end collate binary`,
    number: sql`case when ${type} in ('integer', 'real') then ${value} end`,
    boolean: sql`case when ${type} in ('true', 'false') then ${type} end`,
    rank: sql`case ${type} when 'integer' then 1 when 'real' then 1 when 'text' then 2 when 'true' then 3
      when 'false' then 3 when 'array' then 4 when 'object' then 5 else 0 end`
  }
}

function toPostgresJson({ column, path }: Field): Json {
  const value = path.reduce<Fragment>(
    (outer, name) => sql`${outer} -> ${name}::text`,
    column.type === 'jsonb' ? toReference(column) : sql`${toReference(column)}::jsonb`
  )
  const type = sql`jsonb_typeof(${value})`
  const text = sql`(${value}) #>> '{}'`

  return {
    isNull: sql`coalesce(${type}, 'null') = 'null'`,
    text: sql`(case when ${type} = 'string' then ${text} end) collate "C"`,
    number: sql`(case when ${type} = 'number' then (${text})::numeric end)`,
    boolean: sql`(case when ${type} = 'boolean' then ${text} end)`,
    rank: sql`case ${type} when 'number' then 1 when 'string' then 2 when 'boolean' then 3 when 'array' then 4
      when 'object' then 5 else 0 end`
  }
}

function toMysqlJson(field: Field, { collation }: Table): Json {
  const value = sql`json_extract(${toReference(field.column)}, ${toPath(field)})`
  const type = sql`json_type(${value})`
  const text = sql`convert(json_unquote(${value}) using utf8mb4)`

  return {
    isNull: sql`coalesce(${type}, 'NULL') = 'NULL'`,
    text: sql`(case when ${type} = 'STRING' then ${text} end) collate ${sql.raw(collation)}`,
    number: sql`(case when ${type} in ('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL') then cast(${text} as double) end)`,
    boolean: sql`(case when ${type} = 'BOOLEAN' then ${text} end)`,
    rank: sql`case ${type} when 'INTEGER' then 1 when 'UNSIGNED INTEGER' then 1 when 'DOUBLE' then 1
      when 'DECIMAL' then 1 when 'STRING' then 2 when 'BOOLEAN' then 3 when 'ARRAY' then 4 when 'OBJECT' then 5
      else 0 end`
  }
}

/** A path as SQLite and MySQL write it. */
function toPath({ path }: Field): string {
  return `$${path.map((name) => `."${name}"`).join('')}`
}

/** Whether nothing can be found by a name. */
function isUnreachable(name: string, { dialect }: Table): boolean {
  return !isSound(name) || (dialect !== 'postgres' && ODD_NAME.test(name))
}
