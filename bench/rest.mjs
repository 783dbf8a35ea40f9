// REST over HTTP: the CPU time that a server spends on a request, against an Express 5 app written by hand.
import { compareServers, pickServers } from './http.mjs'
import { toRequests } from './messages.mjs'

await compareServers({
  baseline: 'by-hand',
  servers: pickServers(
    'by-hand',
    'fastify',
    'feathers',
    'alula-mounted',
    'alula-mounted-options',
    'alula-listen',
    'alula-stack',
    'alula-node'
  ),
  operations: toRequests(),
  // For some they take as long as all others together.
  requests: { find: 1500 }
})
