// Sockets: what a server spends on an event that many connections hear, and on a call of a method.
import assert from 'node:assert/strict'
import { askUsage, withServer } from './http.mjs'
import {
  chooseContestants,
  divide,
  formatSpread,
  IS_COMPARED,
  printTable,
  reportFigures,
  runRounds,
  scaleRounds
} from './lib.mjs'
import { toId, toRoom } from './messages.mjs'
import { connectAll, openStream } from './sockets.mjs'

const ROUNDS = 3
/** How many connections hear of each event. */
const LISTENERS = 1000
const EVENTS = 200
/** How many connections call methods, each the next one as soon as the one before is answered. */
const CALLERS = 32
const CALLS = 10_000
/** How often that many calls are made before those that count. */
const WARMUP_ROUNDS = 3

const BASELINE = 'socket-feathers'
const SERVERS = {
  'socket-by-hand': 'Socket.IO by hand',
  'socket-feathers': 'Feathers v5',
  'socket-alula': 'alula',
  'sse-alula': 'alula, Server-Sent Events'
}
/** Its events go to streams; what is called is called over sockets. */
const STREAMS = 'sse-alula'
const COLUMNS = {
  fanOut: `event to ${LISTENERS} connections`,
  get: 'get',
  create: `create, ${CALLERS} hear of it`
}

const names = chooseContestants(Object.keys(SERVERS), ['socket-alula'])
const results = await runRounds(names, scaleRounds(ROUNDS), (name) =>
  withServer({ name }, async (client) => ({
    // First those that nobody else listens to.
    ...(await measureCalls(client)),
    fanOut: await measureFanOut(client, name === STREAMS ? openStream : undefined)
  }))
)

if (IS_COMPARED) reportFigures(toFigures(results.get('socket-alula')))
else printResults()

function toFigures([round]) {
  return Object.fromEntries(Object.entries(COLUMNS).map(([column, label]) => [label, round[column].cpu]))
}

function printResults() {
  print('CPU time of the server, µs per call, and per event and connection', ({ cpu }) => cpu, 2)
  print('Calls per second, and messages per second to all connections', ({ perSecond }) => perSecond, 0)
  printTable(
    `CPU time as a ratio to ${SERVERS[BASELINE]}; 2.00 is half of it`,
    ['server', ...Object.values(COLUMNS)],
    [...results].map(([name, rounds]) => [
      SERVERS[name],
      ...Object.keys(COLUMNS).map((column) =>
        formatSpread(
          divide(
            results.get(BASELINE).map((round) => round[column].cpu),
            rounds.map((round) => round[column].cpu)
          ),
          2
        )
      )
    ])
  )
}

function print(title, pick, digits) {
  printTable(
    title,
    ['server', ...Object.values(COLUMNS)],
    [...results].map(([name, rounds]) => [
      SERVERS[name],
      ...Object.keys(COLUMNS).map((column) =>
        formatSpread(
          rounds.map((round) => pick(round[column])),
          digits
        )
      )
    ])
  )
}

async function measureCalls(client) {
  const callers = await connectAll(client.port, CALLERS)
  const get = (caller, index) => caller.call('get', 'messages', toId(index), {})
  const create = (caller, index) =>
    caller.call('create', 'messages', { room: toRoom(index), text: `Hello ${index}`, likes: 0 }, {})

  assert.equal((await get(callers[0], 7)).id, toId(7))

  const measured = {}

  for (const [name, call] of Object.entries({ get, create })) {
    const run = () => callAll(callers, call)

    for (let round = 0; round < WARMUP_ROUNDS; round++) await run()
    measured[name] = await measure(client, run, CALLS)
  }

  for (const caller of callers) caller.close()

  return measured
}

async function callAll(callers, call) {
  let next = 0

  await Promise.all(
    callers.map(async (caller) => {
      while (next < CALLS) await call(caller, next++)
    })
  )
}

async function measureFanOut(client, connect) {
  const [caller] = await connectAll(client.port, 1)
  const listeners = [caller, ...(await connectAll(client.port, LISTENERS - 1, connect))]
  const run = () => sendEvents(caller, listeners)

  await run()

  const measured = await measure(client, run, EVENTS * LISTENERS)

  for (const listener of listeners) listener.close()

  return measured
}

/** One event after the other, each when all have heard the one before. */
async function sendEvents(caller, listeners) {
  for (let index = 0; index < EVENTS; index++) {
    const heard = new Promise((resolve) => {
      let missing = listeners.length

      for (const listener of listeners) {
        listener.onEvent = () => {
          if (--missing === 0) resolve()
        }
      }
    })

    await caller.call('create', 'messages', { room: toRoom(index), text: `Hello ${index}`, likes: 0 }, {})
    await heard
  }
}

async function measure(client, run, amount) {
  const { cpu: before } = await askUsage(client)
  const start = performance.now()

  await run()

  const seconds = (performance.now() - start) / 1000
  const { cpu } = await askUsage(client)

  return { cpu: (cpu - before) / amount, perSecond: amount / seconds }
}
