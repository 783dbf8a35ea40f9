import { expect, it } from 'vitest'
import { toLines } from '../support/slowest-files.ts'

it('a run ends with its ten slowest files, the slowest first, and their share of the time', () => {
  const files = Array.from({ length: 12 }, (_, index) => ({
    name: `test/${index}.test.ts`,
    seconds: index === 3 ? 89 : 1
  }))
  const [title, first, ...others] = toLines(files)

  expect(title).toBe(' Slowest     98 % of 100.0 s are in 10 of 12 files')
  expect(first).toBe('     89.0 s  test/3.test.ts')
  expect(others).toHaveLength(9)
  expect(others[0]).toBe('      1.0 s  test/0.test.ts')
})

it('a run of one file ends without a list, and one in no time has no share', () => {
  expect(toLines([{ name: 'test/a.test.ts', seconds: 1 }])).toEqual([])
  expect(
    toLines([
      { name: 'test/a.test.ts', seconds: 0 },
      { name: 'test/b.test.ts', seconds: 0 }
    ])
  ).toHaveLength(3)
})
