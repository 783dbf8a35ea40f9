// Tokens that others have made: Auth0, Clerk, Keycloak, Supabase, and whatever else publishes its keys.
import type { JWTVerifyResult, LocalJWKSet } from 'jose'
import { NotAuthenticated, Unavailable } from '../errors.ts'
import { hasCode, isFunction, isOneOrMore, isString, isStringList } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import { isSafeUrl } from '../utils/url.ts'
import { type CreateKeySet, KeySet } from './key-set.ts'
import { createNoToken, toTokenId, type VerifiedToken } from './tokens.ts'
import type { AuthenticationParams } from './types.ts'

/** Whose tokens are accepted beside those of the service: one of the option `issuers` of the strategy `jwt`. */
export interface TokenIssuer {
  /** `iss` of its tokens, exactly as they have it. */
  issuer: string
  /** The URL of its public keys, a JSON Web Key Set. */
  jwks: string
  /** `aud`: one of these names has to be in a token. */
  audience: string | string[]
  /** The algorithms that it signs with; `RS256` when left out. */
  algorithms?: string[] | undefined
  /** `typ` of its tokens; `JWT`, `at+jwt` and none when left out. */
  typ?: string | undefined
  /**
   * The user that a token stands for, with all fields. Nothing where there is none: then the token is refused. Not called
   * where the service has no entity.
   */
  toUser?(claims: { readonly [claim: string]: any }, params: AuthenticationParams): any
}

/** Signed with a private key, so that the key which verifies may be known to everybody (RFC 8725 §3.2). */
const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
]

/** Types of access tokens, and of what older issuers call one (RFC 9068 §2.1). No logout and no proof passes as one. */
const TYPES: readonly (string | undefined)[] = [undefined, 'jwt', 'at+jwt']

/** How far the clock of an issuer may be wrong, in seconds. */
const CLOCK_TOLERANCE = 5

const CHECKS: OptionChecks = {
  issuer: [isString, 'a string that is not empty', 'required'],
  jwks: [isSafeUrl, 'a URL with https', 'required'],
  audience: [isOneOrMore, 'a name, or several in an array', 'required'],
  algorithms: [
    (value) => isStringList(value) && value.length > 0 && value.every((name) => ALGORITHMS.includes(name)),
    `some of ${ALGORITHMS.join(', ')}`
  ],
  typ: [isString, 'a string that is not empty'],
  toUser: [isFunction, 'a function']
}

/**
 * Checks the option `issuers`. `own` are the issuers of the tokens of the service; `hasEntity`: whether a token stands for an
 * entity. Throws an Error with a sentence that names what is wrong.
 */
export function assertIssuers(
  owner: string,
  issuers: unknown,
  own: readonly unknown[],
  hasEntity: boolean
): asserts issuers is readonly TokenIssuer[] {
  if (!Array.isArray(issuers))
    throw createError('ALULA_INVALID_OPTION', `Invalid option 'issuers' of ${owner}: expected an array`)

  const names = new Set(own)

  for (const [index, given] of issuers.entries()) {
    const under = `issuers[${index}]`

    assertOptions(owner, given, CHECKS, { under })

    if (hasEntity && given.toUser === undefined)
      throw createError('ALULA_MISSING_OPTION', `Option '${under}.toUser' of ${owner} is missing`)
    if (names.has(given.issuer)) {
      throw createError(
        'ALULA_INVALID_OPTION',
        `Invalid option '${under}.issuer' of ${owner}: another issuer, or the service itself, has this name`
      )
    }

    names.add(given.issuer)
  }
}

/** Verifies the tokens of others. */
export class Issuers {
  /** By URL. */
  private readonly keySets = new Map<string, KeySet>()

  /** The issuer that a token names. The token is not verified. */
  find(issuers: readonly TokenIssuer[] | undefined, token: unknown): TokenIssuer | undefined {
    if (!issuers || typeof token !== 'string') return undefined

    const name = readIssuer(token)

    return issuers.find(({ issuer }) => issuer === name)
  }

  /**
   * Verifies a token with the keys of one issuer, whatever other keys the token names. Throws NotAuthenticated for anything
   * that is not a valid token; Unavailable as long as there is no key of the issuer.
   */
  async verify(issuer: TokenIssuer, token: string): Promise<VerifiedToken> {
    const jose = await loadJose()
    const { payload, protectedHeader } = await this.check(jose, issuer, token)
    const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
    const isExpected = issuer.typ === undefined ? TYPES.includes(type) : issuer.typ.toLowerCase() === type

    if (!isExpected) throw toNotAuthenticated('jwt type invalid')
    if (typeof payload.sub !== 'string' || payload.sub === '') throw toNotAuthenticated('jwt subject invalid')

    // The id is not `jti`: two issuers may give the same one. A revocation lasts as long as the token is accepted.
    return {
      payload,
      id: toTokenId(token, {}),
      expiresAt: ((payload.exp as number) + CLOCK_TOLERANCE) * 1000
    }
  }

  private async check(
    jose: typeof import('jose'),
    { issuer, jwks, audience, algorithms = ['RS256'] }: TokenIssuer,
    token: string
  ): Promise<JWTVerifyResult> {
    const keySet = this.getKeySet(jwks, jose.createLocalJWKSet)
    const options = {
      ...{ issuer, audience, algorithms, clockTolerance: CLOCK_TOLERANCE },
      requiredClaims: ['exp', 'sub']
    }

    try {
      return await jose.jwtVerify(
        token,
        (...asked: Parameters<LocalJWKSet>) => keySet.find(...asked),
        options
      )
    } catch (error) {
      if (error instanceof Unavailable) throw error
      if (!hasCode(error, 'ERR_JWKS_MULTIPLE_MATCHING_KEYS')) throw toNotAuthenticated(toReason(error))

      // Without `kid`: any of the keys that fit.
      for await (const key of error as AsyncIterable<any>) {
        const result = await jose.jwtVerify(token, key, options).catch((failure) => failure)

        if (!(result instanceof Error)) return result
        if (!hasCode(result, 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'))
          throw toNotAuthenticated(toReason(result))
      }

      throw toNotAuthenticated('invalid signature')
    }
  }

  private getKeySet(url: string, create: CreateKeySet): KeySet {
    const keySet = this.keySets.get(url) ?? new KeySet(url, create)

    this.keySets.set(url, keySet)

    return keySet
  }
}

/** @throws Error when the package `jose` is missing */
export async function assertJose(): Promise<void> {
  await loadJose()
}

/** Not exported: types that name the package must not be in those of everybody. */
function loadJose(): Promise<typeof import('jose')> {
  return import('jose').catch(rethrowMissingPeer('jose', "The option 'issuers' of the strategy 'jwt'"))
}

function readIssuer(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.', 2)[1] ?? '', 'base64url').toString()).iss
  } catch {
    return undefined
  }
}

/** What is wrong with a token, in the words that our own get; never what it says. `undefined` for a string that is none. */
function toReason({ code, claim }: any): string | undefined {
  if (code === 'ERR_JWT_EXPIRED') return 'jwt expired'
  if (code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') return `jwt claim invalid: ${claim}`
  if (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'invalid signature'
  if (code === 'ERR_JWKS_NO_MATCHING_KEY') return 'jwt key unknown'
  if (code === 'ERR_JOSE_ALG_NOT_ALLOWED') return 'invalid algorithm'

  return undefined
}

function toNotAuthenticated(message: string | undefined): NotAuthenticated {
  return message === undefined
    ? createNoToken()
    : new NotAuthenticated(message, { name: 'JsonWebTokenError' })
}
