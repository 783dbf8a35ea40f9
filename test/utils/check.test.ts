import { expect, it } from 'vitest'
import { isSyncFunction } from '../../src/utils/check.ts'

it.each([
  ['a function', () => undefined, true],
  ['a method', { find() {} }.find, true],
  ['an async function', async () => undefined, false],
  ['an object', {}, false],
  ['nothing', undefined, false]
])('whether a value is a function that is not async: %s', (_title, value, expected) => {
  expect(isSyncFunction(value)).toBe(expected)
})
