import { expect, it } from 'vitest'
import { toHttpSettings } from '../../src/transport/options.ts'

const set = (options: unknown) => () => toHttpSettings('toListener', options as any)

it.each(['/a?b', '/a#b', '//a', '/a//b', '/../a', '/./a', '/:id', '/*', 5, null])(
  'a prefix that no path begins with is refused: %s',
  (prefix) => {
    expect(set({ prefix })).toThrow("Invalid option 'prefix' of toListener: expected a path such as '/api'")
  }
)

it.each(['', '/', 'api', '/api/', '/v1.2/api', '/.well-known'])('a prefix may be %j', (prefix) => {
  expect(set({ prefix })).not.toThrow()
})

it.each([
  ['jwt', "'authentication' of toListener"],
  [[], "'authentication' of toListener"],
  [null, "'authentication' of toListener"],
  [{ service: 5 }, "'authentication.service' of toListener: expected the path of a service, got 5"],
  [{ strategies: 'jwt' }, `'authentication.strategies' of toListener: expected an array of names, got "jwt"`],
  [{ foo: 1 }, "'authentication.foo' of toListener: expected one of service, strategies"]
])(
  'strategies that cannot be found are refused when the transport is made: %j',
  (authentication, message) => {
    expect(set({ authentication })).toThrow(message)
  }
)

it.each([0, 1, 1024, 1.5])('a limit of bytes may be %d', (bodyLimit) => {
  expect(set({ bodyLimit })).not.toThrow()
})

it.each([-1, Number.NaN, Infinity, '100kb', null, {}])('a limit of bytes can not be %s', (bodyLimit) => {
  expect(set({ bodyLimit })).toThrow(
    "Invalid option 'bodyLimit' of toListener: expected a number of bytes, got "
  )
})

it('a logger is an object with the method error, or nothing', () => {
  for (const logger of [undefined, null, false, console]) expect(set({ logger })).not.toThrow()
  for (const logger of [true, 5, 'log', {}, { error: true }]) {
    expect(set({ logger })).toThrow(
      "Invalid option 'logger' of toListener: expected an object with the method 'error', or false, got "
    )
  }
})

it.each(['/api', [], null, 5])('options are an object: %j', (options) => {
  expect(set(options)).toThrow('Invalid options of toListener: expected an object')
})

it('an option that there is not is refused', () => {
  expect(set({ port: 3030 })).toThrow(
    "Unknown option 'port' of toListener: expected one of prefix, bodyLimit, "
  )
})
