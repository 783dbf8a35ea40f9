import { AuthenticationService, authenticate, JWTStrategy } from '@feathersjs/authentication'
import { LocalStrategy } from '@feathersjs/authentication-local'
import { feathers } from '@feathersjs/feathers'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import { memory } from '@feathersjs/memory'
import { SETTINGS, toUserOptions } from '../accounts.mjs'
import { toMemoryOptions } from '../messages.mjs'

/** Feathers v5 on Koa, as its generator sets it up, without what an application may leave out. */
export async function createServer({ count }) {
  const app = koa(feathers())

  app.set('authentication', SETTINGS)

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())

  app.use(errorHandler())
  app.use(bodyParser())
  app.configure(rest())
  app.use('authentication', authentication)
  app.use('users', memory(toUserOptions()), { methods: [] })
  app.use('messages', memory(toMemoryOptions(count)))
  app.use('private', memory(toMemoryOptions()))
  app.service('private').hooks({ before: { all: [authenticate('jwt')] } })

  return app.listen(0)
}
