import express from 'express'
import { NotFound } from '../../dist/errors.js'
import { toMiddleware } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { MessageService } from '../messages.mjs'

/** alula in an Express 5 application that somebody already has. */
export async function createServer() {
  const app = alula()
  const server = express()

  app.use('messages', new MessageService(NotFound))
  server.use(toMiddleware(app))
  await app.setup()

  return server.listen(0)
}
