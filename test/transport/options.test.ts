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

it.each(['jwt', [], null, { service: 5 }, { strategies: 'jwt' }, { foo: 1 }])(
  'strategies that cannot be found are refused when the transport is made: %j',
  (authentication) => {
    expect(set({ authentication })).toThrow("Invalid option 'authentication' of toListener")
  }
)

it.each(['/api', [], null, 5])('options are an object: %j', (options) => {
  expect(set(options)).toThrow('Invalid options of toListener: expected an object')
})
