import { expect, it } from 'vitest'
import { PATTERN_OPERATORS, PATTERN_PREDICATES, parseQuery, toPredicate } from '../../src/query.ts'

it('a pattern that is long and nearly matches everywhere takes no time', () => {
  const name = 'a'.repeat(2_000_000)
  // Not by the clock, which goes on while others have the processor.
  const begin = process.cpuUsage()

  for (const pattern of [`%${'a'.repeat(990)}b%`, `%_${'a'.repeat(990)}b%`]) {
    const { where } = parseQuery({ name: { $like: pattern } }, { operators: PATTERN_OPERATORS })

    expect(toPredicate(where, PATTERN_PREDICATES)({ name })).toBe(false)
  }
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(4000)
})
