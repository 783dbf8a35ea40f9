import { join } from 'node:path'
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express'
import type { FeathersErrorJSON } from '../errors.ts'
import { describeHook } from '../hooks/traits.ts'
import { assertNoRequest, setErrorHeaders } from '../node/framework.ts'
import { fromParserError } from '../node/parser-errors.ts'
import { splitTarget } from '../node/request.ts'
import { LOGGER_CHECK, type Logger, logError, toClientError } from '../transport/error.ts'
import { toLogContext } from '../transport/handler.ts'
import { createNotFound, type TransportApplication, toHttpError } from '../transport/http.ts'
import { isBoolean, isFunction, isObject, isString } from '../utils/check.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { ExpressRequest } from './request.ts'
import { sendResult } from './send.ts'

/** Sends an error itself; gets the error as the client may see it. */
export type ErrorResponder = (
  error: FeathersErrorJSON,
  request: Request,
  response: Response,
  next: NextFunction
) => void

/** The options of {@link errorHandler}. */
export interface ErrorHandlerOptions {
  /** A folder with `401.html`, `404.html` and `default.html`. Without it a plain page is made. */
  public?: string
  /** Where errors are written to, `console` by default; `false` for nowhere. */
  logger?: Logger | false | null
  /** Responds to requests for HTML: one function, or functions and files by status and `default`. `false`: always JSON. */
  html?: false | ErrorResponder | { [status: string]: string | ErrorResponder | undefined }
  /** Responds to all other requests: one function, or functions by status and `default`. */
  json?: ErrorResponder | { [status: string]: ErrorResponder | undefined }
}

const CHECKS: OptionChecks = {
  public: [isString, 'the path of a folder'],
  logger: LOGGER_CHECK,
  html: [
    (html) => html === false || isFunction(html) || isObject(html),
    'false, a function, or functions and files by status'
  ],
  json: [(json) => isFunction(json) || isObject(json), 'a function, or functions by status']
}

/**
 * Middleware that fails with `NotFound`. Register it after the last service.
 *
 * @param options `verbose`: whether the message has the URL
 * @throws Error when it is used as middleware itself, TypeError for options that are not valid
 */
export function notFound(options: { verbose?: boolean } = {}): RequestHandler {
  assertNoRequest('notFound', options)
  assertOptions('notFound', options, { verbose: [isBoolean, 'true or false'] })

  const { verbose = false } = options

  const handler: RequestHandler = (request, _response, next) => {
    const { path, search } = splitTarget(request.url)

    next(createNotFound(search === '' ? path : `${path}?${search}`, verbose))
  }

  return describeHook(handler, { isNotFound: true })
}

/**
 * Middleware that responds with the error it is given: as JSON, or as HTML to a request that asks for that. Register it
 * last. What a client sees of an error is decided by `toClientError`, and by the application settings `errorStatus` and `formatError`.
 *
 * @param options Where errors are written to, and functions that respond instead
 * @throws Error when it is used as middleware itself, TypeError for an option that there is not, and for one with a value that it
 * cannot have
 */
export function errorHandler(options: ErrorHandlerOptions = {}): ErrorRequestHandler {
  assertNoRequest('errorHandler', options)
  assertOptions('errorHandler', options, CHECKS)

  return createErrorHandler(options, (request) => request.app as unknown as TransportApplication)
}

/** The same for an application that is not the Express application which the request came to. */
export function createErrorHandler(
  options: ErrorHandlerOptions,
  getApp: (request: Request) => TransportApplication
): ErrorRequestHandler {
  const logger = options.logger === undefined ? console : options.logger
  const html = options.html ?? (options.public === undefined ? {} : toPages(options.public))
  const json = options.json ?? {}

  return (thrown: unknown, request: Request, response: Response, next: NextFunction) => {
    // Services may use parsers and zlib too: what these throw is no fault of the request.
    const error = response.hook ? thrown : fromParserError(thrown)
    const app = getApp(request)
    const called = toLogContext(app, response.hook, new ExpressRequest(request, response))

    // As in v5, expected errors of services are no information: hooks have seen them.
    if (logger) logError(logger, error, toClientError(error), called, app, response.hook ? 'debug' : 'info')

    if (response.headersSent) {
      next(thrown)
      return
    }

    const { method, headers, path } = request
    const { requestId } = called
    const result = toHttpError(error, { method, headers, path, requestId }, request.lookup, app)
    const { status } = result
    const isHtml = html !== false && wantsHtml(request)
    const responder = isHtml ? toHtmlResponder(html, status) : toJsonResponder(json, status)

    setErrorHeaders(response, result.headers)
    // Caches must not serve a page to a client that asks for JSON, nor JSON to a browser.
    if (html !== false) response.vary('Accept')

    if (responder) {
      response.status(status)
      responder(toClientError(error, app).body, request, response, next)
    } else sendResult(request, response, result)
  }
}

/** JSON unless the request mentions HTML and not JSON. */
function wantsHtml({ headers }: Request): boolean {
  const types = `${headers['content-type'] ?? ''} ${headers.accept ?? ''}`

  return types.includes('html') && !types.includes('json')
}

function toJsonResponder(
  json: NonNullable<ErrorHandlerOptions['json']>,
  status: number
): ErrorResponder | undefined {
  return typeof json === 'function' ? json : (json[status] ?? json.default)
}

function toHtmlResponder(
  html: Exclude<ErrorHandlerOptions['html'], false | undefined>,
  status: number
): ErrorResponder {
  if (typeof html === 'function') return html

  const page = html[status] ?? html.default ?? sendPage

  return typeof page === 'string' ? toFileResponder(page) : page
}

function toFileResponder(page: string): ErrorResponder {
  return (error, request, response, next) =>
    response.sendFile(page, (failure?: Error) => {
      // A missing page must not become another error, which has its path.
      if (failure && !response.headersSent) sendPage(error, request, response, next)
    })
}

function toPages(folder: string): { [status: string]: string } {
  return {
    401: join(folder, '401.html'),
    404: join(folder, '404.html'),
    default: join(folder, 'default.html')
  }
}

const sendPage: ErrorResponder = (error, _request, response) => {
  const title = escapeHtml(`${error.code} ${error.name}`)

  response
    .type('html')
    .send(
      `<!doctype html>\n<title>${title}</title>\n<h1>${title}</h1>\n<p>${escapeHtml(error.message)}</p>\n`
    )
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
