import { expect, it } from 'vitest'
import { stripSlashes } from '../../src/utils/path.ts'

it.each([
  ['things', 'things'],
  ['/things', 'things'],
  ['things/', 'things'],
  ['///some/things///', 'some/things'],
  ['some//things', 'some//things'],
  ['/', ''],
  ['////', ''],
  ['', ''],
  [' /things/ ', ' /things/ '],
  ['\\things\\', '\\things\\']
])('%j without the slashes at its ends is %j', (path, expected) => {
  expect(stripSlashes(path)).toBe(expected)
})

it('a path of very many slashes is stripped at once', () => {
  const slashes = '/'.repeat(1_000_000)

  expect(stripSlashes(`${slashes}a${slashes}b${slashes}`)).toBe(`a${slashes}b`)
})
