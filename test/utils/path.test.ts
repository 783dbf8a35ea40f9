import { expect, it } from 'vitest'
import { stripPrefix, stripSlashes, toPrefix } from '../../src/utils/path.ts'

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

it.each([
  ['api', '/api'],
  ['/api', '/api'],
  ['api/', '/api'],
  ['//api/v1//', '/api/v1'],
  ['', ''],
  ['/', ''],
  ['///', '']
])('%j is the prefix %j', (path, prefix) => {
  expect(toPrefix(path)).toBe(prefix)
})

it.each([
  ['/api/things', '/api', '/things'],
  ['/api/things/', '/api', '/things/'],
  ['/api/', '/api', '/'],
  ['/api', '/api', ''],
  ['/api//things', '/api', '//things'],
  ['/api/api', '/api', '/api'],
  ['/api/v1/things', '/api/v1', '/things'],
  ['/things', '', '/things'],
  ['/', '', '/'],
  ['', '', ''],
  ['/apis', '/api', null],
  ['/API/things', '/api', null],
  ['/things', '/api', null],
  ['/x/api/things', '/api', null],
  ['//api/things', '/api', null],
  ['api/things', '/api', null],
  ['/%61pi/things', '/api', null],
  ['', '/api', null],
  ['things', '', null]
])('%j without the prefix %j is %j', (path, prefix, expected) => {
  expect(stripPrefix(path, prefix)).toBe(expected)
})
