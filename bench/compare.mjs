// Two builds of alula, measured in turns: whether a change makes something slower.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { copyBuild } from '../scripts/support/build-copy.mjs'
import { toMedianInterval } from './interval.mjs'
import { divide, median, printTable, runRounds, SCALE, toPath } from './lib.mjs'

/** Those that report figures: see `reportFigures` in lib.mjs. */
export const COMPARABLE = ['rest', 'schema', 'access', 'relations', 'realworld', 'sql', 'memory', 'realtime']

/** How many pairs of processes there are at least. */
const PAIRS = 15

/** How much slower is not slower: builds of the same sources differ by as much on a machine that others share. */
const TOLERANCE = 1.03

/**
 * Runs a benchmark on this build and on another, in pairs of fresh processes, and prints how their CPU times compare.
 *
 * @param {string} benchmark One of {@link COMPARABLE}
 * @param {string} other A checkout with a build
 * @param {string[]} args What the benchmark is given: names of servers
 * @returns {Promise<boolean>} Whether nothing is slower
 */
export async function compareBuilds(benchmark, other, args) {
  const builds = { this: copyBuild(), other: copyBuild(other) }
  const pairs = Math.max(PAIRS, Math.ceil(PAIRS * SCALE))
  let done = 0

  const results = await runRounds(Object.keys(builds), pairs, async (name) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${++done} of ${2 * pairs} processes`)

    return measure(benchmark, builds[name], args)
  })

  const rows = toRows(results.get('this'), results.get('other'))

  printTable(
    `CPU time of this build as a multiple of that in ${other}, ${pairs} pairs of processes`,
    ['', 'this, µs', 'other, µs', 'ratio', '80 % interval', 'verdict'],
    rows.map(({ cells }) => cells)
  )

  return rows.every(({ isSlower }) => !isSlower)
}

/** Runs the benchmark once in a fresh process, and returns the figures that it reports. */
async function measure(benchmark, build, args) {
  const child = fork(toPath(`${benchmark}.mjs`), args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // Servers, which it starts as processes of their own, inherit this.
    env: {
      ...process.env,
      BENCH_COMPARED: '1',
      ALULA_BUILD: build,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${new URL('../scripts/support/redirect.mjs', import.meta.url)}`
    }
  })
  const figures = {}

  child.on('message', (reported) => Object.assign(figures, reported))

  const [code] = await once(child, 'close')

  if (code !== 0) throw new Error(`The benchmark '${benchmark}' ended with code ${code} on ${build}`)

  return figures
}

function toRows(these, others) {
  return Object.keys(these[0]).map((name) => {
    const [own, other] = [these, others].map((rounds) => rounds.map((figures) => figures[name]))
    const ratios = divide(own, other)
    const [low, high] = toMedianInterval(ratios)
    const isSlower = low > TOLERANCE

    return {
      isSlower,
      cells: [
        name,
        median(own).toPrecision(3),
        median(other).toPrecision(3),
        median(ratios).toFixed(3),
        `${low.toFixed(3)}–${high.toFixed(3)}`,
        isSlower ? 'slower' : high < 1 ? 'faster' : 'not slower'
      ]
    }
  })
}
