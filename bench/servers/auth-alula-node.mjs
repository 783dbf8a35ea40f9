import { serve } from './alula-node.mjs'
import { createApplication } from './auth-alula.mjs'

/** The same on a server of Node, without Express. */
export async function createServer() {
  return serve(await createApplication())
}
