import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { BadRequest, UnsupportedMediaType } from '../errors.ts'
import { createAborted, createTooLarge } from '../transport/error.ts'
import { createError } from '../utils/developer-error.ts'

/** What a body may be compressed with. */
const DECOMPRESSORS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress]
])

/**
 * Reads the body of a request as a string, decompressed, no further than the limit in bytes after decompression, whatever its
 * `Content-Length` says. Throws PayloadTooLarge past the limit, at once; UnsupportedMediaType for an unknown
 * `Content-Encoding`; BadRequest when the body cannot be decompressed or the client goes away; an Error when middleware has
 * consumed the body.
 */
export async function readText(request: IncomingMessage, limit: number): Promise<string> {
  if (!hasBody(request)) return ''
  if (Number(request.headers['content-length']) > limit) {
    request.resume()
    throw createTooLarge()
  }
  if (request.readableEnded || request.destroyed) throw createIncompleteError(request)

  const decompressor = createDecompressor(request.headers['content-encoding'])
  const source: Readable = decompressor ? request.pipe(decompressor) : request

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let isEmpty = true
    let isSettled = false

    function fail(error: Error): void {
      if (isSettled) return

      isSettled = true
      source.removeListener('data', onData)
      // The rest is read and dropped: the response has to get past it.
      request.unpipe()
      request.resume()
      decompressor?.destroy()
      reject(error)
    }

    function onData(chunk: Buffer): void {
      size += chunk.length

      if (size > limit) fail(createTooLarge())
      else chunks.push(chunk)
    }

    source.on('data', onData)
    source.once('end', () => {
      if (request.aborted) return fail(createIncompleteError(request))

      isSettled = true
      resolve(toBodyText(chunks))
    })
    if (decompressor) {
      request.once('data', () => {
        isEmpty = false
      })
      decompressor.once('error', () => {
        // A body of no bytes is none, and cannot be decompressed. The message of Node is about headers and checksums.
        if (isEmpty && hasArrived(request)) resolve('')
        else fail(new BadRequest('Invalid request body: it cannot be decompressed'))
      })
    }
    // Emitted for every request. The error, which takes long to make, is only for a body that did not arrive.
    request.once('close', () => {
      if (!isSettled && !(decompressor && hasArrived(request))) fail(createIncompleteError(request))
    })
  })
}

/**
 * Whether a connection of HTTP/1.1 carries the rest of the body before the next request. Without a body, a request is not `complete`
 * either until Node has emitted it.
 */
export function isBodyPending(
  request: Pick<IncomingMessage, 'complete' | 'headers' | 'httpVersionMajor'>
): boolean {
  return !request.complete && request.httpVersionMajor === 1 && hasBody(request)
}

/**
 * The body of a request as a stream, as it was sent. Throws BadRequest when the client has gone; an Error when middleware has
 * consumed the body.
 */
export function toBodyStream(request: IncomingMessage): AsyncIterable<Uint8Array> {
  if (!request.readable || request.aborted) throw createIncompleteError(request)

  return readWhole(request)
}

/** A body that its client breaks off is an error of Node in HTTP/1.1, and ends as a whole one does in HTTP/2. */
async function* readWhole(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    // A request that is destroyed loses its socket, which the end of its response needs.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) yield chunk
  } catch (error) {
    throw request.aborted ? createAborted() : error
  } finally {
    // A function may stop reading: its response has to get past the rest, which a stream of HTTP/2 does not hold up.
    if (request.httpVersionMajor === 1) request.resume()
  }

  if (request.aborted) throw createAborted()
}

/** Without one of these headers there is no body (RFC 9112 §6.3); HTTP/2 needs neither. */
export function hasBody({
  headers,
  httpVersionMajor
}: Pick<IncomingMessage, 'headers' | 'httpVersionMajor'>): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    Number(headers['content-length'] ?? 0) > 0 ||
    httpVersionMajor > 1
  )
}

function createDecompressor(encoding = 'identity'): Transform | undefined {
  const name = encoding.trim().toLowerCase()

  if (name === 'identity') return undefined

  const create = DECOMPRESSORS.get(name)

  if (!create) {
    throw new UnsupportedMediaType(
      "Unsupported content encoding: expected 'identity', 'gzip', 'deflate' or 'br'"
    )
  }

  return create()
}

/** A request of HTTP/2 that its client has cancelled counts as complete, and its body ends as a whole one does. */
function hasArrived({ complete, aborted }: IncomingMessage): boolean {
  return complete && !aborted
}

/** The error for a body that cannot be read any more. */
function createIncompleteError(request: IncomingMessage): Error {
  return hasArrived(request)
    ? createError('ALULA_BODY_CONSUMED', 'Earlier middleware consumed the body and set no request.body')
    : createAborted()
}

/** Most bodies come in one piece. */
function toBodyText(chunks: readonly Buffer[]): string {
  const [first] = chunks
  const bytes = chunks.length === 1 ? (first as Buffer) : Buffer.concat(chunks)
  const text = bytes.toString('utf8')

  // A byte order mark is no part of the text (RFC 8259 §8.1).
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
