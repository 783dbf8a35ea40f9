import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { SECRET } from '../support/login.ts'

export const PASSWORD = 'correct horse'

/** A hasher that takes no time. */
const hasher = {
  hash: async (password: string) => `hash of ${password}`,
  compare: async (password: string, hash: string) => hash === `hash of ${password}`
}

/** Users who log in with a password; the budget for failed logins is enforced, as in production. */
export function addUsers(
  app: any = alula(),
  budget: any = {},
  strategies: { [name: string]: any } = {}
): any {
  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local', ...Object.keys(strategies)],
    local: { usernameField: 'email', passwordField: 'password', hasher },
    budget: budget && { enforce: true, ...budget }
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  auth.register('local', new LocalStrategy())
  for (const [name, strategy] of Object.entries(strategies)) auth.register(name, strategy)
  app.use('authentication', auth)
  app.use('users', memory({ id: 'email' }))
  app.use('notes', { find: async () => [] })
  app.service('users').hooks({ before: { create: [hashPassword('password')] } })
  app.service('notes').hooks({ before: { all: [authenticate('jwt', ...Object.keys(strategies))] } })

  return app
}

/** Logs in over HTTP, through a proxy that says where the client is. */
export async function logIn(
  url: string,
  email: string,
  password: string,
  address?: string
): Promise<{ status: number; body: any; headers: Headers }> {
  const response = await fetch(`${url}/authentication`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(address && { 'X-Forwarded-For': address }) },
    body: JSON.stringify({ strategy: 'local', email, password })
  })

  return { status: response.status, body: await response.json(), headers: response.headers }
}

/** Logs in several times, one after another; returns the statuses. */
export async function logInTimes(count: number, ...login: Parameters<typeof logIn>): Promise<number[]> {
  const statuses: number[] = []

  for (let i = 0; i < count; i++) statuses.push((await logIn(...login)).status)

  return statuses
}
