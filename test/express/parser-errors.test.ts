import { afterEach, describe, expect, it, vi } from 'vitest'
import { fromParserError } from '../../src/node/parser-errors.ts'
import { toClientError } from '../../src/transport/error.ts'

const UNEXPECTED = {
  name: 'GeneralError',
  message: 'An unexpected error occurred on the server',
  code: 500,
  className: 'general-error'
}

const show = (error: unknown) => toClientError(fromParserError(error)).body
const withDetails = (details: object) => Object.assign(new Error('secret'), details)

afterEach(() => vi.unstubAllEnvs())

describe('what a client sees', () => {
  it.each([
    ['entity.parse.failed', 400, 'Invalid request body: expected valid JSON'],
    ['entity.too.large', 413, 'The request body is larger than the server accepts'],
    ['entity.verify.failed', 403, 'The request body was refused'],
    ['parameters.too.many', 413, 'The request body has more parameters than the server accepts'],
    ['querystring.parse.rangeError', 400, 'Invalid request body: it is nested too deep'],
    ['request.aborted', 400, 'The request was aborted'],
    ['request.size.invalid', 400, 'The request body is not as long as its Content-Length says'],
    ['charset.unsupported', 415, "Unsupported charset: expected 'utf-8'"],
    ['encoding.unsupported', 415, 'Unsupported content encoding']
  ])('of a body parser with %s is a %i', (type, status, message) => {
    expect(toClientError(fromParserError(withDetails({ type, status: 500 })))).toMatchObject({
      status,
      body: { message }
    })
  })

  it('of what can not be decompressed, or decoded, is a 400', () => {
    expect(show(withDetails({ code: 'Z_DATA_ERROR' }))).toMatchObject({
      code: 400,
      message: 'Invalid request body: it cannot be decompressed'
    })
    expect(show(Object.assign(new URIError('secret'), { status: 400 }))).toMatchObject({
      code: 400,
      message: "Invalid path: expected '%' to be followed by a valid UTF-8 escape"
    })
    vi.stubEnv('NODE_ENV', 'production')
    expect(show(new URIError('secret'))).toEqual(UNEXPECTED)
    expect(show(withDetails({ code: 'EZ_DATA' }))).toEqual(UNEXPECTED)
  })
})
