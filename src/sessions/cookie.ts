import { toSetCookie } from '../utils/cookie.ts'

/** The cookie that a refresh token is in. */
export interface RefreshCookie {
  readonly name: string
  readonly isSecure: boolean
}

/**
 * The cookie of an authentication service: each has its own, by the name of its setting. `__Host-` has browsers accept it over
 * HTTPS alone, and from no other host of the same site (RFC 6265bis §4.1.3.2).
 */
export function toRefreshCookie(
  setting: boolean | { readonly secure?: boolean } | undefined,
  service: string
): RefreshCookie | undefined {
  if (!setting) return undefined

  const isSecure = setting === true || setting.secure !== false

  return { name: `${isSecure ? '__Host-' : ''}${service.replace(/[^\w-]/g, '-')}-refresh`, isSecure }
}

/** The `Set-Cookie` header with a refresh token, kept for `lifetime` milliseconds; without a token it deletes the cookie. */
export function writeRefreshCookie(
  { name, isSecure }: RefreshCookie,
  refreshToken = '',
  lifetime = 0
): string {
  return toSetCookie(name, refreshToken, { maxAge: Math.max(0, Math.ceil(lifetime / 1000)), isSecure })
}
