import { createServer as createHttpServer } from 'node:http'
import { alula } from '../../dist/index.js'
import { memory } from '../../dist/memory.js'
import { toListener } from '../../dist/node.js'
import { toMemoryOptions } from '../messages.mjs'

/** alula on a server of Node, without Express. */
export async function createServer({ count }) {
  return createHttpServer(toListener(await createApplication(count))).listen(0)
}

/** An application with one service, for whatever carries it. */
export async function createApplication(count) {
  const app = alula()

  app.use('messages', memory(toMemoryOptions(count)))
  await app.setup()

  return app
}
