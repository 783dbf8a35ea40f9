// What a server takes besides the CPU time of requests: memory, and time to start.
import { askUsage, load, pickServers, sendAndRead, withServer } from './http.mjs'
import { divide, formatSpread, printTable, runRounds, scaleRounds } from './lib.mjs'
import { toRequests } from './messages.mjs'

const SERVERS = pickServers('by-hand', 'fastify', 'feathers', 'alula-listen', 'alula-node')
const BASELINE = 'by-hand'

const MEMORY_ROUNDS = 2
/** In the order in which they come. */
const MEMORY_REQUESTS = { 'get by id': 10_000, patch: 5000, create: 5000 }
const WARMUP_REQUESTS = 1000

const START_ROUNDS = 5
/** For a server that has just started: nothing but the code counts. */
const FEW_RECORDS = 10

const MEGABYTE = 1e6

await compareMemory()
await compareStarts()

async function compareMemory() {
  const results = await runRounds(Object.keys(SERVERS), scaleRounds(MEMORY_ROUNDS), (name) =>
    withServer({ name }, async (client) => {
      const requests = Object.entries(toRequests()).filter(([operation]) => operation in MEMORY_REQUESTS)

      for (const [, toRequest] of requests) await load(client, toRequest, WARMUP_REQUESTS)
      for (const [operation, toRequest] of requests) await load(client, toRequest, MEMORY_REQUESTS[operation])

      const { rss } = await askUsage(client)

      return { rss: rss / MEGABYTE }
    })
  )

  printResults('Memory of the process after the load (RSS), MB', results, { rss: 'RSS' })
}

async function compareStarts() {
  const results = await runRounds(Object.keys(SERVERS), scaleRounds(START_ROUNDS), (name) => {
    const start = performance.now()

    return withServer({ name, count: FEW_RECORDS }, async (client) => {
      await sendAndRead(client, { method: 'GET', path: '/messages/1' })

      const time = performance.now() - start
      const { cpu } = await askUsage(client)

      return { time, cpu: cpu / 1000 }
    })
  })

  printResults('From the start of `node` to the first answer, ms', results, { time: 'time', cpu: 'CPU time' })
}

/** Two columns for each figure: itself, and how many times that of the baseline it is. */
function printResults(title, results, figures) {
  const pick = (name, figure) => results.get(name).map((round) => round[figure])

  printTable(
    title,
    ['server', ...Object.values(figures).flatMap((label) => [label, `÷ ${SERVERS[BASELINE]}`])],
    [...results.keys()].map((name) => [
      SERVERS[name],
      ...Object.keys(figures).flatMap((figure) => [
        formatSpread(pick(name, figure), 0),
        formatSpread(divide(pick(name, figure), pick(BASELINE, figure)), 2)
      ])
    ])
  )
}
