// A login with a password.
import { MemoryService } from '../../dist/memory.js'
import { startNotebook } from './notebook.mjs'

export async function prepare() {
  const { logIn, close } = await startNotebook({
    users: new MemoryService({ startId: 1 }),
    notes: new MemoryService({ startId: 1 })
  })

  return { request: logIn, close }
}
