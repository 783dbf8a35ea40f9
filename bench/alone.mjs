// Like `rest`, but a process serves one operation alone: what the engine then compiles, it compiles for this operation.
import { compareServers, pickServers } from './http.mjs'
import { toRequests } from './messages.mjs'

const { 'get by id': get, create, patch } = toRequests()

for (const [name, toRequest] of Object.entries({ get, create, patch })) {
  console.log(`\n## ${name}`)
  await compareServers({
    servers: pickServers('fastify', 'node-by-hand', 'koa-by-hand', 'alula-listen', 'alula-node'),
    compared: ['alula-listen', 'alula-node'],
    operations: { [name]: toRequest }
  })
}
