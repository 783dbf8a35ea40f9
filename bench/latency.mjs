// How long a GET takes on a server that is busy, but not more than busy.
import { load, pickServers, withServer } from './http.mjs'
import { formatSpread, printTable, runRounds, scaleRounds, toPercentile } from './lib.mjs'
import { toRequests } from './messages.mjs'
import { sendAtRate } from './pace.mjs'

const ROUNDS = 2
const SECONDS = 1.5
/** Of the peak: nothing answers quickly at the peak itself. */
const SHARE = 0.7
const WARMUP_REQUESTS = 4000
const PEAK_REQUESTS = 3000

const SERVERS = pickServers('by-hand', 'fastify', 'alula-mounted', 'alula-listen', 'alula-node')
const BASELINE = 'by-hand'

const toRequest = toRequests()['get by id']

const peak = await withServer({ name: BASELINE }, measurePeak)

const results = await runRounds(Object.keys(SERVERS), scaleRounds(ROUNDS), (name) =>
  withServer({ name }, async (client) => {
    const ownPeak = await measurePeak(client)

    return { same: await measureAt(client, peak * SHARE), own: await measureAt(client, ownPeak * SHARE) }
  })
)

print(`GET by id, each at ${Math.round(peak * SHARE)} requests per second, ms`, 'same')
print(`GET by id, each at ${SHARE * 100} % of its own peak, ms`, 'own')

/** How many requests per second a server answers when it gets as many as it can take. */
async function measurePeak(client) {
  await load(client, toRequest, WARMUP_REQUESTS)

  return load(client, toRequest, PEAK_REQUESTS)
}

async function measureAt(client, rate) {
  const durations = await sendAtRate(client, toRequest, { rate, seconds: SECONDS })

  return {
    rate,
    p50: toPercentile(durations, 0.5),
    p99: toPercentile(durations, 0.99),
    slowest: toPercentile(durations, 1)
  }
}

function print(title, load) {
  const columns = { rate: 0, p50: 2, p99: 2, slowest: 1 }

  printTable(
    title,
    ['server', 'requests per second', 'p50', 'p99', 'slowest'],
    [...results].map(([name, rounds]) => [
      SERVERS[name],
      ...Object.entries(columns).map(([figure, digits]) =>
        formatSpread(
          rounds.map((round) => round[load][figure]),
          digits
        )
      )
    ])
  )
}
