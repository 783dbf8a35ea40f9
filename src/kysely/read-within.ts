import type { Key } from '../adapter/cursors.ts'
import type { ParsedQuery } from '../query/ast.ts'
import type { Budget } from '../query/related.ts'
import { TooLargeRelated } from '../relations/budget.ts'
import { countCharacters } from '../utils/size.ts'
import type { Fragment, SortPart } from './dialect.ts'
import { toKeyedStore } from './keyset.ts'
import { isTotal, orderBy } from './order.ts'
import { readRecords } from './read.ts'
import type { TableHandle } from './table-handle.ts'

/** How many rows are read before their size is looked at. */
const PART = 250

/** Reads the next rows, as many as asked for, after a number of others; and whether there may be more. */
type ReadPart<Result> = (
  limit: number,
  offset: number
) => Promise<{ readonly part: readonly Result[]; readonly hasMore: boolean }>

/**
 * Reads the records that match, in parts: rows of any size must not be in memory before it is known that there are too many.
 * Throws BadRequest for more characters than the budget has. `sort` ends with the id.
 */
export async function readWithin<Result>(
  handle: TableHandle,
  query: ParsedQuery,
  where: Fragment,
  sort: readonly SortPart[],
  { characters }: Budget
): Promise<Result[]> {
  const { limit = Number.POSITIVE_INFINITY, skip } = query
  const order = orderBy(sort, handle.table)
  const readByOffset: ReadPart<Result> = async (limit, offset) => {
    const part = await readRecords<Result>(handle, { ...query, limit, skip: skip + offset }, where, order)

    return { part, hasMore: part.length === limit }
  }
  const first = await readByOffset(Math.min(PART, limit), 0)

  // Most lists are this short, and need no keys. Others are read from the start, to continue by key.
  if (!first.hasMore || limit <= PART) return [...first.part]

  assertSize(first.part, characters)

  return await readParts(
    skip === 0 && isTotal(handle.table, handle.id) ? toReadByKey(handle, query, where, sort) : readByOffset,
    limit,
    characters
  )
}

async function readParts<Result>(
  readPart: ReadPart<Result>,
  limit: number,
  characters: number
): Promise<Result[]> {
  const records: Result[] = []
  let left = characters

  for (;;) {
    const { part, hasMore } = await readPart(Math.min(PART, limit - records.length), records.length)

    records.push(...part)
    if (!hasMore || records.length >= limit) return records

    left = assertSize(part, left)
  }
}

/** Continues after the last row of a part. By offset, a row would be missing or come twice when others add or remove rows. */
function toReadByKey<Result>(
  handle: TableHandle,
  query: ParsedQuery,
  where: Fragment,
  sort: readonly SortPart[]
): ReadPart<Result> {
  const store = toKeyedStore<Result>(handle, query, where, sort)
  let after: Key | undefined

  return async (limit) => {
    const { rows, hasMore } = await store.read({ after, before: undefined, fromEnd: false, limit })

    after = rows.at(-1)?.key

    return { part: rows.map(({ record }) => record), hasMore }
  }
}

/** Returns how many characters are left. */
function assertSize(records: readonly unknown[], characters: number): number {
  const left = records.reduce<number>((rest, record) => rest - countCharacters(record), characters)

  if (left < 0) throw new TooLargeRelated()

  return left
}
