// Errors: how they are made, recognised and read.
import {
  BadRequest,
  convert,
  errors,
  FeathersError,
  type FeathersErrorClass,
  type FeathersErrorJSON,
  isFeathersError,
  NotFound
} from '../../src/errors.ts'
import { expectType } from '../support/expect-type.ts'

const error = new NotFound('No message with id 1', { id: 1, errors: [{ path: 'id' }] })

expectType<NotFound>().of(error)
expectType<string>().of(error.message)
expectType<number>().of(error.code)
expectType<string>().of(error.className)
expectType<'FeathersError'>().of(error.type)
expectType<any>().of(error.data)
expectType<any>().of(error.errors)
expectType<FeathersErrorJSON>().of(error.toJSON())

export const kinds: [Error, FeathersError] = [error, error]
export const made: FeathersError[] = [
  new NotFound(),
  new NotFound(null),
  new NotFound({ message: 'No message', errors: {}, id: 1 }),
  new BadRequest('Invalid data', new Error('cause')),
  new FeathersError('I am a teapot', 'Teapot', 418, 'teapot', { short: true })
]

// @ts-expect-error -- a message is a text, or an object with one
new NotFound(404)
// @ts-expect-error -- a code is a number
new FeathersError('I am a teapot', 'Teapot', '418', 'teapot')
// @ts-expect-error -- the code belongs to the class
error.code = 410

export class Teapot extends FeathersError {
  constructor(message: string) {
    super(message, 'Teapot', 418, 'teapot')
  }
}

// Anything can be thrown.
export function read(thrown: unknown): number {
  if (isFeathersError(thrown)) {
    expectType<FeathersError>().of(thrown)

    return thrown.code
  }

  expectType<unknown>().of(thrown)

  // @ts-expect-error -- nothing is known of it
  return thrown.code
}

// By name and by code.
const ErrorClass = errors[404]

expectType<FeathersErrorClass | undefined>().of(ErrorClass)
expectType<typeof NotFound>().of(errors.NotFound)

if (ErrorClass) expectType<number>().of(new ErrorClass('No message', { id: 1 }).code)

expectType<any>().of(convert({ name: 'NotFound', message: 'No message' }))
