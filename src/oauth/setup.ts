// What can be said before the first login.
import { createError } from '../utils/developer-error.ts'
import type { OAuthConfiguration } from './types.ts'

/**
 * Checks the cookie that access tokens are delivered in. Throws an Error when there is none where there should be, and when
 * browsers would not keep it.
 */
export function assertCookie(
  { delivery }: OAuthConfiguration,
  strategy: string,
  cookie: string | undefined,
  serverUrl: string
): void {
  if (delivery !== 'cookie') return

  if (cookie === undefined) {
    throw createError(
      'ALULA_UNSTORABLE_COOKIE',
      `The access token is delivered in a cookie: set its name as 'authentication.${strategy}.cookie'`
    )
  }
  if (/^__(Host|Secure)-/.test(cookie) && !serverUrl.startsWith('https:')) {
    throw createError(
      'ALULA_UNSTORABLE_COOKIE',
      `Browsers keep a cookie named '${cookie}' over HTTPS alone, and clients reach the server at ${serverUrl}`
    )
  }
}

/** Warns when a provider has no strategy, or a strategy no provider: neither can be used for a login. */
export function warnOfUnpaired(providers: readonly string[], strategies: readonly string[]): void {
  const unknown = providers.filter((name) => !strategies.includes(name))
  const idle = strategies.filter((name) => !providers.includes(name))

  if (idle.length > 0) {
    const options = idle.map((name) => `'authentication.oauth.${name}'`).join(', ')

    process.emitWarning(`There are OAuth strategies without a provider: set ${options}`, {
      code: 'ALULA_UNKNOWN_PROVIDER'
    })
  }
  if (unknown.length > 0) {
    process.emitWarning(
      `The configuration has OAuth providers without a strategy: ${unknown.join(', ')}. ` +
        `Register one: authentication.register('${unknown[0]}', new OAuthStrategy())`,
      { code: 'ALULA_UNKNOWN_STRATEGY' }
    )
  }
}
