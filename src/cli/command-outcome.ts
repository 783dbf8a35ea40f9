/** The result of a command. */
export interface CommandOutcome {
  readonly code: 0 | 1
  /** What it says: on the standard output, or, when it failed, on the standard error. */
  readonly output: string
}

/** The command was called wrongly: what it says then ends with how to call it. */
export class UsageError extends Error {}

/** A command of `alula`, as the help shows it. */
export interface Command {
  /** What follows the name: `<file>`. */
  readonly operands: string
  /** How many operands it takes, at least and at most. */
  readonly count: readonly [least: number, most: number]
  /** What it does, in one sentence. */
  readonly summary: string
  /** Its options, which all have a value. */
  readonly options: { readonly [name: string]: { readonly value: string; readonly text: string } }
  readonly example: string
  readonly run: (
    operands: readonly string[],
    options: { readonly [name: string]: string | undefined }
  ) => Promise<CommandOutcome> | CommandOutcome
}
