// A program as a user writes it, compiled against the packed package. Declarations are emitted for it too, so
// that a type of ours which cannot be named from outside is an error here.
import assert from 'node:assert/strict'
import type { AroundHookFunction, HookContext, Id, Params, ServiceInterface } from 'alula'
import { alula, feathers } from 'alula'
import {
  type AuthenticationParams,
  type AuthenticationResult,
  AuthenticationService,
  type AuthenticationStrategy,
  authenticate,
  createStrategy,
  type Hasher,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  passwordHash,
  protect,
  type RevocationStore
} from 'alula/authentication'
import {
  type ClientServices,
  alula as createClient,
  rest as restClient,
  socketio as socketClient
} from 'alula/client'
import { errors, FeathersError, isFeathersError, NotFound } from 'alula/errors'
import express, {
  errorHandler,
  authenticate as expressAuthenticate,
  json,
  notFound,
  parseAuthentication,
  rest,
  toMiddleware,
  urlencoded
} from 'alula/express'
import { createHandler } from 'alula/fetch'
import { compose } from 'alula/hooks'
import {
  bodyParser,
  type FeathersKoaContext,
  type Middleware as KoaMiddleware,
  koa,
  errorHandler as koaErrorHandler,
  rest as koaRest
} from 'alula/koa'
import { memory } from 'alula/memory'
import { type OAuthParams, type OAuthProfile, OAuthStrategy, oauth } from 'alula/oauth'
import { schema } from 'alula/schema'
import { socketio } from 'alula/socketio'
import { sync } from 'alula/sync'
import { parseQueryString } from 'alula/transport'
import { io } from 'socket.io-client'

export interface Message {
  id: number
  text: string
}

export type MessageData = Pick<Message, 'text'>

export class MessageService implements ServiceInterface<Message, MessageData> {
  messages: Message[] = []

  async find(_params?: Params): Promise<Message[]> {
    return this.messages
  }

  async get(id: Id, _params?: Params): Promise<Message> {
    const message = this.messages.find((candidate) => candidate.id === Number(id))

    if (!message) throw new NotFound(`No message with id '${id}'`, { id })

    return message
  }

  async create(data: MessageData, _params?: Params): Promise<Message> {
    const message = { id: this.messages.length + 1, text: data.text }

    this.messages.push(message)

    return message
  }

  async shout(data: MessageData, _params?: Params): Promise<MessageData> {
    return { text: data.text.toUpperCase() }
  }
}

export interface Services {
  messages: MessageService
}

export interface Settings {
  port: number
}

declare module 'alula' {
  interface Params {
    user?: string
  }
}

export const app = alula<Services, Settings>()
export const context = { log: [] as string[] }

const trace: AroundHookFunction = async (hookContext, next) => {
  context.log.push(`${hookContext.path}.${hookContext.method}`)
  await next()
}

const trim = async (hookContext: HookContext<typeof app, MessageService>) => {
  if (hookContext.data) hookContext.data = { text: hookContext.data.text.trim() }
}

app.use('messages', new MessageService(), {
  methods: ['find', 'get', 'create', 'shout'],
  events: ['shouted']
})
app.set('port', 3030)
app.hooks({ around: { all: [trace] } })

export const service = app.service('messages')

service.hooks({
  before: { create: [trim] },
  after: { all: [(hookContext) => void hookContext.result] },
  error: { all: [(hookContext) => void context.log.push(hookContext.error.message)] }
})
service.on('created', (message: Message) => context.log.push(message.text))

export const created: Message = await service.create({ text: ' Hello ' }, { user: 'Ada', query: {} })

const port: number = app.get('port')
const caught: unknown = await service.get(17).catch((error: unknown) => error)

assert.equal(port, 3030)
assert.equal(created.text, 'Hello')
assert.ok(isFeathersError(caught) && caught instanceof FeathersError && caught instanceof NotFound)
assert.equal(caught.code, 404)
assert.equal(errors[404], NotFound)
assert.deepEqual(context.log, ['messages.create', 'Hello', 'messages.get', "No message with id '17'"])

// What must not compile: types that have turned into 'any' would let it through.
export function misuse() {
  // @ts-expect-error there is no such service
  app.service('message')
  // @ts-expect-error there is no such method
  service.remove(1)
  // @ts-expect-error 'text' is a string
  service.create({ text: 1 })
  // @ts-expect-error the service has no such method
  app.use('messages', new MessageService(), { methods: ['destroy'] })
  // @ts-expect-error 'port' is a number
  app.set('port', '3030')
}

export const expressApp = express(alula<Services>())

expressApp.use(json(), urlencoded({ extended: true }))
expressApp.use((request, _response, next) => {
  request.feathers = { ...request.feathers, user: 'Ada' }
  next()
})
expressApp.use('/version', (_request, response) => void response.json(expressApp.version))
expressApp.configure(rest())
expressApp.use(
  'messages',
  (request, _response, next) => {
    context.log.push(String(request.feathers?.user))
    next()
  },
  new MessageService(),
  { methods: ['find', 'create'] }
)
expressApp.use(notFound())
expressApp.use(errorHandler({ logger: false }))

export const server = await expressApp.listen(0)

await expressApp.service('messages').create({ text: 'Hello' })

const address = server.address()

assert.ok(address !== null && typeof address === 'object')

const answer = await fetch(`http://localhost:${address.port}/messages`)

assert.deepEqual(await answer.json(), [{ id: 1, text: 'Hello' }])
assert.equal(context.log.at(-1), 'Ada')
await expressApp.teardown()

export const middleware = toMiddleware(app, { logger: false })
export const onKoa = koa(alula())

export const tenant: KoaMiddleware = async (context: FeathersKoaContext, next) => {
  context.feathers = { ...context.feathers, tenant: 1 }
  await next()
}

onKoa
  .use(koaErrorHandler({ logger: false }))
  .use(bodyParser())
  .use(tenant)
onKoa.configure(koaRest())

export const handler = createHandler(app, { prefix: '/api', logger: false })

const response: Response = await handler(new Request('http://localhost/api/messages/1'))

assert.deepEqual(await response.json(), created)

export const composed = compose<{ arguments: unknown[]; type: string; count: number }>([
  async (hookContext, next) => {
    hookContext.count++
    await next()
  }
])

const counted = { arguments: [], type: 'around', count: 0 }

await composed(counted)
assert.equal(counted.count, 1)
assert.equal(parseQueryString('a[b]=1').a.b, '1')
assert.equal(feathers, alula)

// Authentication.
export class RoleAuthentication extends AuthenticationService {
  override async getPayload(result: AuthenticationResult, params: AuthenticationParams) {
    return { ...(await super.getPayload(result, params)), role: 'reader' }
  }
}

export class LowerCaseStrategy extends LocalStrategy {
  override async findEntity(username: string, params: Params) {
    return super.findEntity(username.toLowerCase(), params)
  }
}

export interface SecuredServices {
  authentication: RoleAuthentication
  accounts: ReturnType<typeof memory>
  notes: { find(params?: Params): Promise<string[]> }
}

export const apiKey: AuthenticationStrategy = createStrategy(({ name }) => ({
  parse: async ({ headers }) => (headers['x-api-key'] ? { strategy: name, key: headers['x-api-key'] } : null),
  authenticate: async ({ key }) => ({ authentication: { strategy: name }, account: { email: `${key}@key` } })
}))

export class LoggingStore implements RevocationStore {
  private readonly revoked = new Set<string>()

  revoke(id: string, _expiresAt: number): boolean {
    const isNew = !this.revoked.has(id)

    this.revoked.add(id)

    return isNew
  }

  isRevoked(id: string): boolean {
    return this.revoked.has(id)
  }
}

export const plainHasher: Hasher = {
  hash: async (password) => [...password].reverse().join(''),
  compare: async (password, hash) => hash === [...password].reverse().join('')
}

export class GitHubStrategy extends OAuthStrategy {
  override async getEntityData(profile: OAuthProfile, existing: unknown, params: OAuthParams) {
    return { ...(await super.getEntityData(profile, existing, params)), name: profile.name }
  }
}

export const secured = express(alula<SecuredServices>())

secured.set('authentication', {
  secret: 'a secret of the consumer that is long enough to be one',
  service: 'accounts',
  entity: 'account',
  authStrategies: ['jwt', 'local'],
  parseStrategies: ['jwt', 'apiKey'],
  revocation: new LoggingStore(),
  local: { usernameField: 'email', passwordField: 'password', hasher: plainHasher },
  oauth: {
    redirect: '/',
    defaults: { origin: 'https://example.org' },
    github: { key: 'key', secret: 'secret' }
  }
})

export const authentication = new RoleAuthentication(secured)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LowerCaseStrategy())
authentication.register('apiKey', apiKey)
secured.configure(rest())
secured.use(parseAuthentication())
secured.get('/me', expressAuthenticate('jwt'), (request, response) => void response.json(request.feathers))
secured.use('authentication', authentication)
secured.use('accounts', memory())
secured.use('notes', { find: async (params) => [String((params as AuthenticationParams).account.email)] })
secured.service('accounts').hooks({
  before: { create: [hashPassword('password')] },
  after: { all: [protect('password')] }
})
secured.service('notes').hooks({ around: { all: [authenticate('jwt', 'apiKey')] } })
secured.on('login', (result: AuthenticationResult) => context.log.push(result.account.email))

export const resolvePassword = passwordHash({ strategy: 'local' })
authentication.register('github', new GitHubStrategy())
secured.configure(oauth())

export const securedServer = await secured.listen(0)

await secured.service('accounts').create({ email: 'ada@example.org', password: 'secret' })

const securedAddress = securedServer.address()

assert.ok(securedAddress !== null && typeof securedAddress === 'object')

const url = `http://localhost:${securedAddress.port}`
const login = await fetch(`${url}/authentication`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ strategy: 'local', email: 'ADA@example.org', password: 'secret' })
})
const { accessToken, account } = (await login.json()) as AuthenticationResult
const headers = { Authorization: `Bearer ${accessToken}` }
const payload = await authentication.verifyAccessToken(accessToken)

assert.deepEqual(account, { id: 0, email: 'ada@example.org' })
assert.equal(payload.role, 'reader')
assert.equal(context.log.at(-1), 'ada@example.org')
assert.deepEqual(await (await fetch(`${url}/notes`, { headers })).json(), ['ada@example.org'])
assert.deepEqual(await (await fetch(`${url}/notes`, { headers: { 'X-Api-Key': 'robot' } })).json(), [
  'robot@key'
])
assert.equal((await fetch(`${url}/me`, { headers })).status, 200)
assert.equal((await fetch(`${url}/notes`)).status, 401)
assert.equal((await fetch(`${url}/authentication`, { method: 'DELETE', headers })).status, 200)
assert.equal((await fetch(`${url}/notes`, { headers })).status, 401)

const atProvider = await fetch(`${url}/oauth/github`, { redirect: 'manual' })

assert.equal(new URL(String(atProvider.headers.get('location'))).host, 'github.com')
await secured.teardown()

export function misuseAuthentication() {
  // @ts-expect-error a strategy has a name
  authenticate()
  // @ts-expect-error a strategy is an object
  authentication.register('none', 'jwt')
  // @ts-expect-error credentials are an object
  secured.service('authentication').create('secret')
}

export function misuseOAuth() {
  // @ts-expect-error there are no sessions
  oauth({ expressSession: true })
}

// Real time, and the client.
export const live = express(alula<Services>())

live.configure(rest())
live.configure(socketio({ logger: false }, (server) => void server.of('/').setMaxListeners(10)))
live.use('messages', new MessageService(), { methods: ['find', 'get', 'create', 'shout'] })
live.on('connection', (connection: object) => live.channel('everybody').join(connection))
live.service('messages').publish(() => live.channel('everybody'))

export const liveServer = await live.listen(0)

const liveAddress = liveServer.address()

assert.ok(liveAddress !== null && typeof liveAddress === 'object')

export type RemoteServices = ClientServices<Services, { messages: 'shout' }>

const liveUrl = `http://localhost:${liveAddress.port}`
const socket = io(liveUrl, { transports: ['websocket'] })

export const connection = socketClient<RemoteServices>(socket)
export const overSocket = createClient<RemoteServices>().configure(connection)
export const overHttp = createClient<RemoteServices>().configure(restClient(liveUrl).fetch(fetch))

overSocket.use('messages', connection.service('messages'), { methods: ['find', 'get', 'create', 'shout'] })

const heard = new Promise<Message>((resolve) => overSocket.service('messages').once('created', resolve))

assert.equal((await overSocket.service('messages').shout({ text: 'hello' })).text, 'HELLO')
assert.equal((await overHttp.service('messages').create({ text: 'Hello' })).text, 'Hello')
assert.equal((await heard).text, 'Hello')

export function misuseClient() {
  // @ts-expect-error there is no such method
  overHttp.service('messages').remove(1)
  // @ts-expect-error 'text' is a string
  overSocket.service('messages').create({ text: 1 })
  // @ts-expect-error Redis has to be somewhere
  live.configure(sync({}))
}

socket.close()
await live.teardown()

/** Not called here, because JSON Schemas need Ajv. */
export const declareNotes = () =>
  schema({ type: 'object', properties: { id: { type: 'integer' } } }, { hidden: [] })
