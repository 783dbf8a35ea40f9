// Whether the time of a failed login tells something: whether there is an account, or what its hash costs; and whether
// there is one when the budget for failed logins is used up.
import { once } from 'node:events'
import { Agent, createServer } from 'node:http'
import bcrypt from 'bcryptjs'
import { AuthenticationService, JWTStrategy, LocalStrategy } from '../dist/authentication.js'
import { alula } from '../dist/index.js'
import { memory } from '../dist/memory.js'
import { toListener } from '../dist/node.js'
import { SETTINGS } from './accounts.mjs'
import { send } from './http.mjs'
import { toMedianInterval } from './interval.mjs'
import { divide, formatSpread, median, printTable, runRounds, scaleRounds } from './lib.mjs'

const ROUNDS = 15
const POINTS = 1_000_000

const PASSWORD = await bcrypt.hash('correct horse', 10)
const USERS = [
  { id: 1, email: 'known@example.com', password: PASSWORD },
  { id: 2, email: 'cheap@example.com', password: await bcrypt.hash('correct horse', 8) },
  { id: 3, email: 'other@example.com' }
]

/** The first of each is what the others are compared with. */
const COMPARED = {
  'a failed login': {
    budget: { points: POINTS, addressPoints: POINTS, accountPoints: POINTS },
    status: 401,
    attempts: 5,
    names: {
      'an account': 'known',
      'no account': 'none',
      'an account with a hash of cost 8': 'cheap',
      'an account without a password': 'other'
    }
  },
  'a login without points': {
    budget: { points: 1, addressPoints: POINTS, accountPoints: POINTS },
    status: 429,
    attempts: 400,
    names: { 'an account': 'known', 'no account': 'none' }
  }
}

for (const [title, comparison] of Object.entries(COMPARED)) await compare(title, comparison)

async function compare(title, { budget, status, attempts, names }) {
  const { client, close } = await start({ ...budget, enforce: true })
  const kinds = Object.keys(names)
  const attempt = async (kind) => {
    const begun = performance.now()
    const found = await logIn(client, names[kind])

    return { found, milliseconds: performance.now() - begun }
  }

  // The points are used up, code is compiled, and all hashes were seen: the highest cost is that of all failures.
  for (let index = 0; index < attempts; index++) for (const kind of kinds) await attempt(kind)

  const results = await runRounds(kinds, scaleRounds(ROUNDS), async (kind) => {
    const times = []

    for (let index = 0; index < attempts; index++) {
      const { found, milliseconds } = await attempt(kind)

      if (found !== status) throw new Error(`Unexpected status ${found}`)
      times.push(milliseconds)
    }

    return median(times)
  })
  const [first] = results.values()

  await close()
  printTable(
    `${title}, ms; the ratio has its 80 % interval`,
    ['', 'ms', 'ratio', '80 % interval'],
    kinds.map((kind) => {
      const ratios = divide(results.get(kind), first)

      return [
        kind,
        formatSpread(results.get(kind), 3),
        median(ratios).toFixed(3),
        toMedianInterval(ratios)
          .map((ratio) => ratio.toFixed(3))
          .join('–')
      ]
    })
  )
}

async function start(budget) {
  const app = alula()

  app.set('authentication', { ...SETTINGS, budget })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())
  app.use('authentication', authentication)
  app.use('users', memory({ store: Object.fromEntries(USERS.map((user) => [user.id, user])) }), {
    methods: []
  })
  await app.setup()

  const server = createServer(toListener(app, { logger: false })).listen(0)
  const agent = new Agent({ keepAlive: true })

  await once(server, 'listening')

  return {
    client: { agent, port: server.address().port },
    async close() {
      agent.destroy()
      server.close()
      await app.teardown()
    }
  }
}

async function logIn(client, name) {
  const body = JSON.stringify({ strategy: 'local', email: `${name}@example.com`, password: 'wrong' })
  const response = await send(client, { method: 'POST', path: '/authentication', body })

  response.resume()
  await once(response, 'end')

  return response.statusCode
}
