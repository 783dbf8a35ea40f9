import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import socketio from '@feathersjs/socketio'
import { toMemoryOptions } from '../messages.mjs'

/** Feathers v5 behind Socket.IO: everybody who is connected hears of every message. */
export function createServer({ count }) {
  const app = feathers()

  app.configure(socketio())
  app.use('messages', memory(toMemoryOptions(count)))
  app.on('connection', (connection) => app.channel('everybody').join(connection))
  app.publish(() => app.channel('everybody'))

  return app.listen(0)
}
