import { onTestFinished } from 'vitest'
import {
  AuthenticationBase,
  AuthenticationService,
  type Hasher,
  hashPassword,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

export const SECRET = 'a secret of the tests that is long enough to be one'

export const OTHER_SECRET = 'another secret of the tests, just as long as the first'

/** With bcrypt, at its lowest cost. */
export const LOCAL = { usernameField: 'email', passwordField: 'password', hashSize: 4 }

export const WREN = { email: 'wren@example.org', password: 'correct horse' }

export const LOGIN = { strategy: 'local', ...WREN }

export const EXTERNAL = { provider: 'rest' }

export const INVALID_LOGIN = { name: 'NotAuthenticated', code: 401, message: 'Invalid login' }

export const REVOKED = { name: 'NotAuthenticated', code: 401, message: 'jwt revoked' }

/** Settings for tests of what hashes are: those of other tests cost nothing. */
export const BCRYPT = { local: LOCAL }

interface Options {
  /** Over the settings that all tests share. */
  readonly settings?: { readonly [option: string]: unknown }
  /** The strategies by name; `jwt` and `local` when left out. */
  readonly strategies?: { readonly [name: string]: any }
  /** The service of the users; one without records when left out. */
  readonly users?: any
}

/** An application with users, whose passwords are hashed when they are created, and with an authentication service. */
export function createApp({ settings = {}, strategies, users = memory() }: Options = {}) {
  const app: any = alula()
  const registered = strategies ?? { jwt: new JWTStrategy(), local: new LocalStrategy() }

  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: Object.keys(registered),
    ...(registered.local && { local: { ...LOCAL, hasher: createHasher() } }),
    ...settings
  })

  const auth = new AuthenticationService(app)

  for (const [name, strategy] of Object.entries(registered)) auth.register(name, strategy)

  app.use('users', users).use('authentication', auth)
  app
    .service('users')
    .hooks({ before: { create: [hashPassword('password')], patch: [hashPassword('password')] } })
  onTestFinished(async () => void (await app.teardown()))

  return app
}

/** The same, with one user who can log in. */
export async function createAppWithUser(options: Options = {}) {
  const app = createApp(options)
  const user = await app.service('users').create(WREN)

  return { app, user, service: app.service('authentication') }
}

/** What a token says. */
export function decode(token: string): { header: any; payload: any } {
  const [header, payload] = token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))

  return { header, payload }
}

/** As with bcrypt, two hashes of one password differ. */
function createHasher(): Hasher {
  let count = 0

  return {
    hash: async (password) => `${count++}:${password}`,
    compare: async (password, hash) => /^\d+:(.*)$/.exec(hash)?.[1] === password
  }
}

/** A strategy with this configuration, on a service without an application around. */
export function createLocalStrategy(configuration: object, name = 'local') {
  const auth = new AuthenticationBase(alula(), 'authentication', {
    service: 'users',
    entity: 'user',
    [name]: configuration
  })
  const strategy = new LocalStrategy()

  auth.register(name, strategy)

  return strategy
}

export function getLocal(app: any): LocalStrategy {
  return app.service('authentication').getStrategy('local')
}

/** Uses a token. */
export function useToken(app: any, accessToken: string): Promise<any> {
  return app.service('authentication').create({ strategy: 'jwt', accessToken })
}
