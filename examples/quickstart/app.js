// A service of your own: an object with some of the methods find, get, create, update, patch and remove.
import { alula } from 'alula'
import { NotFound } from 'alula/errors'
import { errorHandler, express, notFound, rest } from 'alula/express'

/** @typedef {{ id: number, text: string, createdAt?: string }} Message */

class MessageService {
  /** @type {Map<string, Message>} */
  messages = new Map()

  async find() {
    return [...this.messages.values()]
  }

  /** @param {import('alula').Id} id */
  async get(id) {
    const message = this.messages.get(String(id))

    if (!message) throw new NotFound(`No message with id '${id}'`)

    return message
  }

  /** @param {Omit<Message, 'id'>} data */
  async create(data) {
    const message = { ...data, id: this.messages.size + 1 }

    this.messages.set(String(message.id), message)

    return message
  }

  // A custom method: clients call it with `POST /messages` and the header `X-Service-Method: shout`.
  /** @param {{ text: string }} data */
  async shout(data) {
    return { text: data.text.toUpperCase() }
  }
}

const app = express(alula())

app.configure(rest())
app.use('messages', new MessageService(), { methods: ['find', 'get', 'create', 'shout'] })
app.use(notFound())
app.use(errorHandler())
