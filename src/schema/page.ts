// What of a result is a page, and the records of a result.
import { isStandardMethod } from '../core/methods.ts'
import type { HookContext } from '../core/types.ts'
import { CURSOR_FIELDS } from '../query/operators.ts'

/** A page, as `find` of an adapter returns it. */
export interface Page {
  readonly total?: number
  readonly limit: number
  /** Missing where the page has cursors. */
  readonly skip?: number
  readonly data: readonly unknown[]
  readonly hasNextPage?: boolean
  readonly hasPreviousPage?: boolean
  readonly startCursor?: string | null
  readonly endCursor?: string | null
}

/** Decides whether a value is a page. */
export type PageTest = (value: unknown) => value is Page

const PAGE_FIELDS: readonly string[] = /* @__PURE__ */ ['total', 'limit', 'skip', 'data'].concat(
  CURSOR_FIELDS
)

/** Whether pages have a field. */
export function isPageField(name: string): boolean {
  return PAGE_FIELDS.includes(name)
}

/** Whether a result of `find` is a page. */
export function isPage(result: unknown): result is Page {
  const { data, limit, skip, hasNextPage } = (result ?? {}) as Partial<Page>

  return (
    Array.isArray(data) &&
    typeof limit === 'number' &&
    (typeof skip === 'number' || typeof hasNextPage === 'boolean')
  )
}

function isBarePage(result: unknown): result is Page {
  return isPage(result) && Object.keys(result).every(isPageField)
}

/** For results that are no pages, whatever fields they have. */
export function isNoPage(_result: unknown): _result is Page {
  return false
}

/**
 * Decides what of the results of a method is a page; data of no call has no method. A record may have the fields of one: of the
 * standard methods only `find` returns pages, and what any other returns is one only without further fields.
 */
export function toPageTest(method: string | undefined): PageTest {
  if (method === 'find') return isPage

  return method !== undefined && isStandardMethod(method) ? isNoPage : isBarePage
}

/** What leaves of a result: a record, a list of records, or a page of them. */
export function pickResult(result: unknown, pick: (record: unknown) => unknown, isPage: PageTest): unknown {
  if (Array.isArray(result)) return result.map(pick)
  if (!isPage(result)) return pick(result)

  const { total, limit, skip, data } = result
  const cursors = Object.fromEntries(
    CURSOR_FIELDS.filter((name) => name in result).map((name) => [name, (result as Partial<Page>)[name]])
  )
  const page =
    skip === undefined
      ? { data: data.map(pick), limit, ...cursors }
      : { limit, skip, data: data.map(pick), ...cursors }

  return total === undefined ? page : { total, ...page }
}

/** The records of a result. */
export function toRecords(result: unknown, isPage: PageTest): readonly unknown[] {
  if (Array.isArray(result)) return result
  if (isPage(result)) return result.data

  return result === undefined || result === null ? [] : [result]
}

/** The records of the result of a call. */
export function listRecords({ result, method }: Pick<HookContext, 'result' | 'method'>): readonly unknown[] {
  return toRecords(result, toPageTest(method))
}
