import express, { errorHandler, notFound, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { memory } from '../../dist/memory.js'
import { toMemoryOptions } from '../messages.mjs'

/**
 * alula with a server of its own.
 *
 * @param prepare Adds what stands in front of the services
 */
export async function createServer({ count }, prepare = () => {}) {
  const app = express(alula())

  prepare(app)
  app.configure(rest())
  app.use('messages', memory(toMemoryOptions(count)))
  app.use(notFound())
  app.use(errorHandler())

  return app.listen(0)
}
