import { createHash } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { NotAuthenticated } from '../errors.ts'
import { getSessionClaim, toSessionName } from '../sessions/claim.ts'
import { isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { isPlainObject } from '../utils/object.ts'
import { DEFAULT_LIFETIME, toAlgorithms } from './options.ts'
import type { SecretKeys, TokenSecret } from './secret-keys.ts'
import type { JwtOptions, JwtVerifyOptions } from './types.ts'

/** A token whose signature and claims are good. */
export interface VerifiedToken {
  readonly payload: { [claim: string]: any }
  /** The id under which the token can be revoked: that of its session, its `jti`, or else a hash of what was signed. */
  readonly id: string
  /** When the token expires, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** Three parts in base64url (RFC 7515 §3.1). */
const TOKEN = /^[\w-]+\.[\w-]+\.([\w-]+)$/

/** Parts of a header that name a key or ask for something (RFC 7515 §4.1). Only ours may have them, as we set them. */
const KEY_HEADERS = ['kid', 'jku', 'jwk', 'x5u', 'x5c', 'x5t', 'x5t#S256']

/** Options that concern verifying alone; `jsonwebtoken` refuses to sign with them. */
const VERIFY_OPTIONS = [
  'clockTolerance',
  'clockTimestamp',
  'ignoreExpiration',
  'ignoreNotBefore',
  'maxAge',
  'nonce'
]

/** What `jsonwebtoken` throws on purpose; messages of anything else may repeat the token. */
const TOKEN_ERRORS = ['JsonWebTokenError', 'TokenExpiredError', 'NotBeforeError']

/** Its messages for a string that is no token. They have no meaning for people who do not know the package. */
const NO_TOKEN = ['jwt malformed', 'invalid token']

/**
 * Signs a token with options of `jsonwebtoken`: `algorithm` may be a list, and the first one signs; `expiresIn` may be
 * `'never'`. Throws an Error for options that are not valid.
 */
export function signToken(
  payload: string | Buffer | object,
  secret: TokenSecret,
  { algorithms, algorithm, expiresIn, ...options }: JwtVerifyOptions,
  keys: SecretKeys
): string {
  const [signing = 'HS256'] = toAlgorithms({ algorithms, algorithm })

  if (signing === 'none')
    throw createError('ALULA_INVALID_OPTION', "Invalid option 'jwtOptions.algorithm': a token must be signed")

  const signOptions = Object.fromEntries(
    Object.entries(options).filter(([name]) => !VERIFY_OPTIONS.includes(name))
  )

  return jsonwebtoken.sign(payload, keys.toKey(secret, signing, 'sign'), {
    ...signOptions,
    // With several that are accepted, the first one makes.
    ...(Array.isArray(options.issuer) && { issuer: options.issuer[0] }),
    ...toLifetime(payload, expiresIn),
    algorithm: signing
  } as jsonwebtoken.SignOptions)
}

/** A token without an end is made where that is said, and not where an environment variable is not set. */
function toLifetime(payload: unknown, expiresIn: string | number | undefined): JwtOptions {
  // A string cannot have a lifetime, and claims with `exp` already have one.
  const isText = typeof payload !== 'object' || Buffer.isBuffer(payload)
  const takesDefault = !isText && (payload as { exp?: unknown }).exp === undefined

  if (expiresIn === 'never' || (expiresIn === undefined && !takesDefault)) return {}

  return { expiresIn: expiresIn ?? DEFAULT_LIFETIME }
}

/**
 * Verifies a token after RFC 8725: the algorithm is one of the options, whatever the token says; the type is the expected one; nothing
 * in the header leads to another key; the subject is a string. Throws NotAuthenticated for anything that is not a valid token.
 */
export function verifyToken(
  token: unknown,
  secret: TokenSecret,
  options: JwtVerifyOptions,
  keys: SecretKeys
): VerifiedToken {
  const { algorithm, ...rest } = options
  const algorithms = toAlgorithms(options)

  try {
    assertForm(token)

    const { header, payload } = jsonwebtoken.verify(
      token as string,
      keys.toKey(secret, algorithms[0] as string, 'verify'),
      { ...rest, algorithms, complete: true } as jsonwebtoken.VerifyOptions & { complete: true }
    )

    assertHeader(header, options)
    assertPayload(payload)

    return {
      payload,
      id: toTokenId(token as string, payload),
      expiresAt: toExpiration(payload, { ...options, maxAge: undefined })
    }
  } catch (error) {
    throw toNotAuthenticated(error)
  }
}

/** When a verified token is no longer valid by its times, in milliseconds since 1970; `Infinity` for never. */
export function toExpiration(
  { exp = Infinity, iat = 0 }: { readonly exp?: number; readonly iat?: number },
  { clockTolerance = 0, ignoreExpiration, maxAge }: JwtVerifyOptions
): number {
  const end = Math.min(ignoreExpiration ? Infinity : exp, maxAge ? addTime(iat, maxAge) : Infinity)

  return (end + clockTolerance) * 1000
}

/** Adds a duration such as `1h`, which is read by `jsonwebtoken` alone, to a time in seconds since 1970. */
export function addTime(iat: number, time: string | number): number {
  if (typeof time === 'number') return iat + time

  const token = jsonwebtoken.sign({ iat }, 'read and thrown away', { expiresIn: time as any })

  return (jsonwebtoken.decode(token) as jsonwebtoken.JwtPayload).exp as number
}

/** What a token says that was made just now; nothing of it is verified. */
export function decodeToken(token: string): unknown {
  return jsonwebtoken.decode(token)
}

/** A signature that only decodes to the same bytes is not the one that was made. */
function assertForm(token: unknown): void {
  const signature = typeof token === 'string' ? TOKEN.exec(token)?.[1] : undefined

  if (signature === undefined || Buffer.from(signature, 'base64url').toString('base64url') !== signature) {
    throw new jsonwebtoken.JsonWebTokenError('jwt malformed')
  }
}

/** The id under which a token can be revoked. */
export function toTokenId(token: string, payload: { readonly [claim: string]: unknown }): string {
  const session = getSessionClaim(payload)

  if (session) return toSessionName(session.id)

  const { jti } = payload

  if (isString(jti)) return jti

  // Not of the signature: some algorithms have several that fit.
  const content = token.slice(0, token.lastIndexOf('.'))

  return createHash('sha256').update(content).digest('base64url')
}

function assertHeader(header: { [name: string]: any }, { header: expected, keyid }: JwtOptions): void {
  const configured: { [name: string]: any } = { ...expected, ...(keyid !== undefined && { kid: keyid }) }
  const { typ = 'JWT' } = configured

  if (header.typ !== typ && !(header.typ === undefined && configured.typ === undefined)) {
    throw new jsonwebtoken.JsonWebTokenError(`jwt type invalid. expected: ${typ}`)
  }
  if (header.crit !== undefined) throw new jsonwebtoken.JsonWebTokenError('jwt header invalid: crit')

  for (const name of KEY_HEADERS) {
    if (header[name] !== undefined && header[name] !== configured[name]) {
      throw new jsonwebtoken.JsonWebTokenError(`jwt header invalid: ${name}`)
    }
  }
}

function assertPayload(payload: unknown): asserts payload is jsonwebtoken.JwtPayload {
  if (!isPlainObject(payload)) throw new jsonwebtoken.JsonWebTokenError('invalid token')

  if (payload.sub !== undefined && typeof payload.sub !== 'string') {
    throw new jsonwebtoken.JsonWebTokenError('jwt subject invalid. expected: a string')
  }
}

/** The error for a string that is no token. */
export function createNoToken(): NotAuthenticated {
  return new NotAuthenticated('Invalid access token')
}

function toNotAuthenticated(error: any): NotAuthenticated {
  if (!TOKEN_ERRORS.includes(error?.name) || NO_TOKEN.includes(error.message)) return createNoToken()

  const { name, message, expiredAt, date } = error

  return new NotAuthenticated(message, { name, ...(expiredAt && { expiredAt }), ...(date && { date }) })
}

/**
 * Checks a secret and options by making a token with them and verifying it: what is wrong shows now, and not at the first
 * login. Throws an Error with a sentence that says what is wrong.
 */
export function assertWorking(secret: string, options: JwtOptions, keys: SecretKeys): void {
  const algorithms = toAlgorithms(options)

  if (typeof keys.toKey(secret, algorithms[0] as string, 'verify') === 'string') {
    throw createError(
      'ALULA_INVALID_SECRET',
      `The 'secret' of the authentication configuration must be a key in PEM for ${algorithms[0]}`
    )
  }
  // Those that others make are verified with the public half of a key, and those for later are not valid yet.
  if (!keys.canSign(secret, algorithms) || options.notBefore !== undefined) return

  try {
    verifyToken(signToken({}, secret, options, keys), secret, options, keys)
  } catch (error: any) {
    throw createError(
      'ALULA_INVALID_JWT_OPTIONS',
      `The 'jwtOptions' of the authentication configuration make no valid token: ${error.message}`
    )
  }
}
