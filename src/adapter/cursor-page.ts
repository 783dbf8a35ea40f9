import type { CursorPage } from '../core/types.ts'
import type { ParsedQuery, Sort } from '../query/ast.ts'
import { createError } from '../utils/developer-error.ts'
import type { Cursors, Key } from './cursors.ts'

/** Which records of an order are read. */
export interface KeyRange {
  /** The key that all come after, and the one that all come before. */
  readonly after: Key | undefined
  readonly before: Key | undefined
  /** Whether those at the end of the order are read, and not those at its start. Either way they come in order. */
  readonly fromEnd: boolean
  readonly limit: number
}

/** A record, and its place in the order. */
export interface Keyed<Result> {
  readonly record: Result
  readonly key: Key
}

/** How a store reads the records that match a query, in a total order. */
export interface KeyedStore<Result> {
  /** Of how many values a key consists. */
  readonly length: number
  /** Reads `limit` records, and says whether there are more in the range. */
  read(range: KeyRange): Promise<{ readonly rows: readonly Keyed<Result>[]; readonly hasMore: boolean }>
  /** Whether a record is at a key, or on one side of it: before it for -1, after it for 1. */
  hasBeside(key: Key, side: 1 | -1): Promise<boolean>
  /** Counts all records that match. */
  count(): Promise<number>
}

/** An order in which no two records have the same place: the id decides last. */
export function toTotalSort(sort: readonly Sort[], id: string): readonly Sort[] {
  const isById = sort.some(({ path }) => path.length === 1 && path[0] === id)

  return isById ? sort : [...sort, { path: [id], direction: 1 }]
}

/**
 * Checks that cursors without encryption show nothing that clients must not see. Throws an Error that names the hidden field.
 */
export function assertShown(sort: readonly Sort[], isHidden: (path: string) => boolean): void {
  const hidden = sort.map(({ path }) => path.join('.')).find((path) => isHidden(path))

  if (hidden === undefined) return

  throw createError(
    'ALULA_MISSING_SECRET',
    `A cursor would show '${hidden}', which is hidden: set 'secret' of authentication, or 'cursor: { secret }' in 'paginate'`
  )
}

/**
 * Reads a page with cursors of a query whose order is total. `counts`: whether a query may have the records counted. Throws
 * BadRequest for a cursor that is none, or one of another query.
 */
export async function readCursorPage<Result>(
  { cursor, limit = Number.POSITIVE_INFINITY }: ParsedQuery,
  store: KeyedStore<Result>,
  { cursors, counts }: { readonly cursors: Cursors; readonly counts: boolean }
): Promise<CursorPage<Result>> {
  const open = async (name: string, text: string | undefined) =>
    text === undefined ? undefined : await cursors.open(name, text, store.length)
  const after = await open('$after', cursor?.after)
  const before = await open('$before', cursor?.before)
  const fromEnd = before !== undefined && after === undefined
  const { rows, hasMore } = await store.read({ after, before, fromEnd, limit })
  const hasBeside = async (key: Key | undefined, side: 1 | -1) =>
    key !== undefined && (await store.hasBeside(key, side))
  const ends = rows.filter((_, index) => index === 0 || index === rows.length - 1)
  // A page of one record begins where it ends.
  const [startCursor = null, endCursor = startCursor] = await Promise.all(
    ends.map(({ key }) => cursors.seal(key))
  )

  return {
    data: rows.map(({ record }) => record),
    limit,
    hasNextPage: (hasMore && !fromEnd) || (await hasBeside(before, 1)),
    hasPreviousPage: (hasMore && fromEnd) || (await hasBeside(after, -1)),
    startCursor,
    endCursor,
    ...(cursor?.total && counts && { total: await store.count() })
  }
}
