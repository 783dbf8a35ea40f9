import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it('the suite runs under the test runner of Node', async () => {
  const file = resolve(import.meta.dirname, 'under-node.mjs')
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', file])
  const count = (name: string) => Number(new RegExp(`^# ${name} (\\d+)$`, 'm').exec(stdout)?.[1])

  expect(count('fail')).toBe(0)
  expect(count('cancelled')).toBe(0)
  expect(count('pass')).toBeGreaterThan(300)
  expect(count('skipped')).toBeGreaterThan(0)
})
