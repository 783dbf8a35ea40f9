// The type of an id is that of the service: an ObjectId of MongoDB, a bigint, a type of your own.
import { rest } from '../../src/client.ts'
import { type Application as ExpressApplication, express } from '../../src/express.ts'
import {
  type Application,
  alula,
  type ClientService,
  createContext,
  type HookContext,
  type Id,
  type Params,
  type Service,
  type ServiceGenericData,
  type ServiceGenericId,
  type ServiceGenericParams,
  type ServiceGenericType,
  type ServiceInterface,
  type ServiceMethods
} from '../../src/index.ts'
import { type Application as KoaApplication, koa } from '../../src/koa.ts'
import { expectType } from '../support/expect-type.ts'
import { MessageService } from './services.ts'

class ObjectId {
  readonly bytes = new Uint8Array(12)

  toHexString(): string {
    return ''
  }
}

interface Thing {
  _id: ObjectId
  name: string
}

interface ThingParams extends Params<{ name?: string }> {
  tenant?: string
}

class Things {
  async find(_params?: ThingParams): Promise<Thing[]> {
    return []
  }

  async get(id: ObjectId, _params?: ThingParams): Promise<Thing> {
    return { _id: id, name: '' }
  }

  async create(data: { name: string }, _params?: ThingParams): Promise<Thing> {
    return { _id: new ObjectId(), ...data }
  }

  async patch(id: ObjectId | null, data: { name?: string }, _params?: ThingParams): Promise<Thing> {
    return { _id: id ?? new ObjectId(), name: '', ...data }
  }

  async remove(id: ObjectId, params?: ThingParams): Promise<Thing> {
    return this.get(id, params)
  }
}

class OnlyGet {
  async get(id: bigint): Promise<{ id: bigint }> {
    return { id }
  }
}

/** The same with the type of the id as a type argument. */
class Declared
  implements ServiceInterface<Thing, { name: string }, ThingParams, { name?: string }, ObjectId>
{
  async get(id: ObjectId): Promise<Thing> {
    return { _id: id, name: '' }
  }

  async update(id: ObjectId | null, data: { name: string }): Promise<Thing> {
    return { _id: id ?? new ObjectId(), ...data }
  }
}

interface Types {
  things: Things
  counters: OnlyGet
  declared: Declared
  messages: MessageService
}

type App = Application<Types>

const options = { methods: ['get', 'find'] } as const

export const app: App = alula<Types>()
  .use('things', new Things(), options)
  .use('counters', new OnlyGet())
  .use('declared', new Declared())
  .use('messages', new MessageService())

export const expressApp: ExpressApplication<Types> = express(alula<Types>()).use(
  'things',
  new Things(),
  options
)
export const koaApp: KoaApplication<Types> = koa(alula<Types>())

koaApp.use('things', new Things(), options)

// @ts-expect-error -- another service belongs under this path
app.use('counters', new Things())
// @ts-expect-error -- no service has this method
app.use('things', new Things(), { methods: ['update'] })

export async function call(params: ThingParams) {
  const things = app.service('things')
  const id = new ObjectId()

  expectType<Thing>().of(await things.get(id, params))
  expectType<Thing>().of(await things.patch(null, { name: 'wren' }))
  expectType<HookContext>().of(await things.get(id, params, createContext(things, 'get')))
  expectType<HookContext>().of(await things.patch(null, { name: '' }, params, createContext(things, 'patch')))

  // @ts-expect-error -- the ids of this service are no strings
  await things.get('1')
  // @ts-expect-error -- the same with a context
  await things.get('1', params, createContext(things, 'get'))
}

// What is known of the service does not depend on its id.
expectType<Thing>().of({} as ServiceGenericType<Things>)
expectType<{ name: string }>().of({} as ServiceGenericData<Things>)
expectType<ThingParams>().of({} as ServiceGenericParams<Things>)
expectType<ObjectId>().of({} as ServiceGenericId<Things>)
expectType<bigint>().of({} as ServiceGenericId<OnlyGet>)
expectType<Id>().of({} as ServiceGenericId<MessageService>)
expectType<Id>().of({} as ServiceGenericId<{ find(): Promise<Thing[]> }>)
expectType<any>().of({} as ServiceGenericId<any>)

app.service('things').hooks({
  before: {
    get: [
      async (context: HookContext<App, Things, 'get'>) => {
        expectType<ThingParams>().of(context.params)
        // As it comes from a client.
        expectType<Id | undefined>().of(context.id)
      }
    ],
    create: [(context) => void expectType<{ name: string }>().of(context.data)]
  }
})
app.service('things').on('created', (thing) => expectType<Thing>().of(thing))
app.service('things').publish((thing) => void expectType<Thing>().of(thing))

export function complete(service: Service<Thing, Thing, ThingParams, Partial<Thing>, ObjectId>) {
  expectType<Promise<Thing>>().of(service.get(new ObjectId()))
  // @ts-expect-error -- not an ObjectId
  service.get('1')
}

/** All methods, with ids of one type. */
export async function readEvery(service: ServiceMethods<Thing, Thing, Params, Thing, bigint>) {
  expectType<Thing>().of(await service.get(1n))
}

// A client knows ids as they are sent.
type ClientThings = ClientService<Thing, { name: string }, { name?: string }, Thing[], ThingParams, string>

export async function callClient() {
  const connection = rest<{ things: ClientThings; picked: Pick<Things, 'find' | 'get'> }>('').fetch(fetch)
  const client = alula<{ things: ClientThings; picked: Pick<Things, 'find' | 'get'> }>()

  client.configure(connection)
  client.use('things', connection.service('things'), options)
  client.use('picked', connection.service('picked'), options)

  expectType<Thing>().of(await client.service('things').get('65f0'))
  expectType<Thing[]>().of(await client.service('things').remove(null))
  expectType<Thing>().of(await client.service('picked').get(new ObjectId()))
  // @ts-expect-error -- ids are strings
  await client.service('things').get(1)
}
