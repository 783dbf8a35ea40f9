import { isPlainObject } from './object.ts'

/** Not enumerable: neither JSON nor a comparison shows it. */
const TOKEN_RESPONSE = Symbol('token response')

/** What is known of the response that carries a token. */
export interface TokenResponse {
  /** A `Set-Cookie` header that goes with it. */
  readonly cookie?: string
}

/**
 * Marks an object that carries an access token: clients must not cache it, nor receive that of another one. `response` is what
 * the response needs besides.
 */
export function markTokenResponse<Result extends object>(
  result: Result,
  response: TokenResponse = {}
): Result {
  return Object.defineProperty(result, TOKEN_RESPONSE, { value: response, configurable: true })
}

/** How many names and lists a result may have around a token response. */
const MAX_DEPTH = 4

/** What {@link markTokenResponse} has noted on a result, or on what it has in lists and below names. */
export function findTokenResponse(result: unknown, depth = MAX_DEPTH): TokenResponse | undefined {
  if (typeof result !== 'object' || result === null) return undefined

  const { [TOKEN_RESPONSE]: own } = result as { readonly [TOKEN_RESPONSE]?: TokenResponse }

  if (own || depth === 0 || ArrayBuffer.isView(result)) return own

  return Array.isArray(result) ? findInList(result, depth) : findBelowNames(result, depth)
}

function findInList(list: readonly unknown[], depth: number): TokenResponse | undefined {
  for (const value of list) {
    const found = findTokenResponse(value, depth - 1)

    if (found) return found
  }

  return undefined
}

/** Name by name: a list of the values takes as long as to write the record as JSON. Inside of an instance nothing is looked for. */
function findBelowNames(record: object, depth: number): TokenResponse | undefined {
  const isPlain = isPlainObject(record)

  for (const name in record) {
    if (!isPlain && !Object.hasOwn(record, name)) continue

    const value = (record as Record<string, unknown>)[name]
    const found = typeof value === 'object' ? findTokenResponse(value, isPlain ? depth - 1 : 0) : undefined

    if (found) return found
  }

  return undefined
}
