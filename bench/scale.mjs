// Many connections over two processes with one Redis: what a connection takes, how many events are delivered, how long an
// event takes to its clients, and what happens when a process is killed. 10,000 connections; BENCH_SCALE changes that.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { chooseContestants, printTable, SCALE, toPath, toPercentile } from './lib.mjs'
import { SocketListener, StreamListener } from './listeners.mjs'

const CONNECTIONS = Math.ceil(10_000 * SCALE)
const WARMUP_CONNECTIONS = 200
/** How many are made at a time. */
const AT_ONCE = 100
/** How many connections a process of alula admits in a second; otherwise the bench would wait for its default of 100. */
const CONNECTION_RATE = 1000
/** Events of which the time is measured: so seldom that a third of a processor has them. */
const TIMED_EVENTS = 20
const DELIVERIES_PER_SECOND = 10_000
/** Events that are written at once. */
const BURST = Math.min(500, Math.max(20, Math.ceil(100_000 / CONNECTIONS)))
/** In milliseconds, between events, so that clients keep up; while a process is away not more than ten a second. */
const INTERVAL = (CONNECTIONS / DELIVERIES_PER_SECOND) * 1000
const RESTART_INTERVAL = Math.max(100, INTERVAL)
const MAX_RETURN = 90_000

const CONTESTANTS = {
  'by-hand': { label: 'Socket.IO by hand', server: 'scale-by-hand', Client: SocketListener },
  feathers: { label: 'Feathers v5, feathers-sync', server: 'scale-feathers', Client: SocketListener },
  alula: { label: 'alula, Socket.IO', server: 'scale-alula', Client: SocketListener },
  'alula-events': { label: 'alula, Server-Sent Events', server: 'scale-alula', Client: StreamListener }
}
const chosen = process.argv.slice(2)
const names = chooseContestants(Object.keys(CONTESTANTS), ['alula', 'alula-events'])
const results = []

for (const name of names.filter((name) => chosen.length === 0 || chosen.includes(name))) {
  const { label } = CONTESTANTS[name]

  results.push([label, await measure(CONTESTANTS[name])])
  // It takes a while.
  console.error(label, JSON.stringify(results.at(-1)[1]))
}

printTable(
  `${CONNECTIONS} connections to two processes`,
  [
    '',
    'kB per connection',
    'connections per GB',
    'deliveries per second',
    'of it the script',
    'p99, ms',
    'script'
  ],
  results.map(([label, { memory, burst, paced }]) => [
    label,
    (memory / 1e3).toFixed(1),
    Math.floor(1e9 / memory).toString(),
    Math.round(burst.perSecond).toString(),
    toShare(burst.share),
    paced.p99.toFixed(0),
    toShare(paced.share)
  ])
)
printTable(
  'One process is killed and started again, while events are written',
  ['', 'listens again after, s', 'all are back after, s', 'events', 'deliveries lost', 'of'],
  results.map(([label, { restart }]) => [
    label,
    (restart.listening / 1000).toFixed(1),
    restart.back === undefined ? `not in ${MAX_RETURN / 1000}` : (restart.back / 1000).toFixed(1),
    restart.events.toString(),
    restart.lost.toString(),
    restart.expected.toString()
  ])
)
console.log(`
A connection is what the memory of both processes has grown by. The share of the script is its CPU time in the time that was
measured: close to 100 % it is what limits. alula admits ${CONNECTION_RATE} connections a second and process here.`)
process.exit()

async function measure({ server, Client }) {
  const redis = await startRedis()
  const env = { ...process.env, NODE_ENV: 'production', REDIS_URL: redis.url, CONNECTION_RATE }
  const servers = [await startServer(server, env), await startServer(server, env)]
  const hearing = { hear: () => {} }

  // What the first ones take besides.
  for (const client of await connectAll(servers, Client, WARMUP_CONNECTIONS)) client.close()
  await pause(1000)

  const before = await askMemory(servers)
  const clients = await connectAll(servers, Client, CONNECTIONS, (n) => hearing.hear(n))
  const caller = new SocketListener(servers[0].port, () => {})

  await caller.start()

  const memory = ((await askMemory(servers)) - before) / clients.length
  const run = {
    clients,
    hearing,
    next: 0,
    write: (n) => caller.call('create', 'messages', { n, text: 'Hello' }, {})
  }

  await measureBurst(run, 3)

  const paced = await measurePaced(run)
  const burst = await measureBurst(run, BURST)
  const restart = await measureRestart(run, servers, () => startServer(server, env, servers[1].port))

  for (const client of [...clients, caller]) client.close()
  for (const { child } of servers) child.kill('SIGKILL')
  redis.child.kill('SIGKILL')

  return { memory, paced, burst, restart }
}

/** One event after the other, each when its time has come: how long until a client has it. */
async function measurePaced(run) {
  const times = []
  const measured = measureShare()

  for (let count = 0; count < TIMED_EVENTS; count++) {
    const start = performance.now()
    const heard = hearAll(run, 1, () => times.push(performance.now() - start))

    run.write(run.next++)
    await Promise.all([heard, pause(Math.max(20, INTERVAL))])
  }

  return { p99: toPercentile(times, 0.99), ...measured() }
}

/** Events that are written at once. */
async function measureBurst(run, amount) {
  const measured = measureShare()
  const start = performance.now()
  const heard = hearAll(run, amount)

  for (let count = 0; count < amount; count++) run.write(run.next++)
  await heard

  return { perSecond: (amount * run.clients.length * 1000) / (performance.now() - start), ...measured() }
}

async function measureRestart(run, servers, startAgain) {
  const { clients } = run
  const first = run.next
  let isOver = false
  const writing = (async () => {
    while (!isOver) {
      await run.write(run.next++)
      await pause(RESTART_INTERVAL)
    }
  })()

  await pause(500)

  const start = performance.now()

  servers[1].child.kill('SIGKILL')
  await once(servers[1].child, 'exit')
  servers[1] = await startAgain()

  const listening = performance.now() - start
  const isBack = await waitUntil(() => clients.every(({ isConnected }) => isConnected), MAX_RETURN)
  const back = isBack ? performance.now() - start : undefined

  isOver = true
  await writing
  await waitUntil(() => countLost(clients, first, run.next) === 0, 5000)

  const events = run.next - first

  return {
    listening,
    back,
    events,
    lost: countLost(clients, first, run.next),
    expected: events * clients.length
  }
}

function countLost(clients, from, to) {
  let lost = 0

  for (const client of clients) for (let n = from; n < to; n++) if (!client.has(n)) lost++

  return lost
}

/** Resolves when all clients have heard of so many further events. */
function hearAll({ hearing, clients }, amount, onEach = () => {}) {
  let missing = amount * clients.length

  return new Promise((resolve) => {
    hearing.hear = () => {
      onEach()
      if (--missing === 0) resolve()
    }
  })
}

/** The share of a processor that the script takes until it is asked. */
function measureShare() {
  const [start, before] = [performance.now(), process.cpuUsage()]

  return () => {
    const { user, system } = process.cpuUsage(before)

    return { share: (user + system) / 1000 / (performance.now() - start) }
  }
}

async function connectAll(servers, Client, amount, hear = () => {}) {
  const clients = []

  while (clients.length < amount) {
    const next = servers.flatMap(({ port }) =>
      Array.from(
        { length: Math.ceil(Math.min(AT_ONCE, amount - clients.length) / 2) },
        () => new Client(port, hear)
      )
    )

    await Promise.all(next.map((client) => client.start()))
    clients.push(...next)
  }

  return clients
}

async function startServer(name, env, port = undefined) {
  const chosen = port ?? (await findPort())
  const child = fork(toPath('serve.mjs'), [name], {
    env: { ...env, PORT: chosen },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc']
  })

  await once(child, 'message')

  return { child, port: chosen }
}

async function askMemory(servers) {
  let bytes = 0

  for (const { child } of servers) {
    child.send('usage')
    bytes += (await once(child, 'message'))[0].rss
  }

  return bytes
}

async function startRedis() {
  const port = await findPort()
  const child = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', ''])

  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Ready to accept connections')) break
  }

  child.stdout.resume()

  return { child, url: `redis://127.0.0.1:${port}` }
}

async function findPort() {
  const server = createServer().listen(0, '127.0.0.1')

  await once(server, 'listening')

  const { port } = server.address()

  server.close()

  return port
}

async function waitUntil(holds, limit) {
  const end = performance.now() + limit

  while (!holds()) {
    if (performance.now() > end) return false
    await pause(50)
  }

  return true
}

function pause(time) {
  return new Promise((resolve) => setTimeout(resolve, time))
}

function toShare(share) {
  return `${(share * 100).toFixed(0)} %`
}
