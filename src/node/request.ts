import type { IncomingMessage, ServerResponse } from 'node:http'
import qs from 'qs'
import { BadRequest, MethodNotAllowed } from '../errors.ts'
import { isAcceptedForm } from '../transport/body.ts'
import type { HttpRequest, IncomingHeaders } from '../transport/http.ts'
import { isForwarded, toAddress, toHost } from '../transport/proxies.ts'
import type { HttpTarget } from '../transport/target.ts'
import { isObject } from '../utils/check.ts'
import { readText, toBodyStream } from './read.ts'

/** A request as servers of Node and what is built on them (Express, Koa) have it. */
export type ServerRequest = IncomingMessage & {
  /** A body that middleware has parsed. Types of body parsers declare it too, each in its own way. */
  body?: unknown
}

/** A request of a server of Node. Getters read what is costly and seldom needed. */
export class NodeRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: IncomingHeaders
  /** Set where it was looked up already. */
  target: HttpTarget | undefined
  readonly incoming: ServerRequest
  readonly response: ServerResponse
  private readonly trustProxy: number | undefined

  /** @param trustProxy How many proxies are in front; `undefined` where nothing says so */
  constructor(incoming: ServerRequest, response: ServerResponse, trustProxy?: number) {
    const { method = 'GET', url = '/', headers } = incoming
    const { path, search } = splitTarget(url)

    this.method = method
    this.path = path
    this.search = search
    this.headers = headers
    this.target = undefined
    this.incoming = incoming
    this.response = response
    this.trustProxy = trustProxy
  }

  get host(): string | undefined {
    return toHost(this.headers, this.trustProxy)
  }

  get address(): string | undefined {
    return toAddress(this.incoming.socket?.remoteAddress, this.headers, this.trustProxy)
  }

  get isFromProxy(): boolean {
    return (this.trustProxy ?? 0) > 0
  }

  get isBehindProxy(): boolean {
    return this.trustProxy === undefined && isForwarded(this.headers)
  }

  get body(): unknown {
    const { incoming } = this
    const { body } = incoming

    // A body without bytes has an end that is read, and nothing else.
    const isRead = incoming.readableDidRead || incoming.readableEnded

    return body !== undefined && !isRead && isEmpty(body) ? undefined : body
  }

  get native(): { request: ServerRequest; response: ServerResponse } {
    return { request: this.incoming, response: this.response }
  }

  get isAborted(): boolean {
    const { incoming, response } = this

    // A response of HTTP/2 is finished when it closes, also where its client has cancelled it.
    if (incoming.httpVersionMajor > 1) return incoming.aborted

    return response.destroyed && !response.writableFinished
  }

  getResponseHeader(name: string): unknown {
    return this.response.getHeader(name)
  }

  readText(limit: number): Promise<string> {
    return readText(this.incoming, limit)
  }

  toRequest(path: string): Request {
    const { incoming, response, method, search } = this
    const url = toUrl('encrypted' in (incoming.socket ?? {}) ? 'https' : 'http', this.host, path)
    const gone = new AbortController()
    const isRead = method === 'GET' || method === 'HEAD'

    if (UNREPRESENTABLE.includes(method)) throw new MethodNotAllowed(`Method ${method} not allowed`)

    // Already, while params were looked up.
    if (response.destroyed || this.isAborted) gone.abort()
    response.once('close', () => {
      if (this.isAborted) gone.abort()
    })

    return new Request(`${url}${search && `?${search}`}`, {
      method: method === 'HEAD' ? 'GET' : method,
      signal: gone.signal,
      ...(isRead ? { headers: toPairs(this.headers) } : this.toBody())
    } as RequestInit)
  }

  private toBody(): RequestInit {
    const { body } = this
    const pairs = toPairs(this.headers)

    if (body === undefined)
      return { headers: pairs, body: toBodyStream(this.incoming), duplex: 'half' } as RequestInit

    // Middleware has parsed it: its length and its encoding are others.
    return {
      headers: pairs.filter(([name]) => !ABOUT_BYTES.includes(name)),
      body: encodeBody(body, this.headers)
    }
  }
}

/** What parsers set without reading anything: those of Express 4, and those of `alula/express`. */
function isEmpty(body: unknown): boolean {
  return isObject(body) && Object.keys(body).length === 0
}

/** Methods that a `Request` cannot have (Fetch §2.2.1). */
const UNREPRESENTABLE: readonly string[] = ['CONNECT', 'TRACE', 'TRACK']

/** Headers about a body as it was sent. */
const ABOUT_BYTES: readonly string[] = ['content-length', 'content-encoding', 'transfer-encoding']

/** A URL resolves dots and takes a backslash for a slash: the function would see another path than the one it was chosen by. */
function toUrl(protocol: string, host = 'localhost', path: string): string {
  if (/\\|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) {
    throw new BadRequest("Invalid path: expected no backslashes and no segments '.' and '..'")
  }
  if (
    !/^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i.test(host) ||
    !URL.canParse(`${protocol}://${host}`)
  ) {
    throw new BadRequest("Invalid header 'Host': expected a host name or an address, with or without a port")
  }

  return `${protocol}://${host}${path}`
}

function encodeBody(body: unknown, headers: IncomingHeaders): RequestInit['body'] {
  if (typeof body === 'string' || body instanceof Uint8Array) return body as string | Uint8Array<ArrayBuffer>

  return isAcceptedForm(headers['content-type'] as string | undefined, { forms: true })
    ? qs.stringify(body)
    : JSON.stringify(body)
}

/** Cuts the target of a request at the question mark. It has no fragment, which routers do not see either. */
export function splitTarget(url: string): Pick<HttpRequest, 'path' | 'search'> {
  const whole = toOriginForm(url)
  const fragment = whole.indexOf('#')
  const target = fragment === -1 ? whole : whole.slice(0, fragment)
  const mark = target.indexOf('?')
  const path = mark === -1 ? target : target.slice(0, mark)
  const search = mark === -1 ? '' : target.slice(mark + 1)

  // As routers do, in targets that are no plain paths.
  return { path: target === url ? path : path.replaceAll('\\', '/'), search }
}

/**
 * What a whole URL begins with. Only characters that no parser takes for the beginning of the path: middleware that guards a
 * path would see another one.
 */
const ORIGIN = /^https?:\/\/(?:[\w.:-]+@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?(?=[/?#]|$)/i

/** A client that uses the server as a proxy sends a whole URL (RFC 9112 §3.2.2). */
function toOriginForm(url: string): string {
  if (url.startsWith('/') || !URL.canParse(url)) return url

  // Cut, because `URL` would resolve dots that a path keeps.
  const target = url.replace(ORIGIN, '')

  if (target === url) return url

  return target.startsWith('/') ? target : `/${target}`
}

function toPairs(headers: IncomingHeaders): [string, string][] {
  return (
    Object.entries(headers)
      // Pseudo-headers of HTTP/2.
      .filter(([name]) => !name.startsWith(':'))
      .flatMap(([name, value]) => [value ?? []].flat().map((single): [string, string] => [name, single]))
  )
}
