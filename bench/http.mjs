// What the benchmarks of servers share: a process for each server, clients, and the CPU time between two moments.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as sendRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'
import { divide, formatSpread, printTable, runRounds, scaleRounds, toPath } from './lib.mjs'

const ROUNDS = 5
const CONNECTIONS = 32
const REQUESTS = 6000
/** How many different requests there are of an operation; they come again and again. */
const DISTINCT_REQUESTS = 500

/**
 * Measures what servers spend on requests, and prints it. All have to give the same answers.
 *
 * @param {object} comparison
 * @param {string} comparison.baseline The server that the others are compared with
 * @param {Record<string, string>} comparison.servers What servers are called in a table, by their files in `servers/`
 * @param {Record<string, (index: number) => ClientRequest>} comparison.operations The requests, by name
 * @param {number} [comparison.count] How many records there are
 * @param {number} [comparison.requests] How many requests are measured of each operation
 */
export async function compareServers({ baseline, servers, operations, count, requests = REQUESTS }) {
  const columns = Object.keys(operations)
  /** What the first server answered; the others have to answer the same, or they do not do the same job. */
  let expectedAnswers

  const results = await runRounds(Object.keys(servers), scaleRounds(ROUNDS), (name) =>
    withServer({ name, count, connections: CONNECTIONS }, async (client) => {
      const measured = {}

      await checkAnswers(client)
      // A server that runs for long has seen all of them. Few, because some add records.
      for (const toRequest of Object.values(operations)) await load(client, toRequest, requests / 10)
      for (const [operation, toRequest] of Object.entries(operations)) {
        await load(client, toRequest, requests / 2)
        measured[operation] = await measure(client, toRequest, requests)
      }

      return measured
    })
  )

  printResults('CPU time of the server, µs per request', (rounds) =>
    pickEach(rounds, ({ cpu }) => cpu).map((values) => formatSpread(values, 0))
  )
  printResults(`The same as a ratio to ${servers[baseline]}; 2.00 is half the CPU time`, (rounds) => {
    const baselines = pickEach(results.get(baseline), ({ cpu }) => cpu)

    return pickEach(rounds, ({ cpu }) => cpu).map((values, column) =>
      formatSpread(divide(baselines[column], values), 2)
    )
  })
  printResults('Requests per second; client and server share the machine', (rounds) =>
    pickEach(rounds, ({ perSecond }) => perSecond).map((values) => formatSpread(values, 0))
  )

  async function checkAnswers(client) {
    const answers = []

    for (const toRequest of Object.values(operations)) {
      const response = await send(client, toRequest(0))

      answers.push({ status: response.statusCode, body: JSON.parse(await text(response)) })
    }

    expectedAnswers ??= answers
    assert.deepEqual(answers, expectedAnswers)
  }

  function printResults(title, toCells) {
    const rows = [...results].map(([name, rounds]) => [servers[name], ...toCells(rounds)])

    printTable(title, ['server', ...columns], rows)
  }

  /** One figure of every round, by operation. */
  function pickEach(rounds, pick) {
    return columns.map((operation) => rounds.map((round) => pick(round[operation])))
  }
}

/**
 * Starts a server in a process of its own, and ends it when the work with it is done.
 *
 * @param {object} server
 * @param {string} server.name Its file in `servers/`
 * @param {number} [server.count] How many records it has
 * @param {number} server.connections How many connections the client keeps
 * @param {(client: Client) => Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export async function withServer({ name, count, connections }, work) {
  const child = fork(toPath('serve.mjs'), count === undefined ? [name] : [name, String(count)], {
    // As servers run; Express, for one, is another program without it.
    env: { ...process.env, NODE_ENV: 'production' }
  })
  const agent = new Agent({ keepAlive: true, maxSockets: connections })

  try {
    const [port] = await once(child, 'message')

    return await work({ agent, port, child, connections })
  } finally {
    agent.destroy()
    child.disconnect()
    await once(child, 'exit')
  }
}

/** Sends a request; resolves to the response as soon as it begins. */
export async function send({ agent, port }, { method, path, body, headers }) {
  const bodyHeaders =
    body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length }
  const request = sendRequest({ agent, port, method, path, headers: { ...bodyHeaders, ...headers } })

  request.end(body)

  const [response] = await once(request, 'response')

  return response
}

/** Sends a request and reads the answer; fails when it is an error. */
export async function sendAndRead(client, request) {
  const response = await send(client, request)

  assert(response.statusCode < 300, `Unexpected status ${response.statusCode}`)
  response.resume()
  await once(response, 'end')
}

/**
 * Sends requests over all connections at once, on each as soon as the one before is answered.
 *
 * @returns What `autocannon` says of it
 */
export async function load({ port, connections }, toRequest, amount, options) {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    amount,
    requests: Array.from({ length: DISTINCT_REQUESTS }, (_, index) => toLoadRequest(toRequest(index))),
    ...options
  })

  assert.equal(result.non2xx + result.errors + result.timeouts, 0, 'Unexpected answers')

  return result
}

/** What a server has used until now: CPU time in microseconds, and the memory it holds in bytes. */
export async function askUsage({ child }) {
  child.send('usage')

  const [usage] = await once(child, 'message')

  return usage
}

async function measure(client, toRequest, requests) {
  const { cpu: cpuBefore } = await askUsage(client)
  const start = performance.now()

  await load(client, toRequest, requests)

  const seconds = (performance.now() - start) / 1000
  const { cpu } = await askUsage(client)

  return { cpu: (cpu - cpuBefore) / requests, perSecond: requests / seconds }
}

function toLoadRequest({ body, headers, ...request }) {
  return { ...request, body, headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers } }
}
