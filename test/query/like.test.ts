import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PATTERN_OPERATORS, PATTERN_PREDICATES, parseQuery, toPredicate } from '../../src/query.ts'
import { scaled } from '../support/scale.ts'

/** Whether a query finds a record whose name is the field. */
function isFound(operator: string, pattern: unknown, field?: unknown): boolean {
  const { where } = parseQuery({ name: { [operator]: pattern } }, { operators: PATTERN_OPERATORS })

  return toPredicate(where, PATTERN_PREDICATES)({ name: field })
}

/** A second reading of what a pattern means. */
function toRegExp(parts: readonly string[], flags = ''): RegExp {
  const meanings: { [part: string]: string } = { '%': '.*', _: '.', '\\\\': '\\\\' }
  const source = parts.map((part) => meanings[part] ?? part.replace('\\', '')).join('')

  return new RegExp(`^${source}$`, `su${flags}`)
}

describe('a pattern', () => {
  it.each([
    ['Ada', 'Ada', true],
    ['Ada', 'ada', false],
    ['Ada', 'Adam', false],
    ['Ada', 'Madame Ada', false],
    ['', '', true],
    ['', 'A', false],
    ['%', '', true],
    ['%', 'anything\nat all', true],
    ['A%', 'Ada', true],
    ['A%', 'Bada', false],
    ['%a', 'Ada', true],
    ['%a', 'Adam', false],
    ['%d%', 'Ada', true],
    ['%d%', 'Bob', false],
    ['A%a', 'Aa', true],
    ['A%a', 'A', false],
    ['Ad%da', 'Ada', false],
    ['%a%b%', 'ba', false],
    ['A_a', 'Ada', true],
    ['A_a', 'Aa', false],
    ['A_a', 'Adda', false],
    ['_', '\u{1F426}', true],
    ['__', '\u{1F426}', false],
    ['100\\%', '100%', true],
    ['100\\%', '1000', false],
    ['a\\_b', 'a_b', true],
    ['a\\_b', 'acb', false],
    ['a\\\\b', 'a\\b', true],
    ['a\\\\%', 'a\\b', true],
    ['\\Ada', 'Ada', true],
    ['[Aa].*', 'Ada', false]
  ])('%j against %j is %j', (pattern, text, expected) => {
    expect(isFound('$like', pattern, text)).toBe(expected)
    expect(isFound('$notlike', pattern, text)).toBe(!expected)
  })

  it('under `$ilike` takes the letters of English in both cases for the same, and no others', () => {
    expect(isFound('$ilike', 'aDA l%', 'Ada Lovelace')).toBe(true)
    expect(isFound('$ilike', '%LOVE%', 'Ada Lovelace')).toBe(true)
    expect(isFound('$ilike', 'ada', 'Bob')).toBe(false)
    expect(isFound('$ilike', 'AZaz', 'azAZ')).toBe(true)
    expect(isFound('$ilike', '\u00c4', '\u00e4')).toBe(false)
    expect(isFound('$ilike', 'k', '\u212a')).toBe(false)
    expect(isFound('$ilike', '@[`{', '`{@[')).toBe(false)
  })

  it('finds nothing in what is no text, so that `$notlike` finds all of it', () => {
    for (const field of [undefined, null, 1, true, ['a'], { a: 1 }, new Date(0)]) {
      for (const pattern of ['%', '1', '']) {
        expect(isFound('$like', pattern, field)).toBe(false)
        expect(isFound('$ilike', pattern, field)).toBe(false)
        expect(isFound('$notlike', pattern, field)).toBe(true)
      }
    }
  })

  it('finds what a regular expression finds that says the same', () => {
    const halves = [...'\u{1F426}'].flatMap((bird) => bird.split(''))
    const character = fc.constantFrom('a', 'b', 'A', '\u{1F426}', ...halves, '\\', '%', '_')
    const text = fc.array(character, { maxLength: 10 }).map((characters) => characters.join(''))
    const part = fc.constantFrom(
      'a',
      'b',
      'A',
      '\u{1F426}',
      ...halves,
      '_',
      '%',
      '%',
      '\\%',
      '\\_',
      '\\\\',
      '\\a'
    )

    fc.assert(
      fc.property(text, fc.array(part, { maxLength: 8 }), (text, parts) => {
        const isExpected = toRegExp(parts).test(text)

        expect(isFound('$like', parts.join(''), text)).toBe(isExpected)
        expect(isFound('$notlike', parts.join(''), text)).toBe(!isExpected)
        expect(isFound('$ilike', parts.join(''), text)).toBe(toRegExp(parts, 'i').test(text))
      }),
      { numRuns: scaled(50_000) }
    )
  })

  it('finds long text wherever it is, however much it is like the text before', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 40, maxLength: 120 })
    const cut = fc.nat({ max: 80 })

    fc.assert(
      fc.property(text, text, cut, fc.boolean(), (text, other, cut, isPart) => {
        const part = isPart ? text.slice(cut, cut + 35) : `${text.slice(cut, cut + 34)}${other.slice(0, 2)}`

        expect(isFound('$like', `%${part}%`, text)).toBe(text.includes(part))
        expect(isFound('$like', `%${part}%${part}%`, text + other + text)).toBe(
          (text + other + text).split(part).length > 2
        )
      }),
      { numRuns: scaled(20_000) }
    )
  })

  it.each([1, 2, 31, 64, 96])(
    'of %i characters is found anywhere in a text, and only as a whole',
    (length) => {
      const letters = Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * index) % 26)))

      for (let place = 0; place < length; place++) {
        const pattern = `x%${letters.with(place, '_').join('')}%z`
        const text = letters.with(place, '!').join('')

        expect(isFound('$like', pattern, `xy${text}yz`)).toBe(true)
        expect(isFound('$like', pattern, `x${text}z`)).toBe(true)
        expect(isFound('$like', pattern, `x${text.slice(1)}z`)).toBe(false)
        expect(isFound('$like', pattern, `x${text.slice(0, -1)}z`)).toBe(false)
        if (length > 1) {
          const other = letters.with((place + 1) % length, '?').join('')

          expect(isFound('$like', pattern, `xy${other}yz`)).toBe(false)
        }
      }
    }
  )
})

describe('what is no pattern is refused', () => {
  const refusal = (operator: string, pattern: unknown) => {
    try {
      isFound(operator, pattern)
    } catch (error: any) {
      return `${error.name}: ${error.message}`
    }

    return undefined
  }

  it.each(['$like', '$notlike', '$ilike'])('by %s', (operator) => {
    const expected = `BadRequest: Invalid query: '${operator}' expects`

    expect(refusal(operator, 7)).toBe(`${expected} a pattern, got a number`)
    expect(refusal(operator, null)).toBe(`${expected} a pattern, got null`)
    expect(refusal(operator, ['a'])).toBe(`${expected} a pattern, got an array`)
    expect(refusal(operator, 'a\\')).toBe(`${expected} a character after the last '\\'`)
    expect(refusal(operator, 'a\\\\\\')).toBe(`${expected} a character after the last '\\'`)
    expect(refusal(operator, 'a'.repeat(101))).toBe(`${expected} a pattern of at most 100 characters`)
    expect(refusal(operator, 'a'.repeat(100))).toBeUndefined()
  })
  it.each([
    ['beside each other', (patterns: object[]) => ({ $or: patterns })],
    ['at any depth', (patterns: object[]) => ({ $and: [{ a: 1 }, { $not: { $or: patterns } }] })]
  ])('by a query with too many, or with too many characters in all: %s', (_title, toQuery) => {
    const parse = (count: number, length: number) =>
      parseQuery(toQuery(Array.from({ length: count }, () => ({ name: { $like: 'a'.repeat(length) } }))), {
        operators: [...PATTERN_OPERATORS, '$not']
      })

    expect(() => parse(20, 50)).not.toThrow()
    expect(() => parse(10, 100)).not.toThrow()
    expect(() => parse(21, 1)).toThrow('Invalid query: expected at most 20 patterns')
    expect(() => parse(20, 51)).toThrow(
      'Invalid query: expected at most 1000 characters in all patterns together'
    )
  })

  it('by a query that a schema has checked', () => {
    expect(() => parseQuery({ name: { $like: 'a'.repeat(101) } }, { trusted: true })).toThrow(
      "Invalid query: '$like' expects a pattern of at most 100 characters"
    )
  })
})
