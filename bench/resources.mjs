// What a server takes besides the CPU time of requests: memory, time to start, room on the disk.
import { readFileSync } from 'node:fs'
import { askUsage, load, pickServers, sendAndRead, withServer } from './http.mjs'
import { measureInstall, measureInstallOfAlula } from './install.mjs'
import { divide, formatSpread, printTable, runRounds, scaleRounds, toPath } from './lib.mjs'
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

const FEATHERS = ['feathers', 'express', 'authentication', 'authentication-local', 'memory', 'errors'].map(
  (name) => `@feathersjs/${name}`
)

/** What is installed for an application with REST, authentication and records in memory. */
const INSTALLS = {
  'Express 5 by hand': () => measureInstall(pickVersions(['express', 'jsonwebtoken', 'bcryptjs'])),
  'Feathers v5': () => measureInstall(pickVersions(FEATHERS)),
  alula: measureInstallOfAlula
}

await compareMemory()
await compareStarts()
await compareInstalls()

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

async function compareInstalls() {
  const rows = []

  try {
    for (const [name, measure] of Object.entries(INSTALLS)) {
      const { packages, bytes } = await measure()

      rows.push([name, String(packages), (bytes / MEGABYTE).toFixed(1)])
    }
  } catch ({ message }) {
    const [reason] = /^npm error .*/m.exec(message) ?? [message]

    console.log(`\nnpm did not install the packages, so what they take on the disk is left out: ${reason}`)
    return
  }

  printTable('Installed for production', ['application', 'packages', 'MB'], rows)
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

/** The versions that the other benchmarks run with. */
function pickVersions(names) {
  const { packages } = JSON.parse(readFileSync(toPath('package-lock.json'), 'utf8'))

  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`].version]))
}
