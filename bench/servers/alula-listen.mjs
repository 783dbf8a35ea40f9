import express, { errorHandler, notFound, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { addServices } from './alula-node.mjs'

/**
 * alula with a server of its own.
 *
 * @param prepare Adds what stands in front of the services
 */
export async function createServer(options, prepare = () => {}) {
  const app = express(alula())

  prepare(app)
  app.configure(rest())
  addServices(app, options)
  app.use(notFound())
  app.use(errorHandler())

  return app.listen(0)
}
