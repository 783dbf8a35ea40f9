import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { OAuthStrategy, oauth } from '../../src/oauth.ts'
import { SECRET } from '../support/login.ts'
import { startOpenidProvider } from '../support/oidc.ts'
import { allow, logIn, NOWHERE, type OAuthOptions, startOAuth } from './app.ts'

export const WREN = { wren: { email: 'wren@example.org', email_verified: true, name: 'Wren' } }

/** An application that is not reached from outside, with a strategy for `nest`. */
export async function create({
  strategy = new OAuthStrategy(),
  settings = {},
  oauth: options = {},
  origins
}: {
  strategy?: OAuthStrategy
  settings?: object
  oauth?: object
  origins?: unknown
} = {}) {
  const app: any = alula()

  if (origins) app.set('origins', origins)
  app.set('authentication', {
    secret: SECRET,
    entity: 'user',
    service: 'users',
    authStrategies: ['jwt', 'nest'],
    ...settings,
    oauth: { defaults: { origin: 'https://api.example.org' }, nest: NOWHERE, ...options }
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  auth.register('nest', strategy)
  app.use('authentication', auth)
  app.use('users', memory())
  app.configure(oauth())
  await app.setup()

  return { app, strategy, auth: app.service('authentication'), users: app.service('users') }
}

/** Logs in at a provider with a strategy; returns the answer and the users. */
export async function logInWith(strategy: OAuthStrategy, options: OAuthOptions = {}, users: object[] = []) {
  const provider = await startOpenidProvider(WREN)
  const server = await startOAuth({
    ...options,
    providers: { nest: { ...provider.openid, scope: 'openid email profile' } },
    strategies: { nest: strategy }
  })

  allow(provider, server, 'nest')
  for (const user of users) await server.users.create(user)

  const response = await logIn(server, server.createAgent(), 'nest', 'wren')

  return {
    response,
    server,
    text: await response.clone().text(),
    users: await server.users.find({ query: {} })
  }
}
