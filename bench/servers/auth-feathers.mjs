import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { LocalStrategy } from '@feathersjs/authentication-local'
import express, { errorHandler, json, notFound, rest } from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import { SETTINGS, toUserOptions } from '../accounts.mjs'
import { toMemoryOptions } from '../messages.mjs'

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
  app.use('users', memory(toUserOptions()), { methods: [] })
  app.use('open', memory(toMemoryOptions()))
  app.use('messages', memory(toMemoryOptions()))
  app.use(notFound())
  app.use(errorHandler())
  app.service('messages').hooks({ before: { all: [authenticate('jwt')] } })

  return app.listen(0)
}
