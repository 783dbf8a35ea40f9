import { feathers } from '@feathersjs/feathers'
import socketio from '@feathersjs/socketio'
import sync from 'feathers-sync'

/** Feathers v5 with its sync over Redis: everybody who is connected hears of every message. */
export async function createServer() {
  const app = feathers()

  app.configure(socketio())
  app.configure(sync({ uri: process.env.REDIS_URL }))
  app.use('messages', { create: async (data) => data })
  app.on('connection', (connection) => app.channel('everybody').join(connection))
  app.publish(() => app.channel('everybody'))

  const server = await app.listen(Number(process.env.PORT))

  await app.sync.ready

  return server
}
