// The refresh token in a cookie: which requests may carry it, and which may get it.
import { getClientPlace } from '../core/client-place.ts'
import { BadRequest, Forbidden } from '../errors.ts'
import type { RefreshCookie } from '../sessions/cookie.ts'
import { parseCookies } from '../utils/cookie.ts'
import type { AuthenticationParams } from './types.ts'

const EXPECTED = "expected 'Origin' or 'Sec-Fetch-Site' of an own origin"

/**
 * Checks that the response to a login can set a cookie, and that no page of others has its visitors log in. A call of the
 * server itself gets the refresh token in the result. Throws BadRequest for a socket, Forbidden for a page of another origin.
 */
export function assertCanGetCookie(params: AuthenticationParams): void {
  if (!params.provider) return

  if (params.provider !== 'rest') {
    throw new BadRequest(
      "Refresh tokens are in a cookie, which HTTP alone can set: log in and refresh over HTTP, and on a socket with { strategy: 'jwt', accessToken }. " +
        "The client does so with its option 'service'"
    )
  }
  if (getClientPlace(params)?.getPage?.() === 'other') {
    throw new Forbidden(`A login with a cookie is accepted from pages of this server only: ${EXPECTED}`)
  }
}

/**
 * The refresh token that a request has in a cookie; `cookie` is `undefined` when tokens are in bodies. Throws Forbidden for a
 * request that no page of this server has made.
 */
export function readOwnCookie(
  cookie: RefreshCookie | undefined,
  params: AuthenticationParams
): string | undefined {
  const refreshToken = findCookie(cookie, params)

  if (refreshToken !== undefined && !isOfOwnPage(params)) {
    throw new Forbidden(`A refresh token in a cookie is accepted from pages of this server only: ${EXPECTED}`)
  }

  return refreshToken
}

/** The same for a login, which needs no cookie: that of another page does not count. */
export function findOwnCookie(
  cookie: RefreshCookie | undefined,
  params: AuthenticationParams
): string | undefined {
  return isOfOwnPage(params) ? findCookie(cookie, params) : undefined
}

/** A socket has the cookies of its handshake alone, which may be old. */
function findCookie(
  cookie: RefreshCookie | undefined,
  { provider, headers }: AuthenticationParams
): string | undefined {
  return cookie && provider === 'rest' ? parseCookies(headers?.cookie).get(cookie.name) : undefined
}

function isOfOwnPage(params: AuthenticationParams): boolean {
  return getClientPlace(params)?.getPage?.() === 'own'
}
