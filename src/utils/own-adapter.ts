/** The options of an adapter for one call, where that names its record by another field than the id. */
interface CallOptions {
  readonly id?: string | undefined
  /** The service that the call came to. */
  readonly by?: object | undefined
}

/** Removes the field that replaces the id: it belongs to one service, and calls of other services get the same params. */
export function withoutLookupField<Options extends CallOptions>(
  options: Options
): Omit<Options, keyof CallOptions> {
  const { id, by, ...others } = options

  return others
}
