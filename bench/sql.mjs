// Records in a table: what a call of the service costs this process, on SQLite in memory and on a PostgreSQL server.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  chooseContestants,
  divide,
  formatSpread,
  IS_COMPARED,
  median,
  printTable,
  reportFigures,
  runRounds,
  scaleRounds,
  toPath
} from './lib.mjs'
import { OPERATIONS } from './sql-records.mjs'

const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
const ROUNDS = 15
const COMPARED_ROUNDS = 5
/** In CPU time. */
const SAMPLE_MILLISECONDS = 100
/** In CPU time. */
const WARMUP_MILLISECONDS = 1000

const BASELINE = 'Kysely by hand'

/** The contestants, each with its file in `tables/`. */
const CONTESTANTS = { [BASELINE]: 'kysely', alula: 'alula', '@feathersjs/knex': 'knex' }

const names = chooseContestants(Object.keys(CONTESTANTS), ['alula'])

for (const [title, database] of Object.entries({ SQLite: 'sqlite', PostgreSQL: POSTGRES_URL })) {
  const reason = await findReason(database)

  if (reason === undefined) printResults(title, await measureDatabase(database))
  else console.log(`\n${title} is left out: ${reason}`)
}

/** Why a database cannot be measured here, if it cannot. */
async function findReason(database) {
  try {
    if (database === 'sqlite') {
      await import('libsql')
    } else {
      const { default: pg } = await import('pg')
      const client = new pg.Client({ connectionString: database })

      await client.connect()
      await client.end()
    }
  } catch (error) {
    return error.message
  }
}

/** The times of all contestants by operation, each in a process of its own that is alive all the while. */
async function measureDatabase(database) {
  const children = new Map()
  const results = new Map()

  for (const name of names) children.set(name, await start(name, database))

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

/** Who finds or makes other records does not do the same job. */
async function checkAnswers(operation, children) {
  const { answer: expected } = await ask(children.get(names[0]), operation)

  for (const [name, child] of children) {
    if (name === names[0]) continue

    const { answer } = await ask(child, operation)

    assert.deepEqual(answer, expected, `${name}: ${operation}`)
  }
}

async function start(name, database) {
  const file = CONTESTANTS[name]
  const child = fork(toPath('measure-sql.mjs'), [file, database, `alula_bench_${file}`])

  await once(child, 'message')

  return child
}

async function ask(child, operation, milliseconds) {
  child.send({ operation, milliseconds })

  const [reply] = await once(child, 'message')

  return reply
}

function printResults(title, results) {
  if (IS_COMPARED) {
    for (const [operation, rounds] of results) {
      reportFigures({ [`${title}: ${operation}`]: median(rounds.get('alula')) })
    }

    return
  }

  printTable(
    `${title}, µs of CPU time of the process per call`,
    ['operation', ...names],
    [...results].map(([operation, rounds]) => [
      operation,
      ...names.map((name) => formatSpread(rounds.get(name), median(rounds.get(name)) < 100 ? 1 : 0))
    ])
  )
  printTable(
    `${title}, CPU time as a multiple of ${BASELINE}; 2.00 is twice as much`,
    ['operation', ...names],
    [...results].map(([operation, rounds]) => [
      operation,
      ...names.map((name) => formatSpread(divide(rounds.get(name), rounds.get(BASELINE)), 2))
    ])
  )
}
