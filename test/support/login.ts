import {
  AuthenticationService,
  authenticate,
  type Hasher,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  protect
} from '../../src/authentication.ts'
import { type MemoryOptions, memory } from '../../src/memory.ts'

/** What tokens are signed with in tests: longer than a digest, so that nothing warns of it. */
export const SECRET = 'a secret for tests, longer than thirty-two bytes'

/** What the tokens of `configureLogin` have to say, as long as the settings do not change it. */
export const JWT_OPTIONS = {
  header: { typ: 'access' },
  audience: 'https://yourdomain.com',
  issuer: 'feathers',
  algorithm: 'HS256',
  expiresIn: '1d'
}

interface LoginOptions {
  /** Settings of the authentication service over those that are given here. */
  readonly settings?: { [option: string]: any }
  /** Options of the `users`. */
  readonly users?: MemoryOptions
}

/**
 * Gives an application the service `authentication`, for `users` who log in with `email` and `password`.
 *
 * @param app The application
 * @param settings Settings over those that are given here
 */
export function addAuthentication(
  app: any,
  { local, ...others }: { readonly [option: string]: any } = {}
): void {
  app.set('authentication', {
    secret: SECRET,
    entity: 'user',
    service: 'users',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4, ...local },
    ...others
  })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())
  app.use('authentication', authentication)
}

/**
 * Gives an application `users` who log in with `email` and `password`, `notes` that only they can reach, `things`
 * that are open to all, and an `authentication` service.
 */
export function configureLogin(app: any, { settings = {}, users = {} }: LoginOptions = {}) {
  addAuthentication(app, settings)
  app.use('users', memory(users))
  app.use('notes', {
    find: async ({ user }: any) => ({ of: user?.email ?? null }),
    create: async (data: any) => data
  })
  app.use('things', { find: async () => ({ open: true }) })

  app.service('users').hooks({
    before: { create: [hashPassword('password')], patch: [hashPassword('password')] },
    after: { all: [protect('password')] }
  })
  app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })

  return app.service('authentication')
}

/** A hasher that takes no time and counts what it is asked for. */
export class CountingHasher implements Hasher {
  comparisons = 0

  async hash(password: string): Promise<string> {
    return `hash of ${password}`
  }

  async compare(password: string, hash: string): Promise<boolean> {
    this.comparisons++

    return hash === `hash of ${password}`
  }
}
