import type { Application } from '../../../../src/index.ts'
import { type ContractOptions, type Coverage, contractTests } from '../../src/index.ts'

/** Runs the tests of an application that is set up, one after another; what those that fail say, and what is covered. */
export async function runContract(
  app: Application,
  options: ContractOptions
): Promise<{ failures: string[]; covered: Promise<Coverage> }> {
  const tests: (() => Promise<void>)[] = []
  const failures: string[] = []
  const covered = contractTests(app, {
    describe: (_name, body) => body(),
    it: (_name, body) => void tests.push(body as () => Promise<void>),
    seed: 7,
    log: false,
    ...options
  })

  for (const test of tests) await test().catch((error) => failures.push(error.message))

  return { failures, covered }
}
