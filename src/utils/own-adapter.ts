/** Removes the field that replaces the id: it belongs to one service, and calls of other services get the same params. */
export function withoutLookupField<Options extends { readonly id?: unknown; readonly by?: unknown }>(
  options: Options
): Omit<Options, 'id' | 'by'> {
  const { id, by, ...others } = options

  return others
}
