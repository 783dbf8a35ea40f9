// Rows that were read along with a page, and the records that calls get of them.
import type { ParsedQuery } from '../query/ast.ts'
import type { StoredRow, Table } from './dialect.ts'
import { FoundBy, type Origin } from './found.ts'
import { sortById } from './order.ts'

/** Rows that were read along with a page, each as an array of its values. */
export class FoundRows extends FoundBy<readonly (readonly unknown[])[]> {
  readonly table: Table
  /** Where the value of each column is that was read. */
  readonly columns: ReadonlyMap<string, number>

  constructor(origin: Origin, column: string, table: Table, columns: ReadonlyMap<string, number>) {
    super(origin, column)
    this.table = table
    this.columns = columns
  }
}

/**
 * The records that a call asks for, where they were read along with a page.
 *
 * @param found What was read
 * @param origin Where the call would read
 * @param query What it would read
 * @returns `undefined` where it asks for anything else
 */
export function toKnownRecords<Result>(
  found: object,
  origin: Origin,
  { where, sort, skip, limit, select }: ParsedQuery
): Result[] | undefined {
  if (!(found instanceof FoundRows) || sort.length > 0 || skip > 0) return undefined
  if (where.kind !== 'compare' || where.operator !== 'in' || where.path.length > 1) return undefined

  const { table, columns } = found
  const names = select ? [...new Set([...select, origin.id])] : [...table.columns.keys()]
  const values = [...new Set(where.value as readonly unknown[])]
  const isRead = names.every((name) => columns.has(name))
  const groups = isRead ? found.find(origin, where.path[0] as string, values) : undefined

  if (!groups) return undefined

  const readers = new Map(table.readers)
  const fields = names.map((name) => ({ name, index: columns.get(name) as number, read: readers.get(name) }))
  const records: StoredRow[] = []

  for (const row of groups.flat()) {
    const record: StoredRow = {}

    for (const { name, index, read } of fields) {
      const value = row[index]

      if (isRounded(value)) return undefined

      record[name] = read ? read(value) : value
    }

    records.push(record)
  }

  return sortById(records, table, origin.id).slice(0, limit) as Result[]
}

/** Whether a number may have lost digits in JSON. */
export function isRounded(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value)
}
