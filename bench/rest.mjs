// REST over HTTP: the CPU time that a server spends on a request, against an Express 5 app written by hand.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as sendRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import { divide, formatSpread, printTable, runRounds, scaleRounds, toPath } from './lib.mjs'
import { COUNT, toRoom } from './messages.mjs'

const ROUNDS = 7
const CONNECTIONS = 32
const REQUESTS = 4000
/** For each operation, before any is measured: a server that runs for long has seen all of them. */
const WARMUP_REQUESTS = 2000

const BASELINE = 'by-hand'

/** The files in `servers/`, and what they are called in a table. */
const SERVERS = {
  [BASELINE]: 'Express 5 by hand',
  feathers: 'Feathers v5',
  'alula-mounted': 'alula, toMiddleware in Express 5',
  'alula-listen': 'alula, app.listen()'
}

const OPERATIONS = {
  'get by id': (index) => ({ method: 'GET', path: `/messages/${toId(index)}` }),
  'find 10': (index) => ({ method: 'GET', path: `/messages?room=${toRoom(index)}&$limit=10` }),
  create: (index) => ({
    method: 'POST',
    path: '/messages',
    body: JSON.stringify({ room: toRoom(index), text: `Hello ${index}` })
  }),
  patch: (index) => ({
    method: 'PATCH',
    path: `/messages/${toId(index)}`,
    body: JSON.stringify({ text: `Changed ${index}` })
  })
}

/** What the first server answered; the others have to answer the same, or they do not do the same job. */
let expectedAnswers

const results = await runRounds(Object.keys(SERVERS), scaleRounds(ROUNDS), measure)

printResults('CPU time of the server, µs per request', (rounds) =>
  pickEach(rounds, ({ cpu }) => cpu).map((values) => formatSpread(values, 0))
)
printResults('The same as a ratio to Express 5 by hand; 2.00 is half the CPU time', (rounds) => {
  const baseline = pickEach(results.get(BASELINE), ({ cpu }) => cpu)

  return pickEach(rounds, ({ cpu }) => cpu).map((values, column) =>
    formatSpread(divide(baseline[column], values), 2)
  )
})
printResults('Requests per second; client and server share the machine', (rounds) =>
  pickEach(rounds, ({ perSecond }) => perSecond).map((values) => formatSpread(values, 0))
)

/** Measures all operations on a fresh process of one server. */
async function measure(name) {
  const child = fork(toPath('serve.mjs'), [name], {
    // As servers run; Express, for one, is another program without it.
    env: { ...process.env, NODE_ENV: 'production' }
  })
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

  try {
    const [port] = await once(child, 'message')
    const client = { agent, port }
    const measured = {}

    await checkAnswers(client)
    for (const toRequest of Object.values(OPERATIONS)) await load(client, toRequest, WARMUP_REQUESTS)

    for (const [operation, toRequest] of Object.entries(OPERATIONS)) {
      const cpuBefore = await askCpu(child)
      const start = performance.now()

      await load(client, toRequest, REQUESTS)

      const seconds = (performance.now() - start) / 1000
      const cpu = (await askCpu(child)) - cpuBefore

      measured[operation] = { cpu: cpu / REQUESTS, perSecond: REQUESTS / seconds }
    }

    return measured
  } finally {
    agent.destroy()
    child.disconnect()
    await once(child, 'exit')
  }
}

async function checkAnswers(client) {
  const answers = []

  for (const toRequest of Object.values(OPERATIONS)) {
    const response = await send(client, toRequest(0))

    answers.push({ status: response.statusCode, body: JSON.parse(await text(response)) })
  }

  expectedAnswers ??= answers
  assert.deepEqual(answers, expectedAnswers)
}

/** Sends requests over all connections at once, on each as soon as the one before is answered. */
async function load(client, toRequest, count) {
  let sent = 0

  async function work() {
    while (sent < count) {
      const response = await send(client, toRequest(sent++))

      assert(response.statusCode < 300, `Unexpected status ${response.statusCode}`)
      response.resume()
      await once(response, 'end')
    }
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, work))
}

async function send({ agent, port }, { method, path, body }) {
  const headers =
    body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': body.length }
  const request = sendRequest({ agent, port, method, path, headers })

  request.end(body)

  const [response] = await once(request, 'response')

  return response
}

async function askCpu(child) {
  child.send('cpu')

  const [cpu] = await once(child, 'message')

  return cpu
}

function printResults(title, toCells) {
  const rows = [...results].map(([name, rounds]) => [SERVERS[name], ...toCells(rounds)])

  printTable(title, ['server', ...Object.keys(OPERATIONS)], rows)
}

/** One figure of every round, by operation. */
function pickEach(rounds, pick) {
  return Object.keys(OPERATIONS).map((operation) => rounds.map((round) => pick(round[operation])))
}

function toId(index) {
  return 1 + (index % COUNT)
}
