import { createServer as createHttpServer } from 'node:http'
import { alula } from '../../dist/index.js'
import { memory } from '../../dist/memory.js'
import { toListener } from '../../dist/node.js'
import { toMemoryOptions } from '../messages.mjs'

/** alula on a server of Node, without Express. */
export async function createServer(options) {
  return serve(await createApplication(options))
}

/** An application with one service, for whatever carries it. */
export async function createApplication({ count, indexes }) {
  const app = alula()

  app.use('messages', memory({ ...toMemoryOptions(count), indexes }))
  await app.setup()

  return app
}

export function serve(app) {
  return createHttpServer(toListener(app)).listen(0)
}
