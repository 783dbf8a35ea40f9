import { expect, it } from 'vitest'
import { isObject, isString } from '../../src/utils/check.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { assertOption, assertOptions, type OptionChecks } from '../../src/utils/options.ts'

const CHECKS: OptionChecks = {
  prefix: [isString, "a path such as '/api'"],
  port: [Number.isInteger, 'an integer', 'required'],
  password: [isString, 'a string', 'secret'],
  cors: [isObject, 'an object']
}

function check(options: unknown, settings?: Parameters<typeof assertOptions>[3]): () => void {
  return () => assertOptions('toListener', options, CHECKS, settings)
}

it('options that fit pass, those left out too', () => {
  expect(check({ port: 1 })).not.toThrow()
  expect(check({ port: 1, prefix: '/api', password: 'x', cors: {} })).not.toThrow()
  expect(check({ port: 1, prefix: undefined, unknown: undefined })).not.toThrow()
})

it.each([42, null, undefined, [], 'hunter2', () => 1])(
  '%s is no object with options, and is not shown',
  (options) => {
    expect(check(options)).toThrow(
      createTypeError('ALULA_INVALID_OPTION', 'Invalid options of toListener: expected an object')
    )
  }
)

it.each([
  [42, '42'],
  [null, 'null'],
  ['', '""'],
  [Number.NaN, 'NaN'],
  [10n, '10'],
  [Symbol('a'), 'Symbol(a)'],
  [['a', 'b'], '["a","b"]'],
  [['a', 1], 'array'],
  [['redis://user:hunter2@localhost'], '["redis://…@localhost"]'],
  [Infinity, 'Infinity'],
  [[{ password: 'hunter2' }], 'array'],
  [{ password: 'hunter2' }, 'object'],
  [() => 1, 'function']
])('a value that does not fit is refused, with its option, owner and what was expected: %s', (value, got) => {
  expect(check({ port: 1, prefix: value })).toThrow(
    createTypeError(
      'ALULA_INVALID_OPTION',
      `Invalid option 'prefix' of toListener: expected a path such as '/api', got ${got}`
    )
  )
})

it('a required option must not be left out', () => {
  expect(check({})).toThrow("Invalid option 'port' of toListener: expected an integer, got undefined")
})

it('the value of a secret option is not shown', () => {
  expect(check({ port: 1, password: 5 })).toThrow(
    createTypeError('ALULA_INVALID_OPTION', "Invalid option 'password' of toListener: expected a string")
  )
})

it('a misspelt name is refused, whatever its value', () => {
  for (const settings of [{}, { further: ['mine'] }, { others: 'unlike' as const }]) {
    for (const value of ['/api', undefined]) {
      expect(check({ port: 1, prefx: value }, settings)).toThrow(
        createTypeError(
          'ALULA_UNKNOWN_OPTION',
          "Unknown option 'prefx' of toListener. Did you mean 'prefix'?"
        )
      )
    }
  }
  expect(check({ port: 1, mien: 1 }, { further: ['mine'] })).toThrow("Did you mean 'mine'?")
})

it('an unknown name is refused, unless others have options of their own', () => {
  expect(check({ port: 1, color: 'red' })).toThrow(
    createTypeError(
      'ALULA_UNKNOWN_OPTION',
      "Unknown option 'color' of toListener: expected one of prefix, port, password, cors"
    )
  )
  expect(check({ port: 1, constructor: 'red' })).toThrow("Unknown option 'constructor' of toListener")
  expect(check({ port: 1, color: 'red' }, { further: ['color'] })).not.toThrow()
  expect(check({ port: 1, color: 'red' }, { others: 'unlike' })).not.toThrow()
})

it('an option of an option is named by its path', () => {
  const settings = { under: 'cors' }

  expect(check({ port: 1, prefix: 5 }, settings)).toThrow("Invalid option 'cors.prefix' of toListener")
  expect(check({ prefx: 5 }, settings)).toThrow("Unknown option 'cors.prefx' of toListener")
  expect(check(5, settings)).toThrow("Invalid option 'cors' of toListener: expected an object")
})

it('values can be checked without their names, and one by one', () => {
  expect(() =>
    assertOptions('authentication', { port: 1, prefx: 5 }, CHECKS, { others: 'any' })
  ).not.toThrow()
  expect(() => assertOptions('authentication', { prefix: 5 }, CHECKS, { others: 'any' })).toThrow(
    "Invalid option 'prefix' of authentication"
  )
  expect(() => assertOption('socketio', 'port', 'x', [Number.isInteger, 'an integer'])).toThrow(
    createTypeError('ALULA_INVALID_OPTION', `Invalid option 'port' of socketio: expected an integer, got "x"`)
  )
})
