import { type AliasedRawBuilder, sql } from 'kysely'
import type { KeyedStore } from '../adapter/cursor-page.ts'
import type { Key } from '../adapter/cursors.ts'
import type { ParsedQuery } from '../query/ast.ts'
import type { Fragment, SortPart, StoredRow, Table } from './dialect.ts'
import { toFreeNames } from './field.ts'
import { ALWAYS, allOf, anyOf, NEVER } from './logic.ts'
import { orderBy } from './order.ts'
import type { PrefetchReader } from './prefetch/reader.ts'
import { countRecords, selectSection, toRecords } from './read.ts'
import { read, type TableHandle } from './table-handle.ts'

/**
 * The rows that match, as pages with cursors read them: from a key on, by conditions that an index serves, and not by counting
 * the rows before a page.
 */
export function toKeyedStore<Result>(
  handle: TableHandle,
  query: ParsedQuery,
  where: Fragment,
  parts: readonly SortPart[],
  reader?: PrefetchReader
): KeyedStore<Result> {
  const { table } = handle
  const names = toFreeNames(table, parts.length, 'key')
  const select = (condition: Fragment, fromEnd: boolean, limit: number) =>
    selectSection(
      handle,
      { ...query, limit: Number.isFinite(limit) ? limit : undefined, skip: 0 },
      condition,
      orderBy(toDirection(parts, fromEnd ? -1 : 1), table)
    )

  return {
    length: parts.length,

    async read({ after, before, fromEnd, limit }) {
      const condition = allOf([
        where,
        after ? toBeside(after, parts, 1, table) : ALWAYS,
        before ? toBeside(before, parts, -1, table) : ALWAYS
      ])

      if (condition === NEVER) return { rows: [], hasMore: false }

      const { selections = [] } = reader ?? {}
      const keys = parts.map((part, index) => table.dialect.toKeyText(part).as(names[index] as string))
      const all = await read(
        handle,
        select(condition, fromEnd, limit + 1).select([...(keys as AliasedRawBuilder[]), ...selections])
      )
      const rows = fromEnd ? all.slice(0, limit).reverse() : all.slice(0, limit)
      const records = toRecords<Result>(rows, handle, query, reader, true)

      return {
        rows: records.map((record, index) => ({ record, key: toKey(rows[index] as StoredRow, names) })),
        hasMore: all.length > limit
      }
    },

    async hasBeside(key, side) {
      const condition = allOf([where, toBeside(key, parts, side, table, ALWAYS)])
      const rows = condition === NEVER ? [] : await read(handle, select(condition, side === -1, 1))

      return rows.length > 0
    },

    count: () => countRecords(handle, where)
  }
}

function toKey(row: StoredRow, names: readonly string[]): Key {
  return names.map((name) => {
    const text = row[name]

    return text === null || text === undefined ? null : String(text)
  })
}

function toDirection(parts: readonly SortPart[], side: 1 | -1): readonly SortPart[] {
  return side === 1 ? parts : parts.map((part) => ({ ...part, direction: part.direction === 1 ? -1 : 1 }))
}

/**
 * The rows on one side of a key, by the first value that differs: on side 1 those after the key, on side -1 those before it.
 * `same` says whether a row at the key is one of them. A condition on the first value alone comes before the others: a database
 * finds the start of the range by it in an index.
 */
function toBeside(key: Key, sort: readonly SortPart[], side: 1 | -1, table: Table, same = NEVER): Fragment {
  const parts = toDirection(sort, side).map((part, index) => {
    const text = key[index] ?? null
    const value = text === null ? undefined : sql`${table.dialect.bindKey(text, part)}`

    return compareWithKey(part, value)
  })
  const beside = parts.reduceRight(
    (others, { isBeyond, isSame }) => anyOf([isBeyond, allOf([isSame, others])]),
    same
  )

  return parts.length > 1 ? allOf([parts[0]?.isFrom ?? ALWAYS, beside]) : beside
}

/** How a value may compare with that of a key. Null is before all others. */
function compareWithKey(
  { value, direction, isNullable }: SortPart,
  bound: Fragment | undefined
): { readonly isBeyond: Fragment; readonly isSame: Fragment; readonly isFrom: Fragment } {
  const isNull = sql`${value} is null`

  if (!bound) {
    return direction === 1
      ? { isBeyond: sql`${value} is not null`, isSame: isNull, isFrom: ALWAYS }
      : { isBeyond: NEVER, isSame: isNull, isFrom: isNull }
  }

  const isSame = sql`${value} = ${bound}`

  if (direction === 1)
    return { isBeyond: sql`${value} > ${bound}`, isSame, isFrom: sql`${value} >= ${bound}` }

  const orNull = isNullable ? isNull : NEVER

  return {
    isBeyond: anyOf([sql`${value} < ${bound}`, orNull]),
    isSame,
    isFrom: anyOf([sql`${value} <= ${bound}`, orNull])
  }
}
