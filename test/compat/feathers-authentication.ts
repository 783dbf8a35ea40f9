import * as official from '@feathersjs/authentication'
import * as officialLocal from '@feathersjs/authentication-local'
import { memory as officialMemory } from '@feathersjs/memory'
import * as ours from '../../src/authentication.ts'
import type { Application } from '../../src/index.ts'
import type { TransportClient } from '../support/transports.ts'

const SECRET = 'a secret of the tests that is long enough to be one'

export const CREDENTIALS = { email: 'wren@example.org', password: 'correct horse' }

export const theirs = {
  AuthenticationService: official.AuthenticationService,
  JWTStrategy: official.JWTStrategy,
  LocalStrategy: officialLocal.LocalStrategy,
  authenticate: official.authenticate,
  hashPassword: officialLocal.hooks.hashPassword,
  protect: officialLocal.hooks.protect
}

interface Parts {
  service?: { AuthenticationService: any }
  strategies?: { JWTStrategy: any; LocalStrategy: any }
  hooks?: { authenticate: any; hashPassword: any; protect: any }
  createUsers?: (options: any) => any
}

/** Users, notes that are for who has logged in, and authentication made of the given parts; the rest is official. */
export function install(
  app: Application,
  { service = theirs, strategies = theirs, hooks = theirs, createUsers = officialMemory }: Parts,
  configuration: { [option: string]: unknown } = {}
) {
  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4 },
    ...configuration
  })

  const authentication = new service.AuthenticationService(app)

  authentication.register('jwt', new strategies.JWTStrategy())
  authentication.register('local', new strategies.LocalStrategy())
  app.use('authentication', authentication)
  app.use('users', createUsers({ startId: 1 }))
  app.use('notes', { find: async ({ user }: any) => [{ owner: user.email }] })
  app.service('users').hooks({
    before: { create: [hooks.hashPassword('password')] },
    after: { all: [hooks.protect('password')] }
  })
  app.service('notes').hooks({ before: { all: [hooks.authenticate('jwt')] } })

  return authentication
}

/** What all transports with HTTP have. */
export type Requester = Pick<TransportClient, 'request'>

export async function send(
  client: Requester,
  verb: string,
  path: string,
  options: { token?: string; data?: any } = {}
) {
  const { token, data } = options
  const response = await client.request(path, {
    method: verb,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(data !== undefined && { 'Content-Type': 'application/json' })
    },
    ...(data !== undefined && { body: JSON.stringify(data) })
  })

  return { status: response.status, body: (await response.json()) as any }
}

/** Signs up and logs in. */
export async function logIn(client: Requester) {
  const user = await send(client, 'POST', '/users', { data: CREDENTIALS })
  const login = await send(client, 'POST', '/authentication', { data: { strategy: 'local', ...CREDENTIALS } })

  return { user, login, token: login.body.accessToken as string }
}

const PARTS = { Feathers: theirs, alula: ours }

const mixtures = Object.entries(PARTS).flatMap(([serviceOf, service]) =>
  Object.entries(PARTS).flatMap(([strategiesOf, strategies]) =>
    Object.entries(PARTS).map(([hooksOf, hooks]) => ({
      title: `the service of ${serviceOf}, the strategies of ${strategiesOf} and the hooks of ${hooksOf}`,
      parts: { service, strategies, hooks }
    }))
  )
)

// Strategies of ours ask their service for more than that of Feathers knows, and say so at registration.
export const supported = mixtures.filter(({ parts }) => parts.service === ours || parts.strategies === theirs)
