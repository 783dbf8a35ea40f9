import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Query } from '../core/types.ts'
import type { HttpRequest, HttpTarget, IncomingHeaders } from '../transport/http.ts'
import { toAddress, toHost } from '../transport/proxies.ts'
import { readText } from './read.ts'

/** What the request of a server does not contain. */
export interface NodeRequestDetails {
  /** How many proxies are in front. */
  readonly trustProxy?: number
  /** Params from earlier code, such as middleware. */
  readonly params?: object | undefined
  /** A query that middleware has parsed. */
  readonly query?: Query | undefined
  /** What the path leads to, if that was looked up already. */
  readonly target?: HttpTarget | undefined
}

/** A request as servers of Node and what is built on them (Express, Koa) have it. */
export interface ServerRequest extends IncomingMessage {
  /** A body that middleware has parsed. */
  body?: unknown
}

/** A request of a server of Node. Getters read what is costly and seldom needed. */
export class NodeRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: IncomingHeaders
  readonly query: Query | undefined
  readonly params: object | undefined
  readonly target: HttpTarget | undefined
  protected readonly incoming: ServerRequest
  protected readonly response: ServerResponse
  private readonly trustProxy: number

  /**
   * @param incoming The request
   * @param response Its response
   * @param details What the request of the server does not contain
   */
  constructor(incoming: ServerRequest, response: ServerResponse, details: NodeRequestDetails = {}) {
    const { method = 'GET', url = '/', headers } = incoming
    const { path, search } = splitTarget(url)

    this.method = method
    this.path = path
    this.search = search
    this.headers = headers
    this.query = details.query
    this.params = details.params
    this.target = details.target
    this.incoming = incoming
    this.response = response
    this.trustProxy = details.trustProxy ?? 0
  }

  get host(): string | undefined {
    return toHost(this.headers, this.trustProxy)
  }

  get address(): string | undefined {
    return toAddress(this.incoming.socket.remoteAddress, this.headers, this.trustProxy)
  }

  get body(): unknown {
    return this.incoming.body
  }

  get native(): { request: ServerRequest; response: ServerResponse } {
    return { request: this.incoming, response: this.response }
  }

  getResponseHeader(name: string): unknown {
    return this.response.getHeader(name)
  }

  readText(limit: number): Promise<string> {
    return readText(this.incoming, limit)
  }

  toRequest(path: string): Request {
    const { incoming, response, method, host = 'localhost', search } = this
    const protocol = 'encrypted' in incoming.socket ? 'https' : 'http'
    const gone = new AbortController()
    const isRead = method === 'GET' || method === 'HEAD'

    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })

    return new Request(`${protocol}://${host}${path}${search && `?${search}`}`, {
      method: method === 'HEAD' ? 'GET' : method,
      headers: toPairs(this.headers),
      signal: gone.signal,
      ...(!isRead && { body: this.toStream(), duplex: 'half' })
    } as RequestInit)
  }

  private toStream(): RequestInit['body'] {
    const { incoming } = this

    if (incoming.body === undefined) return Readable.toWeb(incoming) as any
    if (typeof incoming.body === 'string' || incoming.body instanceof Uint8Array) return incoming.body as any

    // Middleware has parsed it.
    return JSON.stringify(incoming.body)
  }
}

/** Cuts the target of a request at the question mark. */
export function splitTarget(url: string): Pick<HttpRequest, 'path' | 'search'> {
  const target = toOriginForm(url)
  const mark = target.indexOf('?')

  return mark === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, mark), search: target.slice(mark + 1) }
}

/** A client that uses the server as a proxy sends a whole URL (RFC 9112 §3.2.2). */
function toOriginForm(url: string): string {
  if (url.startsWith('/') || !URL.canParse(url)) return url

  // Cut, because `URL` would resolve dots that a path keeps.
  const target = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')

  return target.startsWith('/') ? target : `/${target}`
}

function toPairs(headers: IncomingHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((single): [string, string] => [name, single])
  )
}
