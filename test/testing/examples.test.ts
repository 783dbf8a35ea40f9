import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { EXAMPLE_NAMES } from '../../scripts/support/examples.mjs'
import { scaled } from '../support/scale.ts'

const PROGRAM = resolve(import.meta.dirname, 'support/example-contract.mjs')

/** Of all examples together. */
const REQUESTS = scaled(200_000)

it.each(EXAMPLE_NAMES)('the document of the example %s is true', { timeout: 3_600_000 }, async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'alula-contract-'))
  const wanted = Math.ceil(REQUESTS / EXAMPLE_NAMES.length)
  const seed = Math.floor(Math.random() * 2 ** 31)
  const child = fork(PROGRAM, [name, folder, String(wanted), String(seed)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })

  onTestFinished(async () => {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  })

  const [{ requests, failures }] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => [{ requests: 0, failures: [`The example ended with ${code}`] }])
  ])

  expect(failures).toEqual([])
  expect(requests).toBeGreaterThanOrEqual(wanted)
})
