import { registerAdapterTests } from './adapter-tests/suite.ts'
import type { AdapterTestOptions, TestRunner } from './adapter-tests/types.ts'
import { memory } from './memory/adapter.ts'

export { TEST_FIELDS } from './adapter-tests/fields.ts'
export type {
  AdapterFeatures,
  AdapterTestOptions,
  RandomOptions,
  TestedService,
  TestRunner,
  ValueKind
} from './adapter-tests/types.ts'

/**
 * Registers the tests that every adapter must pass: one for each rule, and random tests that compare the adapter
 * with the memory adapter. These need the package `fast-check`.
 *
 * @param runner `describe` and `it` of node:test, vitest, mocha or jest; `{}` where they are global
 * @param options How to make a service, and what its store cannot keep
 * @throws TypeError for options that cannot be
 * @example
 * import { describe, it } from 'node:test'
 * import { adapterTests } from 'alula/adapter-tests'
 *
 * adapterTests({ describe, it }, { name: 'files', create: (options) => new FileService({ ...options, file }) })
 */
export function adapterTests(runner: Partial<TestRunner>, options: AdapterTestOptions): void {
  registerAdapterTests(runner, options, memory)
}
