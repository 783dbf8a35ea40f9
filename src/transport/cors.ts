import { isBoolean, isCount, isFunction, isObject, isStringList } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertOption, assertOptions, type OptionCheck, type OptionChecks } from '../utils/options.ts'
import { assertSync } from '../utils/promise.ts'
import { addNames, addVarying, findSentHeader, isHeaderName } from './encode.ts'
import { type HttpRequest, type HttpResponse, POSITION_HEADER, QUERY_HEADER } from './http.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

/** Which pages of other origins may call the services from a browser (Fetch §3.2). */
export interface CorsOptions {
  /** Origins such as `https://app.example.org`, `'*'` for any, or a function that decides; any when left out. */
  origin?: string | readonly string[] | ((origin: string) => boolean)
  /** Whether these pages may send cookies; `false` when left out. It asks for a list of origins. */
  credentials?: boolean
  /** Response headers that these pages may read besides the safelisted ones (Fetch §2.2.2). */
  exposedHeaders?: readonly string[]
  /** For how many seconds a browser may remember the response to a preflight. */
  maxAge?: number
}

/** What the option `cors` does to requests and responses. */
export interface Cors {
  /** Whether pages of an origin may send cookies. */
  trusts(origin: string): boolean
  /** The response to a preflight; `undefined` for any other request. */
  preflight(request: HttpRequest): HttpResponse | undefined
  /**
   * Decides on a request, before it has any effect: the function of the application may fail. What it returns adds the headers
   * to its response that let the page read it.
   */
  allow(request: HttpRequest): (response: HttpResponse) => HttpResponse
}

const VERBS = 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE'

const EXPOSE_HEADERS = 'Access-Control-Expose-Headers'

/** What pages may read where a response has it, whatever the options say. */
const OWN_HEADERS = [POSITION_HEADER, QUERY_HEADER, REQUEST_ID_HEADER]

const CHECKS: OptionChecks = {
  origin: [
    (origin) => isFunction(origin) || toOrigins(origin)?.every(isOrigin) === true,
    "origins without a path, such as 'https://app.example.org', '*' or a function",
    'protection'
  ],
  credentials: [isBoolean, 'true or false'],
  exposedHeaders: [
    (names) => isStringList(names) && names.every((name) => isHeaderName(name)),
    'an array of header names'
  ],
  maxAge: [isCount, 'a number of seconds']
}

const CREDENTIALS_CHECK: OptionCheck = [
  (origin) => isFunction(origin) || toOrigins(origin)?.includes('*') === false,
  "a list of origins, because with 'credentials' pages of any origin could act for the user"
]

/** The option `cors` of a transport. */
export const CORS_CHECK: OptionCheck = [
  (cors) => isBoolean(cors) || isObject(cors),
  `true, or an object with ${Object.keys(CHECKS).join(', ')}`
]

/** Checks the options of a package for CORS, which takes `origin: undefined` for any origin: throws TypeError for that. */
export function assertOrigin(owner: string, options: object, under?: string): void {
  const origin: OptionCheck = [(value) => value !== undefined, "origins, or '*' for any", 'protection']

  assertOptions(owner, options, { origin }, { others: 'any', ...(under && { under }) })
}

/**
 * Prepares the option `cors` of a transport, which {@link CORS_CHECK} has checked: `true` is any origin, without cookies.
 * Throws TypeError for a value that it cannot have.
 */
export function createCors(option: boolean | CorsOptions | undefined, name: string): Cors | undefined {
  if (option === undefined || option === false) return undefined

  const options: CorsOptions = option === true ? {} : option

  assertOptions(name, options, CHECKS, { under: 'cors' })
  if (options.credentials) assertOption(name, 'cors.origin', options.origin, CREDENTIALS_CHECK)

  return new CorsRules(options, name)
}

/** The option, for one transport. */
class CorsRules implements Cors {
  private readonly name: string
  private readonly origin: (origin: string) => boolean
  /** Whether pages of any origin may call. */
  private readonly isAny: boolean
  private readonly credentials: boolean
  private readonly exposed: readonly string[]
  private readonly maxAge: number | undefined

  constructor({ origin = '*', credentials = false, exposedHeaders = [], maxAge }: CorsOptions, name: string) {
    const origins = typeof origin === 'function' ? [] : [origin].flat()

    this.name = name
    this.isAny = origins.includes('*')
    this.origin = typeof origin === 'function' ? origin : (sent) => origins.includes(sent)
    this.credentials = credentials
    this.exposed = exposedHeaders
    this.maxAge = maxAge
  }

  trusts(sent: string): boolean {
    return this.credentials && this.isAllowed(sent)
  }

  preflight(request: HttpRequest): HttpResponse | undefined {
    const { method, headers } = request

    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return undefined

    const asked = headers['access-control-request-headers']
    const allowed = this.toHeaders(request)

    return {
      status: 204,
      headers: {
        ...(allowed && {
          ...allowed,
          'Access-Control-Allow-Methods': VERBS,
          ...(typeof asked === 'string' && { 'Access-Control-Allow-Headers': asked }),
          ...(this.maxAge !== undefined && { 'Access-Control-Max-Age': String(this.maxAge) })
        }),
        Vary: 'Origin, Access-Control-Request-Headers'
      },
      body: undefined
    }
  }

  allow(request: HttpRequest): (response: HttpResponse) => HttpResponse {
    const allowed = this.toHeaders(request)

    return (response) => {
      const { headers } = response
      const exposed = [...this.exposed, ...OWN_HEADERS.filter((name) => headers[name] !== undefined)]
      const own = {
        ...allowed,
        ...(exposed.length > 0 && {
          [EXPOSE_HEADERS]: addNames(findSentHeader(request, headers, EXPOSE_HEADERS.toLowerCase()), exposed)
        }),
        // Caches must not serve the response to a page of another origin.
        ...(!this.isAny && { Vary: addVarying(findSentHeader(request, headers, 'vary'), ['Origin']) })
      }

      return { ...response, headers: { ...without(headers, Object.keys(own)), ...own } }
    }
  }

  private isAllowed(sent: string): boolean {
    const { origin, name } = this
    const sentence = `The function 'cors.origin' of ${name} has to return true or false`
    const decision: unknown = assertSync(origin(sent), sentence)

    if (typeof decision === 'boolean') return decision

    throw createTypeError('ALULA_INVALID_RETURN_VALUE', sentence)
  }

  private toHeaders({ headers: { origin: sent } }: HttpRequest): Record<string, string> | undefined {
    // Without an origin too: a cache serves the response to any page, because it does not vary.
    if (this.isAny) return { 'Access-Control-Allow-Origin': '*' }
    if (typeof sent !== 'string' || !this.isAllowed(sent)) return undefined

    return {
      'Access-Control-Allow-Origin': sent,
      ...(this.credentials && { 'Access-Control-Allow-Credentials': 'true' })
    }
  }
}

/** Hooks and mounted functions write names as they like, and a page must not get a header twice. */
function without(headers: HttpResponse['headers'], names: readonly string[]): HttpResponse['headers'] {
  const removed = names.map((name) => name.toLowerCase())

  return Object.fromEntries(Object.entries(headers).filter(([name]) => !removed.includes(name.toLowerCase())))
}

function toOrigins(origin: unknown): string[] | undefined {
  const origins = [origin].flat()

  return isStringList(origins) ? origins : undefined
}

function isOrigin(value: unknown): boolean {
  return value === '*' || (URL.canParse(String(value)) && new URL(String(value)).origin === value)
}
