/** Not enumerable: neither JSON nor a comparison shows it. */
const TOKEN_RESPONSE = Symbol('token response')

/** Marks an object that carries an access token: clients must not cache it, nor receive that of another one. */
export function markTokenResponse<Result extends object>(result: Result): Result {
  return Object.defineProperty(result, TOKEN_RESPONSE, { value: true })
}

/** Whether an object was marked by {@link markTokenResponse}. */
export function isTokenResponse(value: unknown): boolean {
  return typeof value === 'object' && value !== null && TOKEN_RESPONSE in value
}

/** Whether a result is a token response, or has one in a list or below a name. */
export function carriesToken(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false
  if (isTokenResponse(result)) return true

  return (Array.isArray(result) ? result : Object.values(result)).some(
    (value) => isTokenResponse(value) || (Array.isArray(value) && value.some(isTokenResponse))
  )
}
