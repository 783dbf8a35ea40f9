// The operations of `rest` with a hundred times as many records: who looks at each of them to find a page?
import { compareServers } from './http.mjs'
import { toRequests } from './messages.mjs'

const COUNT = 100_000

await compareServers({
  baseline: 'by-hand',
  servers: {
    'by-hand': 'Express 5 by hand',
    fastify: 'Fastify 5',
    feathers: 'Feathers v5',
    'alula-listen': 'alula, app.listen()',
    'alula-node': 'alula, toListener',
    'alula-node-index': 'alula, toListener, index'
  },
  operations: toRequests(COUNT),
  rounds: 2,
  count: COUNT,
  // Each takes milliseconds.
  requests: { find: 40 },
  connections: 8
})
