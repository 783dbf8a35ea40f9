// Who is logged in while an account is connected.
import { FINGERPRINT } from '../authentication/jwt.ts'
import type { AuthenticationService } from '../authentication/service.ts'
import { toTokenId } from '../authentication/tokens.ts'
import type { AuthenticationRequest } from '../authentication/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { getSessionClaim, type SessionClaims } from '../sessions/claim.ts'
import type { OAuthParams, OAuthStrategy } from './strategy.ts'

/** The user who is logged in while an account is connected. */
export interface Session {
  /** The id of the entity. */
  readonly entityId: string | number
  /** The id of the access token; not where the strategy has none. */
  readonly tokenId?: string
  /** What the token says of the credentials of the entity. */
  readonly fingerprints?: unknown
  /** When the token expires, and with it the entry of its revocation, in milliseconds since 1970; `undefined` for never. */
  readonly expiresAt?: number | undefined
  /** What the token says of the session that it belongs to. */
  readonly claims?: SessionClaims | undefined
}

/** Finds out who is logged in. Throws NotAuthenticated for credentials that are not valid. */
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
  const foreign = auth.tokens.foreign.get(authentication)

  if (foreign) return { entityId, fingerprints, tokenId: foreign.id, expiresAt: foreign.expiresAt }

  const end = auth.tokens.toEnd(payload)
  const hasSession = auth.sessionLogins.isOn && getSessionClaim(payload) !== undefined

  return {
    ...{ entityId, fingerprints },
    tokenId: toTokenId(accessToken, payload),
    expiresAt: Number.isFinite(end) ? end : undefined,
    claims: hasSession ? { session: payload.session, auth_time: payload.auth_time } : undefined
  }
}

/**
 * Checks that the user is still logged in: a logout can happen while the browser is at the provider. Throws NotAuthenticated
 * after a logout, with another password, without the account, and when the token has expired, unless its session goes on.
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

/** Revocations are stored only until the token expires, so an expired token is refused. Sessions are looked up. */
async function hasEnded(auth: AuthenticationService, { claims, expiresAt }: Session): Promise<boolean> {
  if (claims) return (await auth.sessionLogins.getEnd(claims.session.id)) === undefined

  return expiresAt !== undefined && Date.now() >= expiresAt
}
