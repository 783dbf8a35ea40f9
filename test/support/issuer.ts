import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { onTestFinished } from 'vitest'

/** Whom the tokens are for. */
export const AUDIENCE = 'urn:alula:api'

/** An OpenID provider whose access tokens are JSON Web Tokens. */
export interface Issuer {
  readonly issuer: string
  readonly jwks: string
  /** How often its keys were fetched. */
  readonly fetched: () => number
  /** Logs a program in; returns its access token. */
  getToken(): Promise<string>
  /** Signs with other keys from now on. */
  rotate(...keys: readonly object[]): void
  /** Has no response to give. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** A private key as a provider has it. */
export function createKey(kid: string | undefined, alg = 'RS256'): any {
  const { privateKey } = alg.startsWith('ES')
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 })

  return { ...privateKey.export({ format: 'jwk' }), alg, use: 'sig', ...(kid !== undefined && { kid }) }
}

/** Starts `oidc-provider` on a port of this machine; it ends with the test. */
export async function startIssuer(...keys: readonly object[]): Promise<Issuer> {
  const server = createServer().listen(0, '127.0.0.1')

  await once(server, 'listening')

  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  let answer = createProvider(issuer, keys)
  let fetched = 0

  server.on('request', (request, response) => {
    if (request.url === '/jwks') fetched++
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
    jwks: `${issuer}/jwks`,
    fetched: () => fetched,
    async getToken() {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Connection: 'close' },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: 'wren',
          client_secret: 'secret',
          resource: AUDIENCE
        })
      })
      const { access_token: token } = (await response.json()) as { access_token: string }

      return token
    },
    rotate(...next) {
      answer = createProvider(issuer, next)
    },
    stop,
    async start() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    }
  }
}

function createProvider(issuer: string, keys: readonly object[]): ReturnType<Provider['callback']> {
  const [{ alg }] = keys as [{ alg: string }]

  return new Provider(issuer, {
    clients: [
      {
        client_id: 'wren',
        client_secret: 'secret',
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials']
      }
    ],
    jwks: { keys },
    ttl: { ClientCredentials: 3600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg } }
        })
      }
    }
  } as any).callback()
}
