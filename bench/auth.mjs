// A GET with an access token: the CPU time that a server spends on it, against Express 5 middleware written by hand.
import { json } from 'node:stream/consumers'
import { COUNT, toLogin } from './accounts.mjs'
import { compareServers, send, withServer } from './http.mjs'
import { toId } from './messages.mjs'

// Those of alula, which are tied to the password hash: the others take them too.
const tokens = await withServer({ name: 'auth-alula', connections: COUNT }, createTokens)

await compareServers({
  baseline: 'auth-by-hand',
  servers: {
    'auth-by-hand': 'Express 5 by hand',
    'auth-by-hand-key': 'Express 5 by hand, key made once',
    'auth-fastify': 'Fastify 5',
    'auth-feathers': 'Feathers v5',
    'auth-alula-mounted': 'alula, toMiddleware',
    'auth-alula-mounted-options': 'alula, toMiddleware, serverOptions',
    'auth-alula': 'alula, app.listen()',
    'auth-alula-node': 'alula, toListener'
  },
  operations: {
    'get, open to everybody': (index) => ({ method: 'GET', path: `/open/${toId(index)}` }),
    'get, with a token': (index) => ({
      method: 'GET',
      path: `/messages/${toId(index)}`,
      headers: { Authorization: `Bearer ${tokens[index % COUNT]}` }
    })
  }
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
