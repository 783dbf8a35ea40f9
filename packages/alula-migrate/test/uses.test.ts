import { expect, it } from 'vitest'
import { tokenize } from '../src/lexer.ts'
import { findUses } from '../src/uses.ts'

it.each([
  ['e(a)', ['call']],
  ['f(e(), e)', ['call', 'value']],
  ['new e()', ['value']],
  ['function e() {}', ['value']],
  ['a instanceof e', ['instanceof']],
  ['a instanceof e.b', ['instanceof']],
  ['a = e', ['value']],
  ['a ? e : b', ['value']],
  ['case e: f()', ['value']],
  ['{ ...e }', ['value']],
  ['{ a: e }', ['value']],
  ['{ e }', ['value']],
  // Members, by any road.
  ['e.a', ['member a']],
  ['e?.a()', ['member a']],
  ['new e.A()', ['member A']],
  [`e['a']`, ['member a']],
  ['e["a"].b', ['member a']],
  ['e[a]', ['value']],
  [`e['\\a']`, ['value']],
  [`f(e, 'a')`, ['value']],
  ['e.#a', ['member #a']],
  ['e?.[a]', ['value']],
  ['{ a } = e', ['member a']],
  ['({ a, b: c, ...d } = e)', ['member a', 'member b']],
  ['{ a = f(b, c), d: { g, h }, i: [j, k] } = e', ['member a', 'member d', 'member i']],
  ['{ a = { b, c } } = e', ['member a']],
  ['({ b }); { a } = e', ['member a']],
  ['{} = e', ['value']],
  ['[a] = e', ['value']],
  ['{ a } + e', ['value']],
  ['x } = e', ['value']],
  // Other things of that name.
  ['a.e()', []],
  ['a?.e', []],
  ['{ e: 1, b: 2 }', []],
  ['{ b: 2, e: 1 }', []],
  [`'e' + f`, []]
])('%s: %j', (source, expected) => {
  const uses = findUses(tokenize(source), 'e', { start: -1, end: -1 })

  expect(uses.map(({ kind, member }) => (member ? `${kind} ${member.text}` : kind))).toEqual(expected)
  for (const { token } of uses) expect(token.text).toBe('e')
  for (const { member } of uses) {
    if (member) expect(source.slice(member.start, member.end)).toBe(member.text)
  }
})

it.each(['apply', 'bind', 'call', 'length', 'name', 'prototype'])(
  'every function has %s, which is no member of a module',
  (name) => {
    const uses = findUses(tokenize(`e.${name}`), 'e', { start: -1, end: -1 })

    expect(uses.map(({ kind }) => kind)).toEqual(['value'])
  }
)

it('the statement that declares the name is no use of it', () => {
  const source = 'a(e); import e from "e"; b(e)'
  const [start, end] = [source.indexOf('import'), source.indexOf(' b(')]
  const uses = findUses(tokenize(source), 'e', { start, end })

  expect(uses.map(({ token }) => token.start)).toEqual([source.indexOf('e)'), source.lastIndexOf('e)')])
})
