// The job that every server does, so that what differs is the server.

/** How many records there are at the start. */
export const COUNT = 1000

const ROOMS = 10

/** Creates the records, by id as a string: that is how it stands in a URL. */
export function createMessages() {
  return new Map(
    Array.from({ length: COUNT }, (_, index) => {
      const id = index + 1
      const text = `This is message number ${id}, and it is about as long as a message in a chat is`

      return [String(id), { id, room: toRoom(id), text, createdAt: new Date(id * 1000).toISOString() }]
    })
  )
}

/** The room of a message; each has as many messages as any other. */
export function toRoom(id) {
  return `room-${id % ROOMS}`
}

/** An id that exists, in turn. */
export function toId(index) {
  return 1 + (index % COUNT)
}

/** The first messages of a room. */
export function findMessages(messages, { room, $limit }) {
  const limit = Number($limit)
  const found = []

  for (const message of messages.values()) {
    if (found.length === limit) break
    if (message.room === room) found.push(message)
  }

  return found
}

/** The same records as a service, for alula and for Feathers. */
export class MessageService {
  messages = createMessages()
  lastId = COUNT

  constructor(NotFound) {
    this.NotFound = NotFound
  }

  async find({ query }) {
    return findMessages(this.messages, query)
  }

  async get(id) {
    const message = this.messages.get(id)

    if (!message) throw new this.NotFound(`No message with id '${id}'`)

    return message
  }

  async create(data) {
    const message = { id: ++this.lastId, ...data }

    this.messages.set(String(message.id), message)

    return message
  }

  async patch(id, data) {
    const message = { ...(await this.get(id)), ...data }

    this.messages.set(id, message)

    return message
  }
}
