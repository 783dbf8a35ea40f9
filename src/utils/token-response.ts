/** Not enumerable: neither JSON nor a comparison shows it. */
const TOKEN_RESPONSE = Symbol('token response')

/** What is known of the response that carries a token. */
export interface TokenResponse {
  /** A `Set-Cookie` header that goes with it. */
  readonly cookie?: string
}

/**
 * Marks an object that carries an access token: clients must not cache it, nor receive that of another one.
 *
 * @param result The object
 * @param response What the response needs besides
 */
export function markTokenResponse<Result extends object>(
  result: Result,
  response: TokenResponse = {}
): Result {
  return Object.defineProperty(result, TOKEN_RESPONSE, { value: response, configurable: true })
}

/** Whether an object was marked by {@link markTokenResponse}. */
function isTokenResponse(value: unknown): boolean {
  return getTokenResponse(value) !== undefined
}

/** What {@link markTokenResponse} has noted on an object. */
function getTokenResponse(value: unknown): TokenResponse | undefined {
  if (typeof value !== 'object' || value === null) return undefined

  return (value as { readonly [TOKEN_RESPONSE]?: TokenResponse })[TOKEN_RESPONSE]
}

/** The same for a result that is a token response, or has one in a list or below a name. */
export function findTokenResponse(result: unknown): TokenResponse | undefined {
  if (typeof result !== 'object' || result === null) return undefined

  const own = getTokenResponse(result)

  if (own) return own

  for (const value of Array.isArray(result) ? result : Object.values(result)) {
    const marked = Array.isArray(value) ? value.find(isTokenResponse) : value
    const found = getTokenResponse(marked)

    if (found) return found
  }

  return undefined
}
