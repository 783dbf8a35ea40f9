// Does memory grow on a server that runs for long? Mixed load for minutes, during which no record is left over.
import { setTimeout as pause } from 'node:timers/promises'
import { askUsage, CONNECTIONS, load, mix, pickServers, withServer } from './http.mjs'
import { fitSlope, printTable, scaleRounds } from './lib.mjs'
import { toRequests } from './messages.mjs'

/** With fewer, the second half has no slope. */
const FEWEST_SAMPLES = 4
const SAMPLES = Math.max(scaleRounds(20), FEWEST_SAMPLES)
const SAMPLE_SECONDS = 15
const MEGABYTE = 1e6

const SERVERS = pickServers('alula-listen', 'alula-node', 'feathers')

const { toRequest, length } = mix(toRequests())
/** In so many requests every connection gets to the end of the sequence: none of them leaves a record behind. */
const UNIT = length * CONNECTIONS
const WARMUP_REQUESTS = 50 * UNIT

const slopes = []

for (const [name, label] of Object.entries(SERVERS)) {
  const samples = await withServer({ name, execArgv: ['--expose-gc'] }, takeSamples)

  printTable(
    `${label}: the server after so many requests and a forced garbage collection`,
    ['requests', 'RSS, MB', 'heap in use, MB'],
    samples.map(({ requests, rss, heapUsed }) => [
      String(requests),
      (rss / MEGABYTE).toFixed(1),
      (heapUsed / MEGABYTE).toFixed(2)
    ])
  )
  slopes.push([label, toGrowth(samples).toFixed(1)])
}

printTable('How the heap grows in the second half, kB per 100,000 requests', ['server', 'growth'], slopes)

async function takeSamples(client) {
  await load(client, toRequest, WARMUP_REQUESTS)

  const perSecond = await load(client, toRequest, WARMUP_REQUESTS)
  const amount = Math.max(1, Math.round((perSecond * SAMPLE_SECONDS) / UNIT)) * UNIT
  const samples = []

  for (let sample = 1; sample <= SAMPLES; sample++) {
    await load(client, toRequest, amount)
    // The connections are closed, of which the server has to hear.
    await pause(500)
    samples.push({ requests: sample * amount, ...(await askUsage(client)) })
  }

  return samples
}

/** By least squares. */
function toGrowth(samples) {
  const half = samples.slice(Math.floor(samples.length / 2))
  const slope = fitSlope(
    half.map(({ requests }) => requests),
    half.map(({ heapUsed }) => heapUsed)
  )

  return (slope * 100_000) / 1000
}
