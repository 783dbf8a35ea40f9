/** The attributes of a cookie that a response sets. It is always `HttpOnly`, for the whole site. */
export interface CookieAttributes {
  /** For how many seconds it is kept; 0 deletes it, `undefined` keeps it until the browser is closed. */
  readonly maxAge: number | undefined
  /** Whether it is sent over HTTPS alone. */
  readonly isSecure: boolean
}

/**
 * Reads the `Cookie` header of a request (RFC 6265 §4.2). Of values with one name the first counts, which is that of the
 * longest path.
 */
export function parseCookies(header: string | readonly string[] | undefined): Map<string, string> {
  const cookies = new Map<string, string>()

  for (const pair of [header ?? []].flat().join(';').split(';')) {
    const middle = pair.indexOf('=')
    const name = pair.slice(0, Math.max(middle, 0)).trim()

    if (name !== '' && !cookies.has(name)) cookies.set(name, unquote(pair.slice(middle + 1).trim()))
  }

  return cookies
}

/**
 * Writes a `Set-Cookie` header of a name, which is a token, and a value, of characters that cookies may have. Scripts do not
 * see the cookie, and requests that other sites make do not carry it unless they lead the browser there (RFC 6265bis §5.4).
 */
export function toSetCookie(name: string, value: string, { maxAge, isSecure }: CookieAttributes): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax']

  if (maxAge !== undefined) attributes.push(`Max-Age=${maxAge}`)
  if (isSecure) attributes.push('Secure')

  return [`${name}=${value}`, ...attributes].join('; ')
}

/** Headers of a response with one cookie more: a `Set-Cookie` header, which may be there already; `undefined` for none. */
export function addSetCookie(
  headers: Record<string, string | string[]>,
  cookie: string | undefined
): Record<string, string | string[]> {
  if (cookie === undefined) return headers

  const name = Object.keys(headers).find((each) => each.toLowerCase() === 'set-cookie') ?? 'Set-Cookie'

  const others = [headers[name] ?? []].flat().filter((each) => each !== cookie)

  return { ...headers, [name]: [...others, cookie] }
}

function unquote(value: string): string {
  return /^".*"$/.test(value) ? value.slice(1, -1) : value
}
