// Who is logged in while an account is connected.
import type { AuthenticationBase } from '../authentication/base.ts'
import { FINGERPRINT } from '../authentication/jwt.ts'
import { toTokenId } from '../authentication/tokens.ts'
import type { AuthenticationRequest } from '../authentication/types.ts'
import { NotAuthenticated } from '../errors.ts'
import type { OAuthParams, OAuthStrategy } from './strategy.ts'

/** The user who is logged in while an account is connected. */
export interface Session {
  /** The id of the entity. */
  readonly entityId: string | number
  /** The id of the access token; not where the strategy has none. */
  readonly tokenId?: string
  /** What the token says of the credentials of the entity. */
  readonly fingerprints?: unknown
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
  auth: AuthenticationBase,
  strategy: OAuthStrategy,
  credentials: AuthenticationRequest,
  { query, ...params }: OAuthParams
): Promise<Session> {
  const result = await auth.authenticate(credentials, params, ...auth.configuration.authStrategies)
  const { accessToken, authentication } = result
  const entityId = result[strategy.configuration.entity]?.[strategy.entityId]
  const { payload } = authentication ?? {}

  return payload
    ? { entityId, tokenId: toTokenId(accessToken, payload), fingerprints: payload[FINGERPRINT] }
    : { entityId }
}

/**
 * Checks that the user is still logged in: a logout can happen while the browser is at the provider.
 *
 * @throws NotAuthenticated after a logout, with another password, and without the account
 */
export async function assertCurrent(
  auth: AuthenticationBase,
  strategy: OAuthStrategy,
  { entityId, tokenId, fingerprints }: Session
): Promise<void> {
  if (tokenId === undefined) return

  const provider = strategy.name as string
  const entity = await strategy.getCurrentEntity({ oauth: { provider, entityId } })

  if ((await auth.tokens.isRevoked(tokenId)) || !auth.entities.hasFingerprints(entity, fingerprints)) {
    throw new NotAuthenticated('You are no longer logged in. Log in and start again')
  }
}
