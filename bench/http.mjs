// What the benchmarks of servers share: a process for each server, clients, and the CPU time between two moments.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as sendRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import autocannon from 'autocannon'
import {
  divide,
  formatSpread,
  IS_COMPARED,
  printTable,
  reportFigures,
  runRounds,
  scaleRounds,
  toMean,
  toPath
} from './lib.mjs'
import { divideTime } from './profile.mjs'

/** How many connections a client keeps that sends all it can. */
export const CONNECTIONS = 32

/** After how many milliseconds a connection without a request is closed: before a server closes it, after 5 seconds. */
const IDLE_TIME = 2000

const ROUNDS = 7
/** How many requests of an operation are measured: so many that opening the connections for a part hardly counts. */
const REQUESTS = 6000
/** In how many parts the requests of an operation are measured: the operations take turns. */
const PARTS = 3
/** How often each connection does all operations in turns before something is measured. */
const TURNS = 200
/** How many different requests there are; they come again and again. A multiple of the operations in {@link mix}. */
export const DISTINCT_REQUESTS = 240

/** What the servers with messages are called in tables, by their files in `servers/`. */
const LABELS = {
  'by-hand': 'Express 5 by hand',
  'by-hand-key': 'Express 5 by hand, key made once',
  'node-by-hand': 'node:http by hand',
  fastify: 'Fastify 5',
  'fastify-key': 'Fastify 5, key made once',
  feathers: 'Feathers v5',
  'alula-mounted': 'alula, toMiddleware',
  'alula-mounted-options': 'alula, toMiddleware, serverOptions',
  'alula-listen': 'alula, app.listen()',
  'alula-stack': 'alula, app.listen(), middleware',
  'alula-node': 'alula, toListener',
  'koa-by-hand': 'Koa 3 by hand',
  'feathers-koa': 'Feathers v5, Koa',
  'alula-koa': 'alula, Koa'
}

/** The labels of some of the servers with messages, by their files, in the order in which they are named. */
export function pickServers(...names) {
  return Object.fromEntries(names.map((name) => [name, LABELS[name]]))
}

/**
 * Measures what servers spend on requests, and prints it. All have to give the same answers. Each process serves all
 * operations in turns first, as one that runs for long, and then a part of each operation after the other, until all
 * parts are done: whatever comes first would pay for the change from all operations to one. Arguments of the program
 * choose servers: `rest by-hand alula-node`. Where two builds are compared, the servers are those of alula.
 *
 * @param {object} comparison
 * @param {Record<string, string>} comparison.servers What servers are called in a table, by their files in `servers/`;
 * the others are compared with the first
 * @param {readonly string[]} comparison.compared Which of them are measured when two builds are compared
 * @param {Record<string, (index: number) => ClientRequest>} comparison.operations The requests, by name
 * @param {number} [comparison.rounds] How many processes there are of each server, before they are scaled
 * @param {number} [comparison.count] How many records there are
 * @param {number} [comparison.turns] How often each connection does all operations in turns before something is measured
 * @param {Record<string, number>} [comparison.amounts] How many requests are measured of an operation, where it is not
 * as many as of the others
 * @param {number} [comparison.connections] How many connections the client keeps
 */
export async function compareServers({
  servers: allServers,
  compared,
  operations,
  rounds = ROUNDS,
  count,
  turns = TURNS,
  amounts = {},
  connections = CONNECTIONS
}) {
  const servers = chooseServers(allServers, compared)
  const [baseline] = Object.keys(servers)
  const columns = Object.keys(operations)
  const mixed = mix(operations)
  /** What the first server answered; the others have to answer the same, or they do not do the same job. */
  let expectedAnswers

  const results = await runRounds(Object.keys(servers), scaleRounds(rounds), (name) =>
    withServer({ name, count, connections }, async (client) => {
      const measured = Object.fromEntries(columns.map((operation) => [operation, []]))

      await checkAnswers(client)
      await load(client, mixed.toRequest, turns * mixed.length * connections)
      for (let part = 0; part < PARTS; part++) {
        for (const operation of columns) {
          const amount = (amounts[operation] ?? REQUESTS) / PARTS
          const created = []

          measured[operation].push(
            await measure(client, toMeasured(operation, operations[operation], created), amount)
          )
          // More records would make the next find slower.
          await Promise.all(
            created.map((id) => sendAndRead(client, { method: 'DELETE', path: `/messages/${id}` }))
          )
        }
      }

      return measured
    })
  )

  if (IS_COMPARED) {
    reportFigures(toFigures())

    return
  }

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

  /** The CPU time of each operation on each server. */
  function toFigures() {
    return Object.fromEntries(
      [...results].flatMap(([name, rounds]) =>
        pickEach(rounds, ({ cpu }) => cpu).map(([cpu], column) => [
          `${servers[name]}: ${columns[column]}`,
          cpu
        ])
      )
    )
  }

  function printResults(title, toCells) {
    const rows = [...results].map(([name, rounds]) => [servers[name], ...toCells(rounds)])

    printTable(title, ['server', ...columns], rows)
  }

  /** One figure of every round, by operation: the mean of the parts. */
  function pickEach(rounds, pick) {
    return columns.map((operation) => rounds.map((round) => toMean(round[operation].map(pick))))
  }
}

/**
 * Profiles servers while they serve one operation after the other, and prints what each part of them costs.
 *
 * @param {object} comparison
 * @param {readonly string[]} comparison.servers Their files in `servers/`
 * @param {Record<string, (index: number) => ClientRequest>} comparison.operations The requests, by name
 * @param {number} [comparison.count] How many records there are
 */
export async function compareParts({ servers, operations, count }) {
  for (const name of servers) {
    const columns = await withServer({ name, count }, (client) => profileOperations(client, operations))
    const totals = sumParts(columns)
    const parts = Object.keys(totals).sort((a, b) => totals[b] - totals[a])
    const rows = parts.map((part) => [part, ...columns.map((column) => (column[part] ?? 0).toFixed(1))])
    const sums = columns.map((column) => Object.values(column).reduce((sum, value) => sum + value, 0))

    printTable(
      `${LABELS[name] ?? name}: CPU time of the server, µs per request, by part`,
      ['part', ...Object.keys(operations)],
      [...rows, ['all', ...sums.map((sum) => sum.toFixed(1))]]
    )
  }
}

/** The microseconds of each part, for each operation. */
async function profileOperations(client, operations) {
  const mixed = mix(operations)
  const columns = []

  await load(client, mixed.toRequest, TURNS * mixed.length * client.connections)
  for (const [name, toRequest] of Object.entries(operations)) {
    const created = []

    await ask(client, 'profile')

    const { cpu } = await measure(client, toMeasured(name, toRequest, created), REQUESTS)

    columns.push(divideTime(cpu, await ask(client, 'endProfile')))
    await Promise.all(created.map((id) => sendAndRead(client, { method: 'DELETE', path: `/messages/${id}` })))
  }

  return columns
}

function sumParts(columns) {
  const totals = {}

  for (const column of columns) {
    for (const [part, value] of Object.entries(column)) totals[part] = (totals[part] ?? 0) + value
  }

  return totals
}

/** The servers that the arguments of the program name, or all; where two builds are compared, those for it. */
function chooseServers(servers, compared) {
  const args = process.argv.slice(2)
  const names = IS_COMPARED && args.length === 0 ? compared : args

  for (const name of names) {
    if (!(name in servers)) {
      throw new Error(`Unknown server '${name}': expected some of ${Object.keys(servers).join(', ')}`)
    }
  }

  return names.length === 0 ? servers : Object.fromEntries(names.map((name) => [name, servers[name]]))
}

/**
 * Requests of all operations in turns. A connection removes what it has created, so that there are no more records
 * after a turn than before.
 *
 * @returns `toRequest` for {@link load}, and the `length` of a turn
 */
export function mix(operations) {
  const sequence = Object.entries(operations).map(([name, toRequest]) =>
    name === 'create' ? (index) => ({ ...toRequest(index), onResponse: keepId }) : toRequest
  )

  if ('create' in operations) sequence.push(() => ({ method: 'DELETE', setupRequest: addId }))

  const { length } = sequence

  return { length, toRequest: (index) => sequence[index % length](Math.floor(index / length)) }
}

/** The same requests, with the ids of what they create in a list. */
function toMeasured(name, toRequest, created) {
  if (name !== 'create') return toRequest

  const onResponse = (_status, body) => void created.push(JSON.parse(body).id)

  return (index) => ({ ...toRequest(index), onResponse })
}

function keepId(_status, body, context) {
  context.id = JSON.parse(body).id
}

function addId(request, context) {
  return { ...request, path: `/messages/${context.id}` }
}

/**
 * Starts a server in a process of its own, and ends it when the work with it is done.
 *
 * @param {object} server
 * @param {string} server.name Its file in `servers/`
 * @param {number} [server.count] How many records it has
 * @param {number} [server.connections] How many connections the client keeps
 * @param {string[]} [server.execArgv] Options for its Node
 * @param {(client: Client) => Promise<T>} work
 * @returns {Promise<T>}
 * @template T
 */
export async function withServer({ name, count, connections = CONNECTIONS, execArgv }, work) {
  const child = fork(toPath('serve.mjs'), count === undefined ? [name] : [name, String(count)], {
    execArgv,
    // As servers run; Express, for one, is another program without it.
    env: { ...process.env, NODE_ENV: 'production' }
  })
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: IDLE_TIME })

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
 * @param {Client} client
 * @param {(index: number) => ClientRequest} toRequest Each connection begins with the first, and after some comes again
 * to it; what it returns may have `setupRequest` and `onResponse`, which `autocannon` calls
 * @param {number} amount How many
 * @returns {Promise<number>} How many were answered per second
 */
export async function load({ port, connections }, toRequest, amount) {
  const requests = Array.from({ length: DISTINCT_REQUESTS }, (_, index) => toLoadRequest(toRequest(index)))
  const run = autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    amount,
    // In seconds. A request of `large` takes long on a busy machine.
    timeout: 60,
    // As the option `requests` they would be cloned deeply for each connection, which takes long.
    setupClient: (connection) => connection.setRequests(requests.map((request) => ({ ...request }))),
    // Only then it sees that all are answered; a second is the default.
    sampleInt: 20
  })
  let start
  let end

  // It makes the text of all requests for each connection first, which is no time of the server.
  run.once('start', () => {
    start = performance.now()
  })
  run.on('response', () => {
    end = performance.now()
  })

  const { non2xx, errors, timeouts } = await run

  assert.equal(non2xx + errors + timeouts, 0, 'Unexpected answers')

  return (amount / (end - start)) * 1000
}

/**
 * What a server has used until now: CPU time in microseconds, and in bytes the memory of the process and what of it is
 * in use for objects. When the server was started with `--expose-gc`, the garbage is collected before. `delay` is for how long its
 * event loop was busy at most since {@link watchDelay}, in milliseconds.
 */
export function askUsage(client) {
  return ask(client, 'usage')
}

async function ask({ child }, question) {
  child.send(question)

  const [answer] = await once(child, 'message')

  return answer
}

/** Has a server measure for how long its event loop is busy. */
export function watchDelay({ child }) {
  child.send('watch')
}

async function measure(client, toRequest, amount) {
  const { cpu: cpuBefore } = await askUsage(client)
  const perSecond = await load(client, toRequest, amount)
  const { cpu } = await askUsage(client)

  return { cpu: (cpu - cpuBefore) / amount, perSecond }
}

function toLoadRequest({ body, headers, ...request }) {
  return { ...request, body, headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers } }
}
