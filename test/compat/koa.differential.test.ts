import { beforeAll, describe, expect, it } from 'vitest'
import { expectCases, expectOutcomes } from './differences.ts'
import { calls } from './koa-differential/calls.ts'
import { ofBodies, ofCore, ofErrors, summarize } from './koa-differential/differences.ts'
import { ALULA_KOA, FEATHERS, KEPT, type Library } from './koa-differential/libraries.ts'
import { type Outcome, run } from './koa-differential/run.ts'

// The application that the generator of Feathers v5 makes for Koa gets the same calls on Feathers v5, with its Koa kept and
// only the error handler changed, and on alula throughout. Clients see the same, apart from what is listed by a row of
// docs/compatibility.md.

const outcomes = new Map<Library, Outcome>()

beforeAll(async () => {
  for (const library of [FEATHERS, KEPT, ALULA_KOA]) outcomes.set(library, await run(library))
}, 120_000)

describe.each([
  ['with @feathersjs/koa and our error handler', KEPT, { ...ofErrors, ...ofCore }],
  ['with alula/koa', ALULA_KOA, { ...ofErrors, ...ofCore, ...ofBodies }]
])('the generated application, %s', (_name, library, differences) => {
  it.each(calls.map(([name]) => name))('%s', (name) => {
    const responses = [FEATHERS, library].map((one) => outcomes.get(one)?.responses.get(name))

    expectOutcomes(differences, name, responses, summarize)
  })

  it('sockets get the same events', () => {
    const [theirs, ours] = [FEATHERS, library].map((one) => outcomes.get(one)?.events)

    expect(theirs?.first).toHaveLength(4)
    expect(ours).toEqual(theirs)
  })

  it('every call has a name of its own, and every difference is a call', () => {
    expectCases(
      differences,
      calls.map(([name]) => name)
    )
  })
})
