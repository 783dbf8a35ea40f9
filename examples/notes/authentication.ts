import { randomBytes } from 'node:crypto'
import type { HookContext } from 'alula'
import { AuthenticationService, JWTStrategy, LocalStrategy } from 'alula/authentication'
import type { Application } from './declarations.js'

declare module './declarations.js' {
  interface Services {
    authentication: AuthenticationService
  }
}

/** Logs users in by email and password. */
export function authentication(app: Application): void {
  app.set('authentication', {
    // Without a secret tokens end with the process.
    secret: process.env.SECRET ?? randomBytes(48).toString('base64'),
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password' }
  })

  const service = new AuthenticationService(app)

  service.register('jwt', new JWTStrategy())
  service.register('local', new LocalStrategy())
  app.use('authentication', service)
  app.service('authentication').hooks({ before: { create: [lowerCaseEmail] } })

  // All connections of a user get the events that are for the user.
  app.on('login', ({ user }, { connection }) => {
    if (connection) app.channel(`users/${user.id}`).join(connection)
  })
}

/** Users log in with what they have signed up with: addresses are stored in lower case. */
function lowerCaseEmail(context: HookContext): void {
  const { email } = context.data

  if (typeof email === 'string') context.data = { ...context.data, email: email.trim().toLowerCase() }
}
