import { AuthenticationService, authenticate, JWTStrategy, LocalStrategy } from '../../dist/authentication.js'
import express, { errorHandler, notFound, rest } from '../../dist/express.js'
import { alula } from '../../dist/index.js'
import { memory } from '../../dist/memory.js'
import { SETTINGS, toUserOptions } from '../accounts.mjs'
import { toMemoryOptions } from '../messages.mjs'

/** alula with a server of its own, and with logins. */
export async function createServer() {
  const app = express(alula())

  app.configure(rest())
  app.configure(addServices)
  app.use(notFound())
  app.use(errorHandler())

  return app.listen(0)
}

/** The same services in an application for whatever carries it. */
export async function createApplication() {
  const app = alula()

  app.configure(addServices)
  await app.setup()

  return app
}

/** Logins, a service for everybody and one for who is logged in. */
function addServices(app) {
  app.set('authentication', SETTINGS)

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())

  app.use('authentication', authentication)
  app.use('users', memory(toUserOptions()), { methods: [] })
  app.use('open', memory(toMemoryOptions()))
  app.use('messages', memory(toMemoryOptions()))
  app.service('messages').hooks({ before: { all: [authenticate('jwt')] } })
}
