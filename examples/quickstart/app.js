import { alula } from 'alula'
import { BadRequest, NotFound } from 'alula/errors'
import express, { errorHandler, notFound, rest } from 'alula/express'

// A service is an object with any of the methods find, get, create, update, patch and remove.
class MessageService {
  messages = new Map()
  lastId = 0

  async find() {
    return [...this.messages.values()]
  }

  async get(id) {
    const message = this.messages.get(String(id))

    if (!message) throw new NotFound(`No message with id '${id}'`)

    return message
  }

  async create(data) {
    const message = { id: ++this.lastId, ...data }

    this.messages.set(String(message.id), message)

    return message
  }

  async remove(id) {
    const message = await this.get(id)

    this.messages.delete(String(id))

    return message
  }

  // A method of its own: POST /messages with the header `X-Service-Method: shout`.
  async shout({ text }) {
    return { text: `${text}`.toUpperCase() }
  }
}

const app = express(alula())

app.configure(rest())

app.use('messages', new MessageService(), {
  // What clients may call.
  methods: ['find', 'get', 'create', 'remove', 'shout']
})

app.use(notFound())
app.use(errorHandler())

app.service('messages').hooks({
  before: {
    create: [
      async (context) => {
        const { text } = context.data

        if (typeof text !== 'string' || text.trim() === '') {
          throw new BadRequest("A message needs a 'text'")
        }

        // What clients send beyond the text is not stored.
        context.data = { text: text.trim(), createdAt: new Date().toISOString() }
      }
    ]
  }
})

app.service('messages').on('created', (message) => {
  console.log(`created message ${message.id}: ${message.text}`)
})

const server = await app.listen(Number(process.env.PORT ?? 3030))
const url = `http://localhost:${server.address().port}`

console.log(`alula is listening on ${url}. Try:

  curl ${url}/messages
  curl ${url}/messages -H 'Content-Type: application/json' -d '{"text":"Hello"}'
  curl ${url}/messages -H 'Content-Type: application/json' -H 'X-Service-Method: shout' -d '{"text":"Hello"}'
`)

// Finishes the requests that are in flight, then tears the services down.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => app.teardown())
}
