import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { onTestFinished } from 'vitest'

/** What an account at the provider says of itself, by the name that one logs in with. */
export interface Accounts {
  [login: string]: { email?: string; email_verified?: boolean; name?: string }
}

/** A running OpenID provider. */
export interface OpenidProvider {
  readonly issuer: string
  readonly accounts: Accounts
  /** The settings of a client. */
  readonly openid: { readonly [option: string]: any }
  /** Those of one without OpenID Connect, with a profile beside the endpoints of the provider. */
  readonly plain: { readonly [option: string]: any }
  /** Registers where logins lead back to. */
  allow(redirectUri: string): void
  /** What the endpoint of tokens has answered with. */
  readonly tokens: string[]
  /** How often the endpoint of tokens was asked. */
  readonly tokenRequests: string[]
  stop(): Promise<void>
}

interface ProviderOptions {
  /** The port; a free one when left out. */
  readonly port?: number
}

/** The client that the provider knows. */
export const CLIENT = { key: 'alula', secret: 'a secret that the provider has given' }

/** Another client of it, without a secret. */
export const PUBLIC_CLIENT = { key: 'alula-public', token_endpoint_auth_method: 'none' }

const HOUR = 3600

/** Making one takes longer than a login. */
const KEY = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  alg: 'RS256',
  use: 'sig',
  kid: 'of the test'
}

/** Starts `oidc-provider` on a port of this machine; it ends with the test. */
export async function startOpenidProvider(
  accounts: Accounts = {},
  { port = 0 }: ProviderOptions = {}
): Promise<OpenidProvider> {
  const server = createServer().listen(port, '127.0.0.1')

  await once(server, 'listening')

  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirectUris: string[] = ['http://127.0.0.1/nowhere']
  const tokenRequests: string[] = []
  const tokens: string[] = []
  const shared = {
    redirect_uris: redirectUris,
    grant_types: ['authorization_code'],
    response_types: ['code']
  }
  const provider: any = new Provider(issuer, {
    clients: [
      { ...shared, client_id: CLIENT.key, client_secret: CLIENT.secret },
      { ...shared, client_id: PUBLIC_CLIENT.key, token_endpoint_auth_method: 'none' }
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...accounts[id] })
    }),
    cookies: { keys: ['of the provider alone'] },
    jwks: { keys: [KEY] },
    ttl: { Interaction: HOUR, Session: HOUR, Grant: HOUR, AccessToken: HOUR, IdToken: HOUR },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } }
  } as any)

  // The clients are read once, and where they are is known later.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => redirectUris.includes(uri)
  provider.use(async (context: any, next: () => Promise<void>) => {
    if (context.path === '/profile') return answerProfile(context, provider, accounts)

    await next()
    if (context.path === '/token') tokens.push(JSON.stringify(context.body))
  })

  const answer = provider.callback()

  server.on('request', (request, response) => {
    if (request.method === 'POST' && request.url === '/token') tokenRequests.push(request.url)
    answer(request, response)
  })

  async function stop(): Promise<void> {
    if (!server.listening) return
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }

  onTestFinished(stop)

  return {
    issuer,
    accounts,
    openid: { ...CLIENT, issuer, scope: 'openid email' },
    plain: {
      ...CLIENT,
      authorize_url: `${issuer}/auth`,
      access_url: `${issuer}/token`,
      profile_url: `${issuer}/profile`,
      scope: ['profile']
    },
    allow: (redirectUri) => void redirectUris.push(redirectUri),
    tokens,
    tokenRequests,
    stop
  }
}

async function answerProfile(context: any, provider: any, accounts: Accounts): Promise<void> {
  const [, value] = String(context.get('authorization')).split(' ')
  const token = await provider.AccessToken.find(value)

  if (!token) context.throw(401)

  context.body = { id: token.accountId, ...accounts[token.accountId] }
}
