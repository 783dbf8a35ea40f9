import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { clone } from '../../src/memory/clone.ts'

class Money {
  readonly amount: number
  readonly parts: number[]

  constructor(amount: number) {
    this.amount = amount
    this.parts = [amount]
  }

  get doubled() {
    return this.amount * 2
  }
}

describe('a copy', () => {
  it('of a scalar is the scalar', () => {
    const symbol = Symbol('x')
    const run = () => 1

    for (const value of ['', 'x', 0, Number.NaN, true, null, undefined, 1n, symbol, run]) {
      expect(clone(value)).toBe(value)
    }
  })

  it('shares nothing with the original, at any depth', () => {
    const original = {
      list: [{ a: { b: [1] } }],
      date: new Date(5),
      set: new Set([1]),
      map: new Map([['a', {}]])
    }
    const copy = clone(original)

    expect(copy).toEqual(original)

    copy.list[0]?.a.b.push(2)
    copy.date.setTime(9)
    copy.set.add(2)
    copy.map.delete('a')

    expect(original).toEqual({
      list: [{ a: { b: [1] } }],
      date: new Date(5),
      set: new Set([1]),
      map: new Map([['a', {}]])
    })
  })

  it('is not frozen, whatever the original is', () => {
    const copy = clone(Object.freeze({ list: Object.freeze([1]) })) as any

    copy.list.push(2)
    copy.more = true

    expect(copy).toEqual({ list: [1, 2], more: true })
  })

  it('keeps undefined, and the order of names', () => {
    expect(Object.entries(clone({ b: undefined, a: 1 }))).toEqual([
      ['b', undefined],
      ['a', 1]
    ])
  })

  it('of a Buffer is a Buffer, of bytes are bytes, and no more memory than it needs', () => {
    const buffer = Buffer.from('bytes')
    const copy = clone(buffer)

    buffer.fill(0)

    expect(Buffer.isBuffer(copy)).toBe(true)
    expect(copy.toString()).toBe('bytes')
    // Small buffers are parts of a block that others, with secrets of their own, are parts of too.
    expect(copy.buffer.byteLength).toBeLessThan(buffer.buffer.byteLength)

    const bytes = new Uint16Array([1, 500])

    expect(clone(bytes)).toEqual(bytes)
    expect(clone(bytes)).toBeInstanceOf(Uint16Array)
    expect(clone(bytes).buffer).not.toBe(bytes.buffer)
  })

  it('of bytes without a type shares no memory either, and has those that are seen', () => {
    const bytes = new Uint8Array([1, 2, 3, 4])
    const whole = clone(bytes.buffer)
    const part = clone(new DataView(bytes.buffer, 1, 2))

    bytes.fill(0)

    expect(new Uint8Array(whole)).toEqual(new Uint8Array([1, 2, 3, 4]))
    expect(new Uint8Array(part.buffer)).toEqual(new Uint8Array([2, 3]))
    expect(part).toBeInstanceOf(DataView)
  })

  it('of a class instance is one, with copied fields', () => {
    const money = new Money(2)
    const copy = clone(money)

    expect(copy).toBeInstanceOf(Money)
    expect(copy).not.toBe(money)
    expect(copy.doubled).toBe(4)
    expect(copy.parts).toEqual([2])
    expect(copy.parts).not.toBe(money.parts)
  })

  it('of an object without a prototype, or of another realm, is an ordinary object', () => {
    for (const value of [Object.assign(Object.create(null), { a: [1] }), runInNewContext('({ a: [1] })')]) {
      const copy = clone(value)

      expect(copy).toEqual({ a: [1] })
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    }
  })

  it.each<[string, () => any, (value: any) => unknown]>([
    ['a URL', () => new URL('http://localhost/path'), (value) => value.href],
    ['a regular expression', () => /x/gi, (value) => `${value} ${value.test('X')}`],
    ['an error', () => new TypeError('why'), (value) => value.message],
    ['an ArrayBuffer', () => new ArrayBuffer(3), (value) => value.byteLength],
    ['a DataView', () => new DataView(new ArrayBuffer(4)), (value) => value.byteLength],
    ['a map of instances', () => new Map([['a', new Money(2)]]), (value) => value.get('a').doubled],
    [
      'an object with a private field',
      () =>
        new (class {
          #secret = 1

          read() {
            return this.#secret
          }
        })(),
      (value) => value.read()
    ]
  ])('of %s works like the original', (_title, create, use) => {
    expect(use(clone(create()))).toEqual(use(create()))
  })

  it('takes no prototype from a `__proto__` of its own', () => {
    const copy = clone(
      JSON.parse('{ "a": { "__proto__": { "polluted": true } }, "constructor": { "b": 1 } }')
    )

    expect(copy.a.polluted).toBeUndefined()
    expect(Object.getPrototypeOf(copy.a)).toBe(Object.prototype)
    expect(copy.constructor).toEqual({ b: 1 })
    expect(({} as any).polluted).toBeUndefined()
  })

  it('of a class instance keeps its class, whatever it holds under `__proto__`', () => {
    const money = Object.defineProperty(new Money(2), '__proto__', { value: {}, enumerable: true })

    expect(clone(money)).toBeInstanceOf(Money)
  })
})
