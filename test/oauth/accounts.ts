import { startOpenidProvider } from '../support/oidc.ts'
import { allow, type OAuthOptions, PAGE, readHash, startOAuth } from './app.ts'

export const EMAIL = { email: 'email', emailVerified: 'isVerified' }

/** Two providers, an application and its users. */
export async function start(options: OAuthOptions = {}, users: object[] = [{ name: 'robin' }]) {
  const [one, other] = await Promise.all([
    startOpenidProvider({
      wren: { email: 'wren@example.org', email_verified: true },
      loud: { email: 'WREN@Example.ORG', email_verified: true },
      unsure: { email: 'wren@example.org', email_verified: false },
      silent: { email: 'wren@example.org' }
    }),
    startOpenidProvider({ 'of-the-tree': { email: 'wren@example.org', email_verified: true } })
  ])
  const server = await startOAuth({
    oauth: { origins: [PAGE] },
    settings: { jwt: { cookie: 'session' } },
    ...options,
    providers: { nest: one.openid, tree: other.openid }
  })

  allow(one, server, 'nest')
  allow(other, server, 'tree')
  for (const user of users) await server.users.create(user)

  return { server, agent: server.createAgent(), findUsers: () => server.users.find({ query: {} }) }
}

export function readError(response: Response): string | null {
  return readHash(response).get('error')
}
