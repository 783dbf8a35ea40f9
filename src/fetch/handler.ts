import { assertApplication } from '../core/assert-application.ts'
import { BadRequest, UnsupportedMediaType } from '../errors.ts'
import { createAborted, createTooLarge } from '../transport/error.ts'
import { serveHttp } from '../transport/handler.ts'
import type { HttpRequest, HttpResponse, TransportApplication } from '../transport/http.ts'
import { type HttpOptions, toHttpSettings } from '../transport/options.ts'
import { isForwarded, toAddress, toHost } from '../transport/proxies.ts'
import { createError } from '../utils/developer-error.ts'

/** The options of {@link createHandler}. */
export interface HandlerOptions extends HttpOptions<Request> {}

/**
 * Makes the services of an application reachable through the Fetch API: on Deno, Bun, Workers, in tests
 * without a port. Call `app.setup()` before the first request, and `app.teardown()` when the server has closed.
 *
 * @param app An application
 * @param options The options of the transport
 * @returns Turns a `Request` into a `Response`; it never rejects. Where the server knows it, the address of the client is
 * its second argument: `{ address }`
 * @throws TypeError for an object that is not an application, and for an option with a value that it cannot have
 * @example
 * const handler = createHandler(app)
 * const response = await handler(new Request('http://localhost/messages'))
 */
export function createHandler(
  app: TransportApplication,
  options: HandlerOptions = {}
): (request: Request, details?: { address?: string | undefined }) => Promise<Response> {
  assertApplication('createHandler', app)

  const settings = toHttpSettings('createHandler', options)
  const { trustProxy } = settings
  const handle = serveHttp(app, settings)

  return async (request, details) => {
    // Servers pass second arguments of their own.
    const address = typeof details?.address === 'string' ? details.address : undefined

    return toResponse(await handle(toHttpRequest(request, trustProxy, address)), request.method)
  }
}

function toHttpRequest(
  request: Request,
  trustProxy: number | undefined,
  address: string | undefined
): HttpRequest {
  const { method } = request
  const url = new URL(request.url)
  const headers = Object.assign(Object.create(null), Object.fromEntries(request.headers))

  return {
    method,
    path: url.pathname,
    search: url.search.slice(1),
    headers,
    native: { request },
    // Getters read what is seldom needed.
    get host() {
      return toHost({ host: url.host, ...headers }, trustProxy)
    },
    get address() {
      return toAddress(address, headers, trustProxy)
    },
    isFromProxy: (trustProxy ?? 0) > 0,
    get isBehindProxy() {
      return trustProxy === undefined && isForwarded(headers)
    },
    get isAborted() {
      return request.signal.aborted
    },
    readText: (limit) => readText(request, limit),
    toRequest(path) {
      const target = new URL(`${path}${url.search}`, url)

      return new Request(target, {
        method: method === 'HEAD' ? 'GET' : method,
        headers: request.headers,
        signal: request.signal,
        ...(request.body && { body: request.body, duplex: 'half' })
      } as RequestInit)
    }
  }
}

/** Reads no further than the limit, whatever the client says about the length. */
async function readText({ body, bodyUsed, headers }: Request, limit: number): Promise<string> {
  if (!body || headers.get('content-length') === '0') return ''
  if (bodyUsed || body.locked)
    throw createError('ALULA_BODY_CONSUMED', 'The body of the request was read before')
  if (Number(headers.get('content-length')) > limit) {
    body.cancel().catch(() => undefined)
    throw createTooLarge()
  }

  const decoder = new TextDecoder()
  const source = decompress(body, headers.get('content-encoding') ?? 'identity')
  const reader = source.body.getReader()
  let text = ''

  for (let size = 0; ; ) {
    const { done, value } = await read(reader, source.isEmpty, headers)

    if (done) return text + decoder.decode()

    size += value.byteLength

    if (size > limit) {
      // The client may still be sending, and that fails.
      reader.cancel().catch(() => undefined)
      throw createTooLarge()
    }

    text += decoder.decode(value, { stream: true })
  }
}

/** The types of Node say that it takes other chunks than it does. */
type Decompression = { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> }

interface Source {
  readonly body: ReadableStream<Uint8Array>
  /** Whether the body was compressed, and has arrived in full without a byte. */
  isEmpty(): boolean
}

function decompress(body: ReadableStream<Uint8Array>, encoding: string): Source {
  const given = encoding.trim().toLowerCase()
  // Another name of the same (RFC 9110 §8.4.1.3).
  const name = given === 'x-gzip' ? 'gzip' : given

  if (name === 'identity') return { body, isEmpty: () => false }
  if (name !== 'gzip' && name !== 'deflate') {
    throw new UnsupportedMediaType("Unsupported content encoding: expected 'identity', 'gzip' or 'deflate'")
  }

  let size = 0
  let isWhole = false
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength
      controller.enqueue(chunk)
    },
    flush() {
      isWhole = true
    }
  })

  return {
    body: body.pipeThrough(counter).pipeThrough(new DecompressionStream(name) as unknown as Decompression),
    isEmpty: () => isWhole && size === 0
  }
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  isEmpty: Source['isEmpty'],
  headers: Headers
) {
  try {
    return await reader.read()
  } catch {
    // A body of no bytes is none, and cannot be decompressed.
    if (isEmpty()) return { done: true, value: undefined } as const

    throw headers.has('content-encoding')
      ? new BadRequest('Invalid request body: it cannot be decompressed')
      : createAborted()
  }
}

function toResponse({ status, headers, body }: HttpResponse, method: string): Response {
  const responseHeaders = new Headers()

  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values].flat()) responseHeaders.append(name, value)
  }
  if (method !== 'HEAD') return new Response(toBody(body), { status, headers: responseHeaders })
  if (body !== undefined && typeof body !== 'string') body.cancel().catch(() => undefined)

  return new Response(null, { status, headers: responseHeaders })
}

function toBody(body: HttpResponse['body']): string | ReadableStream<Uint8Array> | null {
  if (body === undefined || typeof body === 'string') return body ?? null

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await body.read()

        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => body.cancel(reason)
    },
    // Nothing is read before it is sent.
    { highWaterMark: 0 }
  )
}
