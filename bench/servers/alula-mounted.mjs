import express from 'express'
import { toMiddleware } from '../../dist/express.js'
import { createApplication } from './alula-node.mjs'

/** alula in an Express 5 application that somebody already has. */
export async function createServer(options) {
  return mount(await createApplication(options))
}

/**
 * Puts an application into one of Express 5.
 *
 * @param listen Makes the server of the Express application
 */
export function mount(app, listen = (server) => server.listen(0)) {
  const server = express()

  server.use(toMiddleware(app))

  return listen(server)
}
