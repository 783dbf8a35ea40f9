import { memory } from 'alula/memory'
import { registerAdapterTests } from './adapters/suite.ts'
import type { AdapterTestOptions, TestRunner } from './adapters/types.ts'

export { TEST_FIELDS } from './adapters/fields.ts'
export type {
  AdapterFeatures,
  AdapterTestOptions,
  RandomOptions,
  TestedService,
  TestRunner,
  ValueKind
} from './adapters/types.ts'

/**
 * Registers the tests that every adapter must pass: one for each rule, and random tests that compare the adapter
 * with the memory adapter.
 *
 * @param runner `describe` and `it` of node:test, vitest, mocha or jest; `{}` where they are global
 * @param options How to make a service, and what its store cannot keep
 * @throws TypeError for options that cannot be
 * @example
 * import { describe, it } from 'node:test'
 * import { adapterTests } from 'alula-testing/adapters'
 *
 * adapterTests({ describe, it }, { name: 'files', create: (options) => new FileService({ ...options, file }) })
 */
export function adapterTests(runner: Partial<TestRunner>, options: AdapterTestOptions): void {
  registerAdapterTests(runner, options, memory)
}
