import express from 'express'
import { toMiddleware } from '../../dist/express.js'
import { createApplication } from './alula-node.mjs'

/**
 * alula in an Express 5 application that exists already.
 *
 * @param listen Makes the server of the Express application
 */
export async function createServer(options, listen = (server) => server.listen(0)) {
  const server = express()

  server.use(toMiddleware(await createApplication(options)))

  return listen(server)
}
