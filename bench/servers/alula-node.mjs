import { createServer as createHttpServer } from 'node:http'
import { AuthenticationService, authenticate, JWTStrategy, LocalStrategy } from '../../dist/authentication.js'
import { alula } from '../../dist/index.js'
import { memory } from '../../dist/memory.js'
import { toListener } from '../../dist/node.js'
import { SETTINGS, toUserOptions } from '../accounts.mjs'
import { toMemoryOptions } from '../messages.mjs'

/** alula on a server of Node, without Express. */
export async function createServer(options) {
  return createHttpServer(toListener(await createApplication(options))).listen(0)
}

/** An application for whatever carries it. */
export async function createApplication(options) {
  const app = alula()

  addServices(app, options)
  await app.setup()

  return app
}

/** Logins, messages for everybody, and messages for users. */
export function addServices(app, { count }) {
  app.set('authentication', SETTINGS)

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())

  app.use('authentication', authentication)
  app.use('users', memory(toUserOptions()), { methods: [] })
  app.use('messages', memory(toMemoryOptions(count)))
  app.use('private', memory(toMemoryOptions()))
  app.service('private').hooks({ before: { all: [authenticate('jwt')] } })
}
