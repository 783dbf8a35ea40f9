import { isObject } from './utils/check.ts'

/** What a `FeathersError` looks like on the wire. */
export interface FeathersErrorJSON {
  name: string
  message: string
  code: number
  className: string
  data?: any
  errors?: any
}

/** A message, or an object that holds it as `message`; see {@link FeathersError}. */
export type ErrorMessage = null | undefined | string | { message?: string; [key: string]: any }

/** The base of every error that may be shown to a client as it is. */
export class FeathersError extends Error {
  /** The brand by which errors of another copy of this package are recognised: see {@link isFeathersError}. */
  readonly type = 'FeathersError'
  declare readonly code: number
  declare readonly className: string
  declare readonly data?: any
  declare readonly errors?: any

  /**
   * As in Feathers v5, `data` (or `message`, when that is an object) is taken apart: its `message` becomes
   * the message, its `errors` the `errors`, the rest the `data`. An array is kept as it is. Nothing that is
   * passed in is changed. An error passed in, also as `{ cause: error }`, is kept as the `cause`, which never leaves the
   * server.
   *
   * @param message What went wrong, in a sentence for the client; `'Error'` when missing
   * @param name The name of the error, for example `NotFound`
   * @param code The HTTP status that goes with it
   * @param className The name in kebab case, for example `not-found`
   * @param data Further details for the client
   */
  constructor(message: ErrorMessage, name: string, code: number, className: string, data?: unknown) {
    const text = typeof message === 'string' ? message : 'Error'
    const source = Array.isArray(data)
      ? undefined
      : typeof message === 'object' && message !== null
        ? message
        : isObject(data)
          ? data
          : undefined
    const { message: sourceText, errors, ...rest }: { [key: string]: any } = source ?? {}
    const cause = source instanceof Error ? source : rest.cause instanceof Error ? rest.cause : undefined

    super(sourceText || text, cause && { cause })

    Object.assign(this, { name, code, className })
    // The first line of the stack was written before the name was known.
    Error.captureStackTrace?.(this, new.target)

    // `{ cause: error }` as for any other error: what a driver says of itself is no detail for the client.
    if (rest.cause instanceof Error) delete rest.cause

    if (source) {
      Object.assign(this, { errors, data: rest })
    } else if (data !== undefined && data !== null) {
      Object.assign(this, { data })
    }
  }

  /** The `code` again, under the name by which error handlers of Express, Koa and Fastify know a status. */
  get statusCode(): number {
    return this.code
  }

  /** As in Feathers v5 it can be assigned: error handlers do that, and bodies of other servers have the field. */
  set statusCode(value: number) {
    Object.defineProperty(this, 'statusCode', { value, configurable: true, writable: true })
  }

  /** What a client gets to see: never the stack or the cause. */
  toJSON(): FeathersErrorJSON {
    const json: FeathersErrorJSON = {
      name: this.name,
      message: this.message,
      code: this.code,
      className: this.className
    }

    if (this.data !== undefined) json.data = this.data
    if (this.errors !== undefined) json.errors = this.errors

    return json
  }
}

/** 400: the request is malformed or a value in it is not acceptable. */
export class BadRequest extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'BadRequest', 400, 'bad-request', data)
  }
}

/** 401: the caller is not known: credentials are missing or wrong. */
export class NotAuthenticated extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'NotAuthenticated', 401, 'not-authenticated', data)
  }
}

/** 402: a payment is needed or failed. */
export class PaymentError extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'PaymentError', 402, 'payment-error', data)
  }
}

/** 403: the caller is known but may not do this. */
export class Forbidden extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'Forbidden', 403, 'forbidden', data)
  }
}

/** 404: there is no such record or service. */
export class NotFound extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'NotFound', 404, 'not-found', data)
  }
}

/** 405: the service does not offer this method. */
export class MethodNotAllowed extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'MethodNotAllowed', 405, 'method-not-allowed', data)
  }
}

/** 406: no representation that the caller accepts can be produced. */
export class NotAcceptable extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'NotAcceptable', 406, 'not-acceptable', data)
  }
}

/** 408: the operation took too long. */
export class Timeout extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'Timeout', 408, 'timeout', data)
  }
}

/** 409: the request collides with what is stored, for example a taken id. */
export class Conflict extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'Conflict', 409, 'conflict', data)
  }
}

/** 410: what was here has been removed for good. */
export class Gone extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'Gone', 410, 'gone', data)
  }
}

/** 411: a content length is required. */
export class LengthRequired extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'LengthRequired', 411, 'length-required', data)
  }
}

/** 412: the record is not in the state that the request asks for. Not in Feathers v5. */
export class PreconditionFailed extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'PreconditionFailed', 412, 'precondition-failed', data)
  }
}

/** 413: the body is larger than the server takes. Not in Feathers v5. */
export class PayloadTooLarge extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'PayloadTooLarge', 413, 'payload-too-large', data)
  }
}

/** 415: the body is in a format, charset or encoding that the server does not read. Not in Feathers v5. */
export class UnsupportedMediaType extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'UnsupportedMediaType', 415, 'unsupported-media-type', data)
  }
}

/** 422: the request is well formed but its content cannot be processed. */
export class Unprocessable extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'Unprocessable', 422, 'unprocessable', data)
  }
}

/** 429: the caller sent too many requests. */
export class TooManyRequests extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'TooManyRequests', 429, 'too-many-requests', data)
  }
}

/** 500: something unexpected went wrong on the server. */
export class GeneralError extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'GeneralError', 500, 'general-error', data)
  }
}

/** 501: the server does not implement this. */
export class NotImplemented extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'NotImplemented', 501, 'not-implemented', data)
  }
}

/** 502: a server behind this one sent an invalid response. */
export class BadGateway extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'BadGateway', 502, 'bad-gateway', data)
  }
}

/** 503: the server or something that it needs is not available at the moment. */
export class Unavailable extends FeathersError {
  constructor(message?: ErrorMessage, data?: unknown) {
    super(message, 'Unavailable', 503, 'unavailable', data)
  }
}

const classes = {
  BadRequest,
  NotAuthenticated,
  PaymentError,
  Forbidden,
  NotFound,
  MethodNotAllowed,
  NotAcceptable,
  Timeout,
  Conflict,
  Gone,
  LengthRequired,
  PreconditionFailed,
  PayloadTooLarge,
  UnsupportedMediaType,
  Unprocessable,
  TooManyRequests,
  GeneralError,
  NotImplemented,
  BadGateway,
  Unavailable
}

/** The constructor of each concrete error class. */
export type FeathersErrorClass = (typeof classes)[keyof typeof classes]

/** Error classes by name and by status code. */
export type ErrorClasses = Readonly<typeof classes> & {
  readonly [nameOrCode: string | number]: FeathersErrorClass
} & {
  /** The base of all. */
  readonly FeathersError: typeof FeathersError
}

/** Every error class by its name and by its status code: `errors.NotFound === errors[404]`; and the base of all. */
export const errors: ErrorClasses = /* @__PURE__ */ indexClasses()

/**
 * Whether a value is a Feathers error: of this package, of another copy of it, or of `@feathersjs/errors`.
 *
 * @param error Anything that was thrown
 */
export function isFeathersError(error: unknown): error is FeathersError {
  return isObject(error) && error.type === 'FeathersError'
}

/**
 * Revives an error that came over the wire. A known `name` gives an instance of that class, anything else
 * a plain `Error`; the properties of the object are copied onto it.
 *
 * @param error The parsed JSON of an error, or its message. Falsy values are returned as they are.
 */
export function convert(error: unknown): any {
  if (!error) return error

  const { name, message, data } = error as { name?: unknown; message?: string; data?: unknown }
  const ErrorClass: FeathersErrorClass | undefined = typeof name === 'string' ? errors[name] : undefined
  const revived = ErrorClass ? new ErrorClass(message, data) : new Error(message || String(error))

  if (isObject(error)) {
    for (const [key, value] of Object.entries(error)) {
      // A response with a `__proto__` key must not choose the prototype of our error.
      if (key !== '__proto__') Object.assign(revived, { [key]: value })
    }
  }

  return revived
}

function indexClasses(): ErrorClasses {
  const index = Object.assign(Object.create(null), { FeathersError, ...classes })

  for (const ErrorClass of Object.values(classes)) index[new ErrorClass().code] = ErrorClass

  return Object.freeze(index)
}
