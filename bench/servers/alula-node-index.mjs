import { createServer as createNodeServer } from './alula-node.mjs'

/** The same with an index on one of the two fields that are asked for. */
export function createServer(options) {
  return createNodeServer({ ...options, indexes: ['room'] })
}
