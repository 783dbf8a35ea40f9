// The types of adapters stand in the order of Feathers v5: records, data, params, data for `patch`.
import type { Kysely } from 'kysely'
import {
  AdapterBase,
  type AdapterMethods,
  type AdapterOptions,
  type AdapterParams,
  type FindMethod,
  implementService,
  isPaginated,
  type Keyed,
  type KeyedStore,
  type NormalizedOptions,
  toPage
} from '../../src/adapter.ts'
import type { ClientServices } from '../../src/client.ts'
import type { CursorPage, Id, Paginated, PaginationParams, Query } from '../../src/index.ts'
import {
  getTransaction,
  KyselyAdapter,
  type KyselyOptions,
  type KyselyParams,
  KyselyService,
  kysely,
  type Transaction,
  withTransaction
} from '../../src/kysely.ts'
import { MemoryAdapter, type MemoryOptions, MemoryService, memory } from '../../src/memory.ts'
import { expectType } from '../support/expect-type.ts'

interface Message {
  id: number
  text: string
}

interface NewMessage {
  text: string
}

interface Change {
  text?: string
  isRead?: boolean
}

interface MessageQuery {
  text?: string
}

export class InMemory extends MemoryService<Message, NewMessage, AdapterParams<MessageQuery>, Change> {}

export class InTable extends KyselyService<Message, NewMessage, KyselyParams<MessageQuery>, Change> {}

// A class may create one record at a time.
export class Single extends KyselyService<Message> {
  override async create(data: NewMessage & { tags?: string[] }, params?: KyselyParams): Promise<Message> {
    const { tags, ...content } = data

    expectType<Message[]>().of(await super.create([content], params))

    return super.create(content, params)
  }
}

export async function call(memory: InMemory, table: InTable) {
  expectType<Message>().of(await memory.patch(1, { isRead: true }))
  expectType<Message>().of(await table.patch(1, { isRead: true }))
  expectType<Message[]>().of(await memory.patch(null, { isRead: true }))
  expectType<Message[]>().of(await table.remove(null, { query: { text: 'Hello' } }))
  // Data of the type `any` is one record, as in Feathers v5.
  expectType<Message>().of(await memory.create(JSON.parse('{}')))
  expectType<Message>().of(await table.create(JSON.parse('{}')))
  expectType<Message[]>().of(await table.create([JSON.parse('{}')]))
  // @ts-expect-error -- a new message has a text
  await memory.create({ isRead: true })
  // @ts-expect-error -- so has one in a table
  await table.create({ isRead: true })
  // @ts-expect-error -- there is no such field to query
  await memory.find({ query: { title: 'Hello' } })
  // @ts-expect-error -- nor is there in a table
  await table.find({ query: { title: 'Hello' } })
}

// The functions make the services of these classes.
const drafts = memory<Message, NewMessage, AdapterParams<MessageQuery>, Change>({ multi: ['create'] })
const notes = kysely<Message, NewMessage, KyselyParams<MessageQuery>, Change>({} as KyselyOptions)

type Drafts = MemoryService<Message, NewMessage, AdapterParams<MessageQuery>, Change>
type Notes = KyselyService<Message, NewMessage, KyselyParams<MessageQuery>, Change>

expectType<FindMethod<Message[], AdapterParams<MessageQuery>> & Drafts>().of(drafts)
expectType<FindMethod<Message[] | Paginated<Message>, KyselyParams<MessageQuery>> & Notes>().of(notes)
expectType<FindMethod<any[]> & MemoryService>().of(memory())
expectType<MemoryService<Message>>().of(memory<Message>({ paginate: { default: 10 } }))
expectType<KyselyService<Message>>().of(
  kysely<Message>({ Model: {} as Kysely<any>, name: 'messages', paginate: { default: 10, max: 50 } })
)
expectType<FindMethod<Message[], KyselyParams> & KyselyService<Message>>().of(
  kysely<Message>({ Model: {} as Kysely<any>, name: 'messages', paginate: false })
)
expectType<Record<string, Message>>().of(drafts.store)

// @ts-expect-error -- a table has a name, and is somewhere
kysely<Message>({ paginate: false })
// @ts-expect-error -- params of Kysely have options of tables
kysely<Message, NewMessage, { adapter: string }>({} as KyselyOptions)
// @ts-expect-error -- ids begin with a number
memory<Message>({ startId: 'a' })

// Feathers v5 names the record.
export const options: MemoryOptions<Message> = { store: { 1: { id: 1, text: 'Hello' } } }
// @ts-expect-error: a record without its text
export const missing: MemoryOptions<Message> = { store: { 1: { id: 1 } } }

export async function find(
  service: typeof drafts,
  paged: Drafts,
  either: typeof notes,
  paginate: PaginationParams
) {
  expectType<Message[]>().of(await service.find())
  expectType<Message[]>().of(await service.find({ query: { text: 'Hello' } }))
  expectType<Paginated<Message>>().of(await paged.find())
  expectType<Message[] | Paginated<Message>>().of(await either.find())
  expectType<Paginated<Message>>().of(await service.find({ paginate: { default: 10 } }))
  expectType<Message[]>().of(await service.find({ paginate: false }))
  expectType<Message[] | Paginated<Message>>().of(await service.find({ paginate }))
}

const feed = memory<Message>({ paginate: { default: 10, cursor: true } })

/** The type of `find` follows from \`cursor\`, for clients too. */
export async function findFeed(client: ClientServices<{ feed: typeof feed }>['feed']) {
  const page = await feed.find({ query: { $after: 'a', $total: true } })

  expectType<CursorPage<Message>>().of(page)
  expectType<string | null>().of(page.endCursor)
  expectType<CursorPage<Message>>().of(await client.find())
  expectType<Message[]>().of(await feed.find({ paginate: false }))

  // @ts-expect-error -- pages with cursors have no skip
  page.skip
}

/** What a service calls under its own methods: the ones with an underscore, which are not for clients. */
export async function callAdapter(
  adapter: MemoryAdapter<Message, NewMessage, AdapterParams<MessageQuery>, Change>,
  table: KyselyAdapter<Message, NewMessage, KyselyParams<MessageQuery>, Change>,
  transaction: Transaction
) {
  expectType<Message>().of(await adapter._create({ text: 'Hello' }))
  expectType<Message[]>().of(await adapter._create([{ text: 'Hello' }]))
  expectType<Message[]>().of(await adapter._patch(null, { isRead: true }))
  expectType<Message>().of(await table._patch(1, { isRead: true }, { transaction }))
  expectType<Paginated<Message> | Message[]>().of(await table._find({ query: { text: 'Hello' } }))
  expectType<Message[]>().of(await table._find({ paginate: false }))
  expectType<Kysely<any>>().of(table.getModel())

  // @ts-expect-error -- an adapter has no methods for clients
  await adapter.find()
  // @ts-expect-error -- nor has one for a table
  await table.find()
  // @ts-expect-error -- a new message has a text
  await adapter._create({ isRead: true })
  // @ts-expect-error -- a transaction is begun, not named
  await table._get(1, { transaction: 'mine' })
}

// Classes that are ready for `app.use`, and those that are not.
// @ts-expect-error -- it is called AdapterOptions
type _Options = import('../../src/adapter.ts').AdapterServiceOptions
// @ts-expect-error -- AdapterBase has the methods
type _Methods = import('../../src/adapter.ts').InternalServiceMethods

new InMemory({ store: { 1: { id: 1, text: 'Hello' } }, indexes: ['text'] })
new InTable({} as KyselyOptions)
new MemoryAdapter()
new KyselyAdapter({} as KyselyOptions)

// An adapter of one's own, with options and ids of its own.
interface FileOptions extends AdapterOptions {
  file: string
}

interface FileParams extends AdapterParams<MessageQuery, FileOptions> {
  encoding?: string
}

export class FileAdapter extends AdapterBase<Message, NewMessage, Change, FileParams, FileOptions, string> {
  async _find(params?: FileParams): Promise<Paginated<Message> | Message[]> {
    const { file, paginate, id, multi } = this.getOptions(params)

    expectType<string>().of(file + id)
    allow(multi)
    expectType<Query>().of(await this.sanitizeQuery(params))
    if (isPaginated(paginate)) expectType<number | undefined>().of(paginate.default)

    return params?.query?.text ? [] : { total: 0, limit: 0, skip: this.parseQuery(params).skip, data: [] }
  }

  async _get(id: string): Promise<Message> {
    return { id: 1, text: id }
  }

  async _create(data: NewMessage): Promise<Message>
  async _create(data: NewMessage | NewMessage[]): Promise<Message | Message[]>
  async _create(data: NewMessage | NewMessage[]): Promise<Message | Message[]> {
    return Array.isArray(data) ? [] : { ...data, id: 1 }
  }

  async _update(_id: string, data: NewMessage): Promise<Message> {
    return { ...data, id: 1 }
  }

  async _patch(id: string | null, data: Change): Promise<Message | Message[]> {
    return id === null ? [] : { id: 1, text: data.text ?? '' }
  }

  async _remove(id: string | null): Promise<Message | Message[]> {
    return id === null ? [] : this._get(id)
  }
}

export class Files extends FileAdapter {}

export interface Files extends AdapterMethods<Message, NewMessage, Change, FileParams, string> {}

implementService(Files)

function allow(_multi: boolean | readonly string[]): void {}

export async function callFiles(files: Files, options: NormalizedOptions<FileOptions>) {
  expectType<Message>().of(await files.get('a', { encoding: 'utf8', adapter: { file: 'other.json' } }))
  expectType<Message>().of(await files.create({ text: 'Hello' }))
  expectType<Message[]>().of(await files.create([{ text: 'Hello' }]))
  expectType<Message>().of(await files.patch('a', { isRead: true }))
  expectType<Message[]>().of(await files.remove(null))
  expectType<Message[]>().of(await files.find({ paginate: false }))
  expectType<NormalizedOptions<FileOptions>>().of(files.options)
  expectType<string>().of(options.file + options.id)
  expectType<readonly string[]>().of(options.events)

  // @ts-expect-error -- the ids of files are texts
  await files.get(1)
  // @ts-expect-error -- there is no such field to query
  await files.find({ query: { title: 'Hello' } })
  // @ts-expect-error -- there is no such option
  await files.get('a', { adapter: { folder: '/' } })
  // @ts-expect-error -- messages have no title
  await files.patch('a', { title: 'Hello' })
}

// @ts-expect-error -- an adapter has an option `file`
new FileAdapter({ id: 'id' })
// @ts-expect-error -- the other five methods are missing
export class Unfinished extends AdapterBase<Message> {
  async _get(id: Id): Promise<Message> {
    return { id: Number(id), text: '' }
  }
}
// @ts-expect-error -- what is not an adapter has no methods to be checked
implementService(Map)
// @ts-expect-error -- nothing is left out of normalized options
export const incomplete: NormalizedOptions<FileOptions> = { file: 'messages.json', id: 'id' }

// A page holds the records that it is made of.
const page = { total: 1, limit: undefined, skip: 0, data: [{ id: 1, text: 'Hello' }] as Message[] }

expectType<Paginated<Message> | Message[]>().of(toPage({ default: 10 }, page))
expectType<Paginated<Message> | Message[]>().of(toPage(undefined, page))

// @ts-expect-error -- a page says how many records there are
toPage(false, { limit: 1, skip: 0, data: [] })
// @ts-expect-error -- pagination is off or has options
toPage(true, page)

// The result of a transaction is that of its function.
export async function move(transaction: Transaction): Promise<void> {
  expectType<number>().of(await withTransaction({}, async () => 1))
  expectType<Message>().of(await withTransaction({}, () => drafts.get(1)))
  expectType<Kysely<{ notes: { id: number } }>>().of(
    await getTransaction({} as Kysely<{ notes: { id: number } }>)
  )
  expectType<string>().of(await transaction.use(async (connection) => String(connection.schema)))

  // @ts-expect-error -- the transaction ends when a promise is settled
  await withTransaction({}, () => 1)
  // @ts-expect-error -- first the application, then what to run
  await withTransaction(async () => 1)
}

/** A store of pages with cursors has records of the type of its adapter. */
export async function readFirst(store: KeyedStore<Message>): Promise<Keyed<Message> | undefined> {
  const { rows, hasMore } = await store.read({ after: undefined, before: ['1'], fromEnd: false, limit: 1 })

  expectType<boolean>().of(hasMore)
  expectType<string | undefined>().of(rows[0]?.record.text)
  // @ts-expect-error -- A key is a list.
  await store.hasBeside('1', 1)

  return rows[0]
}
