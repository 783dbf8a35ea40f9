import type { AuthenticationRequest } from '../core/types.ts'
import { Forbidden } from '../errors.ts'
import {
  findAuthentication,
  mayReadCookies,
  type ParseAuthenticationOptions,
  parseAuthentication
} from './authentication.ts'
import type { Cors } from './cors.ts'
import { type HttpRequest, type TransportApplication, toCredentialSource } from './http.ts'

/** The part of a request that says where it comes from. */
type OriginRequest = Pick<HttpRequest, 'method' | 'headers' | 'host' | 'native'>

/** What decides on further origins. */
type Trusting = Pick<Cors, 'trusts'>

/**
 * Refuses a call whose credentials come from a cookie, by Forbidden, unless a page of this server or of a known origin made it:
 * browsers add cookies to requests of any page. Origins that `cors` lets send cookies are known, beside those of the
 * application. A read without `Origin` and `Sec-Fetch-Site` passes, and so does a link that leads here, because a read changes
 * nothing and other pages cannot see the response.
 */
export async function assertOwnOrigin(
  app: TransportApplication,
  request: OriginRequest,
  options: ParseAuthenticationOptions | undefined,
  cors: Trusting | undefined
): Promise<void> {
  if (await isOwnOrigin(app, request, options, cors)) return

  throw new Forbidden(
    "Credentials in a cookie are accepted from pages of this server only: expected 'Origin' or 'Sec-Fetch-Site' of an own origin"
  )
}

/** Whether the credentials of a request count: all do but those of a cookie that a page of another origin had sent. */
export async function isOwnOrigin(
  app: TransportApplication,
  request: OriginRequest,
  options: ParseAuthenticationOptions | undefined,
  cors?: Trusting
): Promise<boolean> {
  if (request.headers.cookie === undefined || !mayReadCookies(app, options)) return true
  if (isFromOwnPage(app, request, options, cors)) return true

  const [source, response] = toCredentialSource(request)
  const found = await parseAuthentication(app, source, response, options)

  // A token in a header is proof enough: only the pages that know it can send it.
  return !found || isWithoutCookies(app, source, response, options, found)
}

function isFromOwnPage(
  app: TransportApplication,
  request: OriginRequest,
  options: ParseAuthenticationOptions | undefined,
  cors: Trusting | undefined
): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const page = findPage(app, request, options, cors)

  return page === 'own' || (isRead && (page === undefined || (site !== undefined && mode === 'navigate')))
}

/** Whose page made a request, by the origins that are known; `undefined` for a request that no browser has made. */
export function findPage(
  app: TransportApplication,
  { headers, host }: OriginRequest,
  options: ParseAuthenticationOptions | undefined,
  cors: Trusting | undefined
): 'own' | 'other' | undefined {
  const { origin, 'sec-fetch-site': site } = headers

  if (typeof origin === 'string' && (isKnown(origin, getOrigins(app, options)) || cors?.trusts(origin)))
    return 'own'
  // `none`: the user typed the address. This header comes from the browser and not from the page.
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? 'own' : 'other'
  if (origin !== undefined) return isOrigin(String(origin), host) ? 'own' : 'other'

  return undefined
}

/** Whether an origin is that of a host. Its scheme is not compared: proxies may have ended the encryption. */
function isOrigin(origin: string, host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(origin)) return false

  const { protocol, host: expected } = new URL(origin)
  // As a URL, so that case and default ports make no difference.
  const own = `${protocol}//${host}`

  return URL.canParse(own) && new URL(own).host === expected
}

/** The origins that logins through providers may start from, which the application trusts with its tokens. */
function getOrigins(
  app: TransportApplication,
  { service }: ParseAuthenticationOptions = {}
): readonly string[] {
  const { origins, redirect } = findAuthentication(app, service)?.configuration?.oauth ?? {}

  return origins ?? app.get?.('origins') ?? (typeof redirect === 'string' ? [redirect] : [])
}

/** Compared as origins: paths, case and default ports make no difference. */
function isKnown(origin: string, known: readonly string[]): boolean {
  return known.some((each) => URL.canParse(each) && new URL(each).origin === origin)
}

/** Whether a request has the same credentials without its cookies. Others that a page adds count after those of a cookie. */
async function isWithoutCookies(
  app: TransportApplication,
  source: object,
  response: unknown,
  options: ParseAuthenticationOptions | undefined,
  found: AuthenticationRequest
): Promise<boolean> {
  try {
    const others = await parseAuthentication(app, withoutCookies(source), response, options)

    return JSON.stringify(others) === JSON.stringify(found)
  } catch {
    // A strategy failed without the cookies.
    return false
  }
}

/** What strategies may look at that no cookie decides on. */
const SENT_BY_PAGE: readonly string[] = [
  'method',
  'url',
  'originalUrl',
  'path',
  'search',
  'query',
  'body',
  'app',
  'socket',
  'auth'
]

/**
 * The same request as it would be without its cookies, and without what middleware reads from them, under any name:
 * `cookies`, `session`, `user`.
 */
function withoutCookies(request: any): { readonly headers: { readonly [name: string]: any } } {
  const { cookie, ...headers } = request.headers
  const sent = SENT_BY_PAGE.filter((name) => Object.hasOwn(request, name))

  return Object.create(Object.getPrototypeOf(request), {
    ...Object.fromEntries(sent.map((name) => [name, { value: request[name] }])),
    headers: { value: headers },
    rawHeaders: { value: [] },
    headersDistinct: { value: {} }
  })
}
