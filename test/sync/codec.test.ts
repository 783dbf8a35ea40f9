import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decode, encode } from '../../src/sync/codec.ts'
import { scaled } from '../support/scale.ts'

function travel(value: unknown): any {
  return (decode(encode({ value })) as any).value
}

describe('a value that travels', () => {
  it('is the same, with dates, big integers, bytes, and names that mean something here', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('$alula', '__proto__', 'constructor', 'toJSON', 'value', 'length')
    )
    const scalar = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.string(),
      fc.constantFrom('date', 'bigint', 'bytes', 'object'),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0 || 0),
      fc.bigInt(),
      fc.date({ noInvalidDate: true }),
      fc.uint8Array().map((bytes) => Buffer.from(bytes))
    )
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, scalar, tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 4 }),
      object: fc
        .array(fc.tuple(name, tie('any')), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries))
    }))

    fc.assert(
      fc.property(any, (value) => {
        const arrived = travel(value)

        // Not by an expectation: for those `constructor` is no ordinary name.
        expect(isDeepStrictEqual(arrived, value)).toBe(true)
        expect(encode(arrived)).toBe(encode(value))
      }),
      { numRuns: scaled(20_000) }
    )
  })

  it.each([
    ['a view', new Uint8Array([1, 2, 3, 4]).subarray(1, 3), Buffer.from([2, 3])],
    ['a buffer of an array', new Uint8Array([1, 2]).buffer, Buffer.from([1, 2])]
  ])('as bytes of another kind is a Buffer: %s', (_title, value, expected) => {
    expect(travel(value)).toStrictEqual(expected)
  })

  it('is what a socket would send where JSON has no word for it', () => {
    const value = {
      ...{ a: undefined, b: [undefined, Number.NaN, () => 1], c: new Date(Number.NaN), d: new Map([[1, 2]]) },
      ...{ e: Object.assign(Object.create({ inherited: 1 }), { own: 2 }), f: -0, g: Object(5) }
    }

    expect(travel(value)).toEqual(JSON.parse(JSON.stringify(value)))
  })

  it('is what its toJSON says, with what that says about dates', () => {
    const at = new Date(0)
    const value = {
      id: { toJSON: (name: string) => `text of ${name}` },
      record: { toJSON: () => ({ at, n: 1n }) }
    }

    expect(travel(value)).toStrictEqual({ id: 'text of id', record: { at, n: 1n } })
  })

  it('poisons no prototype', () => {
    const arrived = travel(JSON.parse('{"__proto__":{"isAdmin":true},"date":{"$alula":"date","value":0}}'))

    expect(arrived.isAdmin).toBeUndefined()
    expect(({} as any).isAdmin).toBeUndefined()
    expect(Object.getPrototypeOf(arrived)).toBe(Object.prototype)
    expect(Object.keys(arrived)).toEqual(['__proto__', 'date'])
    // It says that it is a date, and is an object that says so.
    expect(arrived.date).toStrictEqual({ $alula: 'date', value: 0 })
  })

  it('cannot contain itself, or be of a kind that is not known', () => {
    const circle: any = {}

    circle.circle = circle
    expect(() => encode(circle)).toThrow(TypeError)
    expect(() => decode('{"$alula":"function","value":"1"}')).toThrow("Unknown kind of value 'function'")
  })
})
