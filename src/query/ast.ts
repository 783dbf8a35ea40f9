/** The names on the way to a field: `address.city` is `['address', 'city']`. */
export type Path = readonly string[]

/** How a field is compared with a value. */
export type Comparison = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'nin'

/** What must hold of a record. */
export type Condition =
  | { readonly kind: 'compare'; readonly path: Path; readonly operator: Comparison; readonly value: unknown }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | { readonly kind: 'custom'; readonly path: Path; readonly operator: `$${string}`; readonly value: unknown }

/** A condition on one field. */
export type FieldCondition = Extract<Condition, { readonly path: Path }>

/** One field to sort by. */
export interface Sort {
  readonly path: Path
  readonly direction: 1 | -1
}

/** A query, checked and in one shape. */
export interface ParsedQuery {
  /** What records must match; an `and` of nothing for all. */
  readonly where: Condition
  readonly sort: readonly Sort[]
  /** The most records to return; `undefined` for all. */
  readonly limit?: number | undefined
  readonly skip: number
  /** The fields to return; `undefined` for all. */
  readonly select?: readonly string[] | undefined
  /** The values of further top-level names that the service allows. */
  readonly filters: Readonly<Record<string, unknown>>
  /** What a query says of a page with cursors; only where the pagination has `cursor`. */
  readonly cursor?: CursorQuery | undefined
}

/** The part of a page with cursors that a query asks for. */
export interface CursorQuery {
  /** The cursor that the page comes after, or before, as the client sent it. */
  readonly after: string | undefined
  readonly before: string | undefined
  /** Whether to count all records that match. */
  readonly total: boolean
}
