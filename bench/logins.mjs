// Many logins at once: how long they take, and how long somebody waits who only wants to read meanwhile. And what a login costs
// beside the comparison of the password.
import { setTimeout as pause } from 'node:timers/promises'
import * as theirs from '@feathersjs/authentication'
import { LocalStrategy as TheirLocalStrategy } from '@feathersjs/authentication-local'
import { feathers } from '@feathersjs/feathers'
import { memory as theirMemory } from '@feathersjs/memory'
import { AuthenticationService, JWTStrategy, LocalStrategy } from '../dist/authentication.js'
import { alula } from '../dist/index.js'
import { memory } from '../dist/memory.js'
import { SETTINGS, toLogin, toUserOptions } from './accounts.mjs'
import { pickServers, sendAndRead, withServer } from './http.mjs'
import { divide, formatSpread, measureCpu, printTable, runRounds, scaleRounds, toPercentile } from './lib.mjs'
import { toId } from './messages.mjs'

const ROUNDS = 3
const CALL_ROUNDS = 9
/** In CPU time. */
const SAMPLE_MILLISECONDS = 200
const LOGINS = 40
/** Every so many milliseconds a GET is sent, whether or not those before it are answered. */
const READ_INTERVAL = 10
const WARMUP_REQUESTS = 1000

const SERVERS = pickServers('feathers', 'alula-listen')
const FIGURES = { logins: 'all logins', median: 'GET, median', p99: 'GET, p99', slowest: 'GET, slowest' }

const results = await runRounds(Object.keys(SERVERS), scaleRounds(ROUNDS), (name) =>
  withServer({ name, connections: Number.POSITIVE_INFINITY }, measure)
)

printTable(
  `${LOGINS} logins at once, and a GET every ${READ_INTERVAL} ms until they are done, ms`,
  ['server', ...Object.values(FIGURES)],
  [...results].map(([name, rounds]) => [
    SERVERS[name],
    ...Object.keys(FIGURES).map((figure) => formatSpread(toFigures(rounds, figure), 0))
  ])
)

await compareCalls()

/** A login in the process, with a password that is right at once. */
async function compareCalls() {
  const hasher = { hash: async (password) => password, compare: async () => true }
  const ours = alula()
  const feathersApp = feathers()

  class QuickStrategy extends TheirLocalStrategy {
    async comparePassword(entity) {
      return entity
    }
  }

  setUpLogins(feathersApp, SETTINGS, theirs.AuthenticationService, {
    jwt: new theirs.JWTStrategy(),
    local: new QuickStrategy()
  })
  feathersApp.use('users', theirMemory(toUserOptions()))
  setUpLogins(ours, { ...SETTINGS, local: { ...SETTINGS.local, hasher } }, AuthenticationService, {
    jwt: new JWTStrategy(),
    local: new LocalStrategy()
  })
  ours.use('users', memory(toUserOptions()))

  const contestants = { 'Feathers v5': feathersApp, alula: ours }
  const names = Object.keys(contestants)

  for (const app of Object.values(contestants)) {
    await app.setup()
    await measureCpu(() => logInTo(app), 10 * SAMPLE_MILLISECONDS)
  }

  const calls = await runRounds(names, scaleRounds(CALL_ROUNDS), (name) =>
    measureCpu(() => logInTo(contestants[name]), SAMPLE_MILLISECONDS)
  )

  printTable(
    'A login in the process with a hasher that returns at once, µs of CPU time',
    ['', 'µs', 'times Feathers v5'],
    names.map((name) => [
      name,
      formatSpread(calls.get(name), 0),
      formatSpread(divide(calls.get(name), calls.get('Feathers v5')), 2)
    ])
  )
}

function setUpLogins(app, settings, Service, strategies) {
  app.set('authentication', settings)

  const authentication = new Service(app)

  for (const [name, strategy] of Object.entries(strategies)) authentication.register(name, strategy)
  app.use('authentication', authentication)
}

function logInTo(app) {
  return app.service('authentication').create(toLogin(0), {})
}

async function measure(client) {
  // Code is compiled, and the threads that hash are there, as on a server that runs.
  for (let index = 0; index < WARMUP_REQUESTS; index++) await read(client, index)
  await logIn(client, 0)

  const reads = []
  let isRunning = true
  const logins = time(() => Promise.all(Array.from({ length: LOGINS }, (_, index) => logIn(client, index))))
  const end = logins.finally(() => {
    isRunning = false
  })

  while (isRunning) {
    reads.push(time(() => read(client, reads.length)))
    await pause(READ_INTERVAL)
  }

  const waits = await Promise.all(reads)

  return {
    logins: await end,
    median: toPercentile(waits, 0.5),
    p99: toPercentile(waits, 0.99),
    slowest: toPercentile(waits, 1)
  }
}

/** How long something takes, in milliseconds. */
async function time(run) {
  const start = performance.now()

  await run()

  return performance.now() - start
}

function read(client, index) {
  return sendAndRead(client, { method: 'GET', path: `/messages/${toId(index)}` })
}

function logIn(client, index) {
  const body = JSON.stringify(toLogin(index))

  return sendAndRead(client, { method: 'POST', path: '/authentication', body })
}

function toFigures(rounds, figure) {
  return rounds.map((round) => round[figure])
}
