import { createServer as createHttpServer } from 'node:http'
import { serverOptions } from '../../dist/express.js'
import { createServer as createMountedServer } from './alula-mounted.mjs'

/** The same on a server that is created with the options for it. */
export function createServer(options) {
  return createMountedServer(options, (server) => createHttpServer(serverOptions(server), server).listen(0))
}
