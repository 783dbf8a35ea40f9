// The types that services are written with, and what calling them gives.
import { MemoryService, memory } from '@feathersjs/memory'
import {
  type Application,
  alula,
  type ClientService,
  type CustomMethod,
  type CustomMethods,
  createContext,
  type FeathersService,
  type HookContext,
  type Id,
  type NullableId,
  type Paginated,
  type PaginationOptions,
  type PaginationParams,
  type Params,
  type Query,
  type RealTimeConnection,
  type Service,
  type ServiceAddons,
  type ServiceGenericData,
  type ServiceGenericParams,
  type ServiceGenericType,
  type ServiceInterface,
  type ServiceMethods,
  type ServiceOptions,
  type TransportConnection
} from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'
import type {
  ArchiveData,
  ArchiveResult,
  Message,
  MessageData,
  MessageParams,
  MessagePatch,
  MessageQuery,
  MessageService,
  Services,
  Settings
} from './services.ts'

// A class may have any of the methods; what it has must fit.
export class OnlyGet implements ServiceInterface<Message, MessageData, MessageParams, MessagePatch> {
  async get(id: Id, params: MessageParams): Promise<Message> {
    return { id: Number(id), text: params.tenant ?? '', userId: 1 }
  }
}

export class Some implements Partial<ServiceMethods<Message, MessageData, MessageParams, MessagePatch>> {
  async create(data: MessageData): Promise<Message> {
    return { ...data, id: 1, userId: 1 }
  }

  async remove(_id: NullableId): Promise<Message[]> {
    return []
  }

  async setup(app: Application, path: string): Promise<void> {
    app.service(path).emit('ready')
  }

  async teardown(): Promise<void> {}
}

export class Every implements ServiceMethods<Message> {
  async find(params?: Params & { paginate?: PaginationParams }): Promise<Message[]> {
    return params?.paginate === false ? [] : []
  }

  async get(id: Id): Promise<Message> {
    return { id: Number(id), text: '', userId: 1 }
  }

  async create(data: Partial<Message>): Promise<Message> {
    return { id: 1, text: '', userId: 1, ...data }
  }

  async update(id: NullableId, data: Partial<Message>): Promise<Message> {
    return this.create({ ...data, id: Number(id) })
  }

  async patch(id: NullableId, data: Partial<Message>): Promise<Message> {
    return this.update(id, data)
  }

  async remove(id: NullableId): Promise<Message> {
    return this.get(Number(id))
  }
}

export class WrongResult implements ServiceInterface<Message> {
  // @ts-expect-error -- not a message
  async get(id: Id): Promise<{ id: Id }> {
    return { id }
  }
}

export class WrongData implements ServiceInterface<Message, MessageData> {
  // @ts-expect-error -- messages are made from text
  async create(data: { title: string }): Promise<Message> {
    return { id: 1, text: data.title, userId: 1 }
  }
}

// @ts-expect-error -- `ServiceMethods` asks for all of them
export class Incomplete implements ServiceMethods<Message> {
  async get(id: Id): Promise<Message> {
    return { id: Number(id), text: '', userId: 1 }
  }
}

// What the types of a class say, hooks know.
expectType<Message>().of({} as ServiceGenericType<MessageService>)
expectType<MessageData>().of({} as ServiceGenericData<MessageService>)
expectType<MessageParams>().of({} as ServiceGenericParams<MessageService>)
expectType<Message>().of({} as ServiceGenericType<OnlyGet>)
expectType<MessageParams>().of({} as ServiceGenericParams<OnlyGet>)
expectType<unknown>().of({} as ServiceGenericType<{ call(number: string): Promise<void> }>)

// A call with a context as last argument gives the context.
const app = alula<Services, Settings>()
const messages = app.service('messages')

export async function callWithContext(params: MessageParams) {
  const context: HookContext = createContext(messages, 'get')

  expectType<HookContext>().of(await messages.find(params, context))
  expectType<HookContext>().of(await messages.get(1, params, context))
  expectType<HookContext>().of(await messages.create({ text: 'Hello' }, params, context))
  expectType<HookContext>().of(await messages.update(1, { text: 'Hello' }, params, context))
  expectType<HookContext>().of(await messages.patch(null, { text: 'Hello' }, params, context))
  expectType<HookContext>().of(await messages.remove(1, params, context))
  expectType<any>().of((await messages.get(1, params, context)).result)

  // @ts-expect-error -- users have `get` only
  await app.service('api/users').remove('wren', params, context)
}

// `Service` knows which id gives which result.
type Complete = Service<Message, MessageData, MessageParams, MessagePatch>

export async function callComplete(service: FeathersService<Application, Complete>, id: NullableId) {
  expectType<Message | Message[]>().of(await service.find({ paginate: false }))
  expectType<Message>().of(await service.get(1))
  expectType<Message>().of(await service.create({ text: 'Hello' }))
  expectType<Message | Message[]>().of(await service.patch(id, { text: 'Hello' }))

  // @ts-expect-error -- `text` is a string
  await service.patch(1, { text: 5 })

  service.once('created', () => {}).removeAllListeners()
}

export const addons: ServiceAddons = alula().service('messages')
export const implemented: ServiceInterface = alula().service('messages')

// A client describes services without their classes.
interface ClientServices {
  messages: ClientService<Message, MessageData, MessagePatch, Paginated<Message>, MessageParams> &
    CustomMethods<{ archive: [ArchiveData, ArchiveResult] }>
  sms: {
    send: CustomMethod<{ number: string }, { sent: boolean }, MessageParams>
    ping: CustomMethod<string>
  }
}

export async function callClient(
  client: Application<ClientServices>,
  connection: TransportConnection<ClientServices>,
  id: NullableId
) {
  client.configure(connection)
  client.use('messages', connection.service('messages'), { methods: ['find', 'archive'] })

  const service = client.service('messages')
  const page = await service.find({ query: { $limit: 1 } })

  expectType<Paginated<Message>>().of(page)
  expectType<number>().of(page.total + page.limit + page.skip)
  expectType<Message[]>().of(page.data)
  expectType<Message>().of(await service.get(1))
  expectType<Message>().of(await service.create({ text: 'Hello' }))
  expectType<Message[]>().of(await service.create([{ text: 'Hello' }]))
  expectType<Message>().of(await service.patch(1, { text: 'Hello' }))
  expectType<Message[]>().of(await service.patch(null, { text: 'Hello' }))
  expectType<Message | Message[]>().of(await service.remove(id))
  expectType<ArchiveResult>().of(await service.archive({ before: new Date() }))
  expectType<{ sent: boolean }>().of(await client.service('sms').send({ number: '117' }, { tenant: 'a' }))
  expectType<string>().of(await client.service('sms').ping('Hello'))
  service.on('created', (message: Message) => message.text)
  service.hooks({
    before: {
      create: [(context) => expectType<MessageParams>().of(context.params)],
      archive: async (context) => expectType<'messages' | 'sms'>().of(context.path)
    }
  })

  // @ts-expect-error -- `text` is missing
  await service.create({ title: 'Hello' })
  // @ts-expect-error -- `text` is a string
  await service.patch(1, { text: 5 })
  // @ts-expect-error -- there is no such field to query
  await service.find({ query: { title: 'Hello' } })
  // @ts-expect-error -- `before` is a date
  await service.archive({ before: 'yesterday' })
  // @ts-expect-error -- a number is a string here
  await client.service('sms').send({ number: 117 })
  // @ts-expect-error -- no service belongs under this path
  connection.service('massages')
  // @ts-expect-error -- the service has no such method
  client.use('sms', connection.service('sms'), { methods: ['find'] })
}

// The small ones.
export const ids: Id[] = [1, 'wren']
export const nullableIds: NullableId[] = [1, 'wren', null]
export const pagination: PaginationOptions = { default: 10, max: 50 }
export const paginationParams: PaginationParams[] = [false, {}, pagination]
export const query: Query = { text: 'Hello', $sort: { id: -1 }, $or: [{ id: 1 }] }
export const params: Params<MessageQuery> = { query: { $limit: 1 }, provider: 'rest', route: {}, headers: {} }
export const connection: RealTimeConnection = { provider: 'socketio', headers: {} }
export const options: ServiceOptions = { methods: ['find'], events: ['archived'] as const, routeParams: {} }

// @ts-expect-error -- an id is a number or a string
export const noId: Id = null
// @ts-expect-error -- a page has data
export const noPage: Paginated<Message> = { total: 1, limit: 1, skip: 0 }
// @ts-expect-error -- there is no such field to query
export const wrongParams: Params<MessageQuery> = { query: { title: 'Hello' } }

// A service of an official adapter of Feathers v5 keeps its types.
class Notes extends MemoryService<Message, MessageData> {}

const hosting = alula<{ notes: Notes; drafts: MemoryService<Message> }>()

hosting
  .use('notes', new Notes({ multi: true }))
  .use('drafts', memory<Message>(), { methods: ['find', 'get'] })

export async function callNotes() {
  const notes = hosting.service('notes')

  expectType<Message>().of(await notes.create({ text: 'Hello' }))
  expectType<Message[]>().of(await notes.create([{ text: 'Hello' }]))
  expectType<Message[]>().of(await notes.find({ paginate: false }))
  expectType<number>().of((await notes.find()).total)
  notes.hooks({
    before: {
      create: [(context) => expectType<MessageData>().of(context.data)]
    }
  })

  // @ts-expect-error -- `text` is missing
  await notes.create({})
}
