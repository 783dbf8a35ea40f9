import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

/**
 * An OpenID provider on this machine, in place of Google or another one: it logs anyone in, under any name and with
 * any password.
 */
export async function createProvider() {
  const client = { key: 'the-example', secret: randomBytes(32).toString('base64url') }
  const server = createServer().listen(0, 'localhost')

  await once(server, 'listening')

  const issuer = `http://localhost:${server.address().port}`

  return {
    issuer,
    /** As which the provider knows the application. */
    client,
    /** Lets logins begin, which lead back to a callback. */
    serve(callback) {
      server.on('request', createHandler(issuer, client, callback))
    },
    async close() {
      server.close()
      server.closeAllConnections()
    }
  }
}

function createHandler(issuer, { key, secret }, callback) {
  const provider = new Provider(issuer, {
    clients: [{ client_id: key, client_secret: secret, redirect_uris: [callback] }],
    claims: { profile: ['name'], email: ['email', 'email_verified'] },
    findAccount: (_context, name) => ({
      accountId: name,
      claims: () => ({ sub: name, name, email: `${name}@example.org`, email_verified: true })
    }),
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: { devInteractions: { enabled: true } }
  })

  return provider.callback()
}
