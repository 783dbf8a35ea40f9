import { events } from '../../dist/events.js'
import express, { errorHandler, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { socketio } from '../../dist/socketio.js'
import { sync } from '../../dist/sync.js'

/** alula with its log in Redis: everybody who is connected hears of every message, over sockets or Server-Sent Events. */
export function createServer() {
  const app = express(alula())

  app.set('connectionRate', Number(process.env.CONNECTION_RATE))
  app.configure(rest()).configure(socketio()).configure(events())
  app.configure(sync({ redis: process.env.REDIS_URL }))
  app.use('messages', { create: async (data) => data })
  app.use(errorHandler())
  app.on('connection', (connection) => app.channel('everybody').join(connection))
  app.publish(() => app.channel('everybody'))

  return app.listen(Number(process.env.PORT))
}
