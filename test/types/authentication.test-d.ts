// Authentication: services that extend ours as those of Feathers v5 are extended, hooks, and the seams.
import type { RequestHandler } from 'express'
import {
  AuthenticationBase,
  type AuthenticationConfiguration,
  type AuthenticationParams,
  type AuthenticationRequest,
  type AuthenticationResult,
  AuthenticationService,
  type AuthenticationStrategy,
  authenticate,
  authenticationSettingsSchema,
  BcryptHasher,
  connection,
  event,
  type Hasher,
  hashPassword,
  hooks,
  type JwtOptions,
  type JwtVerifyOptions,
  type LocalStrategy,
  MemoryRevocationStore,
  passwordHash,
  protect,
  type RevocationStore
} from '../../src/authentication.ts'
import express, {
  errorHandler,
  authenticate as expressAuthenticate,
  parseAuthentication,
  rest
} from '../../src/express.ts'
import { alula, type HookContext, type Params } from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'

interface Member {
  id: number
  email: string
  password?: string
}

// What an app says that its hooks leave on params.
declare module '../../src/index.ts' {
  interface Params {
    member?: Member
  }
}

class Members {
  id = 'id'

  async find(_params?: Params): Promise<Member[]> {
    return []
  }

  async get(id: number, params?: Params): Promise<Member> {
    expectType<Member | undefined>().of(params?.member)
    expectType<boolean | undefined>().of(params?.authenticated)
    expectType<AuthenticationRequest | undefined>().of(params?.authentication)

    return { id, email: 'wren@example.org' }
  }

  async create(data: Omit<Member, 'id'>, _params?: Params): Promise<Member> {
    return { ...data, id: 1 }
  }
}

interface Services {
  authentication: AuthenticationService
  members: Members
}

interface Settings {
  authentication: AuthenticationConfiguration
}

/** With the signatures of Feathers v5. */
class MemberAuthentication extends AuthenticationService {
  override async getPayload(result: AuthenticationResult, params: AuthenticationParams) {
    return { ...(await super.getPayload(result, params)), role: 'reader' }
  }

  override async getTokenOptions(result: AuthenticationResult, params: AuthenticationParams) {
    const options = await super.getTokenOptions(result, params)

    expectType<JwtOptions>().of(options)

    return { ...options, expiresIn: params.remember ? '30d' : '1h' }
  }

  override async create(data: AuthenticationRequest, params?: AuthenticationParams) {
    return super.create(data, params)
  }

  override async remove(id: string | null, params?: AuthenticationParams) {
    return super.remove(id, params)
  }
}

const app = express(alula<Services, Settings>())
const authentication = new MemberAuthentication(app, 'authentication', { entity: 'member' })

app.use('authentication', authentication)
app.use('authentication', new MemberAuthentication(app), { methods: ['create', 'remove'] })

// A service in an application that has no types for it.
alula().use('login', new AuthenticationService(alula(), 'login'))
expectType<string>().of(new AuthenticationBase(app).configKey)

// Options over those of the setting: the same, none of which is required, and those of strategies.
new AuthenticationService(app, 'authentication', {
  isActive: (member, params) => {
    expectType<AuthenticationParams>().of(params)

    return member.isActive
  },
  local: { usernameField: 'email' }
})
new AuthenticationBase(app, 'authentication', { jwtOptions: { expiresIn: '1h' } })

// @ts-expect-error -- an application comes first
new AuthenticationService('authentication')
// @ts-expect-error -- who may log in, a function says
new AuthenticationService(app, 'authentication', { isActive: 5 })
// @ts-expect-error -- strategies are a list
new AuthenticationBase(app, 'authentication', { authStrategies: 'jwt' })

// The configuration.

app.set('authentication', {
  secret: 'a secret',
  service: 'members',
  entity: 'member',
  entityId: 'id',
  authStrategies: ['jwt', 'local'],
  parseStrategies: ['jwt', 'apiKey'],
  jwtOptions: { header: { typ: 'access' }, audience: ['a', 'b'], algorithm: ['ES256'], expiresIn: '1d' },
  isActive: async (member: Member) => member.id > 0,
  revocation: false,
  local: { usernameField: 'email', passwordField: 'password' },
  oauth: { redirect: '/' }
})
app.set('authentication', { entity: null, authStrategies: [], revocation: new MemoryRevocationStore() })

// @ts-expect-error -- strategies are listed
app.set('authentication', { authStrategies: 'jwt' })
// @ts-expect-error -- revocation is on unless it is `false`
app.set('authentication', { authStrategies: [], revocation: true })
// @ts-expect-error -- a duration is a number or a text
app.set('authentication', { authStrategies: [], jwtOptions: { expiresIn: new Date() } })

expectType<'secret' | 'entity' | 'authStrategies'>().of(authenticationSettingsSchema.required[0 as 0 | 1 | 2])

// A hasher and a store of one's own.

const hasher: Hasher = {
  hash: async (password) => password.toUpperCase(),
  compare: async (password, hash) => password === hash,
  needsRehash: (hash) => hash === '',
  close: () => {}
}

class PepperHasher extends BcryptHasher {
  override async hash(password: string) {
    return super.hash(`${password}pepper`)
  }
}

class RedisStore implements RevocationStore {
  async revoke(id: string, expiresAt: number) {
    return id !== '' && expiresAt > 0
  }

  async isRevoked(id: string) {
    return id === ''
  }
}

expectType<Promise<boolean>>().of(hasher.compare('secret', ''))
expectType<Promise<string>>().of(new PepperHasher(12).hash('secret'))
app.set('authentication', { authStrategies: [], revocation: new RedisStore(), local: { hasher } })

// @ts-expect-error -- a hasher compares
const halfHasher: Hasher = { hash: async (password: string) => password }
// @ts-expect-error -- a store says whether an id is new to it
const halfStore: RevocationStore = { revoke: async () => {}, isRevoked: async () => false }

export { halfHasher, halfStore }

// Hooks.

app.service('members').hooks({
  around: {
    all: [authenticate('jwt')],
    find: [authenticate({ service: 'authentication', strategies: ['jwt', 'apiKey'] })],
    create: [hashPassword('password'), protect('password')]
  },
  before: {
    all: [authenticate('jwt', 'local')],
    create: [hashPassword('password', { authentication: 'authentication', strategy: 'local' })]
  },
  after: { all: [protect('password', 'login.secret')] }
})
app.service('authentication').hooks({
  around: { create: [connection('login'), event('login')], remove: [hooks.connection('logout')] },
  after: {
    create: [
      async (context) => {
        context.dispatch = { ...context.result, at: Date.now() }
      }
    ]
  }
})
app.hooks({ before: { all: [authenticate('jwt') as any] }, around: { all: [hooks.authenticate('jwt')] } })

// @ts-expect-error -- a strategy has a name
authenticate()
// @ts-expect-error -- settings name their strategies
authenticate({ service: 'authentication' })
// @ts-expect-error -- a field has a name
hashPassword()
// @ts-expect-error -- a strategy hashes
passwordHash({})
// @ts-expect-error -- nothing else happens to a connection
connection('created')

/** As `resolve` of the schema package calls them. */
export async function resolvePassword(context: HookContext<typeof app, Members>) {
  const resolve = passwordHash({ strategy: 'local' })

  expectType<string | undefined>().of(await resolve('secret', {}, context as HookContext))

  // @ts-expect-error -- a password is a text
  await resolve(5, {}, context as HookContext)
}

// Calls.

export async function useService() {
  const service = app.service('authentication')
  const result = await service.create(
    { strategy: 'local', email: 'wren@example.org', password: 'secret' },
    {
      payload: { role: 'reader' },
      jwtOptions: { expiresIn: '5m' },
      authStrategies: ['local'],
      secret: 'other'
    }
  )
  const options: JwtVerifyOptions = { algorithms: ['HS256'], clockTolerance: 5 }

  expectType<AuthenticationResult>().of(result)
  expectType<any>().of(await service.verifyAccessToken(result.accessToken, options))
  expectType<string>().of(await service.createAccessToken({ role: 'reader' }, { subject: '1' }))
  expectType<void>().of(await service.revokeAccessToken(result.accessToken))
  expectType<AuthenticationStrategy | undefined>().of(service.getStrategy('local'))
  expectType<AuthenticationStrategy[]>().of(service.getStrategies('local', 'jwt'))
  expectType<AuthenticationRequest | null>().of(await service.parse({ headers: {} }, undefined, 'jwt'))
  expectType<string[]>().of(service.strategyNames)
  expectType<AuthenticationConfiguration>().of(service.configuration)
  expectType<AuthenticationResult>().of(await service.remove(null, { authentication: { strategy: 'jwt' } }))

  const [local] = service.getStrategies('local') as LocalStrategy[]

  expectType<string | undefined>().of(await local?.hashPassword('secret'))

  const auth = app.defaultAuthentication?.('authentication')

  expectType<readonly string[] | undefined>().of(auth?.configuration.authStrategies)
  expectType<any[] | undefined>().of(auth?.getStrategies('local'))

  // @ts-expect-error -- only one's own token is removed
  await service.remove(5)
  // @ts-expect-error -- a payload is an object
  await service.create({}, { payload: 'reader' })
}

app.on('login', (result: AuthenticationResult, params: AuthenticationParams, context: HookContext) => {
  console.log(result.member, params.connection, context.path)
})

// Express.

const guard: RequestHandler = expressAuthenticate('jwt', 'apiKey')

app.configure(rest({ authentication: { service: 'authentication', strategies: ['jwt'] } }))
app.use(parseAuthentication({ strategies: ['jwt'] }))
app.get(
  '/me',
  expressAuthenticate({ service: 'authentication', strategies: ['jwt'] }),
  (request, response) => {
    expectType<Member | undefined>().of(request.feathers?.member)
    response.json(request.feathers?.member)
  }
)
app.use('/files', guard, (_request, response) => void response.end())
app.use('members', expressAuthenticate('jwt'), new Members())
app.use(errorHandler())

// @ts-expect-error -- a strategy has a name
expressAuthenticate()
// @ts-expect-error -- strategies are listed
parseAuthentication({ strategies: 'jwt' })
