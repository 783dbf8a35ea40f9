// REST over HTTP: the CPU time that a server spends on a request, against an Express 5 app written by hand.
import { compareServers } from './http.mjs'
import { toId, toRoom } from './messages.mjs'

await compareServers({
  baseline: 'by-hand',
  servers: {
    'by-hand': 'Express 5 by hand',
    fastify: 'Fastify 5',
    feathers: 'Feathers v5',
    'alula-mounted': 'alula, toMiddleware in Express 5',
    'alula-listen': 'alula, app.listen()',
    'alula-node': 'alula, toListener'
  },
  operations: {
    'get by id': (index) => ({ method: 'GET', path: `/messages/${toId(index)}` }),
    'find 10': (index) => ({ method: 'GET', path: `/messages?room=${toRoom(index)}&$limit=10` }),
    create: (index) => ({
      method: 'POST',
      path: '/messages',
      body: JSON.stringify({ room: toRoom(index), text: `Hello ${index}` })
    }),
    patch: (index) => ({
      method: 'PATCH',
      path: `/messages/${toId(index)}`,
      body: JSON.stringify({ text: `Changed ${index}` })
    })
  }
})
