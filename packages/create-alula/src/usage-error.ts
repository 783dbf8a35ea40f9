/** The command was called wrongly: its message is followed by the usage. */
export class UsageError extends Error {}
