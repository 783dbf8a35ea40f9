import type { AddressInfo } from 'node:net'
import { alula } from 'alula'
import { closed } from 'alula/access'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { mcp } from 'alula/mcp'
import { openapi } from 'alula/openapi'
import { socketio } from 'alula/socketio'
import { authentication } from './authentication.js'
import { openDatabase } from './database.js'
import type { Application } from './declarations.js'
import { notes } from './notes.js'
import { tags } from './tags.js'
import { users } from './users.js'

const { DATABASE_URL = 'notes.db', PORT = 3030 } = process.env
const db = await openDatabase(DATABASE_URL)
const app: Application = express(alula())

app.configure(rest())
app.configure(socketio())
app.configure(closed())
app.configure(authentication)
app.configure(users(db))
app.configure(notes(db))
app.configure(tags(db))
app.configure(mcp({ resource: `http://localhost:${PORT}/mcp`, instructions: 'The notes of the user.' }))
app.configure(openapi({ info: { title: 'Notes', version: '1.0.0' } }))
app.use(notFound())
app.use(errorHandler())

const server = await app.listen(Number(PORT))

// Finishes the requests that are in flight: until then they need the database.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    try {
      await app.teardown()
    } finally {
      await db.destroy()
    }
  })
}

console.log(`Open http://localhost:${(server.address() as AddressInfo).port}/docs`)
