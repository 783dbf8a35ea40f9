import { alula } from 'alula'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { MemoryService } from 'alula/memory'

// A service has the methods find, get, create, update, patch and remove. This one keeps its records in memory,
// and has a method of its own: POST /messages with the header `X-Service-Method: shout`.
class MessageService extends MemoryService {
  async shout({ text }) {
    return { text: text.toUpperCase() }
  }
}

const app = express(alula())

app.configure(rest())

app.use(
  'messages',
  new MessageService({
    paginate: { default: 10, max: 50 },
    store: {
      1: { id: 1, author: 'Ada', text: 'Good morning', createdAt: '2026-01-01T08:00:00.000Z' },
      2: { id: 2, author: 'Grace', text: 'Hello Ada', createdAt: '2026-01-01T08:05:00.000Z' },
      3: { id: 3, author: 'Ada', text: 'Any news?', createdAt: '2026-01-01T08:10:00.000Z' }
    },
    startId: 4
  }),
  // What clients may call.
  { methods: ['find', 'get', 'create', 'remove', 'shout'] }
)

app.use(notFound())
app.use(errorHandler())

// A hook runs around a method: for every call, from outside and from your own code.
const requireText = (...fields) =>
  async function requireText({ data }) {
    for (const field of fields) {
      if (typeof data[field] !== 'string') throw new BadRequest(`'${field}' has to be a string`)
    }
  }

// What clients send beyond these fields is not stored.
const pickFields = async (context) => {
  const { author, text } = context.data

  context.data = { author, text, createdAt: new Date().toISOString() }
}

app.service('messages').hooks({
  before: { create: [requireText('author', 'text'), pickFields], shout: [requireText('text')] }
})

app.service('messages').on('created', ({ id, author, text }) => {
  console.log(`created message ${id}: ${author} says ${text}`)
})

const server = await app.listen(Number(process.env.PORT ?? 3030))
const url = `http://localhost:${server.address().port}`

// Finishes the requests that are in flight, then tears the services down.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.teardown())
}

console.log(`alula is listening on ${url}. Try:

  curl ${url}/messages
  curl '${url}/messages?author=Ada'
  curl -g '${url}/messages?$sort[createdAt]=-1&$limit=2'
  curl -g '${url}/messages?createdAt[$gt]=2026-01-01T08:02&$select[]=text'
  curl ${url}/messages -H 'Content-Type: application/json' -d '{"author":"Ada","text":"Hello"}'
  curl ${url}/messages -H 'Content-Type: application/json' -H 'X-Service-Method: shout' -d '{"text":"Hello"}'
`)
