import {
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  constants as rsa,
  sign as signBytes
} from 'node:crypto'
import { expect } from 'vitest'
import express, { errorHandler, rest } from '../../../src/express.ts'
import { alula } from '../../../src/index.ts'
import { CountingHasher, configureLogin, JWT_OPTIONS, SECRET } from '../../support/login.ts'
import { serve } from '../../support/server.ts'

export type Json = unknown

export type Signer = (text: string) => Buffer

export const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })

export const OTHER_RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })

export const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export const OTHER_EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })

export const toPem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

export const publicForms = ({ publicKey }: { publicKey: KeyObject }): (string | Buffer)[] => {
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

  return [
    pem,
    pem.trim(),
    pem.replaceAll('\n', '\r\n'),
    pem.replace(/-----.*?-----|\s/g, ''),
    publicKey.export({ type: 'spki', format: 'der' }),
    JSON.stringify(publicKey.export({ format: 'jwk' }))
  ]
}

export const hmac =
  (hash: number, secret: string | Buffer = SECRET): Signer =>
  (text) =>
    createHmac(`sha${hash}`, secret).update(text).digest()

export const pkcs1 =
  (key: KeyObject, hash = 256): Signer =>
  (text) =>
    signBytes(`sha${hash}`, Buffer.from(text), key)

export const pss =
  (key: KeyObject): Signer =>
  (text) =>
    signBytes('sha256', Buffer.from(text), { key, padding: rsa.RSA_PKCS1_PSS_PADDING, saltLength: 32 })

export const ecdsa =
  (key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Signer =>
  (text) =>
    signBytes('sha256', Buffer.from(text), { key, dsaEncoding })

export const encode = (value: string | Buffer) => Buffer.from(value).toString('base64url')

export const seconds = () => Math.floor(Date.now() / 1000)

export const HEADER = { alg: 'HS256', typ: 'access' }

export const claims = (changes: object = {}) => ({
  sub: '1',
  iat: seconds(),
  exp: seconds() + 1000,
  aud: JWT_OPTIONS.audience,
  iss: JWT_OPTIONS.issuer,
  jti: 'one',
  ...changes
})

/** A token that says just this. `undefined` leaves a name out; a text is taken for JSON. */
export function makeToken(header: Json, payload: Json, sign: Signer): string {
  const [head, body] = [header, payload].map((part) =>
    encode(typeof part === 'string' ? part : JSON.stringify(part))
  )

  return `${head}.${body}.${encode(sign(`${head}.${body}`))}`
}

export const configure = (app: any, settings: object = {}) =>
  configureLogin(app, {
    settings: { local: { hasher: new CountingHasher() }, ...settings },
    users: {
      store: { 1: { id: 1, email: 'ann', password: 'hash of x' }, null: { id: 'null', email: 'bob' } }
    }
  })

/** An application on a port. `send` shows a token at each place where one is taken, and returns the one status. */
export async function open(settings: object = {}) {
  const app: any = express(alula())

  app.configure(rest())
  const authentication = configure(app, settings)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  async function send(token: unknown): Promise<number> {
    const { status } = await fetch(`${url}/authentication`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify({ strategy: 'jwt', accessToken: token })
    })

    // Not every text can be a header.
    if (typeof token === 'string' && /^[\x21-\x7e]{1,8000}$/.test(token)) {
      const headers = { Authorization: `Bearer ${token}`, Connection: 'close' }
      const response = await fetch(`${url}/notes`, { headers })

      expect(response.status).toBe(status === 201 ? 200 : status)
    }

    return status
  }

  return { app, authentication, send, url }
}

/**
 * Logs in with tokens that must be refused, one after another, and then with one that must not. And with all of them
 * again, because the service remembers now what it has verified. The first one and the good one are sent over HTTP too.
 */
export async function expectRefused(
  settings: object,
  tokens: { [title: string]: unknown } | string[][],
  good: string
): Promise<void> {
  const { app, send } = await open(settings)
  const listed: readonly unknown[][] = Array.isArray(tokens) ? tokens : Object.entries(tokens)

  for (const round of ['new', 'remembered']) {
    for (const [title, accessToken] of listed) {
      const code = await app
        .service('authentication')
        .create({ strategy: 'jwt', accessToken }, { provider: 'rest' })
        .then(
          () => 201,
          (error: any) => error.code
        )

      expect(code, `${title} (${round})`).toBe(401)
    }

    expect(await send(listed[0]?.[1])).toBe(401)
    expect(await send(good)).toBe(201)
  }
}

export const good = () => makeToken(HEADER, claims(), hmac(256))

export const KEY_PAIRS = {
  RS256: {
    pair: RSA,
    sign: pkcs1(RSA.privateKey),
    others: [pkcs1(OTHER_RSA.privateKey), pss(RSA.privateKey)]
  },
  PS256: { pair: RSA, sign: pss(RSA.privateKey), others: [pss(OTHER_RSA.privateKey), pkcs1(RSA.privateKey)] },
  ES256: {
    pair: EC,
    sign: ecdsa(EC.privateKey),
    others: [ecdsa(OTHER_EC.privateKey), ecdsa(EC.privateKey, 'der'), () => Buffer.alloc(64)]
  }
} satisfies {
  [alg: string]: { pair: { publicKey: KeyObject; privateKey: KeyObject }; sign: Signer; others: Signer[] }
}

export const withKey = (alg: keyof typeof KEY_PAIRS) => ({
  secret: toPem(KEY_PAIRS[alg].pair.privateKey),
  jwtOptions: { ...JWT_OPTIONS, algorithm: alg }
})

export const FORMS: { [alg: string]: { settings: object; token: () => string } } = {
  HS256: { settings: {}, token: good },
  ...Object.fromEntries(
    (Object.keys(KEY_PAIRS) as (keyof typeof KEY_PAIRS)[]).map((alg) => [
      alg,
      { settings: withKey(alg), token: () => makeToken({ ...HEADER, alg }, claims(), KEY_PAIRS[alg].sign) }
    ])
  )
}
