import type { EmitterLike } from '../core/emitter.ts'
import { toErrorStatus } from '../core/error-status.ts'
import { reportError } from '../core/events.ts'
import { getInternals } from '../core/internals.ts'
import {
  BadRequest,
  errors,
  type FeathersError,
  type FeathersErrorJSON,
  GeneralError,
  isFeathersError,
  PayloadTooLarge
} from '../errors.ts'
import { isFunction, isObject } from '../utils/check.ts'
import { createDebug } from '../utils/debug.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { showRecords } from '../utils/dispatch.ts'
import type { OptionCheck } from '../utils/options.ts'
import { assertSync, attempt } from '../utils/promise.ts'
import { hasDriverMessage, isDriverError } from './driver-error.ts'

declare module '../core/internals.ts' {
  interface Internals {
    /** The last line in the log that said that the server is too busy, and when, in milliseconds since 1970. */
    busyLogged?: { readonly at: number; readonly sentence: string }
  }
}

/** What a client may see of an error. */
export interface ClientError {
  /** The HTTP status, from 400 to 599. */
  readonly status: number
  readonly body: FeathersErrorJSON
  /** Headers that middleware has given the error: how to log in, or when to come back. */
  readonly headers?: { readonly [name: string]: any }
}

/** The request that an error belongs to. */
export interface ErrorRequest {
  /** The name of the transport: `rest`, `socketio` or that of your own. */
  readonly provider: string
  /** The verb of an HTTP request; the service method over a socket. */
  readonly method: string
  /** The path of an HTTP request, without the query string; the path of the service over a socket. */
  readonly path: string
  readonly headers: { readonly [name: string]: any }
  /** The id of the request; there with the setting `requestIds`, once the request has become a call. */
  readonly requestId?: string
}

/**
 * The application setting `formatError`: decides on the body of every error response, whatever the transport.
 *
 * @param body What the client gets without the setting
 * @param details The error itself, the status of the response, and the request
 * @returns The body, an object. The status is not read from it. If the function throws or returns anything else, the
 * client gets `body`
 */
export type FormatError = (
  body: FeathersErrorJSON,
  details: { readonly error: unknown; readonly status: number; readonly request: ErrorRequest }
) => unknown

/** The part of an application that decides how errors look. */
export interface FormattingApplication {
  get?(name: any): any
  rawListeners?(event: string | symbol): unknown[]
}

/** The call that an error belongs to. It holds nothing that the client sent. */
export interface LogContext {
  /** The path of the service. */
  readonly path?: string | undefined
  /** The service method. */
  readonly method?: string | undefined
  readonly provider?: string | undefined
  /** The id of the request; there with the setting `requestIds`. */
  readonly requestId?: string | undefined
  readonly status: number
}

/** What a logger gets beside the message: the error itself, and the call. */
export interface LogDetails {
  /** Missing in the line of a finished call. */
  readonly error?: unknown
  readonly context: LogContext
}

/**
 * Where errors are written to. `console` is one, and so are the loggers of winston, and of pino, which is known by its method
 * `bindings` and gets `{ err, context }` first and a message second. What a logger throws or rejects with is not seen.
 * Errors below 500 go to `debug`, except those of `console`; `errorHandler` of Express writes those of no service call to `info`.
 */
export interface Logger {
  /**
   * @param message The stack of the error and of its causes; a line for a server that is too busy
   * @param details The error itself, and the call; not passed to `console`
   */
  error(message: string, details?: LogDetails): unknown
  info?(message: string, details?: LogDetails): unknown
  /** Errors below 500, which clients have caused: a line with their name and message. */
  debug?(message: string, details?: LogDetails): unknown
}

/** An option that says where errors are written to. Without the method `error` they would be lost silently. */
export const LOGGER_CHECK: OptionCheck = [
  (logger) => logger === null || logger === false || isFunction((logger as Partial<Logger>).error),
  "an object with the method 'error', or false"
]

const debug = createDebug('alula:transport')

const UNEXPECTED = 'An unexpected error occurred on the server'
const REFUSED_BY_DATABASE = 'The database has refused the call'

/** The message for a path whose percent-escapes cannot be decoded. */
export const MALFORMED_PATH = "Invalid path: expected '%' to be followed by a valid UTF-8 escape"

/**
 * Decides what a client sees of anything that was thrown. A Feathers error is shown as it is, and so is an
 * error of middleware that is marked as meant for the client. Everything else is a 500: with its message in
 * development, with a general message in production. So is the message of a Feathers error that a database driver has
 * written. Stack, cause and further properties are never shown.
 *
 * @param error Anything that was thrown
 * @param app The application, whose setting `errorStatus` decides on the status; without it, errors have their own
 */
export function toClientError(error: unknown, app: FormattingApplication = {}): ClientError {
  try {
    const own = showRecords(
      toBody(isFeathersError(error) ? error : toFeathersError(error))
    ) as FeathersErrorJSON
    const body = { ...own, code: toErrorStatus(app, own) }
    const hasHeaders = isForClient(error) && isObject(error.headers)

    return { status: body.code, body, ...(hasHeaders && { headers: error.headers }) }
  } catch {
    // Reading the properties of an error may throw, and must not become another error.
    return { status: 500, body: toBody(new GeneralError(UNEXPECTED)) }
  }
}

/** The error for a body over the limit. */
export function createTooLarge(): PayloadTooLarge {
  return new PayloadTooLarge('The request body is larger than the server accepts')
}

/** The error for a request whose client went away before it was complete. */
export function createAborted(): BadRequest {
  return new BadRequest('The request was aborted')
}

/**
 * Decides what a client gets of anything that was thrown, with the status of the setting `errorStatus` and the body that the
 * setting `formatError` makes of it; and what it gets without the setting.
 */
export function toErrorResponse(
  app: FormattingApplication,
  error: unknown,
  request: ErrorRequest
): { readonly status: number; readonly body: unknown; readonly shown: ClientError } {
  const shown = toClientError(error, app)
  const { status } = shown
  // Clients can name the request to those who read the log.
  const unformatted: FeathersErrorJSON & { readonly requestId?: string } =
    status >= 500 && request.requestId !== undefined
      ? { ...shown.body, requestId: request.requestId }
      : shown.body
  const format: FormatError | undefined = app.get?.('formatError')

  if (typeof format !== 'function') return { status, body: unformatted, shown }

  try {
    // Copies, because details belong to the error, and the headers of a socket to all its calls.
    const copy: FeathersErrorJSON = JSON.parse(JSON.stringify(unformatted))
    const sentence = "Invalid result of the setting 'formatError': expected an object"
    const ownRequest = { ...request, headers: { ...request.headers } }
    const formatted = assertSync(format(copy, { error, status, request: ownRequest }), sentence)
    // As it is sent: a body that is no JSON must not replace the error.
    const body: unknown = JSON.parse(JSON.stringify(showRecords(formatted)) ?? 'null')

    // Over a socket a body that is not an object could look like success.
    if (!isObject(body)) throw createTypeError('ALULA_INVALID_RETURN_VALUE', sentence)

    return { status, body, shown }
  } catch (failure) {
    // A function of the application has failed: reported like a failing listener.
    if (typeof app.rawListeners === 'function') reportError(app as EmitterLike, failure)

    return { status, body: unformatted, shown }
  }
}

/** Writes an error to a log: one below 500 to `debug`, where the logger has it and is not `console`. `false` writes nothing. */
export function logUnexpected(
  logger: Logger | false,
  error: unknown,
  call: Omit<LogContext, 'status'> = {},
  app?: object
): void {
  if (logger) logError(logger, error, toClientError(error), call, app, 'debug')
}

/**
 * Writes an error to a log: the stack of an unexpected one, a line for any other and for a server that is too busy. What a
 * client has sent, such as an id that is in the message, does not begin another line.
 *
 * @param logger Where it is written to
 * @param error The error
 * @param shown What the client sees of it
 * @param call The call that failed
 * @param app The application: its log says the same of a server that is too busy once a second, or else for each call
 * @param expected The level of an error below 500
 */
export function logError(
  logger: Logger,
  error: unknown,
  shown: ClientError,
  call: Omit<LogContext, 'status'> = {},
  app?: object,
  expected: 'info' | 'debug' = 'info'
): void {
  // Printed by default, where it would hide the errors that count.
  if (shown.status < 500 && expected === 'debug' && logger === console) return

  const context: LogContext = { ...call, status: shown.status }
  const sentence = toLine(`${shown.body.name}: ${shown.body.message}`)

  if (isBusy(error) && !isBusyDue(app, sentence)) return

  // The response does not depend on the log.
  attempt(
    () =>
      shown.status >= 500
        ? write(logger, 'error', isBusy(error) ? sentence : describeFully(error), { error, context })
        : write(logger, expected, sentence, { error, context }),
    (failure) => debug('An error could not be logged: %s (%O)', shown.body.message, failure)
  )
}

function write(
  logger: Partial<Logger>,
  level: 'error' | 'info' | 'debug',
  message: string,
  details: LogDetails
): unknown {
  if (logger === console) return logger[level]?.(message)
  if (!isPino(logger)) return logger[level]?.(message, details)

  const { error, context } = details

  // The object first: pino drops one that comes after the message. Under `err` it writes the stack, as its own.
  return logger[level]({ ...(error !== undefined && { err: error }), context }, message.split('\n', 1)[0])
}

/** Writes the line of a finished call to a logger, which may throw or reject without harm. */
export function writeCall(
  logger: Required<Pick<Logger, 'info'>>,
  line: string,
  context: LogContext & { readonly duration: number }
): void {
  attempt(
    () => write(logger, 'info', line, { context }),
    (failure) => debug('A call could not be logged: %s (%O)', line, failure)
  )
}

/** The functions of pino, whose loggers have bindings. */
interface Pino {
  error(details: object, message?: string): unknown
  info(details: object, message?: string): unknown
  debug(details: object, message?: string): unknown
}

function isPino(logger: object): logger is Pino {
  return isFunction((logger as { bindings?: unknown }).bindings)
}

/** How often the log of an application says that the server is too busy, in milliseconds. */
const BUSY_INTERVAL = 1000

/** Whether the server refuses work because it has too much, or closes: nothing has failed then. */
function isBusy(error: unknown): boolean {
  return isFeathersError(error) && error.code === 503 && (error as Error).cause === undefined
}

/** Thousands of equal lines would hide one that counts, and keep a server busy that is too busy already. */
function isBusyDue(app: object | undefined, sentence: string): boolean {
  if (!app) return true

  const internals = getInternals(app)
  const { busyLogged } = internals
  const at = Date.now()

  if (busyLogged?.sentence === sentence && Math.abs(at - busyLogged.at) < BUSY_INTERVAL) return false

  internals.busyLogged = { at, sentence }

  return true
}

/** How many causes of an error are written to a log. */
const MAX_CAUSES = 5

/** The stack of the error and of its causes, which clients never see. */
function describeFully(error: unknown): string {
  const descriptions: string[] = []
  let current = error

  do {
    descriptions.push(current instanceof Error ? toSafeStack(current) : toLine(describeThrown(current)))
    current = (current as Error | null | undefined)?.cause
  } while (current !== undefined && descriptions.length < MAX_CAUSES)

  return descriptions.join('\nCaused by: ')
}

/** The stack, in which only frames begin a line. The message may have become another one since the stack was made. */
function toSafeStack({ stack, message }: Error): string {
  return `${stack}`.replace(`${message}`, toLine).replace(/(?:\n(?! +at )|[^\n\P{Cc}])+/gu, ' ')
}

function toLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

/** What was thrown in place of an error. Of an object no more than errors have: the rest may hold secrets. */
function describeThrown(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)

  try {
    const { name, message, code, status } = thrown as { readonly [field: string]: unknown }

    return JSON.stringify({ name, message, code, status })
  } catch {
    return Object.prototype.toString.call(thrown)
  }
}

function toFeathersError(error: unknown): FeathersError {
  if (!isForClient(error)) return new GeneralError(isProduction() ? UNEXPECTED : toErrorText(error))

  const { status, message } = error
  const Known = errors[status]

  // What is not known by itself is a bad request (RFC 9110 §15.5), with the status that it has.
  return Known ? new Known(message) : Object.assign(new BadRequest(message), { code: status })
}

/** An error of middleware that is meant for the client. */
interface ExposedError {
  readonly status: number
  readonly message: string
  readonly headers?: ClientError['headers']
}

/** The convention of `http-errors`: middleware marks a message that may be shown with `expose`. */
function isForClient(error: unknown): error is ExposedError {
  const { expose, status } = (error ?? {}) as { expose?: unknown; status?: unknown }

  return expose === true && isStatus(status) && Number(status) < 500
}

function toErrorText(error: unknown): string {
  const message = typeof error === 'string' ? error : (error as Error | null | undefined)?.message

  return typeof message === 'string' && message !== '' ? message : UNEXPECTED
}

function toBody(error: FeathersError): FeathersErrorJSON {
  const json: Partial<FeathersErrorJSON> = error.toJSON?.() ?? error
  const { name = error.name, message = error.message, className = error.className, data, errors } = json
  // Never from `toJSON`, which applications write for the body.
  const code = isStatus(error.code) ? error.code : 500

  if (isProduction() && hasDriverMessage(error, message)) {
    return { name, message: code < 500 ? REFUSED_BY_DATABASE : UNEXPECTED, code, className }
  }

  const body = { name, message, code, className }
  const isShown = data !== undefined && !(isProduction() && isDriverError(data))
  const details = { ...(isShown && { data }), ...(errors !== undefined && { errors }) }

  // Details that are no JSON (a BigInt, a cycle) must not turn a clear error into an unexpected one.
  return isSerializable(details) ? { ...body, ...details } : body
}

function isSerializable(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}

function isStatus(code: unknown): boolean {
  return Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 599
}

/** Whether clients are told nothing of the inside. Without an environment that says otherwise, this is production. */
export function isProduction(): boolean {
  const environment = globalThis.process?.env

  return environment === undefined || environment.NODE_ENV === 'production'
}
