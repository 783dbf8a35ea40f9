import type { Params } from '../core/types.ts'
import { isObject, isString, isStringList } from '../utils/check.ts'
import { assertSpelled } from '../utils/nearest.ts'
import { toPrefix } from '../utils/path.ts'
import type { ParseAuthenticationOptions } from './authentication.ts'
import { assertBodyLimit, BODY_LIMIT } from './body.ts'
import { type Cors, type CorsOptions, createCors } from './cors.ts'
import { assertLogger, type Logger } from './error.ts'

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
  /** Where unexpected errors are written to, `console` when left out; `false` for nowhere. */
  logger?: Logger | false | null
  /** How many proxies are in front and set `X-Forwarded-For` and `X-Forwarded-Host`; 0 when left out. */
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
  readonly logger: Logger | false
  readonly trustProxy: number
  readonly cors: Cors | undefined
  /** Whether requests are searched for credentials; `false` where middleware does so. */
  readonly parsesCredentials: boolean
}

/** The names of the options of every transport. */
const HTTP_OPTIONS = [
  'prefix',
  'bodyLimit',
  'authentication',
  'params',
  'etag',
  'logger',
  'trustProxy',
  'cors'
]

/**
 * Checks what a transport is made for.
 *
 * @param name The name of the function that makes it
 * @param app The application
 * @throws TypeError for anything else
 */
export function assertApplication(name: string, app: unknown): void {
  if (typeof (app as { lookup?: unknown } | null | undefined)?.lookup === 'function') return

  throw new TypeError(`${name} expects an application, as alula() returns it`)
}

/**
 * Checks the options of a transport, and fills in what they leave out.
 *
 * @param name The name of the function that takes them
 * @param options The options
 * @param others Names of further options
 * @throws TypeError for an option with a value that it cannot have; Error for an option that is misspelt
 */
export function toHttpSettings(
  name: string,
  options: HttpOptions,
  others: readonly string[] = []
): HttpSettings {
  if (!isObject(options)) throw new TypeError(`Invalid options of ${name}: expected an object`)

  const {
    prefix = '',
    bodyLimit = BODY_LIMIT,
    authentication,
    params,
    etag = true,
    logger = console,
    trustProxy = 0,
    cors
  } = options

  assertOptionNames(name, options, [...HTTP_OPTIONS, ...others])

  if (typeof prefix !== 'string' || /[?#:*]|\/\/|(^|\/)\.\.?(\/|$)/.test(prefix)) {
    throw new TypeError(`Invalid option 'prefix' of ${name}: expected a path such as '/api'`)
  }
  if (authentication !== undefined) assertAuthentication(name, authentication)
  if (params !== undefined && typeof params !== 'function') {
    throw new TypeError(`Invalid option 'params' of ${name}: expected a function that returns params`)
  }
  if (typeof etag !== 'boolean') {
    throw new TypeError(`Invalid option 'etag' of ${name}: expected true or false`)
  }
  if (!Number.isInteger(trustProxy) || trustProxy < 0) {
    throw new TypeError(`Invalid option 'trustProxy' of ${name}: expected the number of proxies in front`)
  }

  assertBodyLimit(bodyLimit)
  assertLogger(logger)

  return {
    prefix: toPrefix(prefix),
    bodyLimit,
    etag,
    logger: logger ?? false,
    trustProxy,
    cors: createCors(cors, name),
    parsesCredentials: true,
    ...(authentication && { authentication }),
    ...(params && { params })
  }
}

function assertAuthentication(name: string, authentication: unknown): void {
  const { service, strategies, ...others } = isObject(authentication) ? authentication : { invalid: true }

  if (
    Object.keys(others).length > 0 ||
    !(service === undefined || isString(service)) ||
    !(strategies === undefined || isStringList(strategies))
  ) {
    throw new TypeError(
      `Invalid option 'authentication' of ${name}: expected { service, strategies }, a path and an array of names`
    )
  }
}

/**
 * Refuses options that are misspelt.
 *
 * @param name The name of the function that takes them
 * @param options The options
 * @param known The names of its options
 * @throws Error that asks for the one that was meant
 */
export function assertOptionNames(name: string, options: object, known: readonly string[]): void {
  assertSpelled(options, known, (option) => `Unknown option '${option}' of ${name}`)
}
