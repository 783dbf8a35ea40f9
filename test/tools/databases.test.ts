import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { OF_SQLITE, RUNS, toCells } from '../../scripts/support/database-runs.mjs'
import { createFolder } from '../support/command.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('the table of databases in docs/sql.md has the results of all runs, and no others', () => {
  const page = readFileSync(join(ROOT, 'docs/sql.md'), 'utf8')
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

it.each(OF_SQLITE)('%s, which the runs of other databases leave out, opens none of them', (file) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).not.toMatch(
    /\b(?:describeDatabases|POSTGRES|MARIADB|startPglite)\b/
  )
})

it('runs that do not start are counted, and those after them run', async () => {
  const cwd = createFolder({ 'node_modules/vitest/vitest.mjs': 'process.exit(1)' })
  const further = RUNS.filter(({ isFurther }) => isFurther)
  const output = await new Promise<string>((done) => {
    execFile(
      process.execPath,
      [join(ROOT, 'scripts/test-databases.mjs'), '--further'],
      { cwd },
      (_error, stdout) => done(stdout)
    )
  })

  expect(further.length).toBeGreaterThan(1)
  expect(output.trim().split('\n').at(-1)).toBe(`0 passed, ${further.length - 1} failed`)
})
