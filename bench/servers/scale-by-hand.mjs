import { createServer as createHttpServer } from 'node:http'
import { createClient } from 'redis'
import { Server } from 'socket.io'

/** Socket.IO and a channel of Redis: everybody who is connected hears of every message. */
export async function createServer() {
  const server = createHttpServer()
  const io = new Server(server)
  const publisher = createClient({ url: process.env.REDIS_URL })
  const subscriber = publisher.duplicate()

  await Promise.all([publisher.connect(), subscriber.connect()])
  await subscriber.subscribe('messages', (text) => io.local.emit('messages created', JSON.parse(text)))

  io.on('connection', (socket) => {
    socket.on('create', async (_path, data, _query, reply) => {
      await publisher.publish('messages', JSON.stringify(data))
      reply(null, data)
    })
  })

  return server.listen(Number(process.env.PORT))
}
