// Who is logged in while an account is connected.
import { FINGERPRINT } from '../authentication/jwt.ts'
import type { AuthenticationService } from '../authentication/service.ts'
import { toExpiration, toTokenId } from '../authentication/tokens.ts'
import type { AuthenticationRequest } from '../authentication/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { getSessionClaim, type SessionClaim } from '../sessions/claim.ts'
import type { OAuthParams, OAuthStrategy } from './strategy.ts'

/** The user who is logged in while an account is connected. */
export interface Session {
  /** The id of the entity. */
  readonly entityId: string | number
  /** The id of the access token; not where the strategy has none. */
  readonly tokenId?: string
  /** What the token says of the credentials of the entity. */
  readonly fingerprints?: unknown
  /** Until when it is remembered that the token was revoked, in milliseconds since 1970; always where it is missing. */
  readonly expiresAt?: number | undefined
  /** The session that the token belongs to. */
  readonly claim?: SessionClaim | undefined
}

/**
 * Finds out who is logged in.
 *
 * @param auth The authentication service
 * @param strategy The strategy of the provider
 * @param credentials The credentials of the call
 * @param params The params of the call
 * @throws NotAuthenticated for credentials that are not valid
 */
export async function openSession(
  auth: AuthenticationService,
  strategy: OAuthStrategy,
  credentials: AuthenticationRequest,
  { query, ...params }: OAuthParams
): Promise<Session> {
  const result = await auth.authenticate(credentials, params, ...auth.configuration.authStrategies)
  const { accessToken, authentication } = result
  const entityId = result[strategy.configuration.entity]?.[strategy.entityId]
  const { payload } = authentication ?? {}

  if (!payload) return { entityId }

  const fingerprints = payload[FINGERPRINT]
  const foreign = auth.tokens.getForeign(authentication)

  if (foreign) return { entityId, fingerprints, tokenId: foreign.id, expiresAt: foreign.expiresAt }

  const end = toExpiration(payload, { ...auth.configuration.jwtOptions, maxAge: undefined })

  return {
    ...{ entityId, fingerprints },
    tokenId: toTokenId(accessToken, payload),
    expiresAt: Number.isFinite(end) ? end : undefined,
    claim: getSessionClaim(payload)
  }
}

/**
 * Checks that the user is still logged in: a logout can happen while the browser is at the provider.
 *
 * @throws NotAuthenticated after a logout, with another password, without the account, and when the token has expired,
 * unless its session goes on
 */
export async function assertCurrent(
  auth: AuthenticationService,
  strategy: OAuthStrategy,
  session: Session
): Promise<void> {
  const { entityId, tokenId, fingerprints } = session

  if (tokenId === undefined) return

  const provider = strategy.name as string
  const entity = await strategy.getCurrentEntity({ oauth: { provider, entityId } })
  const isOver = (await auth.tokens.isRevoked(tokenId)) || (await hasEnded(auth, session))

  if (isOver || !auth.entities.hasFingerprints(entity, fingerprints)) {
    throw new NotAuthenticated('You are no longer logged in. Log in and start again')
  }
}

/** When a token has expired, whether it was revoked is not kept any longer. A session is looked up itself. */
async function hasEnded(auth: AuthenticationService, { claim, expiresAt }: Session): Promise<boolean> {
  if (claim) return (await auth.sessionLogins.getEnd(claim.id)) === undefined

  return expiresAt !== undefined && Date.now() >= expiresAt
}
