import { createServer } from 'node:http'
import * as official from '@feathersjs/errors'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  BadGateway,
  BadRequest,
  Conflict,
  convert,
  errors,
  FeathersError,
  Forbidden,
  GeneralError,
  Gone,
  isFeathersError,
  LengthRequired,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  NotImplemented,
  PayloadTooLarge,
  PaymentError,
  Timeout,
  TooManyRequests,
  Unavailable,
  Unprocessable,
  UnsupportedMediaType
} from '../src/errors.ts'
import { listen } from './support/server.ts'

const FAMILY = [
  ['BadRequest', BadRequest, 400, 'bad-request'],
  ['NotAuthenticated', NotAuthenticated, 401, 'not-authenticated'],
  ['PaymentError', PaymentError, 402, 'payment-error'],
  ['Forbidden', Forbidden, 403, 'forbidden'],
  ['NotFound', NotFound, 404, 'not-found'],
  ['MethodNotAllowed', MethodNotAllowed, 405, 'method-not-allowed'],
  ['NotAcceptable', NotAcceptable, 406, 'not-acceptable'],
  ['Timeout', Timeout, 408, 'timeout'],
  ['Conflict', Conflict, 409, 'conflict'],
  ['Gone', Gone, 410, 'gone'],
  ['LengthRequired', LengthRequired, 411, 'length-required'],
  ['PayloadTooLarge', PayloadTooLarge, 413, 'payload-too-large'],
  ['UnsupportedMediaType', UnsupportedMediaType, 415, 'unsupported-media-type'],
  ['Unprocessable', Unprocessable, 422, 'unprocessable'],
  ['TooManyRequests', TooManyRequests, 429, 'too-many-requests'],
  ['GeneralError', GeneralError, 500, 'general-error'],
  ['NotImplemented', NotImplemented, 501, 'not-implemented'],
  ['BadGateway', BadGateway, 502, 'bad-gateway'],
  ['Unavailable', Unavailable, 503, 'unavailable']
] as const

describe.each(FAMILY)('%s', (name, ErrorClass, code, className) => {
  it(`says ${code} and ${className}`, () => {
    const error = new ErrorClass('Not this time')

    expect(error).toMatchObject({ name, code, className, type: 'FeathersError', message: 'Not this time' })
    expect(error.constructor.name).toBe(name)
  })

  it('is an Error and a FeathersError', () => {
    const error = new ErrorClass()

    expect(error).toBeInstanceOf(ErrorClass)
    expect(error).toBeInstanceOf(FeathersError)
    expect(error).toBeInstanceOf(Error)
  })

  it('is found by its name and by its code', () => {
    expect(errors[name]).toBe(ErrorClass)
    expect(errors[code]).toBe(ErrorClass)
  })

  it('survives its way over the wire', () => {
    const wire = JSON.parse(JSON.stringify(new ErrorClass('Lost', { id: 1, errors: { id: 'gone' } })))
    const error = convert(wire)

    expect(error).toBeInstanceOf(ErrorClass)
    expect(error.toJSON()).toEqual({
      name,
      message: 'Lost',
      code,
      className,
      data: { id: 1 },
      errors: { id: 'gone' }
    })
  })
})

describe('a Feathers error', () => {
  it('can be of a kind that is not in the family', () => {
    const error = new FeathersError('Short and stout', 'Teapot', 418, 'teapot', { handle: 1 })

    expect(error.toJSON()).toEqual({
      name: 'Teapot',
      message: 'Short and stout',
      code: 418,
      className: 'teapot',
      data: { handle: 1 }
    })
  })

  it('can be extended', () => {
    class Locked extends FeathersError {
      constructor(message: string) {
        super(message, 'Locked', 423, 'locked')
      }
    }

    const error = new Locked('Come back later')

    expect(error).toBeInstanceOf(Locked)
    expect(error.toJSON()).toEqual({
      name: 'Locked',
      message: 'Come back later',
      code: 423,
      className: 'locked'
    })
    expect(error.stack).toMatch(/^Locked: Come back later\n/)
  })

  it.each([[undefined], [null]])('says Error when its message is %s', (message) => {
    expect(new BadRequest(message).message).toBe('Error')
  })

  it('has neither data nor errors when it is made of a message', () => {
    const error = new BadRequest('No')

    expect(error.data).toBeUndefined()
    expect(error.errors).toBeUndefined()
    expect(Object.keys(error.toJSON())).toEqual(['name', 'message', 'code', 'className'])
  })

  it('takes message, errors and data out of an object that stands for the message', () => {
    const error = new BadRequest({ message: 'No', errors: { a: 'bad' }, b: 2 }, { ignored: true })

    expect(error).toMatchObject({ message: 'No', errors: { a: 'bad' } })
    expect(error.data).toEqual({ b: 2 })
  })

  it('says Error when the object that stands for the message has none', () => {
    const error = new BadRequest({ b: 2 })

    expect(error.message).toBe('Error')
    expect(error.data).toEqual({ b: 2 })
  })

  it('takes errors out of its data', () => {
    const error = new BadRequest('No', { errors: { a: 'bad' }, b: 2 })

    expect(error).toMatchObject({ message: 'No', errors: { a: 'bad' } })
    expect(error.data).toEqual({ b: 2 })
  })

  it('prefers the message in its data', () => {
    const error = new BadRequest('No', { message: 'Never' })

    expect(error.message).toBe('Never')
    expect(error.data).toEqual({})
  })

  it('keeps a list as its data', () => {
    const data = [{ field: 'a' }, { field: 'b' }]
    const error = new BadRequest('No', data)

    expect(error.data).toBe(data)
    expect(error.errors).toBeUndefined()
  })

  it('keeps a plain value as its data', () => {
    expect(new BadRequest('No', 'details').data).toBe('details')
    expect(new BadRequest('No', 0).data).toBe(0)
  })

  it('takes null for no data', () => {
    expect(new BadRequest('No', null).toJSON()).not.toHaveProperty('data')
  })

  it('changes nothing that it is made of', () => {
    const message = Object.freeze({ message: 'No', errors: Object.freeze({ a: 'bad' }), b: 2 })
    const data = Object.freeze({ message: 'Never', errors: Object.freeze([1]), c: 3 })
    const list = Object.freeze([1, 2])

    expect(new BadRequest(message).data).toEqual({ b: 2 })
    expect(new BadRequest('No', data).data).toEqual({ c: 3 })
    expect(new BadRequest('No', list).data).toBe(list)
    expect(message).toEqual({ message: 'No', errors: { a: 'bad' }, b: 2 })
    expect(data).toEqual({ message: 'Never', errors: [1], c: 3 })
  })

  it('takes over the message and the details of another error, and keeps that as its cause', () => {
    const cause = Object.assign(new TypeError('Low level'), { table: 'users' })
    const error = new GeneralError(cause)

    expect(error.message).toBe('Low level')
    expect(error.data).toEqual({ table: 'users' })
    expect(error.cause).toBe(cause)
  })

  it('takes a cause as other errors do, and keeps what else is no error as a detail', () => {
    const cause = Object.assign(new Error('Low level'), { table: 'users' })
    const error = new GeneralError('Broken', { cause, hint: 'later' })

    expect(error.cause).toBe(cause)
    expect(error.toJSON()).toMatchObject({ message: 'Broken', data: { hint: 'later' } })
    expect(JSON.stringify(error)).not.toContain('users')
    expect(new GeneralError({ message: 'Broken', cause }).cause).toBe(cause)
    expect(new GeneralError('Broken', { cause: 'rain' }).data).toEqual({ cause: 'rain' })
    expect('cause' in new GeneralError('Broken', { cause: 'rain' })).toBe(false)
  })

  it('tells a client neither its stack nor its cause', () => {
    const error = new GeneralError('Broken', new Error('Low level'))

    expect(error.cause).toBeInstanceOf(Error)
    expect(JSON.stringify(error)).not.toMatch(/stack|cause|errors\.test/)
  })

  it('has its status where error handlers of frameworks look for it, and not in its JSON', async () => {
    const app = express()

    // It prints the stack otherwise.
    app.set('env', 'test')

    app.get('/', (_request, _response, next) => next(new NotAuthenticated('No')))

    const { status } = await fetch(await listen(createServer(app)))

    expect(status).toBe(401)
    expect(Object.keys({ ...new NotFound('No') })).not.toContain('statusCode')
  })

  it('lists its properties in the order of Feathers', () => {
    const json = new BadRequest('No', { errors: [1], a: 1 }).toJSON()

    expect(Object.keys(json)).toEqual(['name', 'message', 'code', 'className', 'data', 'errors'])
  })

  it('leaves falsy data in its JSON', () => {
    expect(new BadRequest('No', 0).toJSON()).toHaveProperty('data', 0)
    expect(new BadRequest({ message: 'No', errors: '' }).toJSON()).toHaveProperty('errors', '')
  })

  it('has a stack that begins with its name and leads to where it was made', () => {
    const { stack } = new NotFound('Nothing here')

    expect(stack).toMatch(/^NotFound: Nothing here\n +at .*errors\.test\.ts/)
  })

  it('has a stack on engines that cannot capture one', () => {
    const { captureStackTrace } = Error

    onTestFinished(() => void Object.assign(Error, { captureStackTrace }))
    Object.assign(Error, { captureStackTrace: undefined })

    const { stack } = new NotFound('Nothing here')

    expect(stack).toContain('Nothing here')
    expect(stack).toContain('errors.test.ts')
  })
})

describe('the table of errors', () => {
  it('cannot be changed', () => {
    expect(() => Object.assign(errors, { 400: NotFound })).toThrow(TypeError)
    expect(errors[400]).toBe(BadRequest)
  })

  it('has the base of all, which error handlers compare with', () => {
    expect(errors.FeathersError).toBe(FeathersError)
    expect(new NotFound()).toBeInstanceOf(errors.FeathersError)
    expect(official.errors).toHaveProperty('FeathersError')
  })

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('has nothing under %s', (name) => {
    expect(errors[name]).toBeUndefined()
  })
})

describe('isFeathersError', () => {
  it('recognises an error of this package', () => {
    expect(isFeathersError(new NotFound())).toBe(true)
  })

  it('recognises an error of another copy of this package', async () => {
    vi.resetModules()

    const copy = await import('../src/errors.ts')
    const error = new copy.NotFound('Elsewhere')

    expect(error).not.toBeInstanceOf(FeathersError)
    expect(isFeathersError(error)).toBe(true)
    expect(copy.isFeathersError(new NotFound())).toBe(true)
  })

  it('recognises an error of @feathersjs/errors', () => {
    expect(isFeathersError(new official.NotFound('Elsewhere'))).toBe(true)
  })

  it.each([[new Error('plain')], [{ name: 'NotFound', code: 404 }], ['FeathersError'], [null], [undefined]])(
    'does not take %o for one',
    (value) => {
      expect(isFeathersError(value)).toBe(false)
    }
  )
})

describe('convert', () => {
  it.each([[undefined], [null], [''], [0], [false]])('returns %s as it is', (value) => {
    expect(convert(value)).toBe(value)
  })

  it('makes a plain Error of an unknown name and keeps what came with it', () => {
    const error = convert({ name: 'Strange', message: 'Odd', code: 499, hook: { path: 'things' } })

    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(FeathersError)
    expect(error).toMatchObject({ name: 'Strange', message: 'Odd', code: 499, hook: { path: 'things' } })
  })

  it('makes a plain Error of a message', () => {
    const error = convert('Odd')

    expect(error.message).toBe('Odd')
    expect(Object.keys(error)).toEqual([])
  })

  it('makes a plain Error of another error', () => {
    const error = convert(Object.assign(new RangeError('Too far'), { limit: 5 }))

    expect(error).toMatchObject({ message: 'Too far', limit: 5 })
  })

  it('keeps properties that the class does not know', () => {
    expect(convert({ name: 'NotFound', message: 'No', code: 4040, hint: 'look elsewhere' })).toMatchObject({
      code: 4040,
      hint: 'look elsewhere'
    })
  })

  it('does not change what it converts', () => {
    const wire = Object.freeze({ name: 'BadRequest', message: 'No', data: Object.freeze({ a: 1 }) })

    expect(convert(wire).data).toEqual({ a: 1 })
  })

  it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty'])(
    'makes a plain Error of the name %s',
    (name) => {
      expect(convert({ name, message: 'Odd' })).toMatchObject({ name, message: 'Odd' })
    }
  )

  it('does not let an answer choose the prototype of the error', () => {
    const error = convert(JSON.parse('{"name":"NotFound","message":"No","__proto__":{"admin":true}}'))

    expect(error).toBeInstanceOf(NotFound)
    expect(error.admin).toBeUndefined()
    expect(({} as any).admin).toBeUndefined()
  })
})

describe('like @feathersjs/errors', () => {
  it.each<[string, ...any[]]>([
    ['nothing'],
    ['a message', 'No'],
    ['a message and data', 'No', { a: 1 }],
    ['a message and empty data', 'No', {}],
    ['a message and data with a message', 'No', { message: 'Never', a: 1 }],
    ['a message and data with errors', 'No', { errors: { a: 'bad' }, a: 1 }],
    ['a message and a list', 'No', [1, 2]],
    ['a message and an error', 'No', Object.assign(new Error('Low level'), { a: 1 })],
    ['an object', { message: 'No', errors: [1], a: 1 }],
    ['an object and data', { message: 'No' }, { a: 1 }],
    ['an object and a list', { message: 'No', b: 1 }, [1]],
    ['an object without a message', { a: 1 }],
    ['a list', ['a', 'b']],
    ['an error', Object.assign(new Error('Low level'), { a: 1 })],
    ['null and data', null, { message: 'No', a: 1 }]
  ])('an error made of %s has the same JSON', (_title, ...args) => {
    expect(new BadRequest(...args).toJSON()).toEqual(new official.BadRequest(...(args as [any])).toJSON())
  })

  it.each<[string, any]>([
    ['a known name', { name: 'NotFound', message: 'No', code: 404, className: 'not-found' }],
    ['data', { name: 'BadRequest', message: 'No', data: { a: 1, errors: [1] } }],
    ['data and errors', { name: 'BadRequest', message: 'No', data: { a: 1 }, errors: { b: 2 } }],
    ['an unknown name', { name: 'Strange', message: 'No', code: 1 }],
    ['the name of the base', { name: 'FeathersError', message: 'No', code: 418, className: 'teapot' }],
    ['no message', { code: 1 }],
    ['a string', 'No'],
    ['an error', Object.assign(new Error('Low level'), { a: 1 })]
  ])('convert makes the same of %s', (_title, wire) => {
    expect(summary(convert(wire))).toEqual(summary(official.convert(wire)))
  })
})

function summary(error: any): unknown {
  return { class: error.constructor.name, message: error.message, properties: { ...error } }
}
