import type { ClientAuth, Configuration } from 'openid-client'
import { isLoopback } from '../utils/check.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import { readBounded } from '../utils/read-bounded.ts'
import { isSafeUrl } from '../utils/url.ts'
import { Unusable } from './failure.ts'
import { createSecret, type ResolvedProvider } from './options.ts'
import type { OAuthProfile } from './types.ts'

type OpenidClient = typeof import('openid-client')

/** How long a provider may take to respond, in seconds. */
const TIMEOUT = 10

/** How many bytes the response of a provider may have. */
const MAX_RESPONSE = 1024 * 1024

/** Loads what speaks OAuth. */
export function loadClient(): Promise<OpenidClient> {
  return import('openid-client').catch(rethrowMissingPeer('openid-client', "'alula/oauth'"))
}

/** What our server asks of one provider by itself, without a browser. */
export class ProviderConnection {
  private readonly settings: ResolvedProvider
  private configuration: Promise<Configuration> | undefined

  constructor(settings: ResolvedProvider) {
    this.settings = settings
  }

  /** Whether it speaks OpenID Connect, and not OAuth alone. */
  get isOpenid(): boolean {
    return this.settings.issuer !== undefined
  }

  /**
   * Finds out how to reach the provider: once; again only after it has failed. Throws Unusable when it is not what the settings
   * say.
   */
  connect(): Promise<Configuration> {
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
          ...(isLoopback(new URL(issuer).hostname) ? [client.allowInsecureRequests] : [])
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
    if (isLoopback(token.hostname)) client.allowInsecureRequests(configuration)

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
      const secret = createSecret(settings)
      const authenticate =
        method === 'none'
          ? client.None()
          : method === 'client_secret_basic'
            ? client.ClientSecretBasic(secret)
            : client.ClientSecretPost(secret)

      authenticate(server, metadata, body, headers)
    }
  }

  /** The profile of the user, from the ID token and, if the provider has one, the endpoint for it. */
  async getClaims(
    accessToken: string,
    claims: { sub: string } | undefined
  ): Promise<OAuthProfile | undefined> {
    const { fetchUserInfo } = await loadClient()
    const configuration = await this.connect()

    if (!claims || configuration.serverMetadata().userinfo_endpoint === undefined) return claims

    return { ...claims, ...(await fetchUserInfo(configuration, accessToken, claims.sub)) }
  }

  /** Reads a URL of the provider with an access token. */
  async get(accessToken: string, url: string): Promise<unknown> {
    const { fetchProtectedResource } = await loadClient()
    const configuration = await this.connect()
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
      throw Object.assign(new Error(`The response is ${response.status}`), { status: response.status })

    return response.json()
  }
}

/** `fetch` that reads no more than a response may hold. */
async function fetchBounded(url: string, options: object): Promise<Response> {
  const response = await fetch(url, options)
  const { status, headers } = response
  const body = await readBounded(response, MAX_RESPONSE)

  return new Response(body.length > 0 ? body : null, { status, headers })
}
