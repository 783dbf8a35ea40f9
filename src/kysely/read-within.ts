import type { ParsedQuery } from '../query/ast.ts'
import type { Budget } from '../query/related.ts'
import { TooLargeRelated } from '../relations/budget.ts'
import { countCharacters } from '../utils/size.ts'
import type { Fragment } from './dialect.ts'
import { readRecords } from './read.ts'
import type { TableHandle } from './table-handle.ts'

/** How many rows are read before their size is looked at. */
const PART = 250

/**
 * Reads the records that match, in parts: rows of any size must not be in memory before it is known that there are too many.
 *
 * @param handle The table
 * @param query The query
 * @param where Its conditions
 * @param order Its order, which ends with the id
 * @param budget How much may be read
 * @throws BadRequest for more characters than the budget has
 */
export async function readWithin<Result>(
  handle: TableHandle,
  query: ParsedQuery,
  where: Fragment,
  order: readonly Fragment[],
  { characters }: Budget
): Promise<Result[]> {
  const { limit = Number.POSITIVE_INFINITY, skip } = query
  const records: Result[] = []
  let size = 0

  for (;;) {
    const count = Math.min(PART, limit - records.length)
    const part = await readRecords<Result>(
      handle,
      { ...query, limit: count, skip: skip + records.length },
      where,
      order
    )

    records.push(...part)
    if (part.length < PART || records.length >= limit) return records

    for (const record of part) size += countCharacters(record)
    if (size > characters) throw new TooLargeRelated()
  }
}
