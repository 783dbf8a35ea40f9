import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { runNode } from '../support/command.ts'

const PROGRAM = resolve(import.meta.dirname, '../../scripts/roads.mjs')

async function measure(...args: string[]) {
  const { code, stdout, stderr } = await runNode([PROGRAM, '--json', ...args], {
    env: { ...process.env, REDIS_URL: 'redis://127.0.0.1:1' }
  })

  expect(stderr).toBe('')
  expect(code).toBe(0)

  return JSON.parse(stdout)
}

it('a road has the same counts in each run, and one that needs Redis says that there is none', {
  timeout: 300_000
}, async () => {
  const [first, second] = await Promise.all([measure('plain', 'declared'), measure('declared', 'event')])

  expect(first.roads.declared).toEqual(second.roads.declared)
  expect(second.roads.event.reason).toMatch(/^no Redis answers at redis:\/\/127\.0\.0\.1:1: /)
  expect(Object.keys(first.roads)).toEqual(['plain', 'declared'])
  expect(first.roads.plain).toEqual({
    calls: expect.any(Number),
    functions: expect.any(Number),
    files: expect.any(Number),
    filesWithoutUtils: expect.any(Number),
    before: { calls: expect.any(Number), filesWithoutUtils: expect.any(Number) }
  })
  expect(first.roads.plain.before.calls).toBeGreaterThan(0)
  expect(first.roads.declared.calls).toBeGreaterThan(first.roads.plain.calls)
})

it('an unknown road is named, with those there are', async () => {
  const { code, stderr } = await runNode([PROGRAM, 'plane'])

  expect(code).toBe(1)
  expect(stderr).toContain("Unknown road 'plane': expected one of plain, declared, include, login, event")
})
