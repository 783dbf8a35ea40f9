import { describe, expect, it } from 'vitest'
import { BadRequest } from '../../src/errors.ts'
import { assertQuery, parseQueryString } from '../../src/transport/querystring.ts'

const repeat = (count: number, toText: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => toText(n)).join('&')
const branch = (depth: number) => `a${'[b]'.repeat(depth)}=1`
const nest = (depth: number): any => (depth === 0 ? 1 : { b: nest(depth - 1) })
const list = (length: number) => Array.from({ length }, () => 1)

describe('a query string', () => {
  it('nests by brackets, and repeats by name, brackets and index', () => {
    expect(parseQueryString('')).toEqual({})
    expect(parseQueryString('a=1&b[$gt]=2&c=1&c=2&d[]=1&e[0]=1&e[1]=2&f=+%2B&g=')).toEqual({
      a: '1',
      b: { $gt: '2' },
      c: ['1', '2'],
      d: ['1'],
      e: ['1', '2'],
      f: ' +',
      g: ''
    })
    expect(parseQueryString('toString=1')).toEqual({ toString: '1' })
  })

  it.each([
    ['depth', branch(16), branch(17), 'brackets to nest at most 16 deep'],
    ['elements', repeat(500, () => 'a[]=1'), repeat(501, () => 'a[]=1'), 'at most 500 elements in an array'],
    ['repetitions', repeat(500, () => 'a=1'), repeat(501, () => 'a=1'), 'at most 500 elements in an array'],
    ['an index', 'a[499]=1', 'a[501]=1', 'at most 500 elements in an array'],
    ['parameters', repeat(1000, (n) => `a${n}=1`), repeat(1001, (n) => `a${n}=1`), 'at most 1000 parameters']
  ])('has a limit for %s', (_title, last, first, sentence) => {
    expect(() => parseQueryString(last)).not.toThrow()
    expect(() => parseQueryString(first)).toThrow(`Invalid query string: expected ${sentence}`)
  })

  it.each(['__proto__', 'constructor'])('has no name %s', (name) => {
    for (const search of [
      `${name}=1`,
      `${name}[a]=1`,
      `a[${name}]=1`,
      `a[${name}][b]=1`,
      `a%5B${name}%5D=1`
    ]) {
      expect(() => parseQueryString(search), search).toThrow(
        `Invalid query string: '${name}' is not allowed as a name`
      )
    }
    expect(parseQueryString(`a=${name}&my${name}=1&${name}s=2`)).toEqual({
      a: name,
      [`my${name}`]: '1',
      [`${name}s`]: '2'
    })
  })

  it.each(['=1', '[a]=1', '[]=1', 'a[=1', 'a]=1', 'a[b]c=1', 'a[b[c]]=1', 'x[a]]=1'])(
    'has no name as in %s',
    (search) => {
      expect(() => parseQueryString(search)).toThrow(
        'Invalid query string: expected every name to be like a, a[b] or a[]'
      )
    }
  )

  it.each(['a=1&b=2&', '&a=1&b=2', 'a=1&&b=2', '&&a=1&&&b=2&'])(
    'has no part that is empty, as in %s',
    (search) => {
      expect(parseQueryString(search)).toEqual({ a: '1', b: '2' })
    }
  )

  it.each(['&', '&&&'])('is empty with nothing but %s', (search) => {
    expect(parseQueryString(search)).toEqual({})
  })

  it.each([
    'n[$gt]=4&n=',
    'n[$gt]=4&n',
    'n%5B$gt%5D=4&n=',
    '$or[0][n]=5&$or=',
    'n[$in][]=5&n[$in]=',
    'a[]=1&a[b]=2&a[0]=',
    'a[=]=1&a=&b[=][c]=&b[=]='
  ])('drops no empty value after a nested one of the same name, as in %s', (search) => {
    expect(() => parseQueryString(search)).toThrow(
      'Invalid query string: expected no empty value for a name that also has brackets, as in a[b]=1&a='
    )
  })

  it('has every value that it was given, or is refused for an empty one', () => {
    const names = ['a', 'a[]', 'a[0]', 'a[b]', 'a[b][]', 'a[b][c]', 'a[0][b]']
    const pairs = names.flatMap((name) => [name, `${name}=1`, `${name}=0`])
    const toValues = (value: unknown): unknown[] =>
      typeof value === 'object' ? Object.values(value ?? {}).flatMap(toValues) : [value]
    const triples = pairs.flatMap((one) => pairs.flatMap((two) => pairs.map((three) => [one, two, three])))
    const wrong: string[] = []
    let refused = 0

    for (const parts of triples) {
      const search = parts.join('&')
      const given = parts.map((part) => part.split('=')[1] ?? '')

      try {
        if (toValues(parseQueryString(search)).sort().join() !== given.sort().join()) wrong.push(search)
      } catch (error) {
        if (error instanceof BadRequest && given.includes('')) refused++
        else wrong.push(search)
      }
    }

    expect(wrong).toEqual([])
    expect(refused).toBeGreaterThan(1000)
    expect(refused).toBeLessThan(triples.length / 2)
  })

  it('may have empty values beside others', () => {
    expect(parseQueryString('a=&b&c[]=&c[]=1&d[$in][]=&d[$in][]=2&e[f]=&e[g]=3&h=&h=')).toEqual({
      a: '',
      b: '',
      c: ['', '1'],
      d: { $in: ['', '2'] },
      e: { f: '', g: '3' },
      h: ['', '']
    })
    expect(parseQueryString('n=&n[$gt]=4')).toEqual({ n: ['', { $gt: '4' }] })
  })

  it.each(['a=%', 'a=%zz', '%zz=1', '%ff=1', 'a=%c3'])('has no escape as in %s', (search) => {
    expect(() => parseQueryString(search)).toThrow(
      "Invalid query string: expected '%' to be followed by a valid UTF-8 escape"
    )
  })
})

describe('a query of a message', () => {
  it.each([undefined, null, {}, { a: 1, b: [{ c: null }] }, Object.create(null)])('may be %j', (query) => {
    expect(() => assertQuery(query)).not.toThrow()
  })

  it.each([[[]], ['text'], [5], [true], [new Date()]])('can not be %j', (query) => {
    expect(() => assertQuery(query)).toThrow('Invalid query: expected an object')
  })

  it.each([new Uint8Array(1), new Date(), new Map()])('holds no %s', (value) => {
    for (const query of [{ a: value }, { a: [{ b: value }] }]) {
      expect(() => assertQuery(query)).toThrow(
        'Invalid query: expected strings, numbers, booleans, objects and arrays'
      )
    }
  })

  it.each(['__proto__', 'constructor'])('has no name %s', (name) => {
    for (const text of [`{"${name}":1}`, `{"a":[{"${name}":{}}]}`]) {
      expect(() => assertQuery(JSON.parse(text))).toThrow(`Invalid query: '${name}' is not allowed as a name`)
    }
  })

  it.each([
    ['depth', nest(17), nest(18), 'objects to nest at most 16 deep'],
    ['elements', { a: list(500) }, { a: list(501) }, 'at most 500 elements in an array'],
    [
      'parameters',
      { a: list(500), b: list(500) },
      { a: list(500), b: list(500), c: 1 },
      'at most 1000 parameters'
    ],
    [
      'what is empty',
      { a: list(500).map(() => []), b: list(500).map(() => ({})) },
      { a: list(500).map(() => []), b: list(500).map(() => ({})), c: {} },
      'at most 1000 parameters'
    ]
  ])('has a limit for %s', (_title, last, first, sentence) => {
    expect(() => assertQuery(last)).not.toThrow()
    expect(() => assertQuery(first)).toThrow(`Invalid query: expected ${sentence}`)
  })
})
