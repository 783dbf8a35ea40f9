import type { HookContext } from '../core/types.ts'
import { NotAuthenticated } from '../errors.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { parseDuration } from '../utils/duration.ts'

/** The part of a context that tells when its caller has logged in. */
type FreshContext = Pick<HookContext, 'app' | 'params'>

/**
 * Creates a check that the caller of a verified call has logged in recently: an access token that is still valid is not enough.
 * `duration` is how old the login may be: `'10m'`, or a number of seconds; anything else throws TypeError. The check throws
 * NotAuthenticated with `data.reason` `'stale'` for an older login.
 */
export function createFreshCheck(
  duration: unknown,
  owner: string,
  location?: string
): (context: FreshContext) => void {
  const age = parseDuration(duration) ?? 0

  if (age <= 0) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'fresh' of ${owner}: expected a duration such as '10m', or a number of seconds`
    )
  }

  return ({ app, params }) => {
    const loginAt = getLoginTime(app, location, params.authentication?.payload)

    if (loginAt === undefined || loginAt * 1000 + age <= Date.now()) {
      throw new NotAuthenticated('The login is too old for this call: log in again', { reason: 'stale' })
    }
  }
}

/**
 * When the user of a token has logged in, in seconds since 1970. Our own tokens without a session are made at a login; those of
 * others may have been made at any time after it.
 */
function getLoginTime(
  app: FreshContext['app'],
  location: string | undefined,
  payload: any
): number | undefined {
  const { auth_time: loginAt, iat, iss } = payload ?? {}

  if (loginAt !== undefined) return Number.isFinite(loginAt) ? loginAt : undefined

  const { issuer } = app.defaultAuthentication?.(location)?.configuration?.jwtOptions ?? {}

  return [issuer].flat().includes(iss) && Number.isFinite(iat) ? iat : undefined
}
