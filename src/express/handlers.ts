import { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { ErrorRequestHandler, NextFunction, Request, RequestHandler, Response } from 'express'
import type { FeathersErrorJSON } from '../errors.ts'
import { assertOptionNames } from '../transport/door.ts'
import { assertLogger, type Logger, logError } from '../transport/error.ts'
import { createNotFound, toHttpError } from '../transport/http.ts'

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
  /** Answers requests for HTML: one function, or functions and files by status and `default`. `false`: always JSON. */
  html?: false | ErrorResponder | { [status: string]: string | ErrorResponder | undefined }
  /** Answers all other requests: one function, or functions by status and `default`. */
  json?: ErrorResponder | { [status: string]: ErrorResponder | undefined }
}

/**
 * Middleware that fails with `NotFound`. It goes behind the last service.
 *
 * @param options `verbose`: whether the message has the URL
 * @throws Error when it is used as middleware itself
 */
export function notFound(options: { verbose?: boolean } = {}): RequestHandler {
  assertCalled('notFound', options)

  const { verbose = false } = options

  return (request, _response, next) => next(createNotFound(request.url, verbose))
}

/**
 * Middleware that answers with the error it is given, as JSON, or as HTML for a request that asks for that. It
 * goes last. What of an error is shown is not decided here: see `toClientError`.
 *
 * @param options Where errors are written to, and who answers instead
 * @throws Error when it is used as middleware itself, TypeError for a `logger` without the method `error`
 */
export function errorHandler(options: ErrorHandlerOptions = {}): ErrorRequestHandler {
  assertCalled('errorHandler', options)
  assertOptionNames('errorHandler', options)
  assertLogger(options.logger)

  const logger = options.logger === undefined ? console : options.logger
  const html = options.html ?? (options.public === undefined ? {} : toPages(options.public))
  const json = options.json ?? {}

  return (error: unknown, request: Request, response: Response, next: NextFunction) => {
    const { status, headers, body } = toHttpError(error, request)
    const shown = body as FeathersErrorJSON

    // As in v5, what went wrong in a service is left to its hooks, unless nobody expected it.
    if (logger && (status >= 500 || !response.hook)) logError(logger, error, { status, body: shown })

    if (response.headersSent) {
      next(error)
      return
    }

    response.status(status).set(headers)

    const responder =
      html !== false && wantsHtml(request) ? toHtmlResponder(html, status) : toJsonResponder(json, status)

    responder(shown, request, response, next)
  }
}

/**
 * Checks that a function that makes middleware is not used as middleware: requests would wait for ever.
 *
 * @throws Error when the first argument is a request
 */
export function assertCalled(name: string, argument: object): void {
  if (argument instanceof IncomingMessage) {
    throw new Error(`${name} makes middleware and is none: call it, as in app.use(${name}())`)
  }
}

/** JSON unless the request speaks of HTML and not of JSON. */
function wantsHtml({ headers }: Request): boolean {
  const types = `${headers['content-type'] ?? ''} ${headers.accept ?? ''}`

  return types.includes('html') && !types.includes('json')
}

function toJsonResponder(json: NonNullable<ErrorHandlerOptions['json']>, status: number): ErrorResponder {
  if (typeof json === 'function') return json

  return json[status] ?? json.default ?? ((error, _request, response) => void response.json(error))
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
      // A page that is not there must not become another error, with its path.
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
