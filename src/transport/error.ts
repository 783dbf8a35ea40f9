import {
  BadRequest,
  errors,
  type FeathersError,
  type FeathersErrorJSON,
  Forbidden,
  GeneralError,
  isFeathersError,
  PayloadTooLarge,
  UnsupportedMediaType
} from '../errors.ts'
import { createDebug } from '../utils/debug.ts'

/** What a client may see of an error. */
export interface ClientError {
  /** The HTTP status, from 400 to 599. */
  readonly status: number
  readonly body: FeathersErrorJSON
}

/** Where errors are written to; `console` is one. */
export interface Logger {
  error(message: string): void
  info?(message: string): void
}

/**
 * Checks an option that says where errors are written to.
 *
 * @throws TypeError for what has no `error` method: nothing would be written, and nobody would know
 */
export function assertLogger(logger: unknown): void {
  if (logger === undefined || logger === null || logger === false) return

  if (typeof (logger as Logger).error !== 'function') {
    throw new TypeError("Invalid option 'logger': expected an object with the method 'error', or false")
  }
}

const debug = createDebug('alula:transport')

const UNEXPECTED = 'An unexpected error occurred on the server'

/** What is wrong with a path whose percent-escapes cannot be decoded. */
export const MALFORMED_PATH = "Invalid path: expected '%' to be followed by a valid UTF-8 escape"

/** What the body parsers of Express report by `type`. Their own messages repeat parts of the input. */
const PARSER_ERRORS: ReadonlyMap<unknown, () => FeathersError> = new Map<unknown, () => FeathersError>([
  ['entity.parse.failed', () => new BadRequest('Invalid request body: expected valid JSON')],
  ['entity.too.large', createTooLarge],
  ['entity.verify.failed', () => new Forbidden('The request body was refused')],
  [
    'parameters.too.many',
    () => new PayloadTooLarge('The request body has more parameters than the server accepts')
  ],
  ['querystring.parse.rangeError', () => new BadRequest('Invalid request body: it is nested too deep')],
  ['request.aborted', createAborted],
  [
    'request.size.invalid',
    () => new BadRequest('The request body is not as long as its Content-Length says')
  ],
  ['charset.unsupported', () => new UnsupportedMediaType("Unsupported charset: expected 'utf-8'")],
  ['encoding.unsupported', () => new UnsupportedMediaType('Unsupported content encoding')]
])

/**
 * Decides what a client sees of anything that was thrown. A Feathers error is shown as it is, and so is an
 * error of Express middleware that is meant for the client. Everything else is a 500: with its message in
 * development, with a general sentence in production. Stack, cause and further properties are never shown.
 *
 * @param error Anything that was thrown
 */
export function toClientError(error: unknown): ClientError {
  try {
    const body = toBody(isFeathersError(error) ? error : toFeathersError(error))

    return { status: body.code, body }
  } catch {
    // An error whose own properties throw must not become another one on its way out.
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

/** Writes an error to a log when the client sees nothing of it; `false` is no log. */
export function logUnexpected(logger: Logger | false, error: unknown): void {
  const shown = toClientError(error)

  if (logger && shown.status >= 500) logError(logger, error, shown)
}

/**
 * Writes an error to a log: the stack of one that the client sees nothing of, a line for any other. Neither
 * holds what the client sent.
 */
export function logError(logger: Logger, error: unknown, shown: ClientError): void {
  try {
    if (shown.status >= 500) logger.error(describeFully(error))
    else logger.info?.(`${shown.body.name}: ${shown.body.message}`)
  } catch {
    // The answer to the client does not depend on the log.
    debug('An error could not be logged: %s', shown.body.message)
  }
}

/** How many causes of an error are written to a log. */
const MOST_CAUSES = 5

/** The stack, and why: what an adapter shows to nobody is the cause of what it throws. */
function describeFully(error: unknown): string {
  const descriptions: string[] = []

  for (
    let current: any = error;
    current !== undefined && descriptions.length < MOST_CAUSES;
    current = current?.cause
  ) {
    descriptions.push(current instanceof Error ? `${current.stack}` : String(current))
  }

  return descriptions.join('\nCaused by: ')
}

function toFeathersError(error: any): FeathersError {
  const parserError = PARSER_ERRORS.get(error?.type)

  if (parserError) return parserError()
  // From Node’s zlib, which speaks of headers and checks. Those of Brotli begin with an empty name of a class.
  if (typeof error?.code === 'string' && /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(error.code)) {
    return new BadRequest('Invalid request body: it can not be decompressed')
  }
  // From the router of Express; its message repeats the path.
  if (error instanceof URIError && (error as any).status === 400) return new BadRequest(MALFORMED_PATH)
  if (isForClient(error)) return new (errors[error.status] ?? BadRequest)(error.message)

  return new GeneralError(isProduction() ? UNEXPECTED : describe(error))
}

/** The convention of `http-errors`: middleware marks a message that may be shown with `expose`. */
function isForClient(error: any): boolean {
  return error?.expose === true && error.status >= 400 && error.status < 500
}

function describe(error: any): string {
  const message = typeof error === 'string' ? error : error?.message

  return typeof message === 'string' && message !== '' ? message : UNEXPECTED
}

function toBody(error: FeathersError): FeathersErrorJSON {
  const { name, message, code, className, data, errors } = error.toJSON?.() ?? error
  const body = { name, message, code: isStatus(code) ? code : 500, className }
  const details = { ...(data !== undefined && { data }), ...(errors !== undefined && { errors }) }

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

/** Where there is no environment to say that this is development, it is not. */
function isProduction(): boolean {
  const environment = globalThis.process?.env

  return environment === undefined || environment.NODE_ENV === 'production'
}
