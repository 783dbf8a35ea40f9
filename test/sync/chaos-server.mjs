// One of the processes of the chaos test, which tells it what to write.

import { alula } from 'alula'
import { events } from 'alula/events'
import express, { errorHandler, rest } from 'alula/express'
import { kysely, withTransaction } from 'alula/kysely'
import { socketio } from 'alula/socketio'
import { sync } from 'alula/sync'
import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'

const { REDIS_URL, DATABASE, NAME } = process.env
const database = new Database(DATABASE)

for (const pragma of ['busy_timeout = 10000', 'synchronous = off']) database.exec(`pragma ${pragma}`)

const Model = new Kysely({ dialect: new SqliteDialect({ database }) })
const app = express(alula())
/** The names of clients that are in the channel `all` alone. */
const left = new Set()
const statuses = { gaps: 0, errors: [] }
const ids = []
let n = 0
let nextId = Number(process.env.FIRST_ID)

app.set('connectionRate', 1000)
app
  .configure(rest())
  .configure(socketio({ logger: false }))
  .configure(events({ retry: 0.02 }))
app.configure(sync({ redis: REDIS_URL, prefix: 'chaos' }))
app.use('orders', kysely({ Model, name: 'orders' }))
app.use('items', kysely({ Model, name: 'items' }))
app.use(errorHandler({ logger: false }))

app.on('error', ({ message }) => statuses.errors.push(message))
app.on('sync:gap', () => statuses.gaps++)
app.on('connection', async (connection) => {
  const client = connection.headers['x-client']

  // As if a database was asked.
  await new Promise(setImmediate)
  app.channel('all', `owner/${client}`).join(connection)
  if (!left.has(client)) app.channel('members').join(connection)
})
app.service('orders').publish((order) => app.channel(order.n % 10 < 8 ? 'all' : 'members'))
app.service('items').publish(async ({ owner }) => app.channel(`owner/${owner}`))

const pick = (list) => list[Math.floor(Math.random() * list.length)]

/** Two orders in one transaction, and something about an item of a client. */
async function write(clients) {
  const items = app.service('items')
  const chance = Math.random()

  await withTransaction(app, async () => {
    for (const _ of [0, 1]) await app.service('orders').create({ name: NAME, n: n++ })
  })

  if (ids.length < 10 || chance < 0.4) {
    ids.push(nextId)
    await items.create({ id: nextId++, owner: pick(clients), rev: 0 })
  } else if (chance < 0.7) {
    const id = pick(ids)

    await items.patch(id, { rev: (await items.get(id)).rev + 1 })
  } else {
    await items.remove(ids.splice(Math.floor(Math.random() * ids.length), 1)[0])
  }
}

const commands = {
  write: async ({ count, clients }) => {
    for (let done = 0; done < count; done++) {
      await write(clients)
      // Others have to get a turn, as they have when requests come in.
      await new Promise(setImmediate)
    }

    return n
  },
  leave: async (client) => void left.add(client),
  connections: async () => app.channel('all').length,
  statuses: async () => statuses,
  memory: async () => process.memoryUsage().rss
}

process.on('message', async ({ id, name, argument }) => {
  const result = await commands[name](argument)

  if (process.connected) process.send({ id, result })
})

const server = await app.listen(0, '127.0.0.1')

process.send({ id: 0, result: `http://127.0.0.1:${server.address().port}` })
