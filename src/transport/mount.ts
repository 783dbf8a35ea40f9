import { getInternals } from '../core/internals.ts'
import type { Params } from '../core/types.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { takeLength } from './body-length.ts'
import { toHead } from './encode.ts'
import { logUnexpected } from './error.ts'
import type { HttpRequest, HttpResponse } from './http.ts'
import type { HttpSettings } from './options.ts'
import type { MountedTarget } from './target.ts'

/**
 * Runs a mounted Fetch function, with the params of calls that it may make: external ones. `HEAD` runs as `GET`. The teardown
 * of the application aborts the signal of a request whose response is being sent. Returns its response, with a reader of the
 * body. Throws what the function throws; TypeError when it returns no response.
 */
export async function runMounted(
  app: object,
  request: HttpRequest,
  { mounted, prefix, path }: MountedTarget,
  params: Params,
  settings: Pick<HttpSettings, 'authentication' | 'logger'>
): Promise<HttpResponse> {
  const { authentication = null } = params
  const given = request.toRequest(path)
  const closing = new AbortController()
  const { signal } = closing
  const abort = () => closing.abort(given.signal.reason)
  const own = new Request(given, { signal })

  if (given.signal.aborted) abort()
  else given.signal.addEventListener('abort', abort, { once: true })

  const response = await mounted(own, {
    params,
    authentication,
    authService: settings.authentication?.service,
    address: request.address,
    prefix,
    method: request.method
  })

  if (!(response instanceof Response)) {
    throw createTypeError(
      'ALULA_INVALID_RETURN_VALUE',
      `The function that is mounted for '${path}' returned no Response`
    )
  }
  if (response.type === 'error' || response.bodyUsed || response.body?.locked) {
    throw createTypeError(
      'ALULA_INVALID_RETURN_VALUE',
      `The function that is mounted for '${path}' returned a Response that cannot be sent`
    )
  }

  const { status, headers } = response
  const { requestId } = params
  const call = { provider: 'rest', ...(requestId !== undefined && { requestId }) }
  const report = (error: unknown) => {
    // Once the client has gone or the application closes, streams fail because of the signal.
    if (!signal.aborted) logUnexpected(settings.logger, error, call, app)
  }
  const cookies = headers.getSetCookie()
  const { 'set-cookie': _, ...others } = Object.fromEntries(headers)
  const sent = takeLength(response, request.method, path)

  return {
    status,
    headers: { ...toHead(others), ...sent.headers, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
    body: sent.body ? abortAtTeardown(app, sent.body, closing, [request, given, own], report) : undefined
  }
}

/**
 * Only from the response on: a function that has not responded yet finishes its work. The requests are held as long: what
 * aborts a signal holds the signals that follow it weakly.
 */
function abortAtTeardown(
  app: object,
  body: ReadableStream<Uint8Array>,
  closing: AbortController,
  requests: readonly object[],
  report: (error: unknown) => void
): ReadableStreamDefaultReader<Uint8Array> {
  const { streams } = getInternals(app)
  const reader = body.getReader()
  const forget = () => streams?.delete(closing)

  if (streams) streams.set(closing, requests)
  else closing.abort()

  reader.closed.then(forget, (error) => {
    forget()
    report(error)
  })

  return reader
}
