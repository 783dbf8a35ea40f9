// One of several processes of an application. The test that has started it tells it what to do.

import { readFileSync, writeFileSync } from 'node:fs'
import { alula } from 'alula'
import { AuthenticationService, JWTStrategy, LocalStrategy } from 'alula/authentication'
import { NotFound } from 'alula/errors'
import express, { errorHandler, json, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { socketio } from 'alula/socketio'
import { sync } from 'alula/sync'

const { REDIS_URL, USERS_FILE, ROOMS } = process.env
const statuses = []
const app = express(alula())

app.set('authentication', {
  ...{ secret: 'a secret for tests, longer than thirty-two bytes', entity: 'user', service: 'users' },
  ...{
    authStrategies: ['jwt', 'local'],
    isActive: ({ banned }) => !banned,
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4 }
  }
})
app.use(json())
app.configure(rest())
app.configure(sync({ redis: REDIS_URL }))
app.configure(
  socketio((io) => {
    io.use((socket, next) => {
      socket.feathers.room = Number(socket.handshake.query.room)
      next()
    })
  })
)

/** The database of all processes: a file. */
const users = {
  id: 'id',
  read: () => JSON.parse(readFileSync(USERS_FILE, 'utf8')),
  find: async ({ query }) => users.read().filter(({ email }) => email === query.email),
  async get(id) {
    const user = users.read().find((user) => user.id === Number(id))

    if (!user) throw new NotFound(`No user ${id}`)

    return user
  },
  async patch(id, data) {
    const changed = { ...(await users.get(id)), ...data }

    writeFileSync(USERS_FILE, JSON.stringify(users.read().map((user) => (user.id === id ? changed : user))))

    return changed
  },
  async remove(id) {
    const removed = await users.get(id)

    writeFileSync(USERS_FILE, JSON.stringify(users.read().filter((user) => user.id !== id)))

    return removed
  }
}

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())
app.use('authentication', authentication)
app.use('users', users)
app.use('items', memory())
app.use(errorHandler({ logger: false }))

app.on('connection', (connection) => app.channel(`room ${connection.room}`).join(connection))
app
  .service('items')
  .publish('patched', ({ id }, context) => context.app.channel(`room ${id % Number(ROOMS)}`))
app.on('sync:away', () => statuses.push('away'))
app.on('sync:back', () => statuses.push('back'))
app.on('sync:gap', (gap) => statuses.push(gap))

/** Patches records in turns; each event has the number of the change. */
async function patch({ ids, from, to }) {
  for (let n = from; n < to; n++) {
    for (const id of ids) await app.service('items').patch(id, { n })
    // Others have to get a turn, as they have when requests come in.
    await new Promise(setImmediate)
  }
}

const commands = {
  create: async (count) => {
    for (let id = 0; id < count; id++) await app.service('items').create({ id })
  },
  patch,
  patchUser: ({ id, data }) => app.service('users').patch(id, data),
  removeUser: (id) => app.service('users').remove(id),
  statuses: async () => statuses,
  end: async () => {
    await app.teardown()
    process.disconnect()
  }
}

process.on('message', async ({ name, argument }) => {
  const result = await commands[name](argument)

  if (process.connected) process.send({ name, result })
})

const server = await app.listen(0, '127.0.0.1')

process.send({ name: 'listening', result: `http://127.0.0.1:${server.address().port}` })
