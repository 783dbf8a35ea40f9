// When the promise of the contract tests resolves, and what it has then.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { type Application, alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import { type ContractOptions, type Coverage, contractTests } from '../src/index.ts'

async function createNotes(methods = ['find', 'create']): Promise<Application> {
  const app = alula()

  app.use('notes', memory(), { methods, schema: schema(z.object({ id: z.int(), text: z.string() })) })

  return await app.setup()
}

/** Registers the tests of an application in a runner that runs them by hand. */
function register(app: Application, options: ContractOptions = {}) {
  const tests: (() => Promise<void>)[] = []
  let coverage: Coverage | undefined

  contractTests(app, {
    describe: (_name, body) => body(),
    it: (_name, body) => void tests.push(body as () => Promise<void>),
    runs: 1,
    log: false,
    ...options
  }).then((covered) => {
    coverage = covered
  })

  return {
    tests,
    /** What the promise has resolved to, if it has. */
    get coverage() {
      return coverage
    }
  }
}

const listCovered = ({ rows }: Coverage) => [...new Set(rows.map(({ operation }) => operation))]

it('without operations it resolves at once', async () => {
  const printed: string[] = []
  const log = (text: string) => void printed.push(text)
  const skipping = register(await createNotes(), { skip: ['findNotes', 'createNote'], log })
  const empty = register(await createNotes([]))

  await Promise.resolve()
  expect(skipping.coverage).toEqual({ rows: [], notCovered: ['findNotes', 'createNote'] })
  expect(empty.coverage).toEqual({ rows: [], notCovered: [] })
  expect(printed).toEqual([
    'contractTests: 0 calls of 0 operations over no transport\n  not covered: findNotes, createNote'
  ])
})

it('a test that the runner repeats counts once', async () => {
  const registered = register(await createNotes())
  const [create, find] = registered.tests

  await create?.()
  await create?.()
  expect(registered.coverage).toBeUndefined()
  await find?.()
  expect(listCovered(registered.coverage as Coverage)).toEqual(['createNote', 'findNotes'])
})

it('with the end of a group it waits for that, and says which tests did not run', async () => {
  const ends: (() => void)[] = []
  const after = (end: () => void) => void ends.push(end)
  const registered = register(await createNotes(['find', 'create', 'get']), { after, skip: ['getNote'] })
  const [create] = registered.tests

  await create?.()
  expect(ends).toHaveLength(1)
  expect(registered.coverage).toBeUndefined()
  ends[0]?.()
  await Promise.resolve()
  expect(registered.coverage?.notCovered).toEqual(['getNote', 'findNotes'])
  expect(listCovered(registered.coverage as Coverage)).toEqual(['createNote'])
})

it('with the end of a group it waits for tests that run again after all have run', async () => {
  const ends: (() => void)[] = []
  const registered = register(await createNotes(), { after: (end) => void ends.push(end) })

  for (const test of registered.tests) await test()
  expect(registered.coverage).toBeUndefined()
  ends[0]?.()
  await Promise.resolve()
  expect(registered.coverage?.notCovered).toEqual([])
})
