/** The headers of one source: an object, or what iterates over pairs, as `Headers` does. */
export type HeaderSource =
  | { readonly [name: string]: unknown }
  | Iterable<readonly [string, unknown]>
  | null
  | undefined

/** The names and values of headers. A spread finds nothing in an object `Headers`. */
export function toPairs(source: HeaderSource): Iterable<readonly [string, unknown]> {
  if (!source) return []

  return Symbol.iterator in source
    ? (source as Iterable<readonly [string, unknown]>)
    : Object.entries(source as { [name: string]: unknown })
}
