import { randomBytes } from 'node:crypto'
import { alula } from 'alula'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { openapi } from 'alula/openapi'
import { socketio } from 'alula/socketio'
import { sync } from 'alula/sync'
import { messages } from './messages.js'
import { createPage } from './page.js'
import { rooms } from './rooms.js'
import { createStores } from './stores.js'
import { users } from './users.js'

// Anyone who knows the secret can issue tokens, so it does not belong in the code.
const { PORT = 3030, REDIS_URL, SECRET = randomBytes(48).toString('base64') } = process.env

const app = express(alula())
const stores = await createStores(REDIS_URL)

// In front, so that its headers are on every answer.
app.configure(await createPage())
app.configure(rest())
app.configure(socketio())

if (REDIS_URL) {
  // What no other process has to hear of stays here: users are created with the hash of their password.
  app.configure(sync({ redis: REDIS_URL, filter: ({ path }) => path === 'rooms' || path === 'messages' }))
}

app.configure(stores.connect)
app.configure(users(stores, SECRET))
app.configure(rooms(stores))
app.configure(messages(stores))
app.configure(openapi({ info: { title: 'Chat', version: '1.0.0' } }))

app.use(notFound())
app.use(errorHandler())

// Errors that occur after a call: in a listener, in a publisher, on the way to Redis.
app.on('error', (error) => console.error(error))

const server = await app.listen(Number(PORT))

// Finishes the calls that are in flight, closes the connections, then tears the services down.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.teardown())
}

if (!process.env.SECRET) console.log('No SECRET is set: this one is random, and logins end with the process.')
console.log(`The chat is on http://localhost:${server.address().port}, and its services are on /docs`)
