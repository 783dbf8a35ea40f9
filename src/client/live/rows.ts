// The rows of a list, and what an event makes of them. Where the rows alone do not say that, the list is fetched again.
import { createTypeError } from '../../utils/developer-error.ts'
import { isSamePlain } from '../../utils/object.ts'
import type { Decider } from './decide.ts'

/** What has happened to a record. `patched` stands for `updated` too. */
export interface Change {
  readonly kind: 'created' | 'patched' | 'removed'
  readonly record: unknown
}

/** Where a record comes among others, and whether that is known. */
interface Place {
  readonly index: number
  readonly isKnown: boolean
}

/** The rows of a query. */
export class Rows {
  /** A new array after each change. */
  list: readonly any[] = []
  private readonly decider: Decider | undefined
  private readonly idField: string | undefined
  private limit: number | undefined
  private hasBefore = false
  private hasMore = false
  /** Whether it is known how many rows there are at most: an envelope may not say it. */
  private isLimitKnown = true
  /** Whether the rows are in an order that can be seen here. */
  private isOrdered = true
  /** Whether rows that are equal for `$sort` are in the order of their ids; otherwise it is that of their creation. */
  private isById = true
  /** The names of fields that all rows had so far, and those that some had. */
  private always: ReadonlySet<string> | undefined
  private readonly sometimes = new Set<string>()

  constructor(decider: Decider | undefined, idField: string | undefined) {
    this.decider = decider
    this.idField = idField
  }

  /** The id of a record; `undefined` for anything else. */
  toId(record: unknown): unknown {
    if (typeof record !== 'object' || record === null) return undefined

    return (record as any)[this.idField ?? ('id' in record ? 'id' : '_id')]
  }

  /** Takes the result of `find`; a TypeError says that it has no records. */
  load(result: unknown): void {
    const page = toPage(result)
    const { list, total, limit = this.decider?.limit, skip = this.decider?.skip ?? 0 } = page
    const isFull = list.length >= (limit ?? Number.POSITIVE_INFINITY)

    this.isLimitKnown = page.limit !== undefined || Array.isArray(result)
    this.limit = limit
    this.hasBefore = page.hasPreviousPage ?? skip > 0
    this.hasMore = page.hasNextPage ?? (total === undefined ? isFull : skip + list.length < total)
    this.list = this.share(list)
    this.learn()
  }

  /** Changes the rows as the query wants it. Returns whether they are those that `find` would return now; otherwise they have to be fetched again. */
  apply({ kind, record }: Change): boolean {
    const id = this.toId(record)

    if (id === undefined) return false

    const index = this.list.findIndex((row) => this.toId(row) === id)

    if (kind === 'removed') return this.remove(index)

    const matches = this.decider?.matches(record as object)

    if (matches === undefined) return false
    if (!matches) return this.remove(index) || (index === -1 && kind === 'created')
    if (!this.isWhole(record as object)) return false

    return this.put(index, record, kind === 'created')
  }

  /** Another record moves into a window in place of the removed one, or all of them do for one that was before it. */
  private remove(index: number): boolean {
    if (index === -1) return this.decider !== undefined && !this.hasBefore

    this.list = this.list.toSpliced(index, 1)

    return this.decider !== undefined && !this.hasMore && this.isLimitKnown
  }

  private put(from: number, record: any, isCreated: boolean): boolean {
    const { compare } = this.decider as Decider

    if (from >= 0 && compare(this.list[from], record) === 0) {
      this.list = this.list.with(from, record)
      return true
    }

    const others = from >= 0 ? this.list.toSpliced(from, 1) : this.list
    const place = this.findPlace(others, record, isCreated)
    const { index } = place
    const isKnown = place.isKnown && this.isLimitKnown
    const isNew = from === -1
    // A record that was in the list before it was changed, or not, and maybe before the window.
    const isShifted = this.hasBefore && isNew && !isCreated
    const isLast = index === others.length && this.hasMore

    // After the window.
    if (isLast && isNew && isKnown) return !isShifted

    this.list = others.toSpliced(index, 0, record)

    if (this.limit !== undefined && this.list.length > this.limit) {
      this.list = this.list.slice(0, this.limit)
      this.hasMore = true
    }

    return isKnown && !isShifted && !isLast && !(index === 0 && this.hasBefore)
  }

  private findPlace(others: readonly any[], record: any, isCreated: boolean): Place {
    const { compare, isSortable } = this.decider as Decider
    const begin = others.findIndex((row) => compare(row, record) >= 0)

    if (begin === -1) return { index: others.length, isKnown: this.isOrdered && isSortable(record) }

    const after = others.findIndex((row, index) => index >= begin && compare(row, record) > 0)
    const end = after === -1 ? others.length : after
    const place = this.findAmongEqual(others.slice(begin, end), record, isCreated)

    return { index: begin + place.index, isKnown: place.isKnown && this.isOrdered && isSortable(record) }
  }

  /** Rows that are equal for `$sort` are in the order of their ids, as in SQL, or of their creation, as in memory. */
  private findAmongEqual(equal: readonly any[], record: any, isCreated: boolean): Place {
    const id = this.toId(record)
    const orders = equal.map((row) => compareIds(this.toId(row), id))
    const isAfterAll = orders.every((order) => order !== undefined && order < 0)
    const later = orders.findIndex((order) => order !== undefined && order > 0)

    if (isCreated) {
      // No store has numbers in another order by itself: hooks of the server sort.
      const isKnown = this.isById ? isAfterAll : typeof id !== 'number'

      return { index: isKnown || later === -1 ? equal.length : later, isKnown }
    }

    return {
      index: later === -1 ? equal.length : later,
      isKnown: equal.length === 0 || (this.isById && typeof id === 'number')
    }
  }

  /** Notes what rows of the server are like. */
  private learn(): void {
    const { decider, list } = this

    for (const row of list) {
      const names = Object.keys(row)

      this.always = new Set(names.filter((name) => this.always?.has(name) !== false))
      for (const name of names) this.sometimes.add(name)
    }

    this.isOrdered = true
    this.isById = true

    for (const [index, row] of list.entries()) {
      const order = index === 0 ? -1 : (decider?.compare(list[index - 1], row) ?? 0)

      this.isOrdered &&= order <= 0 && decider?.isSortable(row) === true
      if (order === 0) this.isById &&= !((compareIds(this.toId(list[index - 1]), this.toId(row)) ?? -1) > 0)
    }
  }

  /**
   * Whether a record has the fields of the rows: an event has no relations that are included by default, and only what the
   * write has selected. Where there was no row yet, that is not known.
   */
  private isWhole(record: object): boolean {
    const { always, sometimes } = this

    if (!always) return false

    return (
      [...always].every((name) => Object.hasOwn(record, name)) &&
      Object.keys(record).every((name) => sometimes.has(name))
    )
  }

  /** Rows that are as before stay the same objects. */
  private share(list: readonly unknown[]): readonly unknown[] {
    const known = new Map(this.list.map((row) => [this.toId(row), row]))

    return list.map((row) => {
      const before = known.get(this.toId(row))

      return isSamePlain(before, row) ? before : row
    })
  }
}

interface Page {
  readonly list: readonly unknown[]
  readonly total?: number | undefined
  readonly limit?: number | undefined
  readonly skip?: number | undefined
  readonly hasPreviousPage?: boolean | undefined
  readonly hasNextPage?: boolean | undefined
}

/** The records of a result: an array, a page, or the one array in an envelope. */
function toPage(result: unknown): Page {
  if (Array.isArray(result)) return { list: result }

  const [list, ...others] = Object.values(result ?? {}).filter((value) => Array.isArray(value))
  const { total, limit, skip, hasPreviousPage, hasNextPage } = (result ?? {}) as Page

  if (!list || others.length > 0)
    throw createTypeError('ALULA_INVALID_ARGUMENT', 'live() needs a find that returns records or a page')

  return { list, total, limit, skip, hasPreviousPage, hasNextPage }
}

/** `undefined` where an order of ids here is not that of the server: `'9'` and `'10'` may be numbers there. */
function compareIds(one: unknown, other: unknown): number | undefined {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  if (typeof one !== 'string' || typeof other !== 'string') return undefined
  if (one.length !== other.length && /^\d+$/.test(one + other)) return undefined

  return one < other ? -1 : one > other ? 1 : 0
}
