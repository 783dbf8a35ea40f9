import { alula } from '../../dist/index.js'
import { errorHandler, koa, rest } from '../../dist/koa.js'
import { addServices } from './alula-node.mjs'

/** alula on Koa. */
export async function createServer(options) {
  const app = koa(alula())

  app.use(errorHandler())
  app.configure(rest())
  addServices(app, options)

  return app.listen(0)
}
