import { describe, expect, it } from 'vitest'
import { assertJson, isAcceptedForm, parseBody, parseJson, toCallData } from '../../src/transport/body.ts'

const FORM = 'application/x-www-form-urlencoded'

describe('a body of JSON', () => {
  it.each([
    'application/json',
    'Application/JSON ; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; q=1; charset=utf8',
    'application/vnd.api+json',
    'application/merge-patch+json; charset=utf-8',
    'Application/LD+JSON'
  ])('may be declared as %s', (type) => {
    expect(() => assertJson(type)).not.toThrow()
  })

  it.each([
    undefined,
    '',
    'text/plain',
    'application/jsonp',
    'application/+json',
    'application/a+jsonx',
    'application/a b+json',
    'text/plain+json',
    'text/plain; application/a+json',
    'multipart/form-data+json',
    'text/application/json',
    FORM,
    ';application/json'
  ])('is not declared as %s', (type) => {
    expect(() => assertJson(type)).toThrow("Unsupported content type: expected 'application/json'")
  })

  it.each(['latin1', 'utf-16', 'utf-8x', 'xutf-8'])('is not in the charset %s', (charset) => {
    expect(() => assertJson(`application/json; charset=${charset}`)).toThrow(
      "Unsupported charset: expected 'utf-8'"
    )
  })

  it('is undefined when it is empty, and else what it says', () => {
    expect(parseJson('')).toBeUndefined()
    expect(parseJson('{"a":1}')).toEqual({ a: 1 })
    expect(() => parseJson('{secret')).toThrow('Invalid request body: expected valid JSON')
  })
})

describe('a form', () => {
  it.each([FORM, `${FORM}; charset=utf-8`, `${FORM} ;x`, FORM.toUpperCase()])(
    'is %s where it is accepted',
    (type) => {
      expect(isAcceptedForm(type, { forms: true })).toBe(true)
      expect(isAcceptedForm(type, { forms: false })).toBe(false)
      expect(isAcceptedForm(type, {})).toBe(false)
    }
  )

  it.each([undefined, '', `${FORM}x`, `x${FORM}`, 'application/json'])('is not %s', (type) => {
    expect(isAcceptedForm(type, { forms: true })).toBe(false)
  })

  it('is read as a query string, in UTF-8 alone', () => {
    expect(parseBody('a[b]=1', FORM, { forms: true })).toEqual({ a: { b: '1' } })
    expect(parseBody('', FORM, {})).toBeUndefined()
    expect(parseBody('{"a":1}', 'application/json', { forms: true })).toEqual({ a: 1 })
    expect(() => parseBody('a=1', `${FORM}; charset=latin1`, { forms: true })).toThrow('charset')
    expect(() => parseBody('a=1', FORM, {})).toThrow("expected 'application/json'")
  })
})

describe('data', () => {
  /** So many objects and arrays, in turns, each in the one before. */
  const nest = (depth: number): any =>
    depth === 1 ? {} : depth % 2 === 0 ? [nest(depth - 1)] : { a: nest(depth - 1) }

  it('is an empty object without a body', () => {
    expect(toCallData(undefined, 'create')).toEqual({})
  })

  it.each([
    [null, 'null'],
    ['text', 'string'],
    [5, 'number'],
    [true, 'boolean']
  ])('can not be %j', (body, kind) => {
    expect(() => toCallData(body, 'create')).toThrow(
      `Invalid request body: expected a JSON object or array, got ${kind}`
    )
  })

  it.each([[1], [null], [[]], ['a'], [undefined], [new Uint8Array(1)]])(
    'of a standard method holds no %j',
    (element) => {
      expect(() => toCallData([{}, element], 'create', 'message')).toThrow(
        'Invalid message: expected every element of the array to be an object'
      )
      expect(toCallData([{}, element], 'custom')).toEqual([{}, element])
    }
  )

  it('nests a hundred deep', () => {
    expect(toCallData(nest(100), 'custom')).toEqual(nest(100))
    expect(() => toCallData(nest(101), 'custom')).toThrow(
      'Invalid request body: expected objects and arrays to nest at most 100 deep'
    )
  })

  it('names the same bytes once, and other things as often as it likes', () => {
    const [bytes, other, shared] = [new Uint8Array(3), new Uint8Array(3), { a: 1 }]

    expect(toCallData({ bytes, list: [other], shared, again: shared }, 'create')).toMatchObject({ bytes })
    expect(() => toCallData({ bytes, list: [bytes] }, 'create')).toThrow('expected the same bytes only once')
  })

  it('has no arrays with gaps, however long they say that they are', () => {
    const sparse: unknown[] = []

    sparse[4294967294] = 'x'

    for (const body of [{ a: sparse }, { a: { b: [sparse] } }, sparse]) {
      expect(() => toCallData(body, 'create')).toThrow('Invalid request body: expected arrays without gaps')
    }

    expect(toCallData({ a: [undefined, null] }, 'create')).toEqual({ a: [undefined, null] })
  })

  it('has nothing that stands for bytes in a packet', () => {
    expect(() => toCallData({ a: [{ _placeholder: true, num: 0 }] }, 'create')).toThrow(
      "Invalid request body: '_placeholder' is not allowed as a name"
    )
    expect(toCallData({ _placeholder: 'text' }, 'create')).toEqual({ _placeholder: 'text' })
  })
})
