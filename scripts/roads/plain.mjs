// A plain POST over Express.
import { createApp, createRecordedStore, listen, send } from './server.mjs'

export async function prepare() {
  const app = createApp()

  app.use('notes', createRecordedStore())

  const port = await listen(app)

  return {
    request: () => send(port, 'POST', '/notes', { body: { text: 'Hello' } }),
    close: () => app.teardown()
  }
}
