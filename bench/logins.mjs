// Many logins at once: how long they take, and how long somebody waits who only wants to read meanwhile.
import { setTimeout as pause } from 'node:timers/promises'
import { toLogin } from './accounts.mjs'
import { pickServers, sendAndRead, withServer } from './http.mjs'
import { formatSpread, printTable, runRounds, scaleRounds, toPercentile } from './lib.mjs'
import { toId } from './messages.mjs'

const ROUNDS = 3
const LOGINS = 40
/** Every so many milliseconds a GET is sent, whether or not those before it are answered. */
const READ_INTERVAL = 10
const WARMUP_REQUESTS = 1000

const SERVERS = pickServers('feathers', 'alula-listen')
const FIGURES = { logins: 'all logins', median: 'GET, median', p99: 'GET, p99', slowest: 'GET, slowest' }

const results = await runRounds(Object.keys(SERVERS), scaleRounds(ROUNDS), (name) =>
  withServer({ name, connections: Number.POSITIVE_INFINITY }, measure)
)

printTable(
  `${LOGINS} logins at once, and a GET every ${READ_INTERVAL} ms until they are done, ms`,
  ['server', ...Object.values(FIGURES)],
  [...results].map(([name, rounds]) => [
    SERVERS[name],
    ...Object.keys(FIGURES).map((figure) => formatSpread(toFigures(rounds, figure), 0))
  ])
)

async function measure(client) {
  // Code is compiled, and the threads that hash are there, as on a server that runs.
  for (let index = 0; index < WARMUP_REQUESTS; index++) await read(client, index)
  await logIn(client, 0)

  const reads = []
  let isRunning = true
  const logins = time(() => Promise.all(Array.from({ length: LOGINS }, (_, index) => logIn(client, index))))
  const end = logins.finally(() => {
    isRunning = false
  })

  while (isRunning) {
    reads.push(time(() => read(client, reads.length)))
    await pause(READ_INTERVAL)
  }

  const waits = await Promise.all(reads)

  return {
    logins: await end,
    median: toPercentile(waits, 0.5),
    p99: toPercentile(waits, 0.99),
    slowest: toPercentile(waits, 1)
  }
}

/** How long something takes, in milliseconds. */
async function time(run) {
  const start = performance.now()

  await run()

  return performance.now() - start
}

function read(client, index) {
  return sendAndRead(client, { method: 'GET', path: `/messages/${toId(index)}` })
}

function logIn(client, index) {
  const body = JSON.stringify(toLogin(index))

  return sendAndRead(client, { method: 'POST', path: '/authentication', body })
}

function toFigures(rounds, figure) {
  return rounds.map((round) => round[figure])
}
