import { mount } from './alula-mounted.mjs'
import { listenWithOptions } from './alula-mounted-options.mjs'
import { createApplication } from './auth-alula.mjs'

/** The same, by somebody who creates his server with the options for it. */
export async function createServer() {
  return mount(await createApplication(), listenWithOptions)
}
