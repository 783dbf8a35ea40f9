import { createDebug } from '../utils/debug.ts'
import { loadClient, ProviderConnection } from './connection.ts'
import { type ProviderError, toReason, toShownError } from './failure.ts'
import { type ResolvedProvider, toScopes } from './options.ts'
import type { CallbackQuery, OAuthData, OAuthProfile } from './types.ts'

/** Secrets that a callback must return or match. Only the browser that began the login may have them. */
export interface FlowSecrets {
  readonly state: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
  /** Of the ID token; not where there is none. */
  readonly nonce?: string | undefined
}

const debug = createDebug('alula:oauth')

/** The authorization code flow with one provider (RFC 6749 §4.1, OpenID Connect Core §3.1). */
export class Flow {
  private readonly name: string
  private readonly settings: ResolvedProvider
  private readonly redirectUri: string
  private readonly connection: ProviderConnection

  constructor(name: string, settings: ResolvedProvider, redirectUri: string) {
    this.name = name
    this.settings = settings
    this.redirectUri = redirectUri
    this.connection = new ProviderConnection(settings)
  }

  /** Begins: makes the URL that the browser is sent to. Throws Unavailable when that URL cannot be read from the provider. */
  async begin(): Promise<{ location: string; secrets: FlowSecrets }> {
    const { settings, connection } = this
    const { scope_delimiter = ' ', custom_params, nonce = connection.isOpenid } = settings
    const client = await loadClient()
    const secrets = {
      state: client.randomState(),
      verifier: client.randomPKCECodeVerifier(),
      nonce: nonce ? client.randomNonce() : undefined
    }
    const url = client.buildAuthorizationUrl(await this.ask(() => connection.connect()), {
      ...custom_params,
      redirect_uri: this.redirectUri,
      scope: toScopes(settings).join(scope_delimiter),
      state: secrets.state,
      code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
      code_challenge_method: 'S256',
      ...(secrets.nonce && { nonce: secrets.nonce })
    })

    return { location: url.href, secrets }
  }

  /**
   * Ends: exchanges the code of a callback, and asks who has logged in. Throws NotAuthenticated for a login that did not
   * succeed; Unavailable when the provider does not respond.
   */
  finish(query: CallbackQuery, secrets: FlowSecrets): Promise<Omit<OAuthData, 'strategy'>> {
    const { settings, connection } = this

    return this.ask(async () => {
      const client = await loadClient()
      const configuration = await connection.connect()
      const tokens = await client.authorizationCodeGrant(configuration, this.toCallbackUrl(query), {
        pkceCodeVerifier: secrets.verifier,
        expectedState: secrets.state,
        idTokenExpected: connection.isOpenid,
        ...(secrets.nonce && { expectedNonce: secrets.nonce })
      })
      const { access_token, refresh_token, id_token, ...raw } = tokens
      const said = (await (connection.isOpenid
        ? connection.getClaims(access_token, tokens.claims())
        : connection.get(access_token, settings.profile_url as string))) as OAuthProfile
      const profile = await settings.toProfile?.(said, {
        settings,
        query,
        get: (url) => connection.get(access_token, url)
      })

      return {
        access_token,
        ...(refresh_token && { refresh_token }),
        ...(id_token && { id_token }),
        raw: { ...raw },
        profile: profile ?? said
      }
    })
  }

  /** The URL that the provider has sent the browser to, as it would be without a proxy in between. */
  private toCallbackUrl(query: CallbackQuery): URL {
    const url = new URL(this.redirectUri)

    for (const [name, values] of Object.entries(query)) {
      // Who it comes from is known by the path. Providers without discovery may name themselves in a way of their own.
      if (name === 'iss' && !this.connection.isOpenid) continue

      for (const value of [values].flat()) {
        if (typeof value === 'string') url.searchParams.append(name, value)
      }
    }

    return url
  }

  /** Replaces an error by one for the user who logs in: it says what the user can do, and nothing of what was sent. */
  private async ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      const reason = toReason(error as ProviderError)

      debug('%s: %j', this.name, reason.message)
      throw Object.assign(toShownError(this.name, error), { cause: reason })
    }
  }
}
