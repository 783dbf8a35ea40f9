import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { toMedianInterval } from '../../bench/interval.mjs'
import { runNode } from '../support/command.ts'

const PROGRAM = resolve(import.meta.dirname, '../../bench/run.mjs')

/** As many values in disorder, each of which says at which place it is in order. */
function toValues(length: number): number[] {
  return Array.from({ length }, (_, index) => ((index * 7) % length) + 1)
}

it.each([
  // 88 % of 15 values: with the 6th and the 10th it would be 70 %.
  [15, 5, 11],
  // 90 %: with the 12th and the 19th it would be just below 80 %.
  [30, 11, 20],
  [2, 1, 2],
  [1, 1, 1]
])('the interval of the median of %i values is from value %i to value %i', (length, low, high) => {
  expect(toMedianInterval(toValues(length))).toEqual([low, high])
})

it('the interval of the median holds it in four of five samples at least', () => {
  let seed = 1
  let held = 0

  // The generator of Park and Miller, so that each run has the same samples.
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647

    return seed / 2_147_483_647
  }

  for (let sample = 0; sample < 2000; sample++) {
    const [low, high] = toMedianInterval(Array.from({ length: 15 }, random))

    if (low <= 0.5 && high >= 0.5) held++
  }

  expect(held / 2000).toBeGreaterThan(0.8)
})

it('builds are compared for one benchmark that can be compared', async () => {
  for (const args of [['install'], []]) {
    const { code, stderr } = await runNode([PROGRAM, ...args, '--compare', '.'])

    expect(code).toBe(1)
    expect(stderr).toContain('--compare needs the name of a benchmark: expected one of rest, schema, access')
  }
})
