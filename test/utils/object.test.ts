import { describe, expect, it } from 'vitest'
import { copyPlain, copyWith, isSamePlain, mergePlain } from '../../src/utils/object.ts'

describe('mergePlain', () => {
  it('puts later objects over earlier ones, at every depth', () => {
    expect(mergePlain({ a: 1, b: { c: 1, d: { e: 1 } } }, { b: { c: 2, d: { f: 2 } } }, { g: 3 })).toEqual({
      a: 1,
      b: { c: 2, d: { e: 1, f: 2 } },
      g: 3
    })
  })

  it('changes and shares no plain object', () => {
    const sources = [{ a: { b: { c: 1 } } }, { a: { d: 2 } }, { e: { f: 1 } }]
    const before = structuredClone(sources)
    const merged = mergePlain(...sources)

    merged.a.b.c = 'changed'
    merged.a.d = 'changed'
    merged.e.f = 'changed'

    expect(sources).toEqual(before)
  })

  it('takes frozen objects', () => {
    const frozen = Object.freeze({ a: Object.freeze({ b: 1 }) })

    expect(mergePlain(frozen, { a: { c: 2 } })).toEqual({ a: { b: 1, c: 2 } })
  })

  it('leaves out what is missing, and what is undefined', () => {
    expect(mergePlain()).toEqual({})
    expect(mergePlain(undefined, { a: 1 }, null)).toEqual({ a: 1 })
    expect(mergePlain({ a: 1, b: { c: 1 } }, { a: undefined, b: undefined })).toEqual({ a: 1, b: { c: 1 } })
    expect(Object.keys(mergePlain({ a: undefined }))).toEqual([])
  })

  it('replaces everything that is not a plain object', () => {
    class Store {
      size = 1
    }

    const [store, list, date] = [new Store(), [1], new Date(0)]
    const merged = mergePlain(
      { store: { a: 1 }, list: [1, 2, 3], date: {}, text: { a: 1 }, none: { a: 1 } },
      { store, list, date, text: 'text', none: null }
    )

    expect(merged.store).toBe(store)
    expect(merged.list).toBe(list)
    expect(merged.date).toBe(date)
    expect(merged).toMatchObject({ text: 'text', none: null })
    expect(mergePlain({ a: store }, { a: { b: 1 } })).toEqual({ a: { b: 1 } })
  })

  it('leaves objects that hold functions what they are, wherever they stand', () => {
    const store = { count: 0, add: () => undefined }
    const late = { get: () => undefined }
    const merged = mergePlain({ store, nested: { store } }, { other: 1, nested: { late } })

    expect(merged.store).toBe(store)
    expect(merged.nested.store).toBe(store)
    expect(merged.nested.late).toBe(late)
    expect(merged.other).toBe(1)
  })

  it('puts nothing into objects that hold functions, and nothing of them into others', () => {
    const [one, two] = [
      { a: 1, run: () => 1 },
      { b: 2, run: () => 2 }
    ]

    expect(mergePlain({ x: one }, { x: two }).x).toBe(two)
    expect(mergePlain({ x: one }, { x: { b: 2 } }).x).toEqual({ b: 2 })
    expect(mergePlain({ x: { b: 2 } }, { x: one }).x).toBe(one)
    expect(mergePlain({ x: one }, { x: undefined }).x).toBe(one)
    expect(Object.keys(one)).toEqual(['a', 'run'])
  })

  it('copies what holds a function at its own first level only', () => {
    const source = { options: { isActive: () => true }, run: () => 1, list: { items: [() => 1] } }
    const merged = mergePlain(source)

    expect(merged).not.toBe(source)
    expect(merged).toEqual(source)
    expect(merged.options).toBe(source.options)
    expect(merged.list).not.toBe(source.list)
  })

  it('sets no prototype, at no depth', () => {
    const hostile = JSON.parse('{ "__proto__": { "a": 1 }, "b": { "__proto__": { "c": 1 } } }')
    const merged = mergePlain({ b: {} }, hostile)

    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(merged.b)).toBe(Object.prototype)
    expect(merged.a).toBeUndefined()
    expect(merged.b.c).toBeUndefined()
    expect(Object.keys(merged)).toEqual(['b', '__proto__'])
    expect(({} as any).a).toBeUndefined()
  })

  it('takes names that every object has for ordinary ones', () => {
    expect(mergePlain({ constructor: { a: 1 }, toString: 'x' }, { constructor: { b: 2 } })).toEqual({
      constructor: { a: 1, b: 2 },
      toString: 'x'
    })
    expect(Object.keys(mergePlain({ a: 1 }, {}))).toEqual(['a'])
  })
})

describe('copyWith', () => {
  it('copies own properties, symbols included, and sets others', () => {
    const symbol = Symbol('mark')
    const source = { a: 1, b: { c: 2 }, [symbol]: 3 }
    const copy = copyWith(source, { a: 4, d: 5 })

    expect(copy).toEqual({ a: 4, b: { c: 2 }, d: 5, [symbol]: 3 })
    expect(copy.b).toBe(source.b)
    expect(source.a).toBe(1)
    expect(copyWith(undefined, { a: 1 })).toEqual({ a: 1 })
  })

  it('keeps a property __proto__ as a property', () => {
    const sent = JSON.parse('{ "__proto__": { "isAdmin": true } }')

    for (const copy of [copyWith(sent, { a: 1 }), copyWith({ a: 1 }, sent)] as any[]) {
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
      expect(copy.isAdmin).toBe(undefined)
      expect(Object.keys(copy)).toContain('__proto__')
    }
  })
})

describe('copyPlain', () => {
  it('copies plain objects and arrays with all that is in them, and nothing else', () => {
    const date = new Date(0)
    const value = { a: 1, b: { c: [{ d: 2 }, date] } }
    const copy = copyPlain(value)

    expect(copy).toEqual(value)
    expect(copy).not.toBe(value)
    expect(copy.b).not.toBe(value.b)
    expect(copy.b.c[0]).not.toBe(value.b.c[0])
    expect(copy.b.c[1]).toBe(date)
  })

  it('takes `__proto__` for a name like any other', () => {
    const value = JSON.parse('{"a":{"__proto__":{"isAdmin":true},"b":{"__proto__":1}}}')
    const copy: any = copyPlain(value)

    expect(Object.getPrototypeOf(copy.a)).toBe(Object.prototype)
    expect(copy.a.isAdmin).toBeUndefined()
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
    expect(Object.getOwnPropertyDescriptor(copy.a, '__proto__')?.value).not.toBe(
      Object.getOwnPropertyDescriptor(value.a, '__proto__')?.value
    )
  })

  it('finishes each copy', () => {
    const copy = copyPlain({ a: [{ b: 1 }] }, Object.freeze)

    expect([copy, copy.a, copy.a[0]].every(Object.isFrozen)).toBe(true)
  })
})

describe('isSamePlain', () => {
  const date = new Date(0)

  it.each([
    [1, 1],
    [null, null],
    [{ a: [1, { b: 'c' }] }, { a: [1, { b: 'c' }] }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 }
    ],
    [{ a: date }, { a: date }],
    [Object.create(null), {}]
  ])('%j is the same as %j', (one, other) => {
    expect(isSamePlain(one, other)).toBe(true)
  })

  it.each([
    [1, '1'],
    [null, {}],
    [{ a: undefined }, {}],
    [{ a: undefined }, { b: undefined }],
    [{}, { a: 1 }],
    [[1], { 0: 1 }],
    [[1, 2], [1]],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ toString: 1 }, { a: 1 }],
    [new Date(0), new Date(0)]
  ])('%j is not the same as %j', (one, other) => {
    expect(isSamePlain(one, other)).toBe(false)
  })
})
