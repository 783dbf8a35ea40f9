import { createServer as createHttpServer } from 'node:http'
import { serverOptions } from '../../dist/express.js'
import { mount } from './alula-mounted.mjs'
import { createApplication } from './alula-node.mjs'

/** The same, by somebody who creates his server with the options for it. */
export async function createServer(options) {
  return mount(await createApplication(options), listenWithOptions)
}

export function listenWithOptions(server) {
  return createHttpServer(serverOptions(server), server).listen(0)
}
