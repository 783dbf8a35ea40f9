// Declarations and calls that compile, and those that must not. The packages are checked with other compilers, too.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkPrograms, RIGHT, WRONG } from '../../scripts/support/type-programs.mjs'

const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache')

let folder: string

beforeAll(async () => {
  await mkdir(CACHE, { recursive: true })
  folder = await mkdtemp(join(CACHE, 'programs-'))
})

afterAll(() => rm(folder, { recursive: true }))

it('right programs compile, and wrong ones are reported where they are wrong', {
  timeout: 120_000
}, async () => {
  const faults = await checkPrograms(join(ROOT, 'node_modules/typescript7/bin/tsc'), folder, {
    alula: [join(ROOT, 'src/index.ts')],
    'alula/*': [join(ROOT, 'src/*.ts')]
  })

  expect(faults).toEqual([])
  expect(Math.min(RIGHT.length, WRONG.length)).toBeGreaterThanOrEqual(60)
})
