// A POST to a service with a schema and an owner, with a token.
import { MemoryService } from '../../dist/memory.js'
import { startNotebook } from './notebook.mjs'
import { createRecordedStore, send } from './server.mjs'

export async function prepare() {
  const { port, logIn, close } = await startNotebook({
    users: new MemoryService({ startId: 1 }),
    notes: createRecordedStore()
  })
  const { accessToken: token } = await logIn()

  return { request: () => send(port, 'POST', '/notes', { body: { text: 'Hello' }, token }), close }
}
