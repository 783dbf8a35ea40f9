import { type RedisOptions, type RedisSettings, toRedisSettings } from '../redis/options.ts'
import { isBoolean, isCount, isObject, isString } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { parseDuration } from '../utils/duration.ts'
import { assertOptions, type OptionCheck, type OptionChecks } from '../utils/options.ts'
import { type RefreshCookie, toRefreshCookie } from './cookie.ts'
import type { SessionTimes } from './decide.ts'

/** The option `refresh` of the configuration of authentication. Durations have a unit (`'15m'`), or are seconds. */
export interface RefreshOptions {
  /** How long a session lasts at most; `'30d'` when left out. */
  expiresIn?: string | number
  /** After how long without a refresh a session ends; `'14d'` when left out. */
  idle?: string | number
  /** How long an access token of a session is valid; `'15m'` when left out. */
  accessExpiresIn?: string | number
  /** For how long after a refresh the token before it still gets the current one; `'10s'` when left out. */
  grace?: string | number
  /** How many sessions a user may have; the oldest one ends. 20 when left out. */
  limit?: number
  /** The path of a service that keeps sessions, or a Redis; the memory of the process when left out. */
  store?: string | RedisOptions
  /** Whether every login begins a session, and not only one with `refresh: true`. */
  always?: boolean
  /**
   * Whether clients get refresh tokens in a cookie that scripts cannot read, and not in the body. It is for HTTPS, and for
   * `localhost` in most browsers; `{ secure: false }` is for development on HTTP.
   */
  cookie?: boolean | { secure?: boolean }
}

/** The options, read. Times are in milliseconds. */
export interface RefreshSettings extends SessionTimes {
  readonly expiresIn: number
  readonly accessExpiresIn: number
  readonly limit: number
  readonly store: string | RedisSettings | undefined
  readonly always: boolean
  /** `undefined` for refresh tokens in bodies. */
  readonly cookie: RefreshCookie | undefined
}

const LIFETIME: OptionCheck = [
  (time) => (parseDuration(time) ?? 0) >= 1000,
  "a duration of a second or more, such as '15m', or a number of seconds"
]

const CHECKS: OptionChecks = {
  expiresIn: LIFETIME,
  idle: LIFETIME,
  accessExpiresIn: LIFETIME,
  grace: [(time) => (parseDuration(time) ?? -1) >= 0, "a duration such as '10s', or a number of seconds"],
  limit: [(count) => isCount(count) && count > 0, 'a number of sessions'],
  store: [(store) => isString(store) || isObject(store), 'the path of a service, or { redis } with a URL'],
  always: [isBoolean, 'true or false'],
  cookie: [(cookie) => isBoolean(cookie) || isObject(cookie), 'true, false, or { secure: false }']
}

/** Reads the option `refresh`. Throws a TypeError that names an option and what is expected. */
export function toRefreshSettings(options: unknown, owner: string): RefreshSettings {
  assertOptions<unknown>(owner, options, CHECKS, { under: 'refresh' })

  const { cookie } = options as RefreshOptions

  if (isObject(cookie)) {
    assertOptions<unknown>(
      owner,
      cookie,
      { secure: [isBoolean, 'true or false'] },
      { under: 'refresh.cookie' }
    )
  }

  const {
    expiresIn = '30d',
    idle = '14d',
    accessExpiresIn = '15m',
    grace = '10s',
    ...others
  } = options as RefreshOptions
  const settings = {
    expiresIn: parseDuration(expiresIn) as number,
    idle: parseDuration(idle) as number,
    accessExpiresIn: parseDuration(accessExpiresIn) as number,
    grace: parseDuration(grace) as number,
    limit: others.limit ?? 20,
    store: isObject(others.store) ? toRedisSettings(owner, others.store, {}, 'refresh.store') : others.store,
    always: others.always ?? false,
    cookie: toRefreshCookie(others.cookie, owner)
  }

  if (settings.accessExpiresIn > Math.min(settings.idle, settings.expiresIn)) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'refresh.accessExpiresIn' of ${owner}: expected no more than 'idle' and 'expiresIn'`
    )
  }

  return settings
}
