import { createApp } from './app.js'
import { openDatabase } from './database.js'

const { DATABASE_URL = 'conduit.db', PORT = 3030 } = process.env
const db = await openDatabase(DATABASE_URL)
const app = createApp(db)
const server = await app.listen(Number(PORT))
const address = server.address()

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

console.log(`Open http://localhost:${typeof address === 'object' ? address?.port : address}/api/docs`)
