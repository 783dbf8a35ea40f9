import { beforeAll, describe, expect, it } from 'vitest'
import { scaled } from '../support/scale.ts'
import type { Step } from './koa-differential/application.ts'
import { summarize } from './koa-differential/differences.ts'
import { ALULA_KOA, FEATHERS } from './koa-differential/libraries.ts'
import { createScript } from './koa-differential/random.ts'
import { type Outcome, run } from './koa-differential/run.ts'

// The application that the generator of Feathers v5 makes, at each step of moving its schemas, gets the same random calls
// as on Feathers v5. Clients see the same, apart from what is decided here.

interface Decision {
  readonly why: string
  /** What a call comes to in Feathers, and in alula. */
  readonly theirs: RegExp
  readonly ours: RegExp
}

const ENFORCED: readonly Decision[] = [
  {
    why: 'Data and queries that are not valid are refused in our words, with `errors` by path',
    theirs: /^(?:400 )?BadRequest: validation failed/,
    ours: /^(?:400 )?BadRequest: Invalid (?:data|query): /
  },
  {
    why: 'An id that cannot be one, or is not written as such, is a 404 before all else',
    theirs: /./,
    ours: /^(?:404 )?NotFound: No record found for id '(?:abc|1\.5|01|1e0)'$/
  }
]

const WITH_ONE_AJV: readonly Decision[] = [
  ...ENFORCED,
  {
    why: 'Without an instance of Ajv for queries, only strings are converted, and only exact ones',
    theirs: /^(?:200|undefined|(?:404 )?NotFound)/,
    ours: /^(?:400 )?BadRequest: Invalid query: '.*' expects a (?:number|string), got /
  },
  {
    why: 'The adapter reads the page',
    theirs: /"skip":1\.5/,
    ours: /"skip":1,/
  }
]

const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))
const script = createScript(seed, scaled(2000))

describe(`the generated application, by the seed ${seed}`, () => {
  let expected: Outcome

  beforeAll(async () => {
    expected = await run(FEATHERS, 'hooks', script)
  }, 240_000)

  it.each<[string, Step, readonly Decision[]]>([
    ['with its hooks', 'hooks', []],
    ['with its hooks and a declaration that describes', 'described', []],
    ['with a declaration in their place', 'enforced', ENFORCED],
    ['with a declaration that has one instance of Ajv', 'enforced with one Ajv', WITH_ONE_AJV]
  ])(
    'responds as on Feathers, %s',
    async (_name, step, decisions) => {
      const actual = await run(ALULA_KOA, step, script)

      for (const [name] of script) {
        const [theirs, ours] = [expected, actual].map(({ responses }) => responses.get(name))
        const lines = [theirs, ours].map((response) => summarize(response)) as [string, string]
        const isDecided = decisions.some((one) => one.theirs.test(lines[0]) && one.ours.test(lines[1]))

        if (!isDecided) expect([name, ours]).toEqual([name, theirs])
      }

      expect(actual.events).toEqual(expected.events)
    },
    240_000
  )
})
