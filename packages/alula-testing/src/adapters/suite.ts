import { createTypeError } from 'alula/plugin'
import { options, underscoreMethods } from './basics.ts'
import { create } from './create.ts'
import { cursors } from './cursors.ts'
import { randomTests, runRandomTest } from './differential.ts'
import { ids } from './ids.ts'
import { isolation } from './isolation.ts'
import { lists } from './lists.ts'
import { malformed } from './malformed.ts'
import { multi } from './multi.ts'
import { combinations, operators } from './operators.ts'
import { page } from './page.ts'
import { patch } from './patch.ts'
import { races } from './races.ts'
import { find, get } from './read.ts'
import { remove } from './remove.ts'
import type { RuleGroup } from './rule.ts'
import { select } from './select.ts'
import { findLack, toSetup, withKit } from './setup.ts'
import { sort } from './sort.ts'
import type { AdapterTestOptions, TestRunner } from './types.ts'
import { update } from './update.ts'
import { upsert } from './upsert.ts'
import { values } from './values.ts'

const GROUPS: readonly RuleGroup[] = [
  options,
  get,
  find,
  create,
  update,
  patch,
  remove,
  multi,
  page,
  cursors,
  select,
  sort,
  operators,
  combinations,
  lists,
  values,
  malformed,
  ids,
  isolation,
  races,
  upsert,
  underscoreMethods
]

/** How long a random test may take, in milliseconds. A database takes its time. */
const RANDOM_TIMEOUT = 300_000

/**
 * Registers the tests that every adapter must pass: one for each rule, and random tests that compare the adapter
 * with the memory adapter.
 *
 * @param runner `describe` and `it` of node:test, vitest, mocha or jest; `{}` where they are global
 * @param adapter How to make a service, and what its store cannot keep
 * @throws TypeError for options that cannot be
 * @example
 * import { describe, it } from 'node:test'
 * import { adapterTests } from 'alula-testing/adapters'
 *
 * adapterTests({ describe, it }, { name: 'files', create: (options) => new FileService({ ...options, file }) })
 */
export function adapterTests(runner: Partial<TestRunner>, adapter: AdapterTestOptions): void {
  const { describe, it } = toRunner(runner)
  const setup = toSetup(adapter)

  assertSentences(setup.skip)

  function register(sentence: string, lack: string | undefined, body: () => Promise<void>): void {
    if (setup.skip.includes(sentence)) skip(it, `${sentence} (the adapter does not)`, body)
    else if (lack !== undefined) skip(it, `${sentence} (needs ${lack})`, body)
    else it(sentence, body)
  }

  describe(`the adapter ${setup.name}`, () => {
    for (const { title, rules } of GROUPS) {
      describe(title, () => {
        for (const { sentence, needs, check } of rules) {
          register(sentence, findLack(setup, needs), () => withKit(setup, check))
        }
      })
    }

    describe('beside the reference', () => {
      for (const test of randomTests) {
        const body = () => runRandomTest(test, setup)

        if (setup.runs === 0) skip(it, `${test.sentence} (needs runs)`, body)
        else it(test.sentence, withTimeout(body), RANDOM_TIMEOUT)
      }
    })
  })
}

function toRunner(runner: Partial<TestRunner>): TestRunner {
  const globals = globalThis as Partial<TestRunner>
  const { describe = globals.describe, it = globals.it } = runner

  if (typeof describe !== 'function' || typeof it !== 'function') {
    throw createTypeError(
      'ALULA_NO_TEST_RUNNER',
      "The adapter tests need 'describe' and 'it' of a test runner, and there are no global ones"
    )
  }

  return { describe, it }
}

/** A sentence that no rule has is a rule that counts, against what its author thinks. */
function assertSentences(skipped: readonly string[]): void {
  const sentences = GROUPS.flatMap(({ rules }) => rules.map(({ sentence }) => sentence))
  const unknown = skipped.find((sentence) => !sentences.includes(sentence))

  if (unknown !== undefined)
    throw createTypeError('ALULA_UNKNOWN_OPTION', `The adapter tests have no rule '${unknown}' to skip`)
}

/** Every runner that we know has `skip`; without it a test is only left out. */
function skip(
  it: TestRunner['it'] & { skip?: TestRunner['it'] },
  name: string,
  body: () => Promise<void>
): void {
  it.skip?.(name, body)
}

/** Mocha takes the time by a method of `this`, the others by an argument. */
function withTimeout(body: () => Promise<void>): (this: any) => Promise<void> {
  return function (this: any) {
    if (typeof this?.timeout === 'function') this.timeout(RANDOM_TIMEOUT)

    return body()
  }
}
