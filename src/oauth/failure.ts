import { type FeathersError, NotAuthenticated, Unavailable } from '../errors.ts'

/** What a provider says when it does not know the application, or does not want it. */
const REFUSALS = ['invalid_client', 'unauthorized_client']

/** How many causes of an error are looked at. */
const MAX_CAUSES = 10

/** What libraries and providers say in an error. */
export interface ProviderError {
  readonly name?: string
  readonly message?: string
  readonly status?: number
  readonly code?: unknown
  readonly error?: unknown
  readonly error_description?: unknown
  readonly cause?: ProviderError
}

/** That a provider is not what the configuration says. */
export class Unusable extends Error {
  constructor(cause: unknown) {
    super((cause as Error)?.message, { cause })
  }
}

/** Converts an error for the user who logs in: it says what the user can do, and nothing of what was sent. */
export function toShownError(provider: string, error: unknown): FeathersError {
  const { error: code } = (error ?? {}) as ProviderError
  const isRefused = REFUSALS.includes(code as string) || isChallenge(error)

  if (code === 'access_denied') return new NotAuthenticated('Access was denied')
  if (isAway(error)) return new Unavailable(`The OAuth provider '${provider}' cannot be reached`)
  if (error instanceof Unusable || isRefused) {
    return new Unavailable(`The OAuth provider '${provider}' cannot be used as it is configured`)
  }

  return new NotAuthenticated('OAuth Authentication not successful')
}

/** What has happened, for the log of a server. The error itself may hold the whole response with its tokens. */
export function toReason({ message, code, error, error_description: description }: ProviderError): Error {
  return new Error([message, code, error, description].filter((part) => typeof part === 'string').join(': '))
}

/** Whether a provider did not respond, or could not. */
function isAway(error: unknown): boolean {
  let current = error as ProviderError | undefined

  // An error may be its own cause.
  for (let depth = 0; current && depth < MAX_CAUSES; depth++, current = current.cause) {
    if ((current.status ?? 0) >= 500 || current.code === 'OAUTH_TIMEOUT' || current.name === 'TimeoutError')
      return true
    // What `fetch` rejects with when there is no connection, and when it breaks off.
    if (current instanceof TypeError && /^(fetch failed|terminated)$/.test(String(current.message)))
      return true
  }

  return false
}

/** Whether a provider asks for the credentials of the application once more (RFC 6749 §5.2). */
function isChallenge(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: readonly { readonly scheme?: string }[] }

  return code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' && cause?.[0]?.scheme === 'basic'
}
