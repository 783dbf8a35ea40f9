import { mount } from './alula-mounted.mjs'
import { createApplication } from './auth-alula.mjs'

/** The same in an Express 5 application that somebody already has. */
export async function createServer() {
  return mount(await createApplication())
}
