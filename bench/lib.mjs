// What all benchmarks share: rounds, the numbers made of them, and how they are printed.
import { fileURLToPath } from 'node:url'

/** Multiplies the number of rounds: `BENCH_SCALE=0.2` for a glance, `BENCH_SCALE=3` for a quieter median. */
export const SCALE = Number(process.env.BENCH_SCALE ?? 1)

/** Whether `compare.mjs` runs this process to measure one of two builds: only what uses alula is measured. */
export const IS_COMPARED = process.env.BENCH_COMPARED === '1'

/**
 * How many rounds to run.
 *
 * @param {number} rounds How many are the default
 * @param {number} [comparedRounds] How many there are in a process that measures one of two builds: one where a round is
 * a process of its own
 */
export function scaleRounds(rounds, comparedRounds = 1) {
  return IS_COMPARED ? comparedRounds : Math.ceil(rounds * SCALE)
}

/** The contestants; where two builds are compared, those of alula. */
export function chooseContestants(names, namesOfAlula) {
  return IS_COMPARED ? namesOfAlula : names
}

/** Gives figures by name to `compare.mjs`, in microseconds of CPU time, where two builds are compared. */
export function reportFigures(figures) {
  if (IS_COMPARED) process.send(figures)
}

/**
 * Measures contestants in turns, so that what slows the machine down for a while slows all of them down.
 *
 * @param {readonly string[]} names The contestants
 * @param {number} rounds How often each is measured
 * @param {(name: string) => Promise<T>} measure Measures one contestant once
 * @returns {Promise<Map<string, T[]>>} One measurement per round, by contestant
 * @template T
 */
export async function runRounds(names, rounds, measure) {
  const results = new Map(names.map((name) => [name, []]))

  for (let round = 0; round < rounds; round++) {
    for (const name of rotate(names, round)) results.get(name).push(await measure(name))
  }

  return results
}

/** After how many calls {@link measureCpu} asks what they have cost. */
const CALLS = 10

/**
 * Calls a function, one call after the other, until the process has spent as much CPU time on it. Time in which it waits
 * for a server does not count: it warms nothing up.
 *
 * @param {() => Promise<unknown>} call
 * @param {number} milliseconds
 * @returns {Promise<number>} The microseconds of CPU time of a call, user and system
 */
export async function measureCpu(call, milliseconds) {
  const start = process.cpuUsage()
  let count = 0
  let spent = 0

  do {
    // To ask for the CPU time costs as much as a small part of a call.
    for (let index = 0; index < CALLS; index++) await call()
    count += CALLS

    const { user, system } = process.cpuUsage(start)

    spent = user + system
  } while (spent < milliseconds * 1000)

  return spent / count
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1

  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The smallest value that is not below this share of all: 0.99 for the 99th percentile. */
export function toPercentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)

  return sorted[Math.ceil(sorted.length * share) - 1]
}

/** The slope of the straight line that is closest to some points, by least squares. */
export function fitSlope(xs, ys) {
  const [middleX, middleY] = [xs, ys].map(toMean)
  const shared = toMean(xs.map((x, index) => (x - middleX) * (ys[index] - middleY)))

  return shared / toMean(xs.map((x) => (x - middleX) ** 2))
}

/** Divides round by round: both were measured within moments of each other. */
export function divide(dividends, divisors) {
  return dividends.map((dividend, round) => dividend / divisors[round])
}

/** The median, with the smallest and the largest value: `84 (81–97)`. */
export function formatSpread(values, digits) {
  const [middle, low, high] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    value.toFixed(digits)
  )

  return `${middle} (${low}–${high})`
}

/** Prints a table in Markdown, padded so that it can be read in a terminal too. */
export function printTable(title, header, rows) {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column].length)))
  const toLine = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))

  console.log(['', `${title}:`, '', ...[header, rule, ...rows].map(toLine)].join('\n'))
}

/** The path of a file or folder, given from `bench/`. */
export function toPath(relative) {
  return fileURLToPath(new URL(relative, import.meta.url))
}

export function toMean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Who goes first has a colder machine, so nobody always does. */
function rotate(names, round) {
  const start = round % names.length

  return [...names.slice(start), ...names.slice(0, start)]
}
