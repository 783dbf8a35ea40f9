import express from 'express'
import { toMiddleware } from '../../dist/express.js'
import { createApplication } from './alula-node.mjs'

/**
 * alula in an Express 5 application that somebody already has.
 *
 * @param listen Makes the server of the Express application
 */
export async function createServer({ count }, listen = (server) => server.listen(0)) {
  const server = express()

  server.use(toMiddleware(await createApplication(count)))

  return listen(server)
}
