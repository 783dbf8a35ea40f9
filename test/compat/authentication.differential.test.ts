import { afterEach, describe, it } from 'vitest'
import { differences } from './authentication-differential/differences.ts'
import { parseCases } from './authentication-differential/headers.ts'
import { hookCases, protectCases } from './authentication-differential/hooks.ts'
import { ALULA, type Case, close, FEATHERS, outcome } from './authentication-differential/libraries.ts'
import { localCases } from './authentication-differential/local.ts'
import { connectionCases, createCases, removeCases } from './authentication-differential/service.ts'
import { setupCases } from './authentication-differential/setup.ts'
import { optionCases, signCases, verifyCases } from './authentication-differential/tokens.ts'
import { expectCases, expectOutcomes } from './differences.ts'

// The same calls, with the same configuration, on Feathers v5 and on ours: the outcomes are the same, apart from
// those that are listed by a row of docs/compatibility.md.

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

afterEach(close)

describe.each(Object.entries(areas))('%s is as in Feathers, or as listed', (_area, cases) => {
  it.each(cases)('%s', async (name, run) => {
    expectOutcomes(differences, name, [await outcome(run, FEATHERS), await outcome(run, ALULA)], summarize)
  })
})

it('every case has a name of its own, and every difference is a case', () => {
  const names = Object.values(areas).flatMap((cases) => cases.map(([name]) => name))

  expectCases(differences, names)
})

/** The sentence of an error; a result that is short enough to read. */
function summarize(result: any): string {
  if (result?.error) return `${result.error.name}: ${result.error.message}`

  const text = JSON.stringify(result) ?? 'undefined'

  return text.length > 70 ? 'a result' : text
}
