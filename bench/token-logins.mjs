// Logins by token alone, for applications of which one user calls in the process of the benchmark.
import { AuthenticationService, JWTStrategy } from '../dist/authentication.js'
import { memory } from '../dist/memory.js'

/** Gives an application a user with the id 1 and tokens; returns the authentication service. */
export function addTokenLogins(app) {
  app.set('authentication', {
    secret: 'a secret for benchmarks, longer than thirty-two bytes',
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt']
  })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  app.use('authentication', authentication)
  app.use('users', memory({ store: { 1: { id: 1 } } }), { methods: [] })

  return authentication
}
