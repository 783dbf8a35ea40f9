// Apart from the connection: `alula/authentication` has these options, and its types must not need the package `redis`.
import { isObject, isString } from '../utils/check.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'

/** What all that connects to Redis has to know. */
export interface RedisOptions<Location extends string | object = string | object> {
  /**
   * Where Redis is: a URL, options of `createClient` of the package `redis`, or a client that it made. A client is only
   * asked for others like it.
   */
  redis: Location
  /** What the names of keys begin with, so that several applications can share one Redis; `alula` when left out. */
  prefix?: string
  /** How long to wait for Redis when connecting, in milliseconds; 5000 when left out. */
  connectTimeout?: number
}

/** The same, with nothing left out. */
export type RedisSettings = Readonly<Required<RedisOptions>>

const CHECKS: OptionChecks = {
  redis: [
    isLocation,
    'a URL, options of createClient (with host and port in socket), or a client of one server',
    'required'
  ],
  prefix: [isString, 'a string that is not empty'],
  connectTimeout: [(time) => typeof time === 'number' && time > 0, 'a number of milliseconds']
}

/**
 * Checks options, and puts in place what is left out. `owner` has the options, for messages; `further` are those that only this
 * owner has; `under` is the option that holds these. Throws TypeError for an option that is not valid.
 */
export function toRedisSettings(
  owner: string,
  options: RedisOptions,
  further: OptionChecks = {},
  under?: string
): RedisSettings {
  assertOptions(owner, options, { ...CHECKS, ...further }, under === undefined ? {} : { under })

  const { redis, prefix = 'alula', connectTimeout = 5000 } = options
  return { redis, prefix, connectTimeout }
}

function isLocation(redis: unknown): boolean {
  // There they would be ignored, and Redis looked for on this machine. A cluster has its servers in `rootNodes` and `slots`.
  const isMisplaced = ['host', 'port', 'rootNodes', 'slots'].some((name) => name in Object(redis))

  return isString(redis) || (isObject(redis) && !isMisplaced)
}
