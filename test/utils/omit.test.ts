import { describe, expect, it } from 'vitest'
import { omitPath } from '../../src/utils/omit.ts'

describe('omitPath', () => {
  it('leaves out the value at the end of a path, and changes nothing', () => {
    const value = { a: 1, b: { c: 2, d: 3 } }

    expect(omitPath(value, ['a'])).toEqual({ b: { c: 2, d: 3 } })
    expect(omitPath(value, ['b', 'c'])).toEqual({ a: 1, b: { d: 3 } })
    expect(value).toEqual({ a: 1, b: { c: 2, d: 3 } })
  })

  it('leaves nothing behind, not even undefined', () => {
    expect(Object.keys(omitPath({ a: 1, b: 2 }, ['a']) as object)).toEqual(['b'])
    expect(Object.keys(omitPath({ a: undefined }, ['a']) as object)).toEqual([])
  })

  it('goes through lists, and lists in lists', () => {
    const item = (n: number) => ({ n, hidden: n })

    expect(omitPath({ items: [item(1), [item(2)], 'text', null] }, ['items', 'hidden'])).toEqual({
      items: [{ n: 1 }, [{ n: 2 }], 'text', null]
    })
    expect(omitPath([item(1)], ['hidden'])).toEqual([{ n: 1 }])
  })

  it('copies only what lies on the path', () => {
    const value = { a: { b: 1, c: {} }, d: {} }
    const copy: any = omitPath(value, ['a', 'b'])

    expect(copy.a).not.toBe(value.a)
    expect(copy.a.c).toBe(value.a.c)
    expect(copy.d).toBe(value.d)
  })

  it('returns as it is what has no such value', () => {
    const value = { a: 1 }

    expect(omitPath(value, ['b'])).toBe(value)
    expect(omitPath(value, ['b', 'c'])).toBe(value)
    expect(omitPath(value, [])).toBe(value)
    expect(omitPath(value, ['a', 'b'])).toEqual({ a: 1 })
    for (const other of [null, undefined, 5, 'text', true]) expect(omitPath(other, ['a'])).toBe(other)
  })

  it('does not change a prototype', () => {
    const value = JSON.parse('{ "a": 1, "__proto__": { "b": 1 } }')

    expect(Object.getPrototypeOf(omitPath(value, ['__proto__', 'b']))).toBe(Object.prototype)
    expect((omitPath(value, ['__proto__', 'b']) as any).b).toBeUndefined()
    expect(Object.hasOwn({}, 'b')).toBe(false)
  })
})
