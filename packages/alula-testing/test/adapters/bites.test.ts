import { describe, expect, it } from 'vitest'
import { memory } from '../../../../src/memory.ts'
import { collect } from './collect.ts'
import { callFaults } from './faults/calls.ts'
import { conditionFaults } from './faults/conditions.ts'
import { multiFaults } from './faults/multi.ts'
import { resultFaults } from './faults/results.ts'
import { sharingFaults } from './faults/sharing.ts'
import { upsertFaults } from './faults/upsert.ts'
import { writingFaults } from './faults/writing.ts'

const faults = [
  ...callFaults,
  ...writingFaults,
  ...multiFaults,
  ...sharingFaults,
  ...resultFaults,
  ...conditionFaults,
  ...upsertFaults
]

/** Those that are off unless they are switched on. */
const FEATURES = { cursors: true, lists: true, upsert: true }

it('a right adapter breaks no rule', async () => {
  const { failed, passed } = await collect({ create: memory, features: FEATURES })

  expect([...failed]).toEqual([])
  expect(passed.length).toBeGreaterThan(300)
})

describe('the suite finds that', () => {
  it.each(faults)('$does', async ({ create, breaks }) => {
    const { failed } = await collect({ create, features: FEATURES }, (sentence) => sentence === breaks)

    expect([...failed.keys()]).toEqual([breaks])
  })
})
