import { getDefinition, isStandardMethod, type ServiceCall } from '../core/methods.ts'
import { fillRoute } from '../core/routes.ts'
import { getMethodRoutes } from '../core/service.ts'
import type { NullableId, Params, Query } from '../core/types.ts'
import { BadRequest, convert } from '../errors.ts'
import { findPath } from '../utils/object.ts'
import { stripSlashes } from '../utils/path.ts'
import { type HeaderSource, toPairs } from './headers.ts'
import { toQueryString } from './query.ts'
import { fillPlaceholders } from './route.ts'
import { assertConditions, ClientService, type ResponseParams } from './service.ts'

/** What the services of a REST connection have in common. */
export interface RestOptions {
  /** Headers of every request. Those of a call count more. */
  headers?: { [name: string]: unknown }
  /** For classes of your own. */
  [option: string]: any
}

/** What a REST service is made of. */
export interface RestSettings {
  /** The path of the service. */
  name: string
  /** The URL of the server. */
  base: string
  /** The HTTP library. */
  connection: any
  options?: RestOptions
}

/** A request, whatever library sends it. */
export interface RestRequest {
  url: string
  /** The verb. */
  method: string
  /** The data, not turned into JSON yet. */
  body?: unknown
  headers: { [name: string]: unknown }
}

/** A URL with more characters is not sent where the server takes `QUERY`: servers and proxies have limits from 4 kB on. */
const MAX_URL = 2048

/** A service that is reached over HTTP. A subclass says how a request is sent. */
export abstract class Base extends ClientService {
  /** The path of the service, without slashes at its ends. */
  name: string
  /** The URL of the service. */
  base: string
  /** The HTTP library. */
  connection: any
  options: RestOptions
  /** Whether a response has said that the path takes `QUERY`. */
  private takesQuery = false

  constructor({ name, base, connection, options = {} }: RestSettings) {
    super()
    this.name = stripSlashes(name)
    this.base = this.name === '' ? base : `${base}/${this.name}`
    this.connection = connection
    this.options = options
  }

  /**
   * Sends a request.
   *
   * @param options The request
   * @param params The params of the call; its `connection` holds options for the library
   * @returns The result
   */
  abstract request(options: RestRequest, params: Params): Promise<unknown>

  /**
   * The URL of a request.
   *
   * @param query The query of the call
   * @param id The id; `null` is none
   * @param route The values for placeholders in the path of the service
   * @throws BadRequest for a placeholder without a value, and for what no URL can hold, such as `..`
   */
  makeUrl(query: Query = {}, id?: NullableId, route?: { [name: string]: unknown }): string {
    const url = fillPlaceholders(this.base, route, toSegment)
    const segment = id === undefined || id === null ? '' : `/${toSegment(String(id))}`

    return url + segment + this.getQuery(query)
  }

  /** The query string with its question mark; empty for an empty query. */
  getQuery(query: Query): string {
    const text = toQueryString(query)

    return text === '' ? '' : `?${text}`
  }

  async sendCall({ method, id, data, params }: ServiceCall): Promise<unknown> {
    const { args, verb } = getDefinition(method)
    const { route, values, data: body } = fillRoute(getMethodRoutes(this, method), data)
    const hasType = route ? hasBody(body) : args.includes('data')
    const headers = {
      ...(hasType && { 'Content-Type': 'application/json' }),
      ...(!route && !isStandardMethod(method) && { 'X-Service-Method': method }),
      ...Object.fromEntries(toPairs(params.headers))
    }

    if (route?.verb === 'GET' && hasBody(body)) {
      throw new BadRequest(`'${route.name}' takes no data but placeholders: use params.query`)
    }

    assertConditions(params.query, hasNoPair)
    assertNames(params.query)

    const url = route
      ? this.makeUrl({}, null, params.route) +
        fillPlaceholders(`/${route.segments.join('/')}`, values, toSegment) +
        this.getQuery(params.query ?? {})
      : this.makeUrl(params.query ?? {}, id, params.route)

    try {
      return method === 'find'
        ? await this.sendFind({ url, method: verb, body, headers }, params)
        : await this.request({ url, method: route?.verb ?? verb, body, headers }, params)
    } catch (error) {
      // A `request` of your own may throw what the server has sent.
      throw error instanceof Error ? error : convert(error)
    }
  }

  /** Sends a query in the body where the URL would be long and the server takes that. */
  private async sendFind(request: RestRequest, params: ResponseParams): Promise<unknown> {
    // Each time: the next request may reach another version of the server.
    const noting: ResponseParams = {
      ...params,
      onResponse: (response) => {
        this.takesQuery = acceptsQuery(response)
        params.onResponse?.(response)
      }
    }

    if (this.takesQuery && params.query && request.url.length > MAX_URL) {
      try {
        return await this.request(
          {
            url: this.makeUrl({}, null, params.route),
            method: 'QUERY',
            body: toJsonQuery(params.query),
            headers: { 'Content-Type': 'application/json', ...request.headers }
          },
          noting
        )
      } catch (error: any) {
        if (error?.code !== 405 && error?.code !== 501) throw error
      }
    }

    return this.request(request, noting)
  }
}

/** JSON has no bigints: they are strings, as in a URL. */
function toJsonQuery(query: Query): unknown {
  return JSON.parse(
    JSON.stringify(query, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  )
}

/** Whether a response says that its path takes `QUERY`, with JSON (RFC 10008). */
function acceptsQuery({ headers }: { headers?: any } = {}): boolean {
  const types = headers?.get?.('Accept-Query') ?? headers?.['accept-query']

  return String(types).includes('application/json')
}

/** Whether there is data to send. */
export function hasBody(body: unknown): boolean {
  return body !== undefined && body !== null
}

/** Puts headers over one another, the weakest first. Their names are the same in every case, and `undefined` is no value. */
export function mergeHeaders(...sources: readonly HeaderSource[]): { [name: string]: unknown } {
  const merged = new Map<string, readonly [string, unknown]>()

  for (const source of sources) {
    for (const [name, value] of toPairs(source)) {
      if (value !== undefined) merged.set(name.toLowerCase(), [name, value])
    }
  }

  for (const [name, value] of merged.values()) assertHeader(name, value)

  return Object.fromEntries(merged.values())
}

/** Libraries take it for a failure of the network, or change it without a word. */
function assertHeader(name: string, value: unknown): void {
  try {
    new Headers([[name, String(value)]])
  } catch {
    throw new BadRequest(
      `Invalid header '${name}': its name or its value has a character that HTTP cannot send`
    )
  }
}

/** Whether a value leaves no trace in a query string: `{ id: { $in: [] } }` would select every record. */
function hasNoPair(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && !(value instanceof Date) && Object.keys(value).length === 0
  )
}

/** A name with brackets is read as several: `{ 'a[b]': 1 }` arrives as `{ a: { b: 1 } }`. */
function assertNames(query: Query | null | undefined): void {
  if (findPath({ query }, hasBrackets) !== undefined) {
    throw new BadRequest("Invalid query: a name in a query string cannot contain '[' or ']'")
  }
}

function hasBrackets(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).some((name) => /[[\]]/.test(name))
}

/** What sends the request takes `.` and `..` for steps in the path, escaped or not. Half a character has no bytes. */
function toSegment(value: string): string {
  if (value === '.' || value === '..' || !value.isWellFormed())
    throw new BadRequest(`Invalid value '${value}': no path of a URL can hold it`)

  return encodeURIComponent(value)
}
