// The quickstart of alula on Feathers v5.
import { BadRequest } from '@feathersjs/errors'
import express, { errorHandler, json, notFound, rest } from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { MemoryService } from '@feathersjs/memory'

class MessageService extends MemoryService {
  async shout({ text }) {
    return { text: text.toUpperCase() }
  }
}

const app = express(feathers())

app.use(json())
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

if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.teardown())
}

console.log(`Listening on http://localhost:${server.address().port}`)
