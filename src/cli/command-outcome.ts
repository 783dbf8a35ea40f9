/** The result of a command. */
export interface CommandOutcome {
  readonly code: 0 | 1
  /** What it says: on the standard output, or, when it failed, on the standard error. */
  readonly output: string
}

/** The command was called wrongly: what it says then ends with how to call it. */
export class UsageError extends Error {}
