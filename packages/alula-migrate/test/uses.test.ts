import { expect, it } from 'vitest'
import { parseSource } from '../src/syntax.ts'
import { findUses } from '../src/uses.ts'

it.each([
  ['e(a)', ['call']],
  ['e?.(a)', ['call']],
  ['f(e(), e)', ['call', 'value']],
  ['new e()', ['value']],
  ['a instanceof e', ['instanceof']],
  ['a instanceof e.b', ['instanceof']],
  ['e instanceof a', ['value']],
  ['a = e', ['value']],
  ['a ? e : b', ['value']],
  ['switch (a) { case e: f() }', ['value']],
  ['a = { ...e }', ['value']],
  ['a = { b: e }', ['value']],
  ['a = { e }', ['value']],
  ['a = { [e]: 1 }', ['value']],
  // Members, written in any way.
  ['e.a', ['member a']],
  ['e?.a()', ['member a']],
  ['new e.A()', ['member A']],
  [`e['a']`, ['member a']],
  ['e["a"].b', ['member a']],
  ['e[a]', ['value']],
  [`f(e, 'a')`, ['value']],
  ['let a: e.A', ['member A']],
  ['let a: typeof e.a', ['member a']],
  ['({ a } = e)', ['member a']],
  ['const { a, b: c, ...d } = e', ['member a', 'member b']],
  ['function f({ a = g(b, c), d: { h } } = e) {}', ['member a', 'member d']],
  ['const {} = e', ['value']],
  ['[a] = e', ['value']],
  // Other things of that name.
  ['a.e()', []],
  ['a?.e', []],
  ['a = { e: 1, b() {} }', []],
  ['class A { e = 1 }', []],
  ['e: for (;;) break e', []],
  [`'e' + f`, []],
  ['let a: B.e', []],
  ['type A = { e: 1; f(e: string): void }', []],
  ['type A = (e: string) => void', []],
  // What an inner scope declares.
  ['(e) => e()', []],
  ['function f({ e }) { e() }', []],
  ['function f([a, e = 1], ...b) { e() }', []],
  ['{ const e = 1; e() }', []],
  ['{ class e {} new e() }', []],
  ['for (const e of a) e()', []],
  ['try {} catch (e) { e() }', []],
  ['a = function e() { e() }', []],
  ['class A { constructor(readonly e: B) { e() } }', []],
  ['namespace A { export const e = 1; e.b }', []],
  ['switch (a) { case 1: const e = 1; e() }', []],
  ['switch (a) { case 1: f(); default: e(); class e {} }', []],
  ['function f() { if (a) { var e = 1 } e() }', []],
  ['function f() { e(); for (var e of a) {} }', []],
  ['function f() { for (const b of a) for (var [c, e] of b) e() }', []],
  ['function f() { try { var { a: e } = b } catch {} e() }', []],
  ['a = () => { switch (b) { case 1: var e } e() }', []],
  ['class A { b() { label: { var e } e() } static { { var e } e() } }', []],
  ['function f() { a: for (var e in b) e() } () => { e() }', ['call']],
  // What another function or an inner block declares.
  ['function f() { () => { var e } e() }', ['call']],
  ['function f() { if (a) { let e } e() }', ['call']],
  ['function f() { class A { static { var e } } e() }', ['call']],
  ['switch (e) { case e(): f() }', ['value', 'call']],
  ['switch (e) { default: let e; e() }', ['value']]
])('%s: %j', (source, expected) => {
  const uses = findUses(parseSource(source, 'a.ts'), 'e', { start: -1, end: -1 })

  expect(uses.map(({ kind, member }) => (member ? `${kind} ${member.text}` : kind))).toEqual(expected)
  for (const { node } of uses) expect(source.slice(node.start, node.end)).toBe('e')
  for (const { member } of uses) {
    if (member) expect(source.slice(member.start, member.end)).toBe(member.text)
  }
})

it.each(['apply', 'bind', 'call', 'length', 'name', 'prototype'])(
  'every function has %s, which is no member of a module',
  (name) => {
    const uses = findUses(parseSource(`e.${name}`, 'a.ts'), 'e', { start: -1, end: -1 })

    expect(uses.map(({ kind }) => kind)).toEqual(['value'])
  }
)

it('the statement that declares the name is no use of it', () => {
  const source = 'a(e); import e from "e"; b(e)'
  const [start, end] = [source.indexOf('import'), source.indexOf(' b(')]
  const uses = findUses(parseSource(source, 'a.ts'), 'e', { start, end })

  expect(uses.map(({ node }) => node.start)).toEqual([source.indexOf('e)'), source.lastIndexOf('e)')])
})

it.each([
  ['function f() { const e = 1; e() } e.a', ['call']],
  ['function f() { if (a) { const e = 1; e() } e.a } e.a', ['call']],
  ['function f() { if (a) { var e = 1; e() } e.b } e.a', ['call', 'member b']],
  ['function f() { if (a) { var e = 1 } e(); { let e; e.a } } e.a', ['call']],
  ['function f() { try { var e = 1 } catch (e) { e.a } () => e() } e.a', ['call']]
])('%s: %j in the scope of its declaration', (source, expected) => {
  const start = source.search(/(const|var) e = 1/)
  const end = source.indexOf(' = 1') + ' = 1'.length
  const uses = findUses(parseSource(source, 'a.ts'), 'e', { start, end })

  expect(uses.map(({ kind, member }) => (member ? `${kind} ${member.text}` : kind))).toEqual(expected)
})
