import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { LocalStrategy } from '@feathersjs/authentication-local'
import express, { errorHandler, json, notFound, rest } from '@feathersjs/express'
import { feathers } from '@feathersjs/feathers'
import { memory } from '@feathersjs/memory'
import { SETTINGS, toUserOptions } from '../accounts.mjs'
import { toMemoryOptions } from '../messages.mjs'

/** Feathers v5, as its generator sets it up, without what an application may leave out. */
export async function createServer({ count }) {
  const app = express(feathers())

  app.set('authentication', SETTINGS)

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())

  app.use(json())
  app.configure(rest())
  app.use('authentication', authentication)
  app.use('users', memory(toUserOptions()), { methods: [] })
  app.use('messages', memory(toMemoryOptions(count)))
  app.use('private', memory(toMemoryOptions()))
  app.service('private').hooks({ before: { all: [authenticate('jwt')] } })
  app.use(notFound())
  app.use(errorHandler())

  return app.listen(0)
}
