import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RUNS, toCells } from '../../scripts/support/database-runs.mjs'

it('the table of databases in docs/sql.md has the results of all runs, and no others', () => {
  const page = readFileSync(new URL('../../docs/sql.md', import.meta.url), 'utf8')
  const [, table = ''] =
    /\| Database \| Driver \| Node \| Tests \| Result \|\n\|[-|]+\n((?:\|.*\n)+)/.exec(page) ?? []
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.slice(2, -2).split(' | '))

  expect(rows.map((cells) => cells.slice(0, -1))).toEqual(RUNS.map(toCells))

  for (const [index, { args }] of RUNS.entries()) {
    expect(rows[index]?.at(-1)).toBe(args ? 'passed' : 'not run here')
  }
})
