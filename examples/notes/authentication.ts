import { randomBytes } from 'node:crypto'
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

  // All connections of a user get the events that are for the user.
  app.on('login', ({ user }, { connection }) => {
    if (connection) app.channel(`users/${user.id}`).join(connection)
  })
}
