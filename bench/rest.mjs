// REST over HTTP: the CPU time that a server spends on a request, against an Express 5 application written by hand.
import { json } from 'node:stream/consumers'
import { COUNT, toLogin } from './accounts.mjs'
import { compareServers, pickServers, send, withServer } from './http.mjs'
import { toId, toRequests } from './messages.mjs'

const { 'get by id': get, find, patch, create } = toRequests()
// Those of alula, which are tied to the password hash: the others take them too.
const tokens = await withServer({ name: 'alula-listen', connections: COUNT }, createTokens)

await compareServers({
  servers: pickServers(
    'by-hand',
    'by-hand-key',
    'node-by-hand',
    'fastify',
    'fastify-key',
    'feathers',
    'alula-mounted',
    'alula-mounted-options',
    'alula-listen',
    'alula-stack',
    'alula-node',
    'koa-by-hand',
    'feathers-koa',
    'alula-koa'
  ),
  compared: ['alula-listen', 'alula-node'],
  operations: {
    get,
    'find 1k': find,
    create,
    patch,
    'with token': (index) => ({
      method: 'GET',
      path: `/private/${toId(index)}`,
      headers: { Authorization: `Bearer ${tokens[index % COUNT]}` }
    })
  },
  // For some they take as long as all others together.
  amounts: { 'find 1k': 1500 }
})

/** Logs every user in. */
function createTokens(client) {
  return Promise.all(
    Array.from({ length: COUNT }, async (_, index) => {
      const body = JSON.stringify(toLogin(index))
      const { accessToken } = await json(
        await send(client, { method: 'POST', path: '/authentication', body })
      )

      return accessToken
    })
  )
}
