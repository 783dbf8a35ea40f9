// What logins that last cost: a login with a budget and a session, a refresh, and a call with a token of a session.
import { once } from 'node:events'
import { json } from 'node:stream/consumers'
import { toLogin } from './accounts.mjs'
import { askUsage, load, send, withServer } from './http.mjs'
import { toMedianInterval } from './interval.mjs'
import { divide, formatSpread, median, printTable, runRounds, scaleRounds } from './lib.mjs'

const ROUNDS = 15
const LOGINS = 6
const REFRESHES = 200
const CALLS = 2000
const CONNECTIONS = 4

/** Each login is compared with bcrypt at a cost of 10, which is the default. */
const FIGURES = {
  'logins-plain': { login: { refresh: false }, calls: { refresh: false } },
  'logins-budget': { login: { refresh: false }, lasting: { refresh: true }, calls: { refresh: true } }
}

const results = await runRounds(Object.keys(FIGURES), scaleRounds(ROUNDS), (name) =>
  withServer({ name, connections: CONNECTIONS }, (client) => measure(client, FIGURES[name]))
)
const [plain, full] = [...results.values()]
const pick = (rounds, figure) => rounds.map((round) => round[figure])

printTable(
  'CPU time of the server, µs; the ratio is taken in pairs of processes, with its 80 % interval',
  ['', 'without, µs', 'with, µs', 'ratio', '80 % interval'],
  [
    toRow('login, the budget', pick(plain, 'login'), pick(full, 'login')),
    toRow('login, a session beside the budget', pick(full, 'login'), pick(full, 'lasting')),
    toRow('get with a token, of a session', pick(plain, 'calls'), pick(full, 'calls')),
    toRow('a refresh in the place of a login', pick(full, 'refresh'), pick(full, 'lasting'))
  ]
)

/** The middle half of the work is like the other: a login, and then calls with its token. */
async function measure(client, { login, lasting, calls }) {
  const { accessToken, refreshToken } = await logIn(client, 0, calls)
  const headers = { Authorization: `Bearer ${accessToken}` }
  const call = () => ({ method: 'GET', path: '/private/1', headers })

  // Code is compiled, and the thread that hashes is there.
  await load(client, call, CALLS)
  await repeat(3, (index) => logIn(client, index, login))

  const figures = {
    login: await spend(client, LOGINS, () => repeat(LOGINS, (index) => logIn(client, index, login))),
    calls: await spend(client, CALLS, () => load(client, call, CALLS))
  }

  if (!lasting) return figures

  const next = await refreshAll(client, refreshToken)

  return {
    ...figures,
    lasting: await spend(client, LOGINS, () => repeat(LOGINS, (index) => logIn(client, index, lasting))),
    refresh: await spend(client, REFRESHES, () => refreshAll(client, next))
  }
}

/** The CPU time of one of so many requests. */
async function spend(client, count, work) {
  const { cpu: before } = await askUsage(client)

  await work()

  const { cpu } = await askUsage(client)

  return (cpu - before) / count
}

async function repeat(count, work) {
  for (let index = 0; index < count; index++) await work(index)
}

/** One after another: each with the token that the one before has led to. */
async function refreshAll(client, refreshToken) {
  let current = refreshToken

  await repeat(REFRESHES, async () => {
    current = (await post(client, { strategy: 'refresh', refreshToken: current })).refreshToken
  })

  return current
}

function logIn(client, index, data) {
  return post(client, { ...toLogin(index), ...data })
}

async function post(client, data) {
  const body = JSON.stringify(data)
  const response = await send(client, { method: 'POST', path: '/authentication', body })
  const result = await json(response)

  if (response.statusCode !== 201) throw new Error(`Unexpected status ${response.statusCode}`)
  if (!response.readableEnded) await once(response, 'end')

  return result
}

function toRow(name, without, added) {
  const ratios = divide(added, without)
  const [low, high] = toMedianInterval(ratios)

  return [
    name,
    formatSpread(without, 0),
    formatSpread(added, 0),
    median(ratios).toFixed(3),
    `${low.toFixed(3)}–${high.toFixed(3)}`
  ]
}
