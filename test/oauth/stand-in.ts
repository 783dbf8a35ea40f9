import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import jwt from 'jsonwebtoken'
import { onTestFinished } from 'vitest'
import { readText } from '../../src/node/read.ts'
import { toUrl } from '../support/server.ts'

/** A request as a provider that is none gets it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly form: URLSearchParams
}

/** An object is sent as JSON, a text as HTML, and a number is a status; a function answers on its own. */
export type Answer = object | string | number | undefined | ((response: ServerResponse) => void)

/** What stands in for a provider that is not to be had on this machine, or does what none would do. */
export interface StandIn {
  readonly url: string
  readonly requests: SeenRequest[]
  readonly key: KeyObject
  /** The settings of a client without OpenID Connect. */
  readonly plain: { readonly [option: string]: any }
  /** Makes an ID token. */
  sign(claims: object, options?: { algorithm?: 'RS256' | 'HS256' | 'none'; key?: KeyObject | string }): string
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/**
 * Starts a server that answers as it is told; it ends with the test.
 *
 * @param answer Says what to answer to a request; 404 when it says nothing
 */
export async function startStandIn(
  answer: (request: SeenRequest, standIn: StandIn) => Answer
): Promise<StandIn> {
  const requests: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const seen = {
      method: request.method as string,
      path: request.url as string,
      headers: request.headers,
      form: new URLSearchParams(await readText(request, 100_000))
    }

    requests.push(seen)

    const result = toAnswer(seen) ?? answer(seen, standIn) ?? 404

    if (typeof result === 'function') result(response)
    else if (typeof result === 'number') response.writeHead(result).end()
    else if (typeof result === 'string') response.writeHead(200, { 'Content-Type': 'text/html' }).end(result)
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result))
  }).listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const url = toUrl(server)
  const standIn: StandIn = {
    url,
    requests,
    key: publicKey,
    plain: {
      key: 'alula',
      secret: 'a secret of a stand-in',
      authorize_url: `${url}/authorize`,
      access_url: `${url}/token`,
      profile_url: `${url}/user`
    },
    sign: (claims, { algorithm = 'RS256', key = privateKey } = {}) =>
      jwt.sign({ iss: url, aud: 'alula', ...claims }, key as any, {
        algorithm,
        expiresIn: '5m',
        keyid: 'of a stand-in'
      })
  }

  function toAnswer({ path }: SeenRequest): Answer {
    if (path !== '/keys') return undefined

    return {
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'of a stand-in', alg: 'RS256', use: 'sig' }]
    }
  }

  return standIn
}

/** What an OpenID provider says of itself. */
export function describeOpenid(issuer: string, others: object = {}): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    ...others
  }
}

/** The path of that. */
export const DISCOVERY = '/.well-known/openid-configuration'
