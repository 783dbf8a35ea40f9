// The names behind `app.use` and `app.service`: what plugins write that take any application or any service.
import {
  type AnyService,
  type AnyServiceInterface,
  type Application,
  alula,
  type FeathersApplication,
  type FeathersService,
  type HookContext,
  type MethodName,
  type NormalizedServiceOptions,
  type NullableId,
  type Publisher,
  type RegisteredService,
  type Registrable,
  Router,
  type ServiceAddons,
  type ServiceHookOverloads,
  type ServiceMixin,
  type ServiceOverloads,
  type SubApplication
} from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'
import {
  type Message,
  type MessageData,
  type MessageParams,
  type MessagePatch,
  MessageService,
  type Services,
  type Settings,
  type User,
  type UserService
} from './services.ts'

type App = Application<Services, Settings>

const app = alula<Services, Settings>()

// With types a path has one service; without, any.
expectType<MessageService>().of({} as Registrable<Services, 'messages'>)
expectType<MessageService>().of({} as RegisteredService<Services, 'messages'>)
expectType<keyof MessageService>().of({} as MethodName<Services, 'messages'>)
expectType<AnyServiceInterface | SubApplication>().of({} as Registrable<any, 'messages'>)
expectType<AnyService>().of({} as RegisteredService<any, 'messages'>)
expectType<string>().of({} as MethodName<any, 'messages'>)

// @ts-expect-error -- no service belongs under this path
export type NotRegistrable = Registrable<Services, 'massages'>
// @ts-expect-error -- no service belongs under this path
export type NotRegistered = RegisteredService<Services, 'massages'>
// @ts-expect-error -- no service belongs under this path
export type NoMethods = MethodName<Services, 'massages'>
// @ts-expect-error -- another service belongs under this path
export const wrongService: Registrable<Services, 'api/users'> = new MessageService()
// @ts-expect-error -- the service has no such method
export const wrongMethod: MethodName<Services, 'api/users'> = 'find'

/** Registers a service under any path of any application. */
export function register<Types, Path extends keyof Types & string>(
  host: Application<Types>,
  path: Path,
  service: Registrable<Types, Path>
): FeathersService<Application<Types>, RegisteredService<Types, Path>> {
  return host.use(path, service).service(path)
}

expectType<FeathersService<Application<Services>, MessageService>>().of(
  register(alula<Services>(), 'messages', new MessageService())
)

// @ts-expect-error -- another service belongs under this path
register(alula<Services>(), 'api/users', new MessageService())

/** An application is more than its services and settings: it emits events. Who needs none asks for less. */
export async function readPort(host: FeathersApplication<Services, Settings>): Promise<User> {
  expectType<number>().of(host.get('port'))
  expectType<FeathersApplication<Services, Settings>>().of(host.set('port', 3030))
  expectType<Services>().of(host.services)
  // @ts-expect-error -- there is no such setting
  host.get('prot')
  // @ts-expect-error -- events are those of an `Application`
  host.on('login', () => {})

  return host.service('api/users').get('wren')
}

export const port = readPort(app)

// @ts-expect-error -- an application with other services is none of this kind
readPort(alula<{ messages: UserService }>())

// What registration adds to a service, apart from that service.
const addons: ServiceAddons<App, MessageService> = app.service('messages')
const publisher: Publisher<Message, App, MessageService> = () => app.channel('all')

expectType<ServiceAddons<App, MessageService>>().of(addons.hooks({ before: { archive: [] } }))
expectType<ServiceAddons<App, MessageService>>().of(addons.publish(publisher).publish('created', publisher))
addons.hooks({
  after: [(context) => expectType<HookContext<App, MessageService, string, 'after'>>().of(context)]
})
addons.once('created', () => {}).on('archived', () => {})

// @ts-expect-error -- the service has no such method
addons.hooks({ before: { publish: [] } })
// @ts-expect-error -- the methods of the service are its own
addons.find()
// @ts-expect-error -- users have no messages to publish
export const wrongAddons: ServiceAddons<App, UserService> = addons

// Every service gets the calls with a context for the methods that it has.
export async function callWithContext(
  service: ServiceHookOverloads<MessageService, MessageParams>,
  context: HookContext
) {
  expectType<HookContext>().of(await service.find({ tenant: 'a' }, context))
  expectType<HookContext>().of(await service.create([{ text: 'Hello' }], { tenant: 'a' }, context))
  expectType<HookContext>().of(await service.patch(null, { text: 'Hello' }, {}, context))

  // @ts-expect-error -- `text` is missing
  await service.create({}, {}, context)
  // @ts-expect-error -- a tenant is a text
  await service.find({ tenant: 5 }, context)
  // @ts-expect-error -- a tenant is a text
  await service.remove(null, { tenant: 5 }, context)
  // @ts-expect-error -- without a context it is another call
  await service.get(1, {})
}

// What the id says about the result, for a service that has the methods already.
export async function callOverloads(
  service: ServiceOverloads<Message, MessageData, MessageParams, MessagePatch>,
  id: NullableId
) {
  expectType<Message[] | undefined>().of(await service.create?.([{ text: 'Hello' }], { tenant: 'a' }))
  expectType<Message | undefined>().of(await service.patch?.(1, { text: 'Hello' }))
  expectType<Message[] | undefined>().of(await service.patch?.(null, { text: 'Hello' }))
  expectType<Message | undefined>().of(await service.update?.('a', { text: 'Hello' }))
  expectType<Message[] | undefined>().of(await service.remove?.(null))

  // @ts-expect-error -- `text` is a string
  await service.patch?.(1, { text: 5 })
  // @ts-expect-error -- which of both it is, is not known
  await service.remove?.(id)
  // @ts-expect-error -- a list of messages is asked for
  await service.create?.({ text: 'Hello' })
}

// A mixin sees every service, whatever it is.
const mixin: ServiceMixin<App> = (service, path, options) => {
  expectType<FeathersService<App>>().of(service)
  expectType<string>().of(path)
  expectType<NormalizedServiceOptions>().of(options)
  service.hooks({ before: [(context) => expectType<App>().of(context.app)] })
}

app.mixins.push(mixin)

// @ts-expect-error -- options are not the path
export const wrongMixin: ServiceMixin<App> = (_service, path: NormalizedServiceOptions) => path.methods
// @ts-expect-error -- a mixin is a function
app.mixins.push('mixin')

// A router gives what was put into it.
const router = new Router<User>()

router.insert('users/:id', { id: '1', email: 'wren@example.org' })
expectType<User | undefined>().of(router.lookup('users/1')?.data)
expectType<Record<string, string> | undefined>().of(router.lookup('users/1')?.params)
expectType<User | undefined>().of(router.get('users/:id'))
expectType<Router<any>>().of(new Router())

// @ts-expect-error -- a user has an address
router.insert('users', { id: '1' })
// @ts-expect-error -- a path is a text
router.insert(['users'], { id: '1', email: 'wren@example.org' })
