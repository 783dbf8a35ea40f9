import { hash } from 'node:crypto'
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  validateHeaderName,
  validateHeaderValue
} from 'node:http'
import type { HttpResponse } from './http.ts'

/** The media type of every body that is sent here. */
const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Sends an answer, its body as JSON. Head and body leave in one write to the socket, without the Buffer that Express
 * makes of the text first.
 *
 * @param request What is answered: a `HEAD` gets no body, and a client that has the answer already a 304
 * (RFC 9110 §13.1.2)
 * @param response Headers that are set on it stay, unless the answer has others; it is ended here
 * @param answer Status, headers and body; a body that is `undefined` is not sent
 * @param options `etag: false` sends no `ETag`, and never answers with 304
 */
export function sendJson(
  request: Pick<IncomingMessage, 'method' | 'headers' | 'complete'>,
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
  { etag = true }: { etag?: boolean } = {}
): void {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const head = toHead(headers)

  // The rest of a body that was refused would be taken for the next request.
  if (!request.complete) head.Connection = 'close'

  if (text === undefined || isBodiless(status)) {
    response.writeHead(status, head)
    response.end()
    return
  }

  const isRead = request.method === 'GET' || request.method === 'HEAD'

  if (etag && isRead && status === 200) {
    const given = getHeader(head, 'etag') ?? response.getHeader('ETag')
    const tag = given === undefined ? createEtag(text) : String(given)

    if (given === undefined) head.ETag = tag

    if (hasAlready(request.headers, tag)) {
      response.writeHead(304, head)
      response.end()
      return
    }
  }

  if (getHeader(head, 'content-type') === undefined && !response.hasHeader('Content-Type')) {
    head['Content-Type'] = JSON_TYPE
  }
  head['Content-Length'] = Buffer.byteLength(text)

  response.writeHead(status, head)
  response.end(request.method === 'HEAD' ? undefined : text)
}

/** What hooks want to say, without what is said of the body here. A head that cannot be sent fails before it is begun. */
function toHead(headers: HttpResponse['headers']): OutgoingHttpHeaders {
  const head: OutgoingHttpHeaders = {}

  for (const name of Object.keys(headers)) {
    if (/^(content-length|transfer-encoding)$/i.test(name)) continue

    const value = headers[name] as string | string[]

    validateHeaderName(name)
    for (const single of [value].flat()) validateHeaderValue(name, single)

    head[name] = value
  }

  return head
}

/** Names of headers are the same in any case, and hooks may write them as they like. */
function getHeader(head: OutgoingHttpHeaders, wanted: string): unknown {
  for (const name in head) {
    if (name.length === wanted.length && name.toLowerCase() === wanted) return head[name]
  }

  return undefined
}

/** Weak, because what is compared is the text and not the bytes that a proxy may have compressed. */
function createEtag(text: string): string {
  return `W/"${text.length.toString(16)}-${hash('sha1', text, 'base64').slice(0, 27)}"`
}

/** Compares as weak tags are compared: `W/` makes no difference. Who reloads wants to have all of it again. */
function hasAlready(
  { 'if-none-match': header, 'cache-control': cacheControl = '' }: IncomingHttpHeaders,
  tag: string
): boolean {
  if (header === undefined || /\bno-cache\b/i.test(cacheControl)) return false
  if (header.trim() === '*') return true

  const opaque = tag.replace(/^W\//, '')

  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque)
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 304 || status < 200
}
