import { listAsked } from '../query/asked.ts'
import type { Condition } from '../query/ast.ts'
import { PATTERN_PREDICATES } from '../query/like.ts'
import { parseQuery } from '../query/parse.ts'
import { toPredicate } from '../query/predicate.ts'
import type { StoredCheck } from '../query/stored-check.ts'
import { getFirstName } from '../utils/object.ts'
import { atomically } from './atomic.ts'
import type { StoredRow } from './dialect.ts'
import { hasOneOf } from './locked-rows.ts'
import { allOf } from './logic.ts'
import { countRecords, toRecord } from './read.ts'
import type { Row } from './row.ts'
import type { Column } from './table.ts'
import type { TableHandle } from './table-handle.ts'
import { toExpression } from './where.ts'

/** A row that is written, with the data that it was made of. */
interface Change {
  readonly data: object
  readonly row: Row
}

/** What a call writes. */
interface Writing {
  readonly isNew: boolean
  readonly changes: readonly Change[]
}

/** How many ids a statement has at most. */
const BATCH_IDS = 10_000

/**
 * Writes rows. Where the database may store other values than the data has, in columns that a check is about, the stored rows
 * are checked, and those that do not match take everything back by the error of the check. Anywhere else the data has been
 * checked already. `write` may run more than once.
 */
export async function writeChecked(
  handle: TableHandle,
  check: StoredCheck | undefined,
  writing: Writing,
  write: (handle: TableHandle) => Promise<readonly StoredRow[]>
): Promise<readonly StoredRow[]> {
  if (!check || !mayDiffer(check, writing, handle)) return await write(handle)

  return await atomically(handle.db, async (db) => {
    const current = { ...handle, db }
    const rows = await write(current)

    await assertStored(current, check, rows)

    return rows
  })
}

function mayDiffer({ query }: StoredCheck, { isNew, changes }: Writing, { table }: TableHandle): boolean {
  if (table.isView || table.mayChangeRows) return true

  return listAsked(query).some((path) => {
    const column = table.columns.get(getFirstName(path))

    return column && !changes.every(({ data, row }) => isKept(column, data, row, isNew))
  })
}

/** Whether a column will have the value that access knows: that of the data, null, or the one that it has now. */
function isKept(column: Column, data: object, row: Row, isNew: boolean): boolean {
  const { name, isComputed, isAutoIncrement, isNullable, fallback } = column

  // A number that the database has given stays.
  if (isComputed) return isAutoIncrement && !isNew
  if (!row.has(name)) {
    return isNew ? isNullable && !isAutoIncrement && fallback === undefined : !column.isRenewed
  }

  const given = (data as Record<string, unknown>)[name] ?? undefined

  // A value that the data does not have is null, or the default.
  return given === undefined ? isNullable && row.get(name) === null : keepsValue(column, given)
}

/** Whether a column keeps a value of data as it is. Where it may convert, round or cut it, it does not. */
function keepsValue(column: Column, value: unknown): boolean {
  switch (column.kind) {
    case 'text':
      return typeof value === 'string' && keepsText(column, value)
    case 'integer':
      // It takes nothing but integers; a year of two digits becomes another one.
      return column.type !== 'year' && typeof value !== 'boolean'
    case 'decimal':
    case 'number':
      return typeof value === 'number' && keepsNumber(column, value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'uuid':
      return typeof value === 'string' && value === value.toLowerCase()
    case 'any':
      return ['string', 'number'].includes(typeof value)
    case 'json':
      return true
    default:
      return column.values?.includes(value as string) ?? false
  }
}

/** Types whose values lose blanks at their end. */
const PADDED: readonly string[] = ['char', 'bpchar']

/** A set has one of several orders, and a name of PostgreSQL is cut. */
const CONVERTED: readonly string[] = ['set', 'name']

function keepsText({ type, values, limits, filledTo = 0 }: Column, text: string): boolean {
  if (values) return values.includes(text)
  if (CONVERTED.includes(type) || (PADDED.includes(type) && text.endsWith(' '))) return false
  // It is filled with blanks.
  if ([...text].length < filledTo) return false

  // Too many blanks at its end are cut.
  return limits?.maxLength === undefined || text.length <= limits.maxLength
}

function keepsNumber({ type, isSingle, scale }: Column, number: number): boolean {
  if ((isSingle || type === 'float4') && Math.fround(number) !== number) return false
  if (scale === undefined) return true

  return scale < 0 ? number % 10 ** -scale === 0 : Number(number.toFixed(scale)) === number
}

async function assertStored(
  handle: TableHandle,
  { query, toError }: StoredCheck,
  rows: readonly StoredRow[]
): Promise<void> {
  const { id, table } = handle
  const { where } = parseQuery(query, { trusted: true })
  const rule = toExpression(where, table)
  // The other half is for the rule.
  const size = Math.min(BATCH_IDS, Math.ceil(table.dialect.maxValues / 2))

  for (let start = 0; start < rows.length; start += size) {
    const batch = rows.slice(start, start + size)
    const isOfBatch = hasOneOf(
      batch.map((row) => row[id]),
      handle
    )
    const matching = await countRecords(handle, allOf([isOfBatch, rule]))

    if (matching === batch.length) continue

    // Rows may share an id. Others are not there any more: they have left a view, or a trigger has moved them.
    const present = await countRecords(handle, isOfBatch)

    if (matching !== present) throw toError()
    if (present < batch.length && !matchAsReturned(handle, where, batch)) throw toError()
  }
}

function matchAsReturned(handle: TableHandle, where: Condition, rows: readonly StoredRow[]): boolean {
  const matches = toPredicate(where, PATTERN_PREDICATES)

  return rows.map(toRecord<object>(handle, undefined)).every(matches)
}
