import { BoundedMap } from '../utils/bounded-map.ts'
import { copyPlain } from '../utils/object.ts'
import { type VerifiedToken, verifyToken } from './tokens.ts'
import type { JwtVerifyOptions } from './types.ts'

/** How many tokens are remembered. */
const MAX_TOKENS = 5000

/**
 * Remembers which tokens were verified, because a client sends the same one with each request and a signature does
 * not change. What can change is asked every time: whether the token has expired here, and whether it was revoked by
 * who calls this.
 */
export class VerifiedTokens {
  private readonly tokens = new BoundedMap<unknown, VerifiedToken>(MAX_TOKENS)
  /** What the remembered tokens were verified with. */
  private basis = ''

  get size(): number {
    return this.tokens.size
  }

  /**
   * Verifies a token, as `verifyToken` does.
   *
   * @throws NotAuthenticated for anything that is not a valid token
   */
  verify(token: unknown, secret: string, options: JwtVerifyOptions): VerifiedToken {
    const basis = `${JSON.stringify(options, toText)} ${secret}`

    if (basis !== this.basis) {
      this.tokens.clear()
      this.basis = basis
    }

    const known = this.tokens.get(token)

    if (known && known.expiresAt > Date.now()) return copy(known)

    this.tokens.delete(token)

    const verified = verifyToken(token, secret, options)

    if (!dependsOnTime(options)) this.tokens.set(token, copy(verified))

    return verified
  }

  /** Forgets a token, for example because it was revoked. */
  forget(token: unknown): void {
    this.tokens.delete(token)
  }
}

/** An audience may be an expression, which JSON does not know. */
function toText(_name: string, value: unknown): unknown {
  return value instanceof RegExp ? String(value) : value
}

/** Who gets a payload may change it. */
function copy(verified: VerifiedToken): VerifiedToken {
  return { ...verified, payload: copyPlain(verified.payload) }
}

/** These are measured against the time of each verification, in a way that only `jsonwebtoken` knows. */
function dependsOnTime({ maxAge, clockTimestamp }: JwtVerifyOptions): boolean {
  return maxAge !== undefined || clockTimestamp !== undefined
}
