import { inspect, isDeepStrictEqual } from 'node:util'
import { memory } from 'alula/memory'
import fc from 'fast-check'
import { toPlain } from './assert.ts'
import {
  type AdapterCall,
  type AdapterOutcome,
  perform,
  toCalls,
  toFindCalls,
  toRecordData
} from './calls.ts'
import { ID_COUNT, type RandomRecord, toArbitraries } from './random.ts'
import { type Setup, toChosenId } from './setup.ts'
import type { TestedService } from './types.ts'

/** @internal The random tests: each compares the adapter with the reference, on records and calls of one kind. */
export const randomTests = [
  { sentence: 'random queries find what the reference finds, in its order', toCalls: toFindCalls },
  { sentence: 'random calls have the outcomes of the reference, and leave the same records', toCalls }
] as const

/**
 * Runs a random test.
 *
 * @internal
 * @throws Error with the seed and the smallest records and calls on which the adapter and the reference disagree
 */
export async function runRandomTest(test: (typeof randomTests)[number], setup: Setup): Promise<void> {
  const arbitraries = toArbitraries(setup)
  const scenario = fc.record({ records: arbitraries.records, calls: test.toCalls(arbitraries, setup) })
  const { failed, counterexample, seed, errorInstance } = await fc.check(
    fc.asyncProperty(scenario, ({ records, calls }) => compare(setup, records, calls)),
    { numRuns: setup.runs, ...(setup.seed !== undefined && { seed: setup.seed }) }
  )

  if (!failed) return

  const [{ records, calls }] = counterexample as [{ records: RandomRecord[]; calls: AdapterCall[] }]
  const repeat = `Run it again with random: { seed: ${seed} }`

  throw new Error(
    errorInstance instanceof Disagreement
      ? [
          `The adapter '${setup.name}' and the reference disagree. ${repeat}`,
          ...['Records:', ...records.map((record) => show(toRecordData(record, setup)))],
          ...(errorInstance.before > 0 ? ['After:', ...calls.slice(0, errorInstance.before).map(show)] : []),
          errorInstance.message
        ].join('\n')
      : `The adapter '${setup.name}' failed. ${repeat}\n${show(errorInstance)}`,
    { cause: errorInstance }
  )
}

/** Two outcomes of one call. */
class Disagreement extends Error {
  /** How many calls were made before, on which the two agree. */
  readonly before: number

  constructor(before: number, call: AdapterCall, actual: AdapterOutcome, expected: AdapterOutcome) {
    super(`Call:\n${show(call)}\nThe adapter:\n${show(actual)}\nThe reference:\n${show(expected)}`)
    this.before = before
  }
}

/** Makes the same calls on two services with the same records; throws at the first difference. */
async function compare(
  setup: Setup,
  records: readonly RandomRecord[],
  calls: readonly AdapterCall[]
): Promise<void> {
  const { negation, lists } = setup.features
  const operators = [...(negation ? ['$not', '$nor'] : []), ...(lists ? ['$contains', '$overlaps'] : [])]
  const options = { multi: true, operators }
  const adapter = await setup.create(options)

  try {
    const reference = memory({ ...options, id: setup.id })
    const ids = await fill(setup, adapter, reference, records)
    const last: AdapterCall = { method: 'find', params: { query: {}, paginate: false } }

    for (const [index, call] of [...calls, last].entries()) {
      const expected = await perform(reference, call, ids, setup)
      const actual = await perform(adapter, call, ids, setup)
      // In which order patch and remove return several records is up to the adapter.
      const isOrdered =
        call === last ? setup.features.insertionOrder : ['find', 'create'].includes(call.method)

      if (!isSame(actual, expected, isOrdered, setup)) throw new Disagreement(index, call, actual, expected)
    }
  } finally {
    await setup.close(adapter)
  }
}

/** Creates the records in both, with the ids that the adapter gives them. Returns these by number. */
async function fill(
  setup: Setup,
  adapter: TestedService,
  reference: TestedService,
  records: readonly RandomRecord[]
): Promise<ReadonlyMap<number, unknown>> {
  // Where only the store makes ids, this one stands for all that no record has.
  const { [setup.id]: free } = setup.ids.length > 0 ? {} : await adapter.create({ position: 0 })
  const ids = new Map<number, unknown>()

  if (free !== undefined) await adapter.remove(free)

  for (let number = 1; number <= ID_COUNT; number++) ids.set(number, free ?? toChosenId(setup, number))

  for (const record of records) {
    const { [setup.id]: id } = await adapter.create(toRecordData(record, setup))

    ids.set(record.number, id)
    await reference.create({ ...toRecordData(record, setup), [setup.id]: id })
  }

  return ids
}

function isSame(actual: AdapterOutcome, expected: AdapterOutcome, isOrdered: boolean, setup: Setup): boolean {
  if ('status' in actual || 'status' in expected) {
    return 'status' in actual && 'status' in expected && actual.status === expected.status
  }

  const toComparable = (result: unknown) =>
    toPlain(isOrdered ? result : toSorted(result, setup.id), setup.features)

  return isDeepStrictEqual(toComparable(actual.result), toComparable(expected.result))
}

function toSorted(result: unknown, id: string): unknown {
  if (!Array.isArray(result)) return result

  return result.toSorted((a, b) => (String(a[id]) < String(b[id]) ? -1 : 1))
}

function show(value: unknown): string {
  return inspect(value, { depth: null, breakLength: 100, maxArrayLength: null })
}
