import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../support/scale.ts'
import type { Step } from './koa-differential/application.ts'
import { summarize } from './koa-differential/differences.ts'
import { ALULA_KOA, FEATHERS } from './koa-differential/libraries.ts'
import { createScript } from './koa-differential/random.ts'
import { type Outcome, run } from './koa-differential/run.ts'
import {
  type Decision,
  type Decisions,
  ENFORCED,
  WITH_ONE_AJV
} from './koa-differential/schema-differences.ts'

// The application that the generator of Feathers v5 makes, at each step of moving its schemas, gets the same random calls
// as on Feathers v5. Clients see the same, apart from what is decided by a row of docs/compatibility.md.

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
const examples = Object.values(WITH_ONE_AJV)
  .flat()
  .map(({ example }) => [JSON.stringify(example), example] as const)
const script = [...createScript(seed, scaled(2000)), ...examples]

describe(`the generated application, by the seed ${seed}`, () => {
  let expected: Outcome

  beforeAll(async () => {
    expected = await run(FEATHERS, 'hooks', script)
  }, 240_000)

  it.each<[string, Step, Decisions]>([
    ['with its hooks', 'hooks', {}],
    ['with its hooks and a declaration that describes', 'described', {}],
    ['with a declaration in their place', 'enforced', ENFORCED],
    ['with a declaration that has one instance of Ajv', 'enforced with one Ajv', WITH_ONE_AJV]
  ])(
    'responds as on Feathers, %s',
    async (_name, step, differences) => {
      const decisions = Object.values(differences).flat()
      const made = new Set<Decision>()
      const actual = await run(ALULA_KOA, step, script)

      for (const [name] of script) {
        const [theirs, ours] = [expected, actual].map(({ responses }) => responses.get(name))
        const lines = [theirs, ours].map((response) => summarize(response)) as [string, string]
        const decision = isDeepStrictEqual(ours, theirs)
          ? undefined
          : decisions.find((one) => one.theirs.test(lines[0]) && one.ours.test(lines[1]))

        if (decision) made.add(decision)
        else expect([name, ours]).toEqual([name, theirs])
      }

      expect(decisions.filter((decision) => !made.has(decision))).toEqual([])
      expect(actual.events).toEqual(expected.events)
    },
    240_000
  )
})
