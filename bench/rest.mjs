// REST over HTTP: the CPU time that a server spends on a request, against an Express 5 app written by hand.
import { compareServers } from './http.mjs'
import { toRequests } from './messages.mjs'

await compareServers({
  baseline: 'by-hand',
  servers: {
    'by-hand': 'Express 5 by hand',
    fastify: 'Fastify 5',
    feathers: 'Feathers v5',
    'alula-mounted': 'alula, toMiddleware',
    'alula-mounted-options': 'alula, toMiddleware, serverOptions',
    'alula-listen': 'alula, app.listen()',
    'alula-stack': 'alula, app.listen(), middleware',
    'alula-node': 'alula, toListener'
  },
  operations: toRequests(),
  // For some they take as long as all others together.
  requests: { find: 1500 }
})
