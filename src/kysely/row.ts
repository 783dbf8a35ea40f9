import { BadRequest } from '../errors.ts'
import { isGiven } from '../utils/check.ts'
import { setOwn } from '../utils/object.ts'
import { toColumn } from './field.ts'
import { toStored } from './kinds.ts'
import { type Column, holdsUuid } from './table.ts'
import type { TableHandle } from './table-handle.ts'

/** A row to be: what is stored by the names of the columns. */
export type Row = Map<string, unknown>

/**
 * Converts data into what is stored. What is `undefined` was not given; what the database computes is left to it. Throws
 * BadRequest that names a field that is no column, or whose value has another type.
 */
export function toRow(data: object, handle: TableHandle): Row {
  const { table, id } = handle
  const row: Row = new Map()

  for (const [name, value] of Object.entries(data)) {
    const column = toColumn(name, table)

    if (value === undefined || name === id || column.isComputed) continue

    row.set(name, toStoredField(column, value, handle))
  }

  return row
}

/**
 * A row in which every field that was not given is what it is without: null, or the default where it cannot be null. `id` is
 * the id column of the service, which stays where the call names its record by another one.
 */
export function toWholeRow(data: object, handle: TableHandle, id: string): Row {
  const row = toRow(data, handle)

  for (const column of handle.table.columns.values()) {
    // What the call has named the record by stays, unless the data has another value.
    if ([id, handle.id, handle.by].includes(column.name) || row.has(column.name)) continue
    // What the database computes or numbers stays too.
    if (column.isComputed || (column.isAutoIncrement && !column.isNullable)) continue

    row.set(
      column.name,
      column.isNullable || column.fallback === undefined ? null : handle.table.dialect.toDefault(column)
    )
  }

  return row
}

/**
 * Converts data into a row, as `toRow` does, with the id that it is given. Where the database makes none, an id is made here.
 */
export function toNewRow(data: object, handle: TableHandle): Row {
  const { id, table } = handle
  const row = toRow(data, handle)
  const given = (data as Record<string, unknown>)[id]
  const column = toColumn(id, table)

  if (isGiven(given)) {
    row.set(id, toStoredField(column, column.kind === 'text' ? String(given) : given, handle))
  } else if (needsId(column, handle)) {
    row.set(id, crypto.randomUUID())
  } else if (table.dialect.storesNoId?.(column)) {
    throw new BadRequest(`Invalid data: '${id}' must not be null`, { errors: { [id]: 'is required' } })
  }

  return row
}

/**
 * Converts a value that was given. Throws BadRequest for one that cannot be, and for one that would leave few to count, or
 * none.
 */
function toStoredField(column: Column, given: unknown, { table }: TableHandle): unknown {
  const stored = toStored(column, given, table)

  if (column.continuesFromMax && typeof stored === 'bigint') {
    const expectation = 'expects a number below 2^53'

    throw new BadRequest(`Invalid data: '${column.name}' ${expectation}`, {
      errors: { [column.name]: expectation }
    })
  }

  return stored
}

/** Whether an id of this kind is made here: the database does not, or would not tell. */
function needsId(column: Column, { table }: TableHandle): boolean {
  const { isAutoIncrement, fallback } = column

  return holdsUuid(column) && !isAutoIncrement && (fallback === undefined || !table.returning.insert)
}

/** What a row has, by the names of its columns. `Object.fromEntries()` makes objects that take longer to write and to read. */
export function toValues(row: Row): Record<string, unknown> {
  const values = {}

  for (const [name, value] of row) setOwn(values, name, value)

  return values
}
