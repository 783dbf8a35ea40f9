import { createServer as createHttpServer } from 'node:http'
import { NotFound } from '../../dist/errors.js'
import { alula } from '../../dist/index.js'
import { toListener } from '../../dist/node.js'
import { MessageService } from '../messages.mjs'

/** alula on a server of Node, without Express. */
export async function createServer() {
  const app = alula()

  app.use('messages', new MessageService(NotFound))
  await app.setup()

  return createHttpServer(toListener(app)).listen(0)
}
