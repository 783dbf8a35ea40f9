import { createServer as createHttpServer } from 'node:http'
import { Server } from 'socket.io'
import { COUNT, createMessageMap } from '../messages.mjs'

/** Socket.IO and nothing else: what the others put on top of it is what they cost. */
export function createServer({ count = COUNT }) {
  const server = createHttpServer()
  const io = new Server(server)
  const messages = createMessageMap(count)
  let lastId = count

  io.on('connection', (socket) => {
    socket.on('get', (_path, id, _query, reply) => {
      const message = messages.get(String(id))

      if (message) reply(null, message)
      else reply({ name: 'NotFound', message: `No message with the id ${id}`, code: 404 })
    })
    socket.on('create', (_path, data, _query, reply) => {
      const message = { ...data, id: ++lastId }

      messages.set(String(message.id), message)
      reply(null, message)
      io.emit('messages created', message)
    })
  })

  return server.listen(0)
}
