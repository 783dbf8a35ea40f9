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
}

export declare const RUNS: readonly DatabaseRun[]

export declare function toCells(run: DatabaseRun): readonly string[]
