// The code that a page exchanges for its access token.
import { randomUUID } from 'node:crypto'
import { seal, unseal } from '../authentication/seal.ts'
import type { Secret } from '../authentication/secret-keys.ts'

/** What a code holds. */
export interface SealedCode {
  /** Used once. */
  readonly id: string
  readonly accessToken: string
  /** In milliseconds since 1970. */
  readonly expiresAt: number
}

/** How long a code is good, in milliseconds: a page that has loaded exchanges it at once (RFC 6749 §4.1.2). */
const LIFETIME = 60_000

const PURPOSE = 'oauth code'

/** Makes a code for an access token. */
export function sealCode(accessToken: string, secret: Secret): string {
  const code: SealedCode = { id: randomUUID(), accessToken, expiresAt: Date.now() + LIFETIME }

  return seal(code, secret, PURPOSE)
}

/** Returns what a code holds; `undefined` if the code is invalid or has expired. */
export function unsealCode(text: unknown, secret: Secret): SealedCode | undefined {
  const code = typeof text === 'string' ? unseal<SealedCode>(text, secret, PURPOSE) : undefined

  return code && code.expiresAt > Date.now() ? code : undefined
}
