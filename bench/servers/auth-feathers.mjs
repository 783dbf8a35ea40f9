import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { LocalStrategy } from '@feathersjs/authentication-local'
import { NotFound } from '@feathersjs/errors'
import express, { errorHandler, json, notFound, rest } from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { SETTINGS, UserService } from '../accounts.mjs'
import { MessageService } from '../messages.mjs'

/** Feathers v5 with logins, a service for everybody and one for who is logged in. */
export async function createServer() {
  const app = express(feathers())

  app.set('authentication', SETTINGS)

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())

  app.use(json())
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
