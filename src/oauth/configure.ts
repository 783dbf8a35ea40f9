import { assertCalled } from '../core/assert-application.ts'
import type { Application, HookContext, NextFunction } from '../core/types.ts'
import { hasCode, isString } from '../utils/check.ts'
import { addSetCookie, toSetCookie } from '../utils/cookie.ts'
import { createError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { Logins } from './login.ts'
import { assertConfiguration, CODE_PATH, getPrefix } from './options.ts'
import { OAuthCallbackService, OAuthCodeService, OAuthService, requireHttp, respond } from './service.ts'

/** The options of {@link oauth}. */
export interface OauthSetupSettings {
  /** The path of the authentication service; the default one when left out. */
  authService?: string
  /** The strategy of the access token of a user who connects an account; `jwt` when left out. */
  linkStrategy?: string
}

const CHECKS: OptionChecks = {
  authService: [isString, 'the path of a service'],
  linkStrategy: [isString, 'the name of a strategy']
}

/**
 * Gives an application the paths through which browsers log in at providers: `/oauth/<provider>` and
 * `/oauth/<provider>/callback`. It is configured after the authentication service, whose configuration says under
 * `oauth` which providers there are. Without that nothing happens.
 *
 * @param settings Where the authentication service is
 * @returns A function for `app.configure`; it throws without an authentication service
 * @throws TypeError for an option that there is not, and when it is configured without having been called
 * @example
 * app.configure(oauth())
 */
export function oauth(settings: OauthSetupSettings = {}): (app: Application) => void {
  assertCalled('oauth', settings)
  assertOptions('oauth', settings, CHECKS)

  const { authService, linkStrategy = 'jwt' } = settings

  return (app) => {
    const auth: any = app.defaultAuthentication?.(authService)

    if (!auth)
      throw createError(
        'ALULA_NO_AUTHENTICATION',
        "An authentication service must exist before 'alula/oauth' is configured"
      )
    if (auth.configuration.oauth === undefined) return

    assertConfiguration(auth.configuration.oauth)

    const logins = new Logins(auth, linkStrategy)
    const prefix = getPrefix(auth.configuration.oauth)
    const options = { methods: ['find', 'create'], events: [], serviceEvents: [] }

    register(
      app,
      `${prefix}/${CODE_PATH}`,
      new OAuthCodeService(logins),
      { ...options, methods: ['create'] },
      [respond]
    )
    register(
      app,
      `${prefix}/:provider/callback`,
      new OAuthCallbackService(logins),
      { ...options, forms: true },
      [requireHttp, respond]
    )
    register(app, `${prefix}/:provider`, new OAuthService(logins), options, [requireHttp, respond])

    auth.hooks({ around: { remove: [clearCookie(logins)] } })
  }
}

function register(app: any, path: string, service: object, options: object, around: unknown[]): void {
  app.use(path, service, options)
  app.service(path).hooks({ around: { all: around } })
  app.service(path).publish(() => null)
}

/** An around hook: the cookie ends with a logout, also where the login has ended already. Scripts cannot delete it. */
function clearCookie(logins: Logins) {
  return async (context: HookContext, next: NextFunction): Promise<void> => {
    const { http, id, params } = context
    const { tokenCookie: name } = logins
    const isHeld = http && name !== undefined && id === null && logins.isByCookie(params)

    try {
      await next()
    } catch (error) {
      if (!isHeld || !hasCode(error, 401)) throw error

      context.result = {}
    }

    if (isHeld) {
      const cookie = toSetCookie(name, '', { maxAge: 0, isSecure: logins.isSecure })

      // The login may have cleared the cookie of its refresh token.
      http.headers = addSetCookie(http.headers ?? {}, cookie)
    }
  }
}
