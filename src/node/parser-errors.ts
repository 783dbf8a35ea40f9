import {
  BadRequest,
  type FeathersError,
  Forbidden,
  NotAuthenticated,
  PayloadTooLarge,
  UnsupportedMediaType
} from '../errors.ts'
import { createAborted, createTooLarge, MALFORMED_PATH } from '../transport/error.ts'

/** What the body parsers of Express and Koa report by `type`. Their own messages repeat parts of the input. */
const BY_TYPE: ReadonlyMap<unknown, () => FeathersError> = new Map<unknown, () => FeathersError>([
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

/** What busboy, which multer calls, reports for a form that breaks off or is malformed. Its errors have no other mark. */
const MALFORMED_FORM =
  /^(?:Unexpected end of (?:form|file)|Malformed (?:part header|urlencoded form|content type)|Multipart: Boundary not found|Missing Content-Type)$/

/**
 * Converts what Express, Koa and their body parsers throw for a wrong request into the error that a client may see. Any
 * other error is returned as it is.
 */
export function fromParserError(error: unknown): unknown {
  const { type, code, name, status, statusCode, httpCode, message, msBeforeNext, remainingPoints } = (error ??
    {}) as { [name: string]: unknown }
  const create = BY_TYPE.get(type)

  if (create) return create()
  // From zlib of Node, whose messages are about headers and checksums. Codes of Brotli begin with an empty class name.
  if (typeof code === 'string' && /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(code)) {
    return new BadRequest('Invalid request body: it cannot be decompressed')
  }
  // From co-body and formidable, which koa-body calls. Their messages repeat parts of the input too.
  if (error instanceof SyntaxError && status === 400 && 'body' in error) {
    return new BadRequest('Invalid request body: expected valid JSON')
  }
  // From inflation, which co-body calls.
  if (status === 415 && String(message).startsWith('Unsupported Content-Encoding: '))
    return new UnsupportedMediaType('Unsupported content encoding')
  if (httpCode === 413) return createTooLarge()
  // Its code for a request that was aborted.
  if (httpCode !== undefined && code === 1002) return createAborted()
  // 501 is for a `Content-Transfer-Encoding` that it does not know.
  if (httpCode === 400 || httpCode === 501)
    return new BadRequest('Invalid request body: expected a valid multipart form')

  const refused = fromUploadError((error ?? {}) as Error)

  if (refused) return refused
  // From Passport with `failWithError`, and from lusca: they set no `expose`.
  if (name === 'AuthenticationError' && status === 401) return new NotAuthenticated(String(message))
  if (statusCode === 403 && /^CSRF token (?:missing|mismatch)$/.test(String(message)))
    return new Forbidden(String(message))
  // From rate-limiter-flexible, which rejects with the state of the limiter.
  if (typeof msBeforeNext === 'number' && typeof remainingPoints === 'number') {
    const headers = { 'Retry-After': String(Math.ceil(msBeforeNext / 1000)) }

    return { status: 429, expose: true, message: 'Too many requests', headers }
  }
  // From the router; its message repeats the path.
  if (error instanceof URIError && status === 400) return new BadRequest(MALFORMED_PATH)

  return error
}

/** What multer reports: its messages are fixed, and repeat nothing that the client sent. */
function fromUploadError({ name, message, code }: Error & { code?: unknown }): FeathersError | undefined {
  if (name === 'MulterError') {
    return String(code).startsWith('LIMIT_') && code !== 'LIMIT_UNEXPECTED_FILE'
      ? new PayloadTooLarge(message)
      : new BadRequest(message)
  }

  return MALFORMED_FORM.test(message) ? new BadRequest(`Invalid request body: ${message}`) : undefined
}
