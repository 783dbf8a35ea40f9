// The blog API of `examples/realworld`: the CPU time of the server for a page of articles, the feed, an article and a
// favorite, in a warm process and in the first requests of one. Every process has its own copy of the same file of SQLite.
import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { askUsage, send, sendAndRead, withServer } from './http.mjs'
import { inFolder } from './installation.mjs'
import {
  chooseContestants,
  divide,
  formatSpread,
  IS_COMPARED,
  median,
  printTable,
  reportFigures,
  runRounds,
  scaleRounds
} from './lib.mjs'
import { createFile, READER, SLUG } from './realworld/database.mjs'

const ROUNDS = 7
/** How many requests of each kind a process answers, in turns, before something is measured. */
const TURNS = 1500
/** How many requests of a kind are measured. */
const REQUESTS = 500
/** The first requests of a process: how many. */
const FIRST = [50, 200, 1000]

const BASELINE = 'hooks, SQL by hand'
const SERVERS = {
  [BASELINE]: 'realworld-imperative',
  'alula, declared': 'realworld-declared',
  'Express 5, Kysely by hand': 'realworld-by-hand'
}

const get = (path) => (token) => ({ method: 'GET', path: `/api${path}`, headers: token && authorize(token) })
const favorite = `/api/articles/${SLUG}/favorite`

/** The requests, by name: they get the token and a running number. */
const OPERATIONS = {
  articles: () => get('/articles')(),
  'articles, token': get('/articles'),
  feed: get('/articles/feed'),
  article: get(`/articles/${SLUG}`),
  // Not there, there, not there …: each changes something.
  favorite: (token, index) => ({
    method: index % 2 === 0 ? 'POST' : 'DELETE',
    path: favorite,
    headers: authorize(token)
  })
}
const all = { operations: Object.values(OPERATIONS) }

/** What a fresh process is asked for, one operation alone or all in turns, and with which options of Node. */
const ROADS = IS_COMPARED
  ? { all }
  : {
      'articles, token': { operations: [OPERATIONS['articles, token']] },
      feed: { operations: [OPERATIONS.feed] },
      all,
      // The difference is what the engine spends on compiling functions again, for speed that comes later.
      'all, without the optimizing compiler': { ...all, execArgv: ['--no-opt'] }
    }

process.env.SECRET = 'a secret of the benchmark that is long enough for HS256'

await inFolder(async (folder) => {
  const source = join(folder, 'source.db')
  const names = chooseContestants(Object.keys(SERVERS), ['alula, declared'])
  const tokens = new Map()
  let files = 0
  let expected

  await createFile(source)
  // Also a glance at whether all say the same.
  for (const name of names) await withFile(name, async (client) => void tokens.set(name, await check(client)))

  const warm = await runRounds(names, scaleRounds(ROUNDS), (name) => withFile(name, measureWarm))
  const cold = new Map()

  for (const [road, { operations, execArgv }] of Object.entries(ROADS)) {
    cold.set(
      road,
      await runRounds(names, scaleRounds(ROUNDS), (name) =>
        withFile(name, (client, token) => measureFirst(client, token, operations), execArgv)
      )
    )
  }

  if (IS_COMPARED) report(warm, cold)
  else print(warm, cold)

  /** Starts a server on a copy of the file. */
  async function withFile(name, work, execArgv) {
    const file = join(folder, `${files++}.db`)

    await copyFile(source, file)
    process.env.DATABASE_URL = file

    return withServer({ name: SERVERS[name], connections: 1, execArgv }, (client) =>
      work(client, tokens.get(name))
    )
  }

  async function check(client) {
    const login = { method: 'POST', path: '/api/users/login', body: JSON.stringify({ user: READER }) }
    const { token } = (await ask(client, login)).user
    const answers = []

    for (const toRequest of Object.values(OPERATIONS)) {
      for (const index of [0, 1]) answers.push(await ask(client, toRequest(token, index)))
    }

    expected ??= answers
    assert.deepEqual(answers, expected)

    return token
  }
})

async function measureWarm(client, token) {
  const times = {}

  for (let turn = 0; turn < TURNS; turn++) {
    for (const toRequest of Object.values(OPERATIONS)) await sendAndRead(client, toRequest(token, turn))
  }

  for (const [operation, toRequest] of Object.entries(OPERATIONS)) {
    const { cpu } = await askUsage(client)

    for (let index = 0; index < REQUESTS; index++) await sendAndRead(client, toRequest(token, index))
    times[operation] = ((await askUsage(client)).cpu - cpu) / REQUESTS
  }

  return times
}

/** The CPU time of the first requests, per request; what starts the process is none of it. */
async function measureFirst(client, token, operations) {
  const { cpu } = await askUsage(client)
  const times = {}
  let sent = 0

  for (const count of FIRST) {
    for (; sent < count; sent++) {
      await sendAndRead(
        client,
        operations[sent % operations.length](token, Math.floor(sent / operations.length))
      )
    }
    times[count] = ((await askUsage(client)).cpu - cpu) / count
  }

  return times
}

async function ask(client, request) {
  const response = await send(client, request)

  assert(response.statusCode < 300, `${request.method} ${request.path}: ${response.statusCode}`)

  return JSON.parse(await text(response))
}

function authorize(token) {
  return { Authorization: `Token ${token}` }
}

function report(warm, cold) {
  const [name] = warm.keys()
  const toFigures = (title, rounds) =>
    Object.fromEntries(
      Object.keys(rounds[0]).map((kind) => [`${title}${kind}`, median(rounds.map((times) => times[kind]))])
    )

  reportFigures(toFigures('warm: ', warm.get(name)))
  for (const [road, results] of cold) reportFigures(toFigures(`${road}, first `, results.get(name)))
}

function print(warm, cold) {
  printBoth('Warm', warm)
  for (const [road, results] of cold) printBoth(`The first requests of a process, ${road}`, results)
}

function printBoth(title, results) {
  const kinds = Object.keys(results.values().next().value[0])
  const pick = (name, kind) => results.get(name).map((times) => times[kind])
  const printRows = (what, toCell) =>
    printTable(
      `${title}: ${what}`,
      ['', ...kinds],
      [...results.keys()].map((name) => [name, ...kinds.map((kind) => toCell(name, kind))])
    )

  printRows('µs of CPU time of the server per request', (name, kind) => formatSpread(pick(name, kind), 0))
  printRows(`as a multiple of ${BASELINE}`, (name, kind) =>
    formatSpread(divide(pick(name, kind), pick(BASELINE, kind)), 2)
  )
}
