// The small application of the benchmark on alula.
import { alula } from 'alula'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, notFound, rest } from 'alula/express'
import { MemoryService } from 'alula/memory'

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
  { methods: ['find', 'get', 'create', 'remove', 'shout'] }
)

app.use(notFound())
app.use(errorHandler())

const requireText = (...fields) =>
  async function requireText({ data }) {
    for (const field of fields) {
      if (typeof data[field] !== 'string') throw new BadRequest(`'${field}' has to be a string`)
    }
  }

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

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.teardown())
}

console.log(`Listening on http://localhost:${server.address().port}`)
