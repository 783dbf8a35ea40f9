// A client: an application whose services are on a server, with the types of that.
import axios from 'axios'
import { io } from 'socket.io-client'
import superagent from 'superagent'
import type { AdapterParams } from '../../src/adapter.ts'
import {
  type Application,
  AuthenticationClient,
  type AuthenticationResult,
  type Axios,
  alula,
  authentication,
  Base,
  type ClientServices,
  type Fetch,
  FetchClient,
  feathers,
  type HookContext,
  type LiveList,
  type LiveParams,
  type LiveSnapshot,
  live,
  MemoryStorage,
  type Params,
  type RestHandler,
  type RestRequest,
  type RestTransports,
  rest,
  type SocketService,
  socketio
} from '../../src/client.ts'
import {
  type Application as CoreApplication,
  feathers as coreFeathers,
  type Id,
  type Paginated,
  type TransportConnection
} from '../../src/index.ts'
import { type MemoryService, memory } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'
import type { ArchiveResult, Message, MessageParams, Services as ServerServices, User } from './services.ts'

type Services = ClientServices<ServerServices, { messages: 'archive' }>

const url = 'https://api.example.org'
const app = alula<Services>().configure(rest(url).fetch(fetch)).configure(authentication())

expectType<Application<Services>>().of(app)

export async function callServices() {
  const messages = app.service('messages')

  expectType<Message[]>().of(await messages.find({ query: { text: 'Hello', $limit: 1 } }))
  expectType<Message>().of(await messages.get(1))
  expectType<Message>().of(await messages.create({ text: 'Hello' }, { headers: { 'X-Trace': '1' } }))
  expectType<Message>().of(await messages.patch(null, { text: 'Hello' }))
  expectType<ArchiveResult>().of(await messages.archive({ before: new Date() }))
  expectType<User>().of(await app.service('api/users').get('wren'))
  messages.on('created', (message: Message) => message.text)
  messages.hooks({
    before: {
      archive: [async (context) => expectType<MessageParams>().of(context.params)]
    }
  })
  await messages.find({ connection: { signal: AbortSignal.timeout(1000) } })

  // @ts-expect-error -- messages are made from text
  await messages.create({ title: 'Hello' })
  // @ts-expect-error -- `$limit` is a number
  await messages.find({ query: { $limit: '1' } })
  // @ts-expect-error -- it says before when
  await messages.archive({})
  // @ts-expect-error -- nobody can create users
  await app.service('api/users').create({})
  // @ts-expect-error -- there is no such service
  app.service('people')
  // @ts-expect-error -- a list of messages is no message
  const message: Message = await messages.find()

  return message
}

// What a service has for the server alone is not for clients.
class Accounts {
  readonly database = new Map<Id, User>()

  async get(id: Id, _params?: Params): Promise<User> {
    return this.database.get(id) as User
  }

  async hash(password: string): Promise<string> {
    return password
  }

  async close(_data: { id: Id }): Promise<{ closed: boolean }> {
    return { closed: true }
  }

  async setup(): Promise<void> {}
}

// What applications add to the types of `alula` is here too: see the test of augmentation.
expectType<string | undefined>().of(({} as Params).visitor?.name)

interface MoreServices {
  accounts: Accounts
  records: MemoryService<User>
  anything: MemoryService
  sums: { find(params?: MessageParams): Promise<{ ids: Id[] }> }
}

export async function pickMethods(
  client: Application<ClientServices<MoreServices>>,
  custom: Application<ClientServices<MoreServices, { accounts: 'close' }>>
) {
  expectType<User>().of(await client.service('accounts').get(1))
  expectType<{ closed: boolean }>().of(await custom.service('accounts').close({ id: 1 }))
  expectType<User>().of(await client.service('records').create({ email: 'wren@example.org' }))
  expectType<User[]>().of(await client.service('records').create([{ email: 'wren@example.org' }]))
  expectType<Paginated<User>>().of(await client.service('records').find())
  expectType<Paginated<User>>().of(await client.service('records').find({ query: { $limit: 1 } }))
  expectType<Paginated<any>>().of(await client.service('anything').find())
  expectType<{ ids: Id[] }>().of(await client.service('sums').find({ tenant: 'a' }))
  client.use('records', memory<User>())
  client.service('records').hooks({
    before: { find: [(context) => expectType<AdapterParams>().of(context.params)] },
    after: {
      find: [(context) => expectType<Paginated<User>>().of(context.result)]
    }
  })

  // @ts-expect-error -- whether there are pages, the server says
  await client.service('records').find({ paginate: false })
  // @ts-expect-error -- and how long they are
  await client.service('records').find({ paginate: { default: 10 } })
  // @ts-expect-error -- custom methods are listed
  await client.service('accounts').close({ id: 1 })
  // @ts-expect-error -- it is no method for clients
  await custom.service('accounts').hash('secret')
  // @ts-expect-error -- it is no method
  custom.service('accounts').database
  // @ts-expect-error -- it is a part of the adapter
  client.service('records').sanitizeQuery

  // @ts-expect-error -- there is no such method
  type Unknown = ClientServices<MoreServices, { accounts: 'open' }>

  return {} as Unknown
}

// Each library, and each way to say what services there are.
const connection = rest<Services>(url).axios(axios, { headers: { 'X-Trace': '1' } })
const plain = rest().superagent(superagent)
const sockets = socketio<Services>(io(url), { timeout: 5000 })

for (const each of [connection, plain, sockets]) alula<Services>().configure(each)

expectType<Services['messages']['find']>().of(connection.service('messages').find)
expectType<Services['messages']['find']>().of(sockets.service('messages').find)
connection.service('messages').methods('archive')
rest('').superagent(superagent).service('anything').methods('shout').shout({})

app.use('messages', connection.service('messages'), { methods: ['find', 'archive'] })

export const generated: Application<Services, { connection: typeof connection }> = feathers()

generated.configure(connection)
generated.set('connection', connection)
generated.use('messages', generated.get('connection').service('messages'), { methods: ['find', 'archive'] })

// An application of the core takes them too.
export const core: CoreApplication<Services> = coreFeathers()

core.configure(sockets).configure(authentication())

// @ts-expect-error -- a connection without types does not know that there is `archive`
app.use('messages', plain.service('messages'), { methods: ['find', 'archive'] })
// @ts-expect-error -- there is no such service
connection.service('people')
// @ts-expect-error -- there is no such method
app.use('messages', connection.service('messages'), { methods: ['find', 'shout'] })
// @ts-expect-error -- it is a library and no URL
rest(url).fetch(url)
// @ts-expect-error -- it is no class of services
rest(url).fetch(fetch, {}, Map)
// @ts-expect-error -- it is a socket and no URL
socketio(url)
// @ts-expect-error -- a time limit is a number
socketio(io(url), { timeout: '5s' })

// The server comes first, and then the library.
const transports: RestTransports<Services> = rest(url)
const toConnection: RestHandler<Services, Fetch> = transports.fetch

expectType<RestTransports>().of(rest())
expectType<RestHandler<Services, Axios>>().of(transports.axios)
expectType<TransportConnection<Services>>().of(toConnection(fetch, { headers: { 'X-Trace': '1' } }))
expectType<TransportConnection<Services>>().of(toConnection(fetch, FetchClient))
expectType<typeof Base>().of(transports.Base)

// @ts-expect-error -- there is no such library
transports.got
// @ts-expect-error -- it is another library
toConnection(superagent)
// @ts-expect-error -- headers are an object
toConnection(fetch, { headers: 'X-Trace' })

// Lists have the queries and the records of their services.
export async function keepUpToDate(client: Application<ClientServices<MoreServices>>) {
  const list = app.configure(live({ interval: 10_000 })).live('messages', { query: { text: 'Hello' } })
  const params: LiveParams<{ text?: string }> = { query: { text: 'Hello' }, id: 'uuid' }

  expectType<LiveList<Message>>().of(app.live<'messages'>('messages', params))
  expectType<LiveSnapshot<Message>>().of(list.getSnapshot())
  expectType<readonly Message[]>().of(list.getSnapshot().data)
  expectType<Error | undefined>().of(list.getSnapshot().error)
  for await (const { data } of list) expectType<readonly Message[]>().of(data)
  expectType<readonly User[]>().of(
    client.live('records', { query: { $sort: { email: 1 } } }).getSnapshot().data
  )
  expectType<readonly Id[]>().of(client.live('sums').getSnapshot().data)
  expectType<readonly any[]>().of(
    alula()
      .live('anything', { query: { a: 1 } })
      .getSnapshot().data
  )

  // @ts-expect-error -- `$limit` is a number
  app.live('messages', { query: { $limit: '1' } })
  // @ts-expect-error -- there is no such service
  app.live('people')
  // @ts-expect-error -- an interval is a number of milliseconds
  live({ interval: '60s' })
}

// Without types everything goes.
export async function callAnything() {
  const anything = alula().configure(plain)

  expectType<any>().of(await anything.service('messages').find())
  await anything.service('messages').shout({ text: 'Hello' })
  await anything.service('messages').find({ connection: { 'X-Trace': '1' } })
  anything.use('messages', plain.service('messages'), { methods: ['find', 'shout'] })
}

export async function logIn() {
  const result = await app.authenticate({ strategy: 'local', email: 'wren@example.org', password: 'secret' })

  expectType<AuthenticationResult>().of(result)
  expectType<string>().of(result.accessToken)
  expectType<AuthenticationResult>().of(await app.authenticate())
  expectType<AuthenticationResult>().of(await app.reAuthenticate(true, 'jwt', { query: {} }))
  expectType<AuthenticationResult | null>().of(await app.logout())
  expectType<boolean>().of(app.authentication.authenticated)
  expectType<string | null>().of(await app.authentication.getAccessToken())
  app.configure(authentication({ storage: new MemoryStorage(), header: 'X-Token', path: 'login' }))

  // @ts-expect-error -- credentials are an object
  await app.authenticate('secret')
  // @ts-expect-error -- there is no such option
  authentication({ heder: 'X-Token' })
  // @ts-expect-error -- a storage returns what it keeps
  authentication({ storage: {} })
}

export class OwnAuthentication extends AuthenticationClient {
  override async getAccessToken(): Promise<string | null> {
    return this.storage.getItem(this.options.storageKey)
  }
}

authentication({ Authentication: OwnAuthentication })

export class OwnClient extends FetchClient {
  override request(options: RestRequest, params: Params): Promise<any> {
    return super.request({ ...options, headers: { ...options.headers, 'X-Trace': '1' } }, params)
  }
}

export class OwnLibrary extends Base {
  async request({ url: address, method, body, headers }: RestRequest) {
    return this.connection(address, { method, body, headers, ...this.options })
  }
}

rest(url).fetch(fetch, OwnClient)
rest(url).fetch(fetch, {}, OwnLibrary)

export function getOwn(service: SocketService): SocketService {
  return service.methods('shout').off('created')
}

export function readContext(context: HookContext<Application<Services>, Services['messages']>) {
  expectType<Application<Services>>().of(context.app)
  expectType<keyof Services>().of(context.path)
  context.app.authentication.authenticated

  return context.app.authenticate()
}
