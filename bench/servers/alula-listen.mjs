import { NotFound } from '../../dist/errors.js'
import express, { errorHandler, notFound, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { MessageService } from '../messages.mjs'

/** alula with a server of its own. */
export async function createServer() {
  const app = express(alula())

  app.configure(rest())
  app.use('messages', new MessageService(NotFound))
  app.use(notFound())
  app.use(errorHandler())

  return app.listen(0)
}
