import { toDispatch } from '../authentication/dispatch.ts'
import type { HookContext, NextFunction } from '../core/types.ts'
import { BadRequest, MethodNotAllowed, NotAuthenticated } from '../errors.ts'
import { TRAITS, type Traits } from '../hooks/traits.ts'
import type { LoginResponse, Logins } from './login.ts'
import type { OAuthParams } from './strategy.ts'

/** What a service returns; `respond` makes the response of it. */
export interface OAuthResponse {
  readonly body: object
  readonly location?: string | null
  readonly cookies?: readonly string[]
}

class LoginsService {
  protected readonly logins: Logins

  /** @param logins What takes browsers to providers */
  constructor(logins: Logins) {
    this.logins = logins
  }
}

/**
 * Begins logins. A browser that opens `/oauth/<provider>` is sent to the provider; a program that posts there is told
 * where to send the browser.
 */
export class OAuthService extends LoginsService {
  readonly [TRAITS]: Traits = { access: { find: 'anyone', create: 'anyone' } }

  /**
   * Sends a browser to a provider.
   *
   * @param params With `redirect` and `feathers_token` in the query
   * @throws NotFound for an unknown provider
   */
  async find(params: OAuthParams): Promise<OAuthResponse> {
    assertNavigation(params)

    const { location, cookies } = await this.logins.beginForBrowser(getProviderName(params), params)

    return { body: { location }, location, cookies }
  }

  /**
   * Says where a browser has to be sent.
   *
   * @param data With `redirect`
   * @param params With the credentials of the user who connects an account, if any
   * @throws NotFound for an unknown provider
   */
  async create(data: object, params: OAuthParams): Promise<OAuthResponse> {
    const { location, cookies } = await this.logins.beginForProgram(getProviderName(params), data, params)

    return { body: { location }, cookies }
  }

  /** Checks what a login needs, before there is one. */
  async setup(): Promise<void> {
    await this.logins.setup()
  }
}

/** Where providers send browsers back to. */
export class OAuthCallbackService extends LoginsService {
  readonly [TRAITS]: Traits = { access: { find: 'anyone', create: 'anyone' } }

  /** Ends a login: sends the browser to the page, or responds with the result when there is none. */
  async find(params: OAuthParams): Promise<OAuthResponse> {
    assertNavigation(params)

    const { location, cookies, result }: LoginResponse = await this.logins.finish(
      getProviderName(params),
      params.query ?? {},
      params
    )

    return { body: location ? { location } : toDispatch(result ?? {}), location, cookies }
  }

  /**
   * Redirects the browser to the same path with `GET`: with a form from another site it does not send the cookie of the login.
   * Throws MethodNotAllowed for a provider that was not told to send a form; BadRequest for what is none.
   */
  async create(data: object, params: OAuthParams): Promise<OAuthResponse> {
    const name = getProviderName(params)

    if (!this.logins.expectsForm(name))
      throw new MethodNotAllowed('This provider does not answer with a form')

    const query = new URLSearchParams()

    for (const [field, value] of Object.entries(data)) {
      if (typeof value !== 'string') throw new BadRequest(`Invalid '${field}': expected a single string`)

      query.append(field, value)
    }

    return { body: {}, location: `${this.logins.getCallbackUrl(name)}?${query}` }
  }
}

/** Exchanges codes for access tokens. */
export class OAuthCodeService extends LoginsService {
  readonly [TRAITS]: Traits = { access: { create: 'anyone' } }

  /**
   * Exchanges a `code`, once, for the `accessToken`, and the `refreshToken` of a session. The data has `refresh: true` for a
   * login that lasts, and the `refreshToken` of the session that it replaces. Throws BadRequest without a code;
   * NotAuthenticated for one that is not valid, or was used.
   */
  async create(
    data:
      | { readonly code?: unknown; readonly refresh?: unknown; readonly refreshToken?: unknown }
      | undefined,
    params: OAuthParams
  ): Promise<OAuthResponse> {
    if (typeof data?.code !== 'string') throw new BadRequest("Invalid 'code': expected a string")

    const { code, refresh, refreshToken } = data

    return { body: await this.logins.exchange(code, { refresh, refreshToken }, params) }
  }
}

/** An around hook that makes a response of what the services return. */
export async function respond(context: HookContext, next: NextFunction): Promise<void> {
  await next()

  const { body, location, cookies = [] } = context.result as OAuthResponse

  context.result = body

  if (!context.http) return

  context.http.headers = {
    ...context.http.headers,
    ...(cookies.length > 0 && { 'Set-Cookie': [...cookies] }),
    'Cache-Control': 'no-store',
    // The URL holds secrets of the login: no other site may see it.
    'Referrer-Policy': 'no-referrer'
  }
  if (location) context.http.location = location
}

/** An around hook that refuses calls without a response to write cookies to. */
export async function requireHttp({ http }: HookContext, next: NextFunction): Promise<void> {
  if (!http) throw new MethodNotAllowed('A login at a provider needs a browser: open it over HTTP')

  await next()
}

/** An image of a page must not begin or end a login (Fetch Metadata). Browsers say what a request is for; others do not. */
function assertNavigation({ headers }: OAuthParams): void {
  const { 'sec-fetch-dest': destination = 'document' } = headers ?? {}

  if (destination !== 'document') {
    throw new NotAuthenticated('A login is a page that a browser opens, and nothing that a page loads')
  }
}

function getProviderName({ route }: OAuthParams): string {
  return route?.provider
}
