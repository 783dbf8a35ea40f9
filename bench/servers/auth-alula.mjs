import { AuthenticationService, authenticate, JWTStrategy, LocalStrategy } from '../../dist/authentication.js'
import { NotFound } from '../../dist/errors.js'
import express, { errorHandler, notFound, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { SETTINGS, UserService } from '../accounts.mjs'
import { MessageService } from '../messages.mjs'

/** alula with logins, a service for everybody and one for who is logged in. */
export async function createServer() {
  const app = express(alula())

  app.set('authentication', SETTINGS)

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())

  app.configure(rest())
  app.use('authentication', authentication)
  app.use('users', new UserService(), { methods: [] })
  app.use('open', new MessageService(NotFound))
  app.use('messages', new MessageService(NotFound))
  app.use(notFound())
  app.use(errorHandler())
  app.service('messages').hooks({ before: { all: [authenticate('jwt')] } })

  return app.listen(0)
}
