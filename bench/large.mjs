// The operations of `rest` with a hundred times as many records: who looks at each of them to find a page?
import { compareServers, pickServers } from './http.mjs'
import { toRequests } from './messages.mjs'

const COUNT = 100_000

await compareServers({
  baseline: 'by-hand',
  servers: pickServers('by-hand', 'fastify', 'feathers', 'alula-listen', 'alula-node', 'alula-node-index'),
  operations: toRequests(COUNT),
  rounds: 2,
  count: COUNT,
  // Each takes milliseconds.
  requests: { find: 40 },
  connections: 8
})
