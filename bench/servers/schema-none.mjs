import { createServer as createHttpServer } from 'node:http'
import { alula } from '../../dist/index.js'
import { memory } from '../../dist/memory.js'
import { toListener } from '../../dist/node.js'
import { toMemoryOptions } from '../messages.mjs'

/** Messages on a server of Node; with a schema, where one is given. */
export async function createServer({ count }, schema) {
  const app = alula()

  app.use('messages', memory(toMemoryOptions(count)), schema && { schema })
  await app.setup()

  return createHttpServer(toListener(app)).listen(0)
}
