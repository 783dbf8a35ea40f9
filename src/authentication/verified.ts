import { BoundedMap } from '../utils/bounded-map.ts'
import { copyPlain, isSamePlain } from '../utils/object.ts'
import { type Secret, type SecretKeys, type TokenSecret, toSecrets } from './secret-keys.ts'
import { type VerifiedToken, verifyToken } from './tokens.ts'
import type { JwtVerifyOptions } from './types.ts'

/** What `jsonwebtoken` says of a token that another key has signed. */
const OTHER_KEY = 'invalid signature'

/** How many tokens are remembered. */
const MAX_TOKENS = 5000

/**
 * Remembers which tokens were verified, because a client sends the same one with each request and a signature does
 * not change. What can change is checked every time: this class checks whether the token has expired, its callers check
 * whether it was revoked.
 */
export class VerifiedTokens {
  private readonly tokens = new BoundedMap<unknown, VerifiedToken>(MAX_TOKENS)
  /** What the remembered tokens were verified with. */
  private basis: { readonly secret?: Secret; readonly options: JwtVerifyOptions } = { options: {} }
  private readonly keys: SecretKeys

  constructor(keys: SecretKeys) {
    this.keys = keys
  }

  /** Verifies a token, as {@link verifyWithAny} does. */
  verify(token: unknown, secret: Secret, options: JwtVerifyOptions): VerifiedToken {
    if (!isSamePlain(secret, this.basis.secret) || !isSamePlain(options, this.basis.options)) {
      this.tokens.clear()
      // Options can be changed in place.
      this.basis = { secret: copyPlain(secret), options: copyPlain(options) }
    }

    const known = this.tokens.get(token)

    if (known && known.expiresAt > Date.now()) return copy(known)

    this.tokens.delete(token)

    const verified = verifyWithAny(token, toSecrets(secret), options, this.keys)

    if (isLasting(options)) this.tokens.set(token, copy(verified))

    return verified
  }
}

/**
 * Verifies a token with the secret that it was signed with, of several. Throws NotAuthenticated for anything that is not a
 * valid token.
 */
export function verifyWithAny(
  token: unknown,
  secrets: readonly TokenSecret[],
  options: JwtVerifyOptions,
  keys: SecretKeys
): VerifiedToken {
  const [secret, ...others] = secrets

  try {
    return verifyToken(token, secret as TokenSecret, options, keys)
  } catch (error) {
    if (others.length === 0 || (error as Error).message !== OTHER_KEY) throw error
  }

  return verifyWithAny(token, others, options, keys)
}

/** Copies the payload, because callers may change it. */
function copy(verified: VerifiedToken): VerifiedToken {
  return { ...verified, payload: copyPlain(verified.payload) }
}

/**
 * Whether what is true of a token stays true under the same options. Some are measured against the time of each
 * verification, in a way that only `jsonwebtoken` knows; and an audience that is an expression can have a state.
 */
function isLasting({ maxAge, clockTimestamp, audience }: JwtVerifyOptions): boolean {
  const isText = (name: unknown) => name === undefined || typeof name === 'string'

  return maxAge === undefined && clockTimestamp === undefined && [audience].flat().every(isText)
}
