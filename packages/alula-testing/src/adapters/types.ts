import type { AdapterOptions } from 'alula/adapter'

/** What the suite needs of a test runner: those of Node, vitest, mocha and jest all have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: (this: any) => Promise<void>, timeout?: number): unknown
}

/** What a tested method resolves to: a record, a list or a page. `any` because the suite tests what it really is. */
export type TestedResult = any

/** What the suite calls on a service. Every class with `implementService` has it. */
export interface TestedService {
  readonly id: string
  readonly events: readonly string[]
  options: any
  find(params?: unknown): Promise<TestedResult>
  get(id: unknown, params?: unknown): Promise<TestedResult>
  create(data: unknown, params?: unknown): Promise<TestedResult>
  update(id: unknown, data: unknown, params?: unknown): Promise<TestedResult>
  patch(id: unknown, data: unknown, params?: unknown): Promise<TestedResult>
  remove(id: unknown, params?: unknown): Promise<TestedResult>
  /** There for a service with the option `upsert`. */
  upsert(data: unknown, params?: unknown): Promise<TestedResult>
  _find(params?: unknown): Promise<TestedResult>
  _get(id: unknown, params?: unknown): Promise<TestedResult>
  _create(data: unknown, params?: unknown): Promise<TestedResult>
  _update(id: unknown, data: unknown, params?: unknown): Promise<TestedResult>
  _patch(id: unknown, data: unknown, params?: unknown): Promise<TestedResult>
  _remove(id: unknown, params?: unknown): Promise<TestedResult>
}

/**
 * What a store can keep. All of it but `cursors`, `lists` and `upsert` counts unless it is switched off; a rule that needs what
 * is off is shown as skipped.
 */
export interface AdapterFeatures {
  /** `true` and `false` stay what they are. Off for a store that has 1 and 0 for them. */
  readonly booleans: boolean
  /** Text is ordered by its UTF-16 code units. Off for a store that orders by UTF-8 bytes or by code points. */
  readonly codeUnits: boolean
  /** `find` returns pages with cursors where `paginate` has `cursor`. Off unless it is switched on. */
  readonly cursors: boolean
  /** Dates stay dates. Off for a store that has text or numbers for them. */
  readonly dates: boolean
  /** Records come in the order in which they were created when nothing sorts them. */
  readonly insertionOrder: boolean
  /** `$contains` and `$overlaps` have a meaning when `operators` lists them. Off unless it is switched on. */
  readonly lists: boolean
  /** A field that was not given stays missing. Off for a table, where it is null. */
  readonly missing: boolean
  /** A field may hold values of any type. Off for a table, where a column has one. */
  readonly mixedTypes: boolean
  /** `$not` and `$nor` have a meaning when `operators` lists them. */
  readonly negation: boolean
  /** Fields may hold objects and arrays, and a dotted path leads into objects. */
  readonly objects: boolean
  /**
   * The store keeps the values of the option `upsert` unique, of one field or of two, so that the service has `upsert`. Off unless
   * it is switched on.
   */
  readonly upsert: boolean
}

/** What a field can hold in a random record; the objects are those of `address`, one level deep. */
export type ValueKind = 'boolean' | 'date' | 'missing' | 'null' | 'number' | 'object' | 'string'

/** How much is tried at random. */
export interface RandomOptions {
  /** How many random stores each random test fills; 200 by default, 0 to skip these tests. */
  readonly runs?: number
  /** Repeats the run that printed this seed. */
  readonly seed?: number
  /**
   * The fields of random records, each with what it can hold. By default those of `TEST_FIELDS`: with one kind and
   * null each, or with every kind where the feature `mixedTypes` is on.
   */
  readonly fields?: { readonly [field: string]: readonly ValueKind[] }
}

/** How to get the service that is tested, and what it can do. */
export interface AdapterTestOptions {
  /** The name of the adapter, for the titles. */
  readonly name: string
  /**
   * Makes a service without records. It is called anew for every rule, and for every random store; the suite never
   * uses one service after it has asked for the next, so that all of them may share a table that `create` empties.
   *
   * @param options What the rule needs: `id` always, and `paginate`, `multi`, `operators`, `filters`, `events`
   */
  create(options: AdapterOptions): TestedService | Promise<TestedService>
  /** Called with every service when it is no longer needed. */
  close?(service: any): unknown
  /** The name of the id field; `id` by default. Run the suite twice if it can have several. */
  readonly id?: string
  /** Which ids a creator may choose; an empty list when only the store makes ids. Numbers and text by default. */
  readonly ids?: readonly ('number' | 'text')[]
  readonly features?: Partial<AdapterFeatures>
  readonly random?: RandomOptions
  /** Sentences of rules that the adapter does not keep, and says so in its documentation. */
  readonly skip?: readonly string[]
}
