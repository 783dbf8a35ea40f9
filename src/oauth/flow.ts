import type { ClientAuth, Configuration } from 'openid-client'
import { type FeathersError, NotAuthenticated, Unavailable } from '../errors.ts'
import { createDebug } from '../utils/debug.ts'
import { importPeer } from '../utils/peer.ts'
import { type ResolvedProvider, toScopes } from './options.ts'
import { isLoopback, isSafeUrl } from './redirect.ts'
import type { CallbackQuery, OAuthData } from './types.ts'

type OpenidClient = typeof import('openid-client')

/** What must come back with a callback, or match what does. Nobody but the browser that has begun may have it. */
export interface FlowSecrets {
  readonly state: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
  /** Of the ID token; not where there is none. */
  readonly nonce?: string | undefined
}

const debug = createDebug('alula:oauth')

/** How long a provider may take to answer, in seconds. */
const TIMEOUT = 10

/** How many bytes the answer of a provider may have. */
const MAX_ANSWER = 1024 * 1024

/** What a provider says when it does not know the application, or does not want it. */
const REFUSALS = ['invalid_client', 'unauthorized_client']

/** Loads what speaks OAuth. */
export function loadClient(
  load: () => Promise<OpenidClient> = () => import('openid-client')
): Promise<OpenidClient> {
  return importPeer('openid-client', "'alula/oauth'", load)
}

/** The authorization code flow with one provider (RFC 6749 §4.1, OpenID Connect Core §3.1). */
export class Flow {
  private readonly name: string
  private readonly settings: ResolvedProvider
  private readonly redirectUri: string
  private configuration: Promise<Configuration> | undefined

  /**
   * @param name The name of the provider
   * @param settings How to reach it
   * @param redirectUri Where it sends browsers back to
   */
  constructor(name: string, settings: ResolvedProvider, redirectUri: string) {
    this.name = name
    this.settings = settings
    this.redirectUri = redirectUri
  }

  /**
   * Begins: makes the URL that the browser is sent to.
   *
   * @throws Unavailable when the provider can not be asked where that is
   */
  async begin(): Promise<{ location: string; secrets: FlowSecrets }> {
    const { settings } = this
    const { scope_delimiter = ' ', custom_params, nonce = this.isOpenid } = settings
    const client = await loadClient()
    const secrets = {
      state: client.randomState(),
      verifier: client.randomPKCECodeVerifier(),
      nonce: nonce ? client.randomNonce() : undefined
    }
    const url = client.buildAuthorizationUrl(await this.ask(() => this.connect()), {
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
   * Ends: exchanges the code of a callback, and asks who has logged in.
   *
   * @param query The query of the callback
   * @param secrets What was made when the flow began
   * @throws NotAuthenticated for a login that did not succeed; Unavailable when the provider does not answer
   */
  finish(query: CallbackQuery, secrets: FlowSecrets): Promise<Omit<OAuthData, 'strategy'>> {
    return this.ask(async () => {
      const client = await loadClient()
      const configuration = await this.connect()
      const tokens = await client.authorizationCodeGrant(configuration, this.toCallbackUrl(query), {
        pkceCodeVerifier: secrets.verifier,
        expectedState: secrets.state,
        idTokenExpected: this.isOpenid,
        ...(secrets.nonce && { expectedNonce: secrets.nonce })
      })
      const { access_token, refresh_token, id_token, ...raw } = tokens
      const said = this.isOpenid
        ? await this.getClaims(configuration, access_token, tokens.claims())
        : await this.get(configuration, access_token, this.settings.profile_url as string)
      const profile = await this.settings.toProfile?.(said, {
        settings: this.settings,
        query,
        get: (url) => this.get(configuration, access_token, url)
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

  private get isOpenid(): boolean {
    return this.settings.issuer !== undefined
  }

  /** Once; again only after it has failed. */
  private connect(): Promise<Configuration> {
    this.configuration ??= this.configure().catch((cause) => {
      this.configuration = undefined
      throw new Unusable(cause)
    })

    return this.configuration
  }

  private async configure(): Promise<Configuration> {
    const client = await loadClient()
    const { key, issuer, authorize_url, access_url } = this.settings
    const authenticate = this.toClientAuth(client)

    if (issuer !== undefined) {
      const discovered = await client.discovery(new URL(issuer), key, undefined, authenticate, {
        [client.customFetch]: fetchBounded,
        timeout: TIMEOUT,
        execute: [
          client.enableNonRepudiationChecks,
          ...(isLoopback(new URL(issuer)) ? [client.allowInsecureRequests] : [])
        ]
      })

      // The one endpoint that only browsers open.
      if (!isSafeUrl(discovered.serverMetadata().authorization_endpoint)) {
        throw new Error('The authorization endpoint has no https')
      }

      return discovered
    }

    const token = new URL(access_url as string)
    const configuration = new client.Configuration(
      {
        issuer: new URL(authorize_url as string).origin,
        authorization_endpoint: authorize_url as string,
        token_endpoint: token.href
      },
      key,
      undefined,
      authenticate
    )

    configuration.timeout = TIMEOUT
    configuration[client.customFetch] = fetchBounded
    if (isLoopback(token)) client.allowInsecureRequests(configuration)

    return configuration
  }

  /** As it is set, or else as the provider says that it wants it. The secret is made for each request. */
  private toClientAuth(client: OpenidClient): ClientAuth {
    const { settings } = this

    return (server, metadata, body, headers) => {
      const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const method =
        settings.token_endpoint_auth_method ??
        (this.isOpenid && !supported.includes('client_secret_post')
          ? 'client_secret_basic'
          : 'client_secret_post')
      const secret = settings.createSecret?.(settings) ?? settings.secret
      const authenticate =
        method === 'none'
          ? client.None()
          : method === 'client_secret_basic'
            ? client.ClientSecretBasic(secret)
            : client.ClientSecretPost(secret)

      authenticate(server, metadata, body, headers)
    }
  }

  private async getClaims(
    configuration: Configuration,
    accessToken: string,
    claims: { sub: string } | undefined
  ): Promise<any> {
    const { fetchUserInfo } = await loadClient()

    if (!claims || configuration.serverMetadata().userinfo_endpoint === undefined) return claims

    return { ...claims, ...(await fetchUserInfo(configuration, accessToken, claims.sub)) }
  }

  private async get(configuration: Configuration, accessToken: string, url: string): Promise<any> {
    const { fetchProtectedResource } = await loadClient()
    const headers = new Headers({ Accept: 'application/json' })
    const response = await fetchProtectedResource(
      configuration,
      accessToken,
      new URL(url),
      'GET',
      undefined,
      headers
    )

    if (!response.ok)
      throw Object.assign(new Error(`The answer is ${response.status}`), { status: response.status })

    return response.json()
  }

  /** The URL that the provider has sent the browser to, as it would be without a proxy in between. */
  private toCallbackUrl(query: CallbackQuery): URL {
    const url = new URL(this.redirectUri)

    for (const [name, values] of Object.entries(query)) {
      // Who it comes from is known by the path. Providers without discovery may name themselves in a way of their own.
      if (name === 'iss' && !this.isOpenid) continue

      for (const value of [values].flat()) {
        if (typeof value === 'string') url.searchParams.append(name, value)
      }
    }

    return url
  }

  /** Has an error say what the one who logs in can do about it, and nothing of what was sent. */
  private async ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error: any) {
      const reason = toReason(error)

      debug('%s: %j', this.name, reason.message)
      throw Object.assign(this.toFeathersError(error), { cause: reason })
    }
  }

  private toFeathersError(error: any): FeathersError {
    if (error?.error === 'access_denied') return new NotAuthenticated('Access was denied')
    if (isAway(error)) return new Unavailable(`The OAuth provider '${this.name}' can not be reached`)
    if (error instanceof Unusable || REFUSALS.includes(error?.error)) {
      return new Unavailable(`The OAuth provider '${this.name}' can not be used as it is configured`)
    }

    return new NotAuthenticated('OAuth Authentication not successful')
  }
}

/** That a provider is not what the configuration says. */
class Unusable extends Error {
  constructor(cause: unknown) {
    super((cause as Error)?.message, { cause })
  }
}

/** `fetch` that reads no further than an answer may be long. */
async function fetchBounded(url: string, options: any): Promise<Response> {
  const { body, status, headers } = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let size = 0

  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    // To leave the loop ends the request.
    if (size > MAX_ANSWER) throw new Error(`The answer has more than ${MAX_ANSWER} bytes`)
    chunks.push(chunk)
  }

  return new Response(size > 0 ? Buffer.concat(chunks) : null, { status, headers })
}

/** What has happened, for the log of a server. The error itself may hold the whole answer, tokens among it. */
function toReason({ message, code, error, error_description: description }: any): Error {
  return new Error([message, code, error, description].filter((part) => typeof part === 'string').join(': '))
}

/** Whether a provider did not answer, or could not. */
function isAway(error: any): boolean {
  for (let current = error; current; current = current.cause) {
    if (current.status >= 500 || current.code === 'OAUTH_TIMEOUT' || current.name === 'TimeoutError')
      return true
    // What `fetch` rejects with when there is no connection, and when it breaks off.
    if (current instanceof TypeError && /^(fetch failed|terminated)$/.test(current.message)) return true
  }

  return false
}
