// One of several processes of an application. The test that has started it tells it what to do.

import { alula } from 'alula'
import { AuthenticationService, JWTStrategy, LocalStrategy } from 'alula/authentication'
import express, { errorHandler, json, rest } from 'alula/express'
import { memory } from 'alula/memory'
import { socketio } from 'alula/socketio'
import { sync } from 'alula/sync'

const { REDIS_URL, PASSWORD_HASH, ROOMS } = process.env
const statuses = []
const app = express(alula())

app.set('authentication', {
  ...{ secret: 'a secret for tests, longer than thirty-two bytes', entity: 'user', service: 'users' },
  ...{
    authStrategies: ['jwt', 'local'],
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

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())
app.use('authentication', authentication)
app.use('users', memory())
app.use('items', memory())
app.use(errorHandler({ logger: false }))

await app.service('users').create({ email: 'wren@example.org', password: PASSWORD_HASH })

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
