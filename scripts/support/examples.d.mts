/** The names of the examples. */
export declare const EXAMPLE_NAMES: readonly string[]
