import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../utils/derive-key.ts'

/** What a refresh token says. */
export interface RefreshToken {
  /** The id of the session. */
  readonly id: string
  readonly counter: number
}

/** What the key of refresh tokens is derived from. */
export interface RefreshTokenKey {
  /** The secrets of the authentication service; the first one makes tokens. */
  readonly secrets: readonly string[]
  /** The name of its setting: a token of one service is none of another. */
  readonly service: string
}

/** The id of a session, a counter that JavaScript can count on from, and an HMAC. */
const TOKEN = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.(\d{1,15})\.([\w-]{43})$/

/** Makes the refresh token of a session. It begins with the id, by which a client tells to which session it belongs. */
export function createRefreshToken({ id, counter }: RefreshToken, key: RefreshTokenKey): string {
  return `${id}.${counter}.${sign({ id, counter }, key.secrets[0] as string, key.service).toString('base64url')}`
}

/** Whether a value has the form of a refresh token. */
export function isRefreshToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value)
}

/** Reads a refresh token; `undefined` for anything that was not signed with this key. */
export function readRefreshToken(value: unknown, key: RefreshTokenKey): RefreshToken | undefined {
  const [, id, digits, signature] = (typeof value === 'string' && TOKEN.exec(value)) || []

  if (id === undefined || signature === undefined) return undefined

  const token = { id, counter: Number(digits) }
  const given = Buffer.from(signature, 'base64url')

  // Other characters may decode to the same bytes.
  if (given.toString('base64url') !== signature || String(token.counter) !== digits) return undefined

  const isValid = key.secrets.some((secret) => timingSafeEqual(given, sign(token, secret, key.service)))

  return isValid ? token : undefined
}

/** By a key for each session, which is stored nowhere. */
function sign({ id, counter }: RefreshToken, secret: string, service: string): Buffer {
  const key = deriveKey(secret, `alula refresh token ${service}`, id)

  return createHmac('sha256', key).update(`${id}.${counter}`).digest()
}
