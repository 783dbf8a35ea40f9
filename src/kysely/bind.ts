import { sql } from 'kysely'
import type { Field, Fragment } from './field.ts'
import type { Kind, Table } from './table.ts'
import { toSqlite } from './values.ts'

/** How many digits MySQL has behind the point. */
const MOST_FRACTION_DIGITS = 30

/** A value to compare with, bound. PostgreSQL takes its type from the column, where nothing else says it. */
export function bind(field: Field, value: unknown, { dialect }: Table): unknown {
  const { kind } = field.column

  if (kind === 'json' && typeof value === 'boolean') return String(value)

  switch (dialect) {
    case 'sqlite':
      return toSqlite(value)
    case 'mysql':
      return toMysqlNumber(kind, value)
    case 'postgres': {
      const cast = toCast(field, value)

      return cast === undefined ? value : sql`${value}::${sql.raw(cast)}`
    }
  }
}

/** Text and large integers would be compared as floating point. */
function toMysqlNumber(kind: Kind, value: unknown): unknown {
  if (kind === 'integer' && typeof value === 'bigint') return sql`cast(${String(value)} as decimal(20, 0))`
  if (kind !== 'decimal') return value

  const [, fraction = ''] = String(value).split('.')
  const digits =
    typeof value === 'string' ? Math.min(fraction.length, MOST_FRACTION_DIGITS) : MOST_FRACTION_DIGITS

  return sql`cast(${value} as decimal(65, ${sql.lit(digits)}))`
}

/** Values to compare with, bound as one array of PostgreSQL. Numbers that no integer of the column can be are left out. */
export function bindList(field: Field, values: readonly unknown[]): Fragment {
  const { kind, type } = field.column
  const possible = kind === 'integer' ? values.filter((value) => fits(value, type)) : values
  const cast = possible.map((value) => toCast(field, value)).find((name) => name !== undefined)

  return cast === undefined ? sql`${possible}` : sql`${possible}::${sql.raw(cast)}[]`
}

/** The type of PostgreSQL that a value has to have, where it is not that of the column. */
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

/** Below which number the integers of PostgreSQL are. */
const INTEGER_LIMITS: ReadonlyMap<string, number> = new Map([
  ['int2', 2 ** 15],
  ['int4', 2 ** 31],
  ['int8', 2 ** 53]
])

function fits(value: unknown, type: string): boolean {
  return Number.isInteger(value) && Math.abs(value as number) < (INTEGER_LIMITS.get(type) ?? 0)
}
