// Records in memory: what a call of the memory service costs, and how that grows with the number of records.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chooseContestants,
  divide,
  fitSlope,
  formatSpread,
  IS_COMPARED,
  median,
  printTable,
  reportFigures,
  runRounds,
  scaleRounds,
  toPath
} from './lib.mjs'
import { OPERATIONS } from './records.mjs'

const SIZES = IS_COMPARED ? [10_000] : [1000, 10_000, 100_000]
const ROUNDS = 3
const COMPARED_ROUNDS = 5
const SAMPLE_MILLISECONDS = 40
const WARMUP_MILLISECONDS = 100

const BASELINE = '@feathersjs/memory'

/** Whose cost must not depend on how many records there are. */
const BY_ID = ['get by id', 'find({ id })', 'create', 'patch by id']

/** The contestants, each with its file in `stores/`. */
const CONTESTANTS = {
  [BASELINE]: { file: 'feathers' },
  alula: { file: 'alula' },
  'alula, index': { file: 'alula', indexes: ['author'] },
  mingo: { file: 'mingo' },
  sift: { file: 'sift' },
  libsql: { file: 'libsql' },
  'libsql, index': { file: 'libsql', indexes: ['author'] }
}

const names = chooseContestants(await findInstalled(), ['alula', 'alula, index'])
const sizes = new Map()

for (const size of SIZES) {
  const results = await measureSize(size)

  sizes.set(size, results)
  reportFigures(toFigures(results))
  printOperations(
    `${size.toLocaleString('en')} records, µs of CPU time per operation`,
    results,
    (times) => times
  )
  printOperations(
    `${size.toLocaleString('en')} records, as a ratio to ${BASELINE}; 2.00 is half the CPU time`,
    results,
    (times, baseline) => baseline && divide(baseline, times)
  )
}

printTable(
  'How the cost grows: the exponent of the number of records; 0 is not at all, 1 is in proportion',
  ['operation', ...names],
  BY_ID.map((operation) => [operation, ...names.map((name) => formatCell(toExponents(operation, name), 2))])
)

/** libsql has no build for some machines, where npm leaves it out. */
async function findInstalled() {
  try {
    await import('libsql')
  } catch (error) {
    console.log(`\nlibsql does not run here, so it is left out: ${error.message}`)

    return Object.keys(CONTESTANTS).filter((name) => CONTESTANTS[name].file !== 'libsql')
  }

  return Object.keys(CONTESTANTS)
}

/** The times of all contestants by operation, each in a process of its own that is alive all the while. */
async function measureSize(size) {
  const children = new Map(await Promise.all(names.map(async (name) => [name, await start(name, size)])))
  const results = new Map()

  for (const operation of Object.keys(OPERATIONS)) await checkAnswers(operation, children)

  for (const operation of Object.keys(OPERATIONS)) {
    for (const child of children.values()) await ask(child, operation, WARMUP_MILLISECONDS)

    results.set(
      operation,
      await runRounds(names, scaleRounds(ROUNDS, COMPARED_ROUNDS), async (name) => {
        const { time } = await ask(children.get(name), operation, SAMPLE_MILLISECONDS)

        return time
      })
    )
  }

  for (const child of children.values()) child.disconnect()

  return results
}

async function start(name, size) {
  const { file, ...options } = CONTESTANTS[name]
  const child = fork(toPath('measure-memory.mjs'), [file, String(size), JSON.stringify(options)])

  await once(child, 'message')

  return child
}

/** Who finds other records does not do the same job. */
async function checkAnswers(operation, children) {
  const { answer: expected } = await ask(children.get(names[0]), operation)

  for (const [name, child] of children) {
    if (name === names[0]) continue

    const { answer } = await ask(child, operation)

    if (answer !== undefined) assert.deepEqual(answer, expected, `${name}: ${operation}`)
  }
}

async function ask(child, name, milliseconds) {
  child.send({ name, milliseconds })

  const [reply] = await once(child, 'message')

  return reply
}

function toFigures(results) {
  return Object.fromEntries(
    [...results].flatMap(([operation, rounds]) =>
      names.map((name) => [`${name}: ${operation}`, median(rounds.get(name))])
    )
  )
}

function printOperations(title, results, toValues) {
  const rows = [...results].map(([operation, rounds]) => [
    operation,
    ...names.map((name) => formatCell(toValues(rounds.get(name), rounds.get(BASELINE))))
  ])

  printTable(title, ['operation', ...names], rows)
}

/** The exponents of one operation, round by round. */
function toExponents(operation, name) {
  const times = SIZES.map((size) => sizes.get(size).get(operation).get(name))

  return times[0].map((_, round) =>
    fitSlope(
      SIZES.map(Math.log),
      times.map((rounds) => Math.log(rounds[round]))
    )
  )
}

/** A dash for what a contestant does not do. */
function formatCell(values, digits) {
  return values?.every(Number.isFinite) ? formatSpread(values, digits ?? toDigits(median(values))) : '–'
}

/** Two or three figures are enough, whatever the size. */
function toDigits(value) {
  return value < 10 ? 2 : value < 100 ? 1 : 0
}
