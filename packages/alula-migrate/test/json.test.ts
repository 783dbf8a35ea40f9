import { expect, it } from 'vitest'
import { getProperty, getText, indentationOf, type JsonObject, locateJson } from '../src/json.ts'

it.each([
  ['{}', {}],
  ['{ "a": "b" }', { a: '"b"' }],
  ['{ "a": "b", }', { a: '"b"' }],
  ['// {\n{ /* "a": 1 */ "b": 2 // , "c": 3\n}', { b: '2' }],
  ['{ "a": null, "b": true }', { a: 'null', b: 'true' }],
  ['{ "a": -1.5e3 }', { a: '-1.5e3' }],
  ['{ "a": [1, { "b": 2 }, [3]], "c": 4 }', { a: '[1, { "b": 2 }, [3]]', c: '4' }],
  ['{ "a": [{ "b": "}" }], "c": "]" }', { a: '[{ "b": "}" }]', c: '"]"' }],
  ['{ "a": { "b": { "c": 1 } }, "d": 2 }', { a: '{ "b": { "c": 1 } }', d: '2' }],
  // What is not JSON.
  ['{ a: 1, "b": 2 }', { b: '2' }],
  ['{ "a", "b": 2 }', { b: '2' }],
  ['{ "a" 1, "b": 2 }', { b: '2' }]
])('%j has the properties %j, as they are written', (source, expected) => {
  const { start, end, properties } = locateJson(source) as JsonObject

  expect(Object.fromEntries(properties.map(({ key, text }) => [key, text]))).toEqual(expected)
  for (const { key, start, valueStart, end, text } of properties) {
    expect(source.slice(start)).toMatch(new RegExp(`^"${key}"`))
    expect(source.slice(valueStart, end)).toBe(text)
  }
  expect(source.slice(start, end)).toMatch(/^\{.*\}$/s)
})

it.each(['', '[]', '"a"', '1', '{', '{ "a"', '{ "a":', '{ "a": 1', '{ "a": { "b": 1 }', '{ "a": [ }'])(
  '%j holds no object',
  (source) => {
    expect(locateJson(source)).toBeUndefined()
  }
)

it('a property that is an object has properties itself', () => {
  const root = locateJson('{ "a": { "b": "c" }, "d": [{ "e": "f" }] }')

  expect(getText(getProperty(root, 'a')?.object, 'b')).toBe('c')
  expect(getProperty(root, 'd')?.object).toBeUndefined()
})

it.each([
  ['{ "a": "b" }', 'b'],
  ['{ "a": "" }', ''],
  ['{ "a": null }', undefined],
  ['{ "a": ["b"] }', undefined],
  ['{ "b": "a" }', undefined]
])('in %j the text of a is %j', (source, text) => {
  expect(getText(locateJson(source), 'a')).toBe(text)
})

it.each([
  ['{\n\t"a": 1\n}', '\t'],
  ['{ "a": 1 }', ''],
  ['{}', '  '],
  ['  {}', '    ']
])('in %j properties are indented by %j', (source, indentation) => {
  expect(indentationOf(source, locateJson(source) as JsonObject)).toBe(indentation)
})
