import { sql } from 'kysely'
import type { Fragment, StoredRow } from './dialect.ts'
import { toColumn } from './field.ts'
import { KINDS, toOperand } from './kinds.ts'
import { anyOf, NEVER } from './logic.ts'
import { selectRows } from './read.ts'
import type { Column } from './table.ts'
import { read, type TableHandle } from './table-handle.ts'

/** Some rows without others, each of which takes one away. */
export function withoutRows(rows: readonly StoredRow[], others: readonly StoredRow[]): readonly StoredRow[] {
  if (others.length === 0) return rows

  const rest = new Map<string, number>()

  for (const text of others.map(toRowText)) rest.set(text, (rest.get(text) ?? 0) + 1)

  return rows.filter((row) => {
    const text = toRowText(row)
    const number = rest.get(text) ?? 0

    rest.set(text, number - 1)

    return number <= 0
  })
}

function toRowText(row: StoredRow): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** The rows that match, kept from others until the transaction ends. */
export async function lockRows(handle: TableHandle, where: Fragment): Promise<StoredRow[]> {
  const rows = selectRows(handle).where(where)

  return await read(handle, handle.table.locksRows ? rows.forUpdate() : rows)
}

/** The condition to have one of some ids, as they are stored or were read. A column without an index may hold null. */
export function hasOneOf(ids: readonly unknown[], { id, table }: TableHandle): Fragment {
  const column = toColumn(id, table)
  const field = { column, path: [] }
  const values = ids
    .filter((value) => value !== null)
    .map((value) => {
      if (column.kind === 'integer') return table.dialect.bind(field, toOperand(column, value))
      // As a string, it may be compared as floating point.
      if (column.kind === 'decimal') return table.dialect.bind(field, value)

      // Drivers return bytes that they do not take.
      return value instanceof ArrayBuffer ? Buffer.from(value) : value
    })
  const isListed = values.length > 0 ? sql`${column.reference} in (${sql.join(values)})` : NEVER

  return values.length === ids.length ? isListed : anyOf([isListed, sql`${column.reference} is null`])
}

/** Whether no two rows are equal in a column. In a query values of several types, or two forms of a time, may be equal too. */
export function isUnique(column: Column): boolean {
  return column.isUnique && ['text', 'value'].includes(KINDS[column.kind].form)
}
