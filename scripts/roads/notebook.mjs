import { z } from 'zod'
import { access, anyone, owner, user } from '../../dist/access.js'
import { AuthenticationService, hashPassword, JWTStrategy, LocalStrategy } from '../../dist/authentication.js'
import { schema } from '../../dist/schema.js'
import { createApp, listen, send } from './server.mjs'

const User = z.object({ id: z.int(), email: z.string(), password: z.string() })

const Note = z.object({ id: z.int(), text: z.string(), done: z.boolean().default(false), ownerId: z.int() })

const ACCOUNT = { email: 'ada@example.com', password: 'correct horse' }

/**
 * Starts an application with users, notes that have an owner, and logins with a password. It has one user.
 *
 * @param {{ users: object, notes: object }} stores
 */
export async function startNotebook({ users, notes }) {
  const app = createApp()

  addAuthentication(app)
  app.use('users', users, {
    schema: schema(User, { hidden: ['password'] }),
    access: access({ create: anyone, get: user, find: anyone })
  })
  app.service('users').hooks({ before: { create: [hashPassword('password')] } })
  app.use('notes', notes, {
    schema: schema(Note, { server: { ownerId: ({ params }) => params.user.id } }),
    access: access({
      find: anyone,
      get: anyone,
      create: owner('ownerId'),
      patch: owner('ownerId'),
      remove: owner('ownerId')
    })
  })

  const port = await listen(app)

  await send(port, 'POST', '/users', { body: ACCOUNT })

  return {
    port,
    logIn: () => send(port, 'POST', '/authentication', { body: { strategy: 'local', ...ACCOUNT } }),
    close: () => app.teardown()
  }
}

function addAuthentication(app) {
  app.set('authentication', {
    secret: 'a secret that is long enough for the algorithm',
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password' }
  })

  const service = new AuthenticationService(app)

  service.register('jwt', new JWTStrategy())
  service.register('local', new LocalStrategy())
  app.use('authentication', service)
}
