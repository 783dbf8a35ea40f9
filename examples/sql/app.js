import { alula } from 'alula'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { KyselyService, kysely } from 'alula/kysely'
import { openDatabase } from './database.js'

const { DATABASE_URL = 'messages.db', PORT = 3030 } = process.env
const db = await openDatabase(DATABASE_URL)

class MessageService extends KyselyService {
  async shout({ text }) {
    return { text: text.toUpperCase() }
  }
}

const app = express(alula())
const paginate = { default: 10, max: 50 }

app.configure(rest())

app.use('users', kysely({ Model: db, name: 'users', paginate }), { methods: ['find', 'get', 'create'] })

app.use('messages', new MessageService({ Model: db, name: 'messages', operators: ['$like'], paginate }), {
  methods: ['find', 'get', 'create', 'remove', 'shout']
})

app.use(notFound())
app.use(errorHandler())

const requireText = (...fields) =>
  async function requireText({ data }) {
    for (const field of fields) {
      if (typeof data[field] !== 'string') throw new BadRequest(`'${field}' has to be a string`)
    }
  }

// What clients send beyond these fields is not stored.
const pickFields = async (context) => {
  const { author, text } = context.data

  context.data = { author, text, createdAt: new Date() }
}

// Ids are counted. One that a client has chosen could be the last there is.
const dropId = async (context) => {
  const { id, ...data } = context.data

  context.data = data
}

app.service('users').hooks({ before: { create: [dropId] } })

app.service('messages').hooks({
  before: { create: [requireText('author', 'text'), pickFields], shout: [requireText('text')] }
})

app.service('messages').on('created', ({ id, author, text }) => {
  console.log(`created message ${id}: ${author} says ${text}`)
})

const server = await app.listen(Number(PORT))

async function stop() {
  // Finishes the requests that are in flight: until then they need the database.
  try {
    await app.teardown()
  } finally {
    await db.destroy()
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, stop)
}

const { hostname } = URL.canParse(DATABASE_URL) ? new URL(DATABASE_URL) : { hostname: DATABASE_URL }

console.log(
  `alula is listening on http://localhost:${server.address().port} and keeps its records in ${hostname}`
)
