import { randomUUID } from 'node:crypto'
import { NotAuthenticated } from '../errors.ts'
import { createError } from '../utils/developer-error.ts'
import { mergePlain } from '../utils/object.ts'
import { assertJwtOptions, MISSING_SECRET } from './options.ts'
import { MemoryRevocationStore, type RevocationStore } from './revocation.ts'
import { type Secret, type SecretKeys, type TokenSecret, toSecrets } from './secret-keys.ts'
import { signToken, toExpiration, type VerifiedToken } from './tokens.ts'
import type { AuthenticationConfiguration, JwtOptions, JwtVerifyOptions } from './types.ts'
import { VerifiedTokens, verifyWithAny } from './verified.ts'

/** The access tokens of an authentication service: how they are made, verified and revoked. */
export class AccessTokens {
  private readonly service: { readonly configuration: AuthenticationConfiguration }
  private readonly keys: SecretKeys
  private readonly verified: VerifiedTokens
  /** Used unless the configuration has a store. */
  private readonly ownStore = new MemoryRevocationStore()
  /** Verified tokens that others have made, by the `authentication` of the result. */
  readonly foreign = new WeakMap<object, VerifiedToken>()

  constructor(service: { readonly configuration: AuthenticationConfiguration }, keys: SecretKeys) {
    this.service = service
    this.keys = keys
    this.verified = new VerifiedTokens(keys)
  }

  /** Where revoked tokens are remembered; `undefined` when revocation is off. */
  get revocations(): RevocationStore | undefined {
    const { revocation = this.ownStore } = this.service.configuration

    return revocation || undefined
  }

  create(payload: string | Buffer | object, options?: JwtOptions, secret?: TokenSecret): string {
    const { jwtOptions, secret: usual } = this.service.configuration
    const merged = mergePlain(jwtOptions, options)

    if (!merged.jwtid) merged.jwtid = randomUUID()

    return signToken(payload, secret || (getSecrets(usual)[0] as string), merged, this.keys)
  }

  async verify(accessToken: string, options?: JwtVerifyOptions, secret?: TokenSecret): Promise<any> {
    const { configuration } = this.service
    const { revocation = this.ownStore } = configuration
    const { payload, id } = this.read(accessToken, options, secret, configuration)

    if (revocation && (await revocation.isRevoked(id))) throw new NotAuthenticated('jwt revoked')

    return payload
  }

  /**
   * Revokes a token that was verified, until it would have expired. `onRevoked` gets its id, also when the store fails: the
   * token may be revoked all the same. It is not called when revocation is off.
   */
  async revoke({ id, expiresAt }: VerifiedToken, onRevoked: (id: string) => void): Promise<void> {
    const { revocations } = this

    if (!revocations) return

    try {
      await revocations.revoke(id, expiresAt)
    } finally {
      onRevoked(id)
    }
  }

  /** Until when the revocation of a token is stored, in milliseconds since 1970; `Infinity` for one that never expires. */
  toEnd(claims: { readonly exp?: number; readonly iat?: number }): number {
    return toExpiration(claims, { ...this.service.configuration.jwtOptions, maxAge: undefined })
  }

  /** Whether a token was revoked, by its id. */
  async isRevoked(id: string): Promise<boolean> {
    return (await this.revocations?.isRevoked(id)) ?? false
  }

  /** Uses an id that may be used once. Returns whether this was the first time, and in time. */
  async useOnce(id: string, expiresAt: number): Promise<boolean> {
    // A store no longer has what has expired: each use would be the first.
    if (expiresAt <= Date.now()) return false

    const store = this.revocations ?? this.ownStore

    // Asked first: one that may have lost what was used throws then.
    return !(await store.isRevoked(id)) && store.revoke(id, expiresAt)
  }

  /**
   * Reads a token whose signature and claims are valid; any other one throws NotAuthenticated. Whether it was revoked is not
   * looked up.
   */
  read(
    accessToken: string,
    options?: JwtVerifyOptions,
    secret?: TokenSecret,
    { jwtOptions, secret: usual } = this.service.configuration
  ): VerifiedToken {
    if (!options && !secret) return this.verified.verify(accessToken, getSecrets(usual), jwtOptions ?? {})

    const merged = mergePlain(jwtOptions, options)

    // Those of the configuration were checked when it was set.
    if (options) assertJwtOptions(merged, 'jwtOptions')

    return verifyWithAny(accessToken, secret ? [secret] : getSecrets(usual), merged, this.keys)
  }
}

function getSecrets(secret: Secret | undefined): readonly string[] {
  const secrets = toSecrets(secret)

  if (!secrets[0]) throw createError('ALULA_MISSING_SECRET', MISSING_SECRET)

  return secrets
}
