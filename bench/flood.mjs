// 100,000 wrong logins from 1,000 addresses: of one account, and of as many as there are logins. Meanwhile the owner of an
// account logs in from an address that the account was used from, others read, and the memory is measured.
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { toLogin } from './accounts.mjs'
import { askUsage, send, watchDelay, withServer } from './http.mjs'
import { printTable, SCALE, toPercentile } from './lib.mjs'

const ADDRESSES = 1000
const LOGINS = Math.ceil(100_000 * SCALE)
/** Hashing takes longest: of accounts that nobody has, as many attempts come as fit into this time. */
const SECONDS = Math.ceil(45 * SCALE)

const OWNER = toLogin(0)
const OWN_ADDRESS = '198.51.100.1'
/** In milliseconds. */
const READ_INTERVAL = 50
const LOGIN_INTERVAL = 2000

const FLOODS = {
  'one account': { connections: 64, logins: LOGINS, toName: () => OWNER.email },
  'a name for each login': {
    // More than wait for the thread that hashes. One after another they begin, and rest after each login.
    connections: 1500,
    rest: 250,
    seconds: SECONDS,
    toName: (index) => `somebody${index}@example.com`
  }
}

const rows = []

for (const [name, flood] of Object.entries(FLOODS)) {
  const client = { name: 'logins-budget', connections: Number.POSITIVE_INFINITY, execArgv: ['--expose-gc'] }

  rows.push([name, ...(await withServer(client, (connected) => measure(connected, flood)))])
}

printTable(
  `Wrong logins from ${ADDRESSES} addresses; GET, the event loop of the server and the login of the owner in ms, the heap in MB`,
  [
    'logins to',
    'logins',
    'statuses',
    'seconds',
    'GET, median',
    'GET, slowest',
    'loop, slowest',
    'owner',
    'owner, slowest',
    'heap before',
    'heap after'
  ],
  rows
)

async function measure(client, flood) {
  const owner = []
  const statuses = new Map()
  let isRunning = true

  await logIn(client, OWNER, OWN_ADDRESS)

  const before = await askUsage(client)

  watchDelay(client)

  const reader = new Worker(new URL('reader.mjs', import.meta.url), {
    workerData: { port: client.port, path: '/messages/1', interval: READ_INTERVAL }
  })
  const begun = performance.now()
  // It closes connections that nobody uses before the server does.
  const agent = new Agent({ keepAlive: true, timeout: 3000 })
  const isOver = (count) => !isRunning || count >= (flood.logins ?? Number.POSITIVE_INFINITY)
  const attack = run({ ...client, agent }, { ...flood, isOver }, statuses)
  const end = flood.seconds ? pause(flood.seconds * 1000) : attack
  const attacked = end.then(() => {
    isRunning = false
  })

  while (isRunning) {
    const sent = performance.now()
    const status = await logIn(client, OWNER, OWN_ADDRESS)

    owner.push({ status, milliseconds: performance.now() - sent })
    await Promise.race([attacked, pause(LOGIN_INTERVAL)])
  }

  const seconds = (performance.now() - begun) / 1000

  reader.postMessage('end')

  const [reads] = await once(reader, 'message')

  // Those that still wait are given up.
  agent.destroy()
  await attack

  const after = await askUsage(client)

  return [
    sum([...statuses.values()]),
    [...statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
    seconds.toFixed(0),
    toPercentile(reads, 0.5).toFixed(1),
    Math.max(...reads).toFixed(0),
    after.delay.toFixed(0),
    `${owner.filter(({ status }) => status === 201).length} of ${owner.length}`,
    Math.max(...owner.map(({ milliseconds }) => milliseconds)).toFixed(0),
    toMegabytes(before.heapUsed),
    toMegabytes(after.heapUsed)
  ].map(String)
}

/** Each connection sends one login after another, from all addresses in turns. */
async function run(client, { connections, isOver, toName, rest = 0 }, statuses) {
  let count = 0

  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      if (rest) await pause(connection * 4)
      while (!isOver(count)) {
        const index = count++
        const address = `192.0.${2 + Math.floor((index % ADDRESSES) / 250)}.${index % 250}`
        const status = await logIn(client, { ...OWNER, email: toName(index), password: 'wrong' }, address)

        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (rest) await pause(rest)
      }
    })
  )
}

async function logIn(client, data, address) {
  try {
    const response = await send(client, {
      method: 'POST',
      path: '/authentication',
      body: JSON.stringify(data),
      headers: { 'X-Forwarded-For': address }
    })

    response.resume()
    await once(response, 'end')

    return response.statusCode
  } catch (error) {
    return error.code
  }
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0)
}

function toMegabytes(bytes) {
  return (bytes / 1024 / 1024).toFixed(1)
}
