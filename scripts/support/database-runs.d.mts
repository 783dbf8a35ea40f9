export interface DatabaseRun {
  /** With the version, where the tests check it. */
  readonly database: string
  readonly driver: string
  /** The version of Node. */
  readonly node?: string
  readonly tests?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly isFurther?: boolean
  readonly furtherArgs?: readonly string[]
}

export declare const RUNS: readonly DatabaseRun[]

/** Files of tests, from the root. */
export declare const OF_SQLITE: readonly string[]

export declare function toCells(run: DatabaseRun): readonly string[]
