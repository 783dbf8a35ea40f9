import { expect, it } from 'vitest'
import { ALULA, FEATHERS } from './application-differential/libraries.ts'
import { programs } from './application-differential/programs.ts'

// Small programs run on Feathers v5 and on alula. Each shows a row of docs/compatibility.md.

it.each(Object.entries(programs))('%s', async (_row, [run, theirs, ours]) => {
  expect(theirs).not.toEqual(ours)
  expect([await run(FEATHERS), await run(ALULA)]).toEqual([theirs, ours])
})
