import { afterEach, describe, expect, it } from 'vitest'
import { differences } from './authentication-differential/differences.ts'
import { parseCases } from './authentication-differential/headers.ts'
import { hookCases, protectCases } from './authentication-differential/hooks.ts'
import { ALULA, type Case, close, FEATHERS, outcome } from './authentication-differential/libraries.ts'
import { localCases } from './authentication-differential/local.ts'
import { connectionCases, createCases, removeCases } from './authentication-differential/service.ts'
import { setupCases } from './authentication-differential/setup.ts'
import { optionCases, signCases, verifyCases } from './authentication-differential/tokens.ts'

// The same calls, with the same configuration, on Feathers v5 and on ours: they come to the same, apart from those
// that are listed with a reason.

const areas: { readonly [area: string]: readonly Case[] } = {
  create: createCases,
  remove: removeCases,
  connections: connectionCases,
  'the local strategy': localCases,
  'the options of tokens': optionCases,
  'signing tokens': signCases,
  'verifying tokens': verifyCases,
  headers: parseCases,
  'the authenticate and hashPassword hooks': hookCases,
  'the protect hook': protectCases,
  'set-up': setupCases
}

const differing = new Set(differences.flatMap(({ cases }) => Object.keys(cases)))

afterEach(close)

describe.each(Object.entries(areas))('%s is the same in Feathers and in alula', (_area, cases) => {
  it.each(cases.filter(([name]) => !differing.has(name)))('%s', async (_name, run) => {
    expect(await outcome(run, ALULA)).toEqual(await outcome(run, FEATHERS))
  })
})

describe.each(differences.map(({ why, cases }) => [why, cases] as const))(
  'they differ: %s',
  (_why, listed) => {
    it.each(Object.entries(listed))('%s', async (name, [feathers, alula]) => {
      const [, run] = Object.values(areas)
        .flat()
        .find(([candidate]) => candidate === name) as Case

      const theirs = await outcome(run, FEATHERS)
      const ours = await outcome(run, ALULA)

      expect(summarize(theirs)).toBe(feathers)
      expect(summarize(ours)).toBe(alula)
      expect(ours).not.toEqual(theirs)
    })
  }
)

it('every case has a name of its own', () => {
  const names = Object.values(areas).flatMap((cases) => cases.map(([name]) => name))

  expect(new Set(names).size).toBe(names.length)
})

/** The sentence of an error; a result that is short enough to read. */
function summarize(result: any): string {
  if (result?.error) return `${result.error.name}: ${result.error.message}`

  const text = JSON.stringify(result) ?? 'undefined'

  return text.length > 70 ? 'a result' : text
}
