import { events } from '../../dist/events.js'
import express, { errorHandler, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { memory } from '../../dist/memory.js'
import { socketio } from '../../dist/socketio.js'
import { toMemoryOptions } from '../messages.mjs'

/** alula with Server-Sent Events beside Socket.IO: everybody who is connected hears of every message. */
export function createServer({ count }) {
  const app = express(alula())

  // All of them begin at once, and the clients here do not come back.
  app.set('connectionRate', Number.POSITIVE_INFINITY)
  app.configure(rest()).configure(socketio()).configure(events())
  app.use('messages', memory(toMemoryOptions(count)))
  app.use(errorHandler())
  app.on('connection', (connection) => app.channel('everybody').join(connection))
  app.publish(() => app.channel('everybody'))

  return app.listen(0)
}
