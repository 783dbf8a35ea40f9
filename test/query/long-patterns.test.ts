import { expect, it } from 'vitest'
import { PATTERN_OPERATORS, PATTERN_PREDICATES, parseQuery, toPredicate } from '../../src/query.ts'

it.each([
  ['text', `%${'a'.repeat(47)}b%`],
  ['any characters', `%${'a_'.repeat(23)}b%`],
  ['many places', `${'%a'.repeat(24)}%b`]
])(
  'as many patterns of %s as a query can have, nearly matching everywhere, take no time',
  (_title, pattern) => {
    const name = 'a'.repeat(60_000)
    const $or = Array.from({ length: 20 }, () => ({ name: { $like: pattern } }))
    const { where } = parseQuery({ $or }, { operators: PATTERN_OPERATORS })
    const matches = toPredicate(where, PATTERN_PREDICATES)
    // The clock would go on while other processes have the processor.
    const begin = process.cpuUsage()

    expect(matches({ name })).toBe(false)
    expect(process.cpuUsage(begin).user / 1000).toBeLessThan(1000)
  }
)
