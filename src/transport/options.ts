import type { Params } from '../core/types.ts'
import { isBoolean, isCount, isFunction, isObject, isString, isStringList } from '../utils/check.ts'
import { assertOptions, type OptionCheck, type OptionChecks } from '../utils/options.ts'
import { toPrefix } from '../utils/path.ts'
import type { ParseAuthenticationOptions } from './authentication.ts'
import { BODY_LIMIT, BODY_LIMIT_CHECK } from './body.ts'
import { CORS_CHECK, type Cors, type CorsOptions, createCors } from './cors.ts'
import { isHeaderValue } from './encode.ts'
import { LOGGER_CHECK, type Logger } from './error.ts'

/** The options of every transport that serves HTTP. `Request` is what its server calls a request. */
export interface HttpOptions<Request = any> {
  /** The path under which the services are mounted, for example `/api`. Other paths are not found. */
  prefix?: string
  /** How many bytes of a body are read; 100 KiB when left out. */
  bodyLimit?: number
  /** Which strategies look for credentials in requests, instead of those of the default authentication service. */
  authentication?: ParseAuthenticationOptions
  /** Returns params for the service call, also as a promise. They are trusted, and replace what the request says. */
  params?: (request: Request, details: RequestDetails) => HttpParams | Promise<HttpParams>
  /** Whether responses to `GET` carry an `ETag`, so that a client that has one already gets a 304; `true` when left out. */
  etag?: boolean
  /** `Cache-Control` of responses to calls with a login, `private` when left out; `false` for none, and no `Vary`. */
  cacheControl?: string | false
  /** Where unexpected errors are written to, `console` when left out; `false` for nowhere. */
  logger?: Logger | false | null
  /**
   * How many proxies are in front and set `X-Forwarded-For` and `X-Forwarded-Host`. Left out, it is not known whether there are
   * any: the headers count for nothing, and failed logins of requests that have one are counted by account alone.
   */
  trustProxy?: number
  /** Which pages of other origins may call the services from a browser; none when left out. */
  cors?: boolean | CorsOptions
}

/** What a transport knows about a request besides its head and body. */
export interface RequestDetails {
  /** The address of the client. */
  readonly address: string | undefined
}

type HttpParams = Partial<Params> & { [key: string]: any }

/** {@link HttpOptions} with nothing left out. */
export interface HttpSettings extends Pick<HttpOptions, 'authentication' | 'params'> {
  readonly prefix: string
  readonly bodyLimit: number
  readonly etag: boolean
  readonly cacheControl: string | false
  readonly logger: Logger | false
  readonly trustProxy: number | undefined
  readonly cors: Cors | undefined
  /** Whether requests are searched for credentials; `false` where middleware does so. */
  readonly parsesCredentials: boolean
}

/** How many proxies are in front. */
export const TRUST_PROXY_CHECK: OptionCheck = [isCount, 'the number of proxies in front']

const CHECKS: OptionChecks = {
  prefix: [isPrefix, "a path such as '/api'"],
  bodyLimit: BODY_LIMIT_CHECK,
  authentication: [isObject, 'an object with service and strategies'],
  params: [isFunction, 'a function that returns params'],
  etag: [isBoolean, 'true or false'],
  cacheControl: [
    (value) => value === false || isHeaderValue(value),
    "a value of the header 'Cache-Control', or false"
  ],
  logger: LOGGER_CHECK,
  trustProxy: TRUST_PROXY_CHECK,
  cors: CORS_CHECK
}

/** What {@link ParseAuthenticationOptions} have. */
export const AUTHENTICATION_CHECKS: OptionChecks = {
  service: [isString, 'the path of a service'],
  strategies: [isStringList, 'an array of names']
}

/**
 * Checks the options of a transport, and fills in what they leave out. `further` are those that only it has, or has instead.
 * Throws TypeError for an option that there is not, and for one with a value that it cannot have.
 */
export function toHttpSettings(name: string, options: HttpOptions, further: OptionChecks = {}): HttpSettings {
  assertOptions(name, options, { ...CHECKS, ...further })

  const {
    prefix = '',
    bodyLimit = BODY_LIMIT,
    authentication,
    params,
    etag = true,
    cacheControl = 'private',
    logger = console,
    trustProxy,
    cors
  } = options

  if (authentication) {
    assertOptions(name, authentication, AUTHENTICATION_CHECKS, { under: 'authentication' })
  }

  return {
    prefix: toPrefix(prefix),
    bodyLimit,
    etag,
    cacheControl,
    logger: logger ?? false,
    trustProxy,
    cors: createCors(cors, name),
    parsesCredentials: true,
    ...(authentication && { authentication }),
    ...(params && { params })
  }
}

function isPrefix(prefix: unknown): boolean {
  return typeof prefix === 'string' && !/[?#:*]|\/\/|(^|\/)\.\.?(\/|$)/.test(prefix)
}
