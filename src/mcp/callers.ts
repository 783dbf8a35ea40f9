// Who calls: verified once for a request, for what is inside of it.
import { createHash } from 'node:crypto'
import { readEntityId } from '../access/rules.ts'
import type { AuthenticationBase } from '../authentication/base.ts'
import { assertIssuers, assertJose, type TokenIssuer } from '../authentication/issuers.ts'
import { JWTStrategy } from '../authentication/jwt.ts'
import type { AuthenticationResult } from '../authentication/types.ts'
import type { Application, AuthenticationRequest, MountedDetails, Params } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { addInherited, addServiceSlots } from '../utils/call-state.ts'
import { isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import type { McpOptions } from './options.ts'

/** Who makes a call. */
export interface Caller {
  /** The params of the calls of services. They hold no token. */
  readonly params: Params
  /** What a confirmation is bound to: the user, or else what proves who calls. */
  readonly key: string
  readonly isAnonymous: boolean
}

/** `typ` of tokens for MCP: where a configuration has no audience, the API would take them for its own. */
const TOKEN_TYPE = 'mcp+jwt'

/** What tokens for MCP are made and verified with, beside the options of the configuration. */
export function toTokenOptions(resource: string): { audience: string; header: { typ: string } } {
  return { audience: resource, header: { typ: TOKEN_TYPE } }
}

/** Finds out who makes requests. */
export class Callers {
  private readonly app: Application
  private readonly options: McpOptions

  constructor(app: Application, options: McpOptions) {
    this.app = app
    this.options = options
  }

  /** The service that logs clients in. */
  get auth(): AuthenticationBase | undefined {
    return this.app.defaultAuthentication?.() as AuthenticationBase | undefined
  }

  /** @throws Error where clients could not log in, for issuers that are not valid, and without the package that they need */
  async assertComplete(): Promise<void> {
    const { auth } = this
    const { anonymous, issuers } = this.options

    if (!auth && (!anonymous || issuers)) {
      throw createError(
        'ALULA_NO_AUTHENTICATION',
        "mcp() needs an authentication service, by which clients log in. Set 'anonymous: true' for clients without a login"
      )
    }
    if (!issuers) return

    assertIssuers(
      'mcp()',
      this.issuers,
      [auth?.configuration.jwtOptions?.issuer].flat(),
      auth?.configuration.entity !== null
    )
    await assertJose()
  }

  /**
   * Verifies the credentials of a request. Throws NotAuthenticated without valid ones, unless clients may do without: then only
   * for those that are not valid.
   */
  async identify({ params }: MountedDetails): Promise<Caller> {
    const { options } = this
    const { authentication } = params
    const given: Params = {
      ...params,
      provider: 'mcp',
      headers: withoutCredentials(params.headers, authentication)
    }

    // Trusted code in front, such as a session of the application, has said who calls.
    if (params.authenticated === true)
      return { params: given, key: this.toKey(given, authentication), isAnonymous: false }
    if (!authentication) {
      if (!options.anonymous) throw new NotAuthenticated('Not authenticated')

      return { params: given, key: '', isAnonymous: true }
    }

    const { accessToken: _, authentication: verified, ...result } = await this.verify(authentication, params)
    const { strategy, payload } = { ...authentication, ...verified }
    const found: Params = {
      ...given,
      ...result,
      authentication: { strategy: strategy as string, ...(payload && { payload }) },
      authenticated: true
    }

    return {
      // A hook `authenticate` accepts its service and the strategies that it names, as for other transports.
      params: addInherited(found, { admission: { by: this.auth as AuthenticationBase } }),
      key: this.toKey(found, authentication),
      isAnonymous: false
    }
  }

  /** The issuers as the strategy takes them. */
  private get issuers(): readonly TokenIssuer[] {
    const { issuers = [], resource } = this.options

    return issuers.map((issuer) => ({ ...issuer, audience: issuer.audience ?? resource }))
  }

  private async verify(authentication: AuthenticationRequest, params: Params): Promise<AuthenticationResult> {
    const auth = this.auth as AuthenticationBase
    const { provider: _, authentication: __, ...others } = params
    const strategy = auth.getStrategy(authentication.strategy as string)

    if (!(strategy instanceof JWTStrategy)) {
      const { authStrategies, parseStrategies = authStrategies } = auth.configuration

      return auth.authenticate(authentication, others, ...parseStrategies)
    }

    // By the service, because a class of the application may refuse callers.
    const verifying = addServiceSlots(others, auth.strategies, { resourceIssuers: this.issuers })

    return auth.authenticate(
      authentication,
      { ...verifying, jwt: toTokenOptions(this.options.resource) },
      authentication.strategy as string
    )
  }

  private toKey(params: Params, authentication: unknown): string {
    const entity: string = this.auth?.configuration.entity ?? 'user'
    const id = readEntityId(this.app, (params as { [name: string]: object | undefined })[entity])
    const subject = id ?? params.authentication?.payload?.sub

    return subject === undefined
      ? createHash('sha256')
          .update(JSON.stringify(authentication ?? null))
          .digest('base64url')
      : `${typeof subject} ${subject}`
  }
}

/** Hooks may pass headers on. */
function withoutCredentials(
  headers: Params['headers'] = {},
  authentication: AuthenticationRequest = {}
): NonNullable<Params['headers']> {
  const secrets = Object.entries(authentication).flatMap(([name, value]) =>
    name !== 'strategy' && isString(value) ? [value] : []
  )
  const isSecret = (name: string, value: unknown) =>
    ['authorization', 'cookie'].includes(name) || secrets.some((secret) => String(value).includes(secret))

  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => !isSecret(name, value)))
}
