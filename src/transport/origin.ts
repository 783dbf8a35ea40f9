import { Forbidden } from '../errors.ts'
import { type ParseAuthenticationOptions, parseAuthentication } from './authentication.ts'
import { type HttpRequest, type TransportApplication, toCredentialSource } from './http.ts'

/**
 * Refuses a call whose credentials come from a cookie, unless a page of this server or of a known origin made it:
 * browsers add cookies to requests of any page. A read without `Origin` and `Sec-Fetch-Site` passes, and so does a
 * link that leads here, because a read changes nothing and other pages cannot see the response.
 *
 * @param app The application
 * @param request The request
 * @param options Which strategies look for credentials
 * @param origins Known origins besides those of the application
 * @throws Forbidden for such a call
 */
export async function assertOwnOrigin(
  app: TransportApplication,
  request: HttpRequest,
  options: ParseAuthenticationOptions | undefined,
  origins: readonly string[]
): Promise<void> {
  if (request.headers.cookie === undefined || isFromOwnPage(app, request, options, origins)) return

  const [source, response] = toCredentialSource(request)
  const isFound = await parseAuthentication(app, source, response, options)

  // A token in a header is proof enough: only a page that knows it can send it.
  if (!isFound || (await parseAuthentication(app, withoutCookies(source), response, options))) return

  throw new Forbidden(
    "Credentials in a cookie are accepted from pages of this server only: expected 'Origin' or 'Sec-Fetch-Site' of an own origin"
  )
}

function isFromOwnPage(
  app: TransportApplication,
  { method, headers, host }: HttpRequest,
  options: ParseAuthenticationOptions | undefined,
  origins: readonly string[]
): boolean {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  const isRead = method === 'GET' || method === 'HEAD'

  if (typeof origin === 'string' && isKnown(origin, [...origins, ...getOrigins(app, options)])) return true
  // `none`: the user typed the address. This header comes from the browser and not from the page.
  if (site !== undefined) return site === 'same-origin' || site === 'none' || (isRead && mode === 'navigate')
  if (origin !== undefined) return URL.canParse(String(origin)) && new URL(String(origin)).host === host

  return isRead
}

/** The origins that logins through providers may start from: the application already trusts them with tokens. */
function getOrigins(
  app: TransportApplication,
  { service }: ParseAuthenticationOptions = {}
): readonly string[] {
  const { origins, redirect } = app.defaultAuthentication?.(service)?.configuration?.oauth ?? {}

  return origins ?? app.get?.('origins') ?? (typeof redirect === 'string' ? [redirect] : [])
}

/** Compared as origins: paths, case and default ports make no difference. */
function isKnown(origin: string, known: readonly string[]): boolean {
  return known.some((each) => URL.canParse(each) && new URL(each).origin === origin)
}

/** The same request without its cookies, and without what middleware parses from them. */
function withoutCookies(request: { readonly headers: { readonly [name: string]: any } }): typeof request {
  const { cookie, ...headers } = request.headers

  return Object.create(request, {
    headers: { value: headers },
    cookies: { value: {} },
    signedCookies: { value: {} },
    session: { value: undefined }
  })
}
