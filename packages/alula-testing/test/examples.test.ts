import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EXAMPLE_NAMES } from '../../../scripts/support/examples.mjs'
import { scaled } from '../../../test/support/scale.ts'

const PROGRAM = resolve(import.meta.dirname, 'support/example-contract.mjs')

/** Of all examples together. */
const REQUESTS = scaled(200_000)

let folder: string
let child: ChildProcess
let exit: Promise<[code: number | null]>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alula-contract-'))
  child = fork(PROGRAM, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  exit = once(child, 'exit') as Promise<[code: number | null]>
})

afterAll(async () => {
  child.kill('SIGKILL')
  await exit
  await rm(folder, { recursive: true })
})

it.each(EXAMPLE_NAMES)('the document of the example %s is true', { timeout: 3_600_000 }, async (name) => {
  const wanted = Math.ceil(REQUESTS / EXAMPLE_NAMES.length)
  const firstSeed = Math.floor(Math.random() * 2 ** 31)

  child.send({ name, folder, wanted, firstSeed })

  const [{ requests, failures }] = await Promise.race([
    once(child, 'message'),
    exit.then(([code]) => [{ requests: 0, failures: [`The example ended with ${code}`] }])
  ])

  expect(failures).toEqual([])
  expect(requests).toBeGreaterThanOrEqual(wanted)
})
