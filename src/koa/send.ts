import { assertJsonResult } from '../core/json-result.ts'
import { sendResponse, withEarlierCookies } from '../node/send.ts'
import { encodeResponse } from '../transport/encode.ts'
import type { HttpResult } from '../transport/http.ts'
import type { HttpSettings } from '../transport/options.ts'
import { isRaw } from '../utils/check.ts'
import type { FeathersKoaContext } from './context.ts'
import { showError } from './handlers.ts'
import { SERVED, type ServedContext } from './served.ts'

/**
 * Sets status, headers and body of a response to the result of a call, its headers checked, for the middleware that runs after
 * it.
 */
export function serveResult(
  context: ServedContext,
  result: HttpResult,
  settings: HttpSettings,
  toErrorCaching: () => HttpResult['headers']
): void {
  const { status, headers, body } = result
  const hasType = context.res.hasHeader('Content-Type')

  context.body = body
  // For Koa a string is no JSON.
  if (typeof body === 'string' && !hasType) context.type = 'json'
  // After the body, which for Koa decides on both.
  context.status = status

  const own = withEarlierCookies(context.res, headers)

  for (const name of Object.keys(own)) context.set(name, own[name] as string | string[])

  context[SERVED] = { result, settings, toErrorCaching }
}

/**
 * Encodes the result of a call as every transport does, once all middleware has seen it and may have changed it. Everything else
 * is left to Koa: what middleware has set instead, and bytes and streams. Where no other middleware sees the response
 * (`isLast`), it is written here, which saves Koa's part.
 */
export function encodeResult(context: ServedContext, isLast: boolean): void {
  const served = context[SERVED]

  if (!served || !isJson(context, served.result)) return

  const { method, headers, status, body } = context
  const request = { method, headers, getResponseHeader: (name: string) => context.res.getHeader(name) }

  try {
    if (context.hook) assertJsonResult(context.hook, body)

    const sent = encodeResponse(request, { status, headers: {}, body }, served.settings.etag)

    if (sent.body === undefined) {
      dropBody(context, served.result)
      // After the body: Koa has made it a 204.
      context.status = sent.status
    }

    if (isLast) {
      sendResponse(context.req, context.res, sent)
      context.respond = false
      return
    }

    for (const name of Object.keys(sent.headers)) context.set(name, sent.headers[name] as string)
    if (sent.body !== undefined) context.body = sent.body
  } catch (error) {
    showError(context, error, served.settings.logger)
  }
}

/** Removes a body that is not sent, with the type that Koa has set for it. */
function dropBody(context: FeathersKoaContext, { headers }: HttpResult): void {
  const type = Object.keys(headers).find((name) => name.toLowerCase() === 'content-type')

  // With the type, Koa would send `null`.
  context.remove('Content-Type')
  context.body = null
  if (type !== undefined) context.set('Content-Type', headers[type] as string)
}

/** Whether the body of a response is to be written as JSON. */
function isJson(context: FeathersKoaContext, { body: result }: HttpResult): boolean {
  const { body, res } = context

  if (context.respond === false || context.headerSent) return false
  if (typeof body === 'object' && body !== null) return !Buffer.isBuffer(body) && !isRaw(body)
  if (body !== result) return false

  return typeof body !== 'string' || /\bjson\b/i.test(String(res.getHeader('content-type') ?? 'json'))
}
