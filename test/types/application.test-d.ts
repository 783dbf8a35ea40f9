// `alula<Services, Settings>()`: paths, services, options and settings are known by their names.
import { EventEmitter } from 'events'
import {
  type AnyService,
  type Application,
  alula,
  asCaller,
  type FeathersService,
  feathers,
  type RouteLookup,
  type ServiceMixin,
  type ServiceOfClient,
  type ServiceOptions,
  type ServicesOfClient
} from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'
import {
  type ArchiveResult,
  type Message,
  MessageService,
  type Services,
  type Settings,
  type User,
  UserService
} from './services.ts'

const app = alula<Services, Settings>()

expectType<Application<Services, Settings>>().of(app)
expectType<typeof alula>().of(feathers)
expectType<Application<Services, any>>().of(feathers<Services>())

// Services are registered under their path, with the methods that they have.
app.use('messages', new MessageService())
app.use('messages', new MessageService(), {
  methods: ['find', 'get', 'create', 'archive'],
  events: ['archived'],
  serviceEvents: ['created', 'archived'],
  routeParams: { tenant: 'a' }
})
app.use('messages', new MessageService(), { methods: ['find', 'archive'] as const })
app.use('api/users', { get: async (id) => ({ id, email: '' }) })
expectType<Application<Services, Settings>>().of(app.use('api/users', new UserService()))

// @ts-expect-error -- no service belongs under this path
app.use('massages', new MessageService())
// @ts-expect-error -- another service belongs under this path
app.use('messages', new UserService())
// @ts-expect-error -- `get` has another result
app.use('api/users', { get: async () => 'wren' })
// @ts-expect-error -- not a service at all
app.use('messages', 5)
// @ts-expect-error -- the service has no such method
app.use('messages', new MessageService(), { methods: ['find', 'publish'] })
// @ts-expect-error -- there is no such option
app.use('messages', new MessageService(), { method: ['find'] })
// @ts-expect-error -- events are a list
app.use('messages', new MessageService(), { events: 'archived' })

// What is registered is the class with what registration adds.
const messages = app.service('messages')

expectType<FeathersService<Application<Services, Settings>, MessageService>>().of(messages)
expectType<Promise<FeathersService<Application<Services, Settings>, UserService>>>().of(
  app.unuse('api/users')
)
messages.on('created', (message: Message) => message.text)
messages.emit('archived', { count: 1 })

// @ts-expect-error -- no service belongs under this path
app.service('massages')
// @ts-expect-error -- no service belongs under this path
app.unuse('massages')

export async function callMethods() {
  const params = { query: { text: 'Hello', $limit: 1 }, tenant: 'a' }

  expectType<Message[]>().of(await messages.find(params))
  expectType<Message>().of(await messages.get(1, params))
  expectType<Message>().of(await messages.get('1'))
  expectType<Message>().of(await messages.create({ text: 'Hello' }, params))
  expectType<Message>().of(await messages.update(1, { text: 'Hello' }))
  expectType<Message>().of(await messages.patch(null, { text: 'Hello' }, params))
  expectType<Message>().of(await messages.remove(1))
  expectType<ArchiveResult>().of(await messages.archive({ before: new Date() }, params))
  expectType<User>().of(await app.service('api/users').get('wren'))

  // @ts-expect-error -- `text` is missing
  await messages.create({})
  // @ts-expect-error -- `text` is a string
  await messages.create({ text: 5 })
  // @ts-expect-error -- the class takes no lists
  await messages.create([{ text: 'Hello' }])
  // @ts-expect-error -- messages have no title
  await messages.patch(1, { title: 'Hello' })
  // @ts-expect-error -- an id is a number or a string
  await messages.get({ id: 1 })
  // @ts-expect-error -- `get` needs the id of one message
  await messages.get(null)
  // @ts-expect-error -- `text` is a string
  await messages.find({ query: { text: 5 } })
  // @ts-expect-error -- there is no such field to query
  await messages.find({ query: { title: 'Hello' } })
  // @ts-expect-error -- there is no such param
  await messages.find({ tenants: ['a'] })
  // @ts-expect-error -- `before` is a date
  await messages.archive({ before: 'yesterday' })
  // @ts-expect-error -- there is no such method
  await messages.publish({})
  // @ts-expect-error -- users have `get` only
  await app.service('api/users').create({ email: '' })
}

// A client has the methods, and calls them with the same types.
export async function callAsClient() {
  const services: ServicesOfClient<Services> = app.asClient({ user: { id: 1 }, provider: 'mqtt' })
  const client: ServiceOfClient<MessageService> = services.service('messages')

  expectType<Message[]>().of(await client.find({ query: { text: 'Hello' } }))
  expectType<Message>().of(await client.create({ text: 'Hello' }))
  expectType<ArchiveResult>().of(await client.archive({ before: new Date() }))
  expectType<any>().of(await alula().asClient().service('messages').get(1))

  // @ts-expect-error -- `text` is missing
  await client.create({})
  // @ts-expect-error -- a client sees no list of events
  client.events.at(0)
  // @ts-expect-error -- there is no such option
  app.asClient({ usr: {} })
  // @ts-expect-error -- no service belongs under this path
  app.asClient().service('massages')
}

// The params for a call of the caller are those that it had.
expectType<{ tenant: string; query?: any }>().of(asCaller({ tenant: 'a' } as { tenant: string; query?: any }))

// Settings are known by name.
expectType<number>().of(app.get('port'))
expectType<{ default: number; max: number }>().of(app.get('paginate'))
expectType<Application<Services, Settings>>().of(app.set('port', 3030))

// @ts-expect-error -- there is no such setting
app.get('prot')
// @ts-expect-error -- there is no such setting
app.set('prot', 3030)
// @ts-expect-error -- `port` is a number
app.set('port', '3030')

// The rest of an application.
app.configure((configured) => expectType<Application<Services, Settings>>().of(configured))
app.configure(function (configured) {
  expectType<typeof configured>().of(this)
})
app.configure((_plugin: Application) => {})
app.mixins.push((service, path, options) => {
  service.hooks({})
  expectType<string>().of(path)
  expectType<readonly string[]>().of(options.methods)
})
expectType<ServiceMixin<Application<Services, Settings>>[]>().of(app.mixins)
expectType<RouteLookup | null>().of(app.lookup('messages/1'))
expectType<Promise<Application<Services, Settings>>>().of(app.setup())
expectType<Promise<Application<Services, Settings>>>().of(app.teardown())
expectType<Services>().of(app.services)
app.on('error', (error: Error) => error.message)

export const emitter: EventEmitter = app
export const isEmitter: boolean = messages instanceof EventEmitter
export const options: ServiceOptions<keyof MessageService> = { methods: ['find'] }

// An application is good wherever one with fewer types is asked for.
export const untyped: Application = app
export const withServices: Application<Services> = app

// A sub-application has a path too.
alula<{ v1: Application<Services> }>().use('v1', app)

// Without types, everything goes.
const anything = alula()

anything
  .use('messages', new MessageService())
  .use('users', {
    async get(id, params) {
      expectType<string | number>().of(id)

      return { id, query: params?.query }
    },
    async find() {
      return []
    }
  })
  .use('phones', { call: async (number: string) => ({ number }) }, { methods: ['call'] })
  .use('api', app)
  .set('port', 3030)

expectType<FeathersService<Application, AnyService>>().of(anything.service('messages'))
expectType<any>().of(anything.get('port'))
export const service: FeathersService = anything.service('messages')

export async function callAnything() {
  const created = await anything.service('messages').create({ text: 'Hello' }, { tenant: 'a' } as object)

  expectType<any>().of(created)
  expectType<any>().of(await anything.service('messages').find({ paginate: false }))
  expectType<any>().of(await anything.service('phones').call('117'))
}

// @ts-expect-error -- a service is an object
anything.use('messages', null)
// @ts-expect-error -- a service method is a function
anything.use('messages', { get: 5 })
