// What access costs a call from outside with a token, against hooks that do the same: a login, and a query for the owner.

import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { access, owner, user } from '../dist/access.js'
import { authenticate } from '../dist/authentication.js'
import { alula } from '../dist/index.js'
import { kysely } from '../dist/kysely.js'
import { memory } from '../dist/memory.js'
import {
  divide,
  formatSpread,
  measureCpu,
  median,
  printTable,
  reportFigures,
  runRounds,
  scaleRounds
} from './lib.mjs'
import { addTokenLogins } from './token-logins.mjs'

const ROUNDS = 30
const COMPARED_ROUNDS = 5
const SAMPLE_MILLISECONDS = 60
const WARMUP_MILLISECONDS = 400

const onlyOwn = ({ params }) => {
  params.query = { ...params.query, ownerId: params.user.id }
}

let statements = 0
const database = new Database(':memory:')

database.exec('create table notes (id integer primary key, ownerId integer, text text)')

const Model = new Kysely({ dialect: new SqliteDialect({ database }), log: () => statements++ })
const createStore = () => memory({ store: { 1: { id: 1, ownerId: 1, text: 'Hello' } } })
const createTable = () => kysely({ Model, name: 'notes' })

const contestants = {
  'authenticate hook': await createCall(createStore(), undefined, [authenticate('jwt')]),
  'access user': await createCall(createStore(), { all: user }),
  'owner by hooks': await createCall(createStore(), undefined, [authenticate('jwt'), onlyOwn]),
  'access owner': await createCall(createStore(), { all: owner('ownerId') })
}
const names = Object.keys(contestants)

for (const name of names) await measure(contestants[name], WARMUP_MILLISECONDS)

const results = await runRounds(names, scaleRounds(ROUNDS, COMPARED_ROUNDS), (name) =>
  measure(contestants[name], SAMPLE_MILLISECONDS)
)

reportFigures(Object.fromEntries(names.map((name) => [name, median(results.get(name)) / 1000])))

printTable(
  'get with a token, ns of CPU time per call; the ratio is to the hooks that do the same',
  ['contestant', 'ns', 'ratio'],
  names.map((name, index) => [
    name,
    formatSpread(results.get(name), 0),
    formatSpread(divide(results.get(name), results.get(names[index - (index % 2)])), 2)
  ])
)

await Model.insertInto('notes').values({ id: 1, ownerId: 1, text: 'Hello' }).execute()

const rows = [
  await countStatements('owner by hooks', undefined, [authenticate('jwt'), onlyOwn]),
  await countStatements('access owner', { all: owner('ownerId') })
]

printTable('Statements on SQLite', ['contestant', 'get', 'patch'], rows)

async function createCall(store, rules, before) {
  const { notes, params } = await createService(store, rules, before)

  return () => notes.get(1, params)
}

async function countStatements(name, rules, before) {
  const { notes, params } = await createService(createTable(), rules, before)

  // The first call of a service reads the columns of its table.
  await notes.get(1, params)

  const counts = []

  for (const call of [() => notes.get(1, params), () => notes.patch(1, { text: 'x' }, params)]) {
    statements = 0
    await call()
    counts.push(String(statements))
  }

  return [name, ...counts]
}

/** Makes the call, one after the other, for a while; returns the nanoseconds of CPU time of one. */
async function measure(call, milliseconds) {
  return (await measureCpu(call, milliseconds)) * 1000
}

/** An application with notes, and a user who is logged in. */
async function createService(store, rules, before = []) {
  const app = alula()
  const authentication = addTokenLogins(app)

  app.use('notes', store, rules && { access: access(rules) })
  app.service('notes').hooks({ before: { all: before } })
  await app.setup()

  const { accessToken } = await authentication.issueToken({ user: { id: 1 } })
  const params = { provider: 'rest', authentication: { strategy: 'jwt', accessToken } }

  return { notes: app.service('notes'), params }
}
