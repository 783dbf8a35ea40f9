import { afterEach, describe, expect, it, vi } from 'vitest'
import { BadRequest, FeathersError, NotFound, Unavailable } from '../../src/errors.ts'
import {
  createAborted,
  createTooLarge,
  logError,
  logUnexpected,
  toClientError
} from '../../src/transport/error.ts'

const UNEXPECTED = {
  name: 'GeneralError',
  message: 'An unexpected error occurred on the server',
  code: 500,
  className: 'general-error'
}

const show = (error: unknown) => toClientError(error).body
const withDetails = (details: object) => Object.assign(new Error('secret'), details)

afterEach(() => vi.unstubAllEnvs())

describe('what a client sees', () => {
  it('of a Feathers error is all that it says, and its status', () => {
    const error = new BadRequest('Invalid', { field: 'name', errors: [{ message: 'short' }] })

    expect(toClientError(Object.assign(error, { cause: new Error('why'), more: 1 }))).toEqual({
      status: 400,
      body: {
        name: 'BadRequest',
        message: 'Invalid',
        code: 400,
        className: 'bad-request',
        data: { field: 'name' },
        errors: [{ message: 'short' }]
      }
    })
    expect(Object.keys(show(new NotFound('Nothing')))).toEqual(['name', 'message', 'code', 'className'])
  })

  it.each([
    [{ expose: true, status: 404 }, 'NotFound', 404],
    [{ expose: true, status: 400 }, 'BadRequest', 400],
    [{ expose: true, status: 418 }, 'BadRequest', 418],
    [{ expose: true, status: 499 }, 'BadRequest', 499]
  ])('of middleware that exposes %j is its message, and its status', (details, name, code) => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(show(withDetails(details))).toMatchObject({ name, code, message: 'secret' })
  })

  it.each([
    { expose: true, status: 500 },
    { expose: true, status: 399 },
    { expose: true, status: 404.5 },
    { expose: true, status: '404' },
    { expose: true },
    { expose: 'yes', status: 404 },
    { expose: false, status: 404 },
    { status: 404 },
    {}
  ])('of any other is nothing in production: %j', (details) => {
    vi.stubEnv('NODE_ENV', 'production')
    expect(show(withDetails(details))).toEqual(UNEXPECTED)
  })

  it('in development is the message of what was thrown, where it has one', () => {
    vi.stubEnv('NODE_ENV', 'development')

    for (const error of [new Error('why'), 'why', { message: 'why' }]) {
      expect(show(error)).toEqual({ ...UNEXPECTED, message: 'why' })
    }
    for (const error of [undefined, null, 5, '', {}, { message: 5 }, new Error(''), new Error()]) {
      expect(show(error)).toEqual(UNEXPECTED)
    }
  })

  it('is nothing of an error that can not be read', () => {
    const hostile = {
      get type() {
        throw new Error('secret')
      }
    }

    expect(toClientError(hostile)).toEqual({ status: 500, body: UNEXPECTED })
  })

  it.each([200, 399, 600, '404', Number.NaN, 400.5, undefined])(
    'is a 500 for an error with the code %s',
    (code) => {
      expect(toClientError(Object.assign(new FeathersError('Why', 'Odd', 400, 'odd'), { code })).status).toBe(
        500
      )
    }
  )

  it.each([400, 404, 500, 599])('is the status of an error with the code %i', (code) => {
    expect(toClientError(Object.assign(new FeathersError('Why', 'Odd', 400, 'odd'), { code })).status).toBe(
      code
    )
  })

  it('leaves out details that are no JSON', () => {
    expect(show(new BadRequest('Invalid', { big: 1n }))).toEqual({
      name: 'BadRequest',
      message: 'Invalid',
      code: 400,
      className: 'bad-request'
    })
  })
})

describe('the log', () => {
  const createLogger = () => ({ error: vi.fn(), info: vi.fn() })

  it('has the stack of what nobody sees, and why', () => {
    const logger = createLogger()
    const error = new Error('outer', { cause: new Error('inner', { cause: 'a text' }) })

    logUnexpected(logger, error)

    const [[text]] = logger.error.mock.calls as any

    expect(text.match(/^(Caused by: )?(Error: \w+|a text)$/gm)).toEqual([
      'Error: outer',
      'Caused by: Error: inner',
      'Caused by: a text'
    ])
    expect(text).toContain(error.stack)
  })

  it.each([undefined, null])('has a line for %s that was thrown', (thrown) => {
    const logger = createLogger()

    logUnexpected(logger, thrown)
    expect(logger.error.mock.calls).toEqual([[`${thrown}`, { error: thrown, context: { status: 500 } }]])
  })

  it('has a line for a server that is too busy, and a stack where something else is the cause', () => {
    const logger = createLogger()
    const busy = new Unavailable('Too many')

    logUnexpected(logger, busy)
    expect(logger.error.mock.calls).toEqual([
      ['Unavailable: Too many', { error: busy, context: { status: 503 } }]
    ])
    logUnexpected(logger, new Unavailable(new Error('no connection')))
    expect(logger.error.mock.calls[1]?.[0]).toContain('error.test.ts')
  })

  it('says once a second of an application that the server is too busy', () => {
    const logger = createLogger()
    const [one, other] = [{}, {}]
    const logTwice = (app: object) => {
      for (let count = 0; count < 2; count++) logUnexpected(logger, new Unavailable('Too many'), {}, app)
    }

    vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })
    logTwice(one)
    logTwice(other)
    expect(logger.error).toHaveBeenCalledTimes(2)
    logUnexpected(logger, new Error('why'), {}, one)
    expect(logger.error).toHaveBeenCalledTimes(3)
    vi.setSystemTime(1_800_000_001_000)
    logTwice(one)
    expect(logger.error).toHaveBeenCalledTimes(4)
  })

  it('has five causes at most, of an error that is its own cause too', () => {
    const logger = createLogger()
    const error: any = new Error('loop')

    error.cause = error
    logUnexpected(logger, error)

    expect(logger.error.mock.calls[0]?.[0].match(/Caused by/g)).toHaveLength(4)
  })

  it('has nothing of what a client sees, unless it is asked for', () => {
    const logger = createLogger()
    const error = new NotFound('Nothing')

    logUnexpected(logger, error)
    logUnexpected(false, new Error('why'))
    expect(logger.error).not.toHaveBeenCalled()
    expect(logger.info).not.toHaveBeenCalled()

    logError(logger, error, toClientError(error))
    expect(logger.info.mock.calls).toEqual([['NotFound: Nothing', { error, context: { status: 404 } }]])
    logError({ error: logger.error }, error, toClientError(error))
    expect(logger.error).not.toHaveBeenCalled()
  })

  it('may fail', () => {
    const error = () => {
      throw new Error('no log')
    }

    expect(() => logUnexpected({ error }, new Error('why'))).not.toThrow()
  })
})

it('what went wrong with a body has a sentence', () => {
  expect(createTooLarge()).toMatchObject({
    code: 413,
    message: 'The request body is larger than the server accepts'
  })
  expect(createAborted()).toMatchObject({ code: 400, message: 'The request was aborted' })
})
