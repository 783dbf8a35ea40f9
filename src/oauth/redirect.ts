// Where a browser may be sent. Whatever a request says is parsed first, and what was parsed is compared.
import { NotAuthenticated } from '../errors.ts'
import { isLoopback } from '../utils/check.ts'
import { stripTrailingSlashes } from '../utils/path.ts'
import { parseUrl } from '../utils/url.ts'

/** Stands for the origin of a page that is given as a path. */
const ANYWHERE = 'https://page.invalid'

/** Matches a name that a login puts into the hash of a page. No other source may put it there. */
const RESULT = /[#?&](?:access_token|oauth_code|error)=/

/**
 * Finds the origin of a page among those that are allowed; `undefined` when it is not allowed. Scheme, host and port have to be
 * the same; on this machine any port will do, because tools for development choose theirs.
 */
export function findOrigin(origins: readonly string[], referer: string): string | undefined {
  const page = parseUrl(referer)

  return page && origins.some((origin) => isSame(parseUrl(origin), page)) ? page.origin : undefined
}

/**
 * Appends `redirect`, a path, a query string or a hash from a request, to `page`, a URL or a path on the server itself. The
 * result has the same origin. Throws NotAuthenticated for what could lead to another origin.
 */
export function toPage(page: string, redirect: unknown): string {
  if (redirect === undefined || redirect === '') return page

  const target =
    typeof redirect === 'string' && isHarmless(redirect) ? parseUrl(redirect, ANYWHERE) : undefined
  const url = parseUrl(page, ANYWHERE)

  if (!url || target?.origin !== ANYWHERE) throw new NotAuthenticated('Invalid redirect path.')

  if (target.pathname !== '/' || String(redirect).startsWith('/')) {
    url.pathname = `${stripTrailingSlashes(url.pathname)}${target.pathname}`
  }
  if (target.search) url.search = target.search
  if (target.hash) url.hash = target.hash

  const text = url.origin === ANYWHERE ? url.href.slice(ANYWHERE.length) : url.href

  // Two slashes are the beginning of a host.
  if (text.startsWith('//')) throw new NotAuthenticated('Invalid redirect path.')

  return text
}

/**
 * Appends the result of a login to the URL of a page: in its hash, which no server sees, or as its query string where the page
 * ends with a question mark.
 */
export function withResult(page: string, result: { readonly [name: string]: string }): string {
  const separator = page.endsWith('?') ? '' : page.includes('#') ? '?' : '#'
  const parts = Object.entries(result).map(
    ([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`
  )

  return parts.length > 0 ? `${page}${separator}${parts.join('&')}` : page
}

/** Browsers take a backslash for a slash, and leave out line breaks and tabs: what is read is not what is followed. */
function isHarmless(redirect: string): boolean {
  if (!/^[/?#]/.test(redirect) || /^\/\/|[\\\s]|\p{Cc}/u.test(redirect)) return false

  // Pages that read the hash as a query string decode its names, whatever else it holds.
  return ![redirect, redirect.replace(/%[0-9a-f]{2}/gi, decodeByte)].some(hasResult)
}

/** The hash is cut out first: an expression that looks for both takes time that grows with the square of the length. */
function hasResult(redirect: string): boolean {
  const start = redirect.indexOf('#')

  return start !== -1 && RESULT.test(redirect.slice(start))
}

function decodeByte(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits.slice(1), 16))
}

function isSame(allowed: URL | undefined, page: URL): boolean {
  if (allowed?.protocol !== page.protocol || allowed.hostname !== page.hostname) return false

  return allowed.port === page.port || isLoopback(page.hostname)
}
