import { createError } from '../utils/developer-error.ts'
import { findHeader, type HttpRequest, type HttpResponse, type HttpResult } from './http.ts'

/** The media type of every body that is made here. */
const JSON_TYPE = 'application/json; charset=utf-8'

const NOSNIFF = 'x-content-type-options'

/** Verbs that read: a client may have the response already. */
const TAGGED_VERBS: readonly string[] = ['GET', 'HEAD', 'QUERY']

/** Statuses whose responses have no body (RFC 9110 §15, Fetch §2.2.3). */
export const BODILESS_STATUSES: readonly number[] = [204, 205, 304]

/** The characters of a header value (RFC 9110 §5.5). Any other could begin another header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** The characters of a header name (RFC 9110 §5.6.2). */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/

/**
 * Headers about the transfer, which the server sets. A second length would allow request smuggling, and HTTP/2 closes the stream of
 * a response that is about its connection (RFC 9113 §8.2.2). The length of a mounted function is kept, and verified: body-length.ts.
 */
const FRAMING =
  /^(content-length|transfer-encoding|connection|proxy-connection|keep-alive|trailer|te|upgrade|http2-settings)$/i

/**
 * Encodes a result as a response that is ready to be written, its body as JSON. A client that has it already gets a 304 (RFC
 * 9110 §13.1.2). `isTagged`: whether responses to `GET`, `HEAD` and `QUERY` get an `ETag`. Throws TypeError for a body that
 * cannot be written as JSON; an Error for a status or a header that cannot be sent.
 */
export function encodeResponse(
  request: Pick<HttpRequest, 'method' | 'headers' | 'getResponseHeader'>,
  { status, headers, body }: HttpResult,
  isTagged: boolean
): HttpResponse {
  const { method, headers: sent } = request
  const text: string | undefined = body === undefined ? undefined : toJsonText(body)
  const head = toHead(headers)

  assertStatus(status)

  if (text === undefined || BODILESS_STATUSES.includes(status))
    return { status, headers: head, body: undefined }

  if (isTagged && status === 200 && TAGGED_VERBS.includes(method)) {
    const given = findHeader(head, 'etag') ?? (request.getResponseHeader?.('etag') as string | undefined)
    const tag = given ?? createEtag(text)

    if (given === undefined && tag !== undefined) head.ETag = tag
    if (tag !== undefined && hasAlready(sent, tag)) return { status: 304, headers: head, body: undefined }
  }

  if ((findHeader(head, 'content-type') ?? request.getResponseHeader?.('content-type')) === undefined) {
    head['Content-Type'] = JSON_TYPE
  }
  // Browsers must not take JSON with the text of a user for HTML or a script.
  if ((findHeader(head, NOSNIFF) ?? request.getResponseHeader?.(NOSNIFF)) === undefined) {
    head['X-Content-Type-Options'] = 'nosniff'
  }

  return { status, headers: head, body: text }
}

/**
 * Writes a value as JSON. A `bigint` is a number, and beyond 2^53 its string, as integers of SQL are. Throws TypeError for a
 * value that contains itself.
 */
export function toJsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // A function for each value makes it several times as slow, so only what needs it is written so.
    return JSON.stringify(value, toJsonInteger)
  }
}

function toJsonInteger(_name: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value

  const number = Number(value)

  return Number.isSafeInteger(number) ? number : String(value)
}

/** Checks the status of a response, which hooks may set. Throws an Error for a status that cannot be sent. */
export function assertStatus(status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw createError(
      'ALULA_INVALID_RESPONSE',
      `Invalid status of a response: expected 200 to 599, got ${status}`
    )
  }
}

/** Checks headers, and drops those about the transfer. */
export function toHead(headers: HttpResult['headers']): Record<string, string | string[]> {
  const head: Record<string, string | string[]> = {}

  for (const name in headers) {
    const value: unknown = headers[name]

    if (value === undefined || FRAMING.test(name)) continue

    if (!isHeaderName(name)) throw createError('ALULA_INVALID_RESPONSE', 'Invalid name of a response header')

    head[name] = Array.isArray(value)
      ? value.map((single) => toHeaderValue(name, single))
      : toHeaderValue(name, value)
  }

  return head
}

function toHeaderValue(name: string, value: unknown): string {
  const text = String(value)

  if (!HEADER_VALUE.test(text))
    throw createError('ALULA_INVALID_RESPONSE', `Invalid value of the response header '${name}'`)

  return text
}

/** Whether a value can be that of a header, and says something. */
export function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && HEADER_VALUE.test(value)
}

/** Whether a string can be the name of a header. */
export function isHeaderName(name: string): boolean {
  return HEADER_NAME.test(name)
}

/** A header of a result, or else the one that earlier code has set on the response, which the result would replace. */
export function findSentHeader(
  request: Pick<HttpRequest, 'getResponseHeader'>,
  headers: HttpResult['headers'],
  name: string
): string | undefined {
  const given = findHeader(headers, name) ?? request.getResponseHeader?.(name)

  return given === undefined ? undefined : String(given)
}

/** Adds names to a header that lists names, such as `Vary`, each once. */
export function addNames(given: string | undefined, added: readonly string[]): string {
  const names = given?.split(',').map((name) => name.trim()) ?? []

  for (const name of added) {
    if (!names.some((one) => one.toLowerCase() === name.toLowerCase())) names.push(name)
  }

  return names.join(', ')
}

/** Adds names to `Vary`, whose `*` covers all of them. */
export function addVarying(given: string | undefined, added: readonly string[]): string {
  return given !== undefined && /(?:^|,)\s*\*\s*(?:,|$)/.test(given) ? given : addNames(given, added)
}

/**
 * Weak, because the JSON is compared and not the bytes, which a proxy may have compressed. On runtimes without the
 * module `crypto` of Node there is no tag.
 */
export function createEtag(text: string): string | undefined {
  const hash = crypto?.hash('sha1', text, 'base64')

  return hash && `W/"${text.length.toString(16)}-${hash.slice(0, 27)}"`
}

/** Not imported: this module runs in browsers and on Workers too. */
const crypto = globalThis.process?.getBuiltinModule?.('node:crypto')

/** Compares as weak tags are compared: `W/` makes no difference. A forced reload (`no-cache`) gets a full response. */
export function hasAlready(
  { 'if-none-match': header, 'cache-control': cacheControl = '' }: HttpRequest['headers'],
  tag: string
): boolean {
  if (typeof header !== 'string' || /\bno-cache\b/i.test(String(cacheControl))) return false
  if (header.trim() === '*') return true

  const opaque = tag.replace(/^W\//, '')

  return isListed(header, [opaque, `W/${opaque}`])
}

/** A whole element of a list of tags. */
const LISTED_TAG = /(?<=^|,)[ \t]*((?:W\/)?"[^"]*")[ \t]*(?=,|$)/g

/** What proxies that compress put at the end of a tag: `-gzip` of Apache, `--gzip` of Jetty, `;gzip` of others. */
const CODING_SUFFIX = /(?:--?|;)(?:gzip|deflate|br|zstd)"$/

/**
 * Whether one of some tags is in a list that a client sent. The JSON is compared and not the bytes: the name of an encoding,
 * which a proxy that compresses puts at the end of a tag, makes no difference.
 */
export function isListed(list: string, tags: readonly string[]): boolean {
  for (const [, candidate = ''] of list.matchAll(LISTED_TAG)) {
    if (tags.includes(candidate) || tags.includes(candidate.replace(CODING_SUFFIX, '"'))) return true
  }

  return false
}
