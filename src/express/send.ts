import type { Application, Request, Response } from 'express'
import { assertJsonResult } from '../core/json-result.ts'
import { sendResponse } from '../node/send.ts'
import { encodeResponse } from '../transport/encode.ts'
import type { HttpResult } from '../transport/http.ts'

type Result = Pick<HttpResult, 'status' | 'body'>

/**
 * Sends a result as JSON: the same bytes as on other transports, unless the application has settings that only Express can
 * follow. Headers that middleware has set stay. `etag`: whether it has a tag where the settings of Express want one. Throws
 * TypeError for a body that is no JSON; an Error for a header that cannot be sent.
 */
export function sendResult(
  request: Request,
  response: Response,
  { status, body }: Result,
  etag = true
): void {
  if (response.hook) assertJsonResult(response.hook, body)

  const { settings } = request.app
  const { method, headers } = request
  const isTagged = etag && settings.etag !== false
  const sent = { method, headers, getResponseHeader: (name: string) => response.getHeader(name) }

  if ((!isTagged || hasUsualTags(request.app)) && hasUsualJson(request.app)) {
    sendResponse(request, response, encodeResponse(sent, { status, headers: {}, body }, isTagged))
  } else {
    response.status(status)

    if (body === undefined) {
      response.end()
      return
    }

    if (!response.hasHeader('X-Content-Type-Options')) response.set('X-Content-Type-Options', 'nosniff')
    response.json(body)
  }
}

/** Whether an Express application has no settings about JSON and tags: then our own encoding does the same. */
export function isUsual(app: Application): boolean {
  return hasUsualTags(app) && hasUsualJson(app)
}

function hasUsualTags({ settings: { etag } }: Application): boolean {
  return etag === 'weak' || etag === true
}

function hasUsualJson({ settings }: Application): boolean {
  return !settings['json escape'] && !settings['json replacer'] && !settings['json spaces']
}
