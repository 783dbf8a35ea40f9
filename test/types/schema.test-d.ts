// What a declaration says about the types of its service.
import { Type as OldType } from '@sinclair/typebox'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import { type Static, Type } from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import { type Application, alula, type HookContext, type Paginated } from '../../src/index.ts'
import { KyselyService } from '../../src/kysely.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import {
  type CountRelation,
  count,
  type DeclaredSchema,
  exists,
  type ListOrder,
  type ManyRelation,
  many,
  type OneRelation,
  type OutputOf,
  one,
  onWrite,
  type PathTo,
  type Query,
  type RecordOf,
  type RelatedTypes,
  type ServerValue,
  type ServiceOf,
  type SettingsFor,
  type StandardSchema,
  schema,
  type TypedSchema,
  type TypesOf,
  typed,
  type WriteContext,
  type WrittenValue
} from '../../src/schema.ts'
import { expectType } from '../support/expect-type.ts'

const Note = z.object({
  id: z.int(),
  text: z.string(),
  done: z.boolean().default(false),
  ownerId: z.string(),
  due: z.date().optional(),
  address: z.object({ city: z.string() }).optional()
})

type Note = z.infer<typeof Note>

const notes = schema(Note, {
  server: { ownerId: ({ params }) => String(params.headers?.owner), due: onWrite(() => new Date()) },
  methods: {
    archive: { data: z.object({ before: z.iso.date() }), result: z.object({ count: z.int() }) }
  }
})

// With `declaration: true`, the compiler has to be able to name the types of what a file exports.
const short: DeclaredSchema<TypesOf<typeof Note>> = schema(Note)
const long: DeclaredSchema<TypesOf<{ record: typeof Note }>> = schema({ record: Note })

export const general: DeclaredSchema = schema(Note, {} as SettingsFor<Note>)

expectType<ServiceOf<typeof short>>().of({} as ServiceOf<typeof long>)

class Notes extends KyselyService<Note> {
  async archive({ before }: { before: string }): Promise<{ count: number }> {
    return { count: before.length }
  }
}

const Timed = z.object({ id: z.int(), text: z.string(), createdAt: z.date(), updatedAt: z.date() })
const timed = schema(Timed, { timestamps: true })
const timedForm = schema({ record: Timed, timestamps: true })

// New records do not need what the server sets.
export async function createTimed(short: ServiceOf<typeof timed>, long: ServiceOf<typeof timedForm>) {
  expectType<Date>().of((await short.create({ text: 'a' })).createdAt)
  expectType<Date>().of((await long.create({ text: 'a', createdAt: new Date() })).updatedAt)
  // @ts-expect-error -- `text` is missing
  await short.create({})
  // @ts-expect-error -- it is true or false
  schema(Timed, { timestamps: 'yes' })
}

interface Services {
  notes: ServiceOf<typeof notes>
  tasks: ServiceOf<typeof notes, 'find' | 'create'>
}

declare const app: Application<Services>
declare const service: Notes

app.use('notes', service, {
  schema: notes,
  methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']
})
app.use('tasks', memory<Note>({ paginate: { default: 10 } }), { schema: notes })

// A service that makes one record at a time does not have to take several.
const single = {
  async create({ text }: { text: string }): Promise<Note> {
    return { id: 1, text, done: false, ownerId: 'ada' }
  }
}

alula<{ notes: ServiceOf<typeof notes, 'create'> }>().use('notes', single, {
  schema: notes,
  methods: ['create']
})

const created = await app.service('notes').create({ text: 'a' })

expectType<Note>().of(created)
expectType<Paginated<Note>>().of(await app.service('notes').find())
expectType<Note[]>().of(await app.service('notes').find({ paginate: false }))
expectType<{ count: number }>().of(await app.service('notes').archive({ before: '2026-11-22' }))
await app.service('notes').create({ text: 'a', done: true, ownerId: 'ada', id: 7 })
await app.service('notes').patch(1, { done: true }, { schema: false })

// @ts-expect-error The text is required.
await app.service('notes').create({ done: true })
// @ts-expect-error There is no such field.
await app.service('notes').patch(1, { don: true })
// @ts-expect-error A number is no date.
await app.service('notes').archive({ before: 5 })
// @ts-expect-error This service has no patch.
await app.service('tasks').patch(1, {})
// @ts-expect-error The record has no such field.
schema(Note, { server: { owner: () => 'ada' } })
// @ts-expect-error The owner is a string.
schema(Note, { server: { ownerId: () => 5 } })

app.service('notes').hooks({
  before: {
    create: (context) => expectType<string>().of(context.data.text),
    archive: (context) => expectType<{ before: string }>().of(context.data)
  },
  after: { get: (context) => expectType<Note>().of(context.result) }
})

// Every library.
const fromValibot = schema({
  record: toStandardJsonSchema(v.object({ id: v.number(), text: v.string() })),
  create: toStandardJsonSchema(v.object({ text: v.string() })),
  patch: toStandardJsonSchema(v.object({ text: v.optional(v.string()) }))
})
const fromArkType = schema(type({ id: 'number', text: 'string', done: 'boolean = false' }))
const fromOldTypeBox = schema(OldType.Object({ id: OldType.Integer(), text: OldType.String() }))
const Person = Type.Object({ id: Type.Integer(), text: Type.String() })
const TypedPerson: TypedSchema<Static<typeof Person>> = typed(Person)
const fromTypeBox = schema(TypedPerson, { hidden: ['text'] })

declare const records: [
  RecordOf<typeof fromValibot>,
  RecordOf<typeof fromOldTypeBox>,
  RecordOf<typeof fromTypeBox>
]

expectType<[{ id: number; text: string }, { id: number; text: string }, { id: number; text: string }]>().of(
  records
)
declare const arkRecord: RecordOf<typeof fromArkType>

expectType<{ id: number; text: string; done: boolean }>().of(arkRecord)
expectType<Note>().of({} as OutputOf<typeof Note>)

// A schema that does not say its types can hold anything.
declare const untyped: OutputOf<{ readonly '~standard': { readonly version: 1 } }>

export const anything: [string, number] = [untyped, untyped]

// Computed fields.
const computed = schema(Note, {
  computed: { author: { from: ['ownerId'], many: async (records) => records.map(() => ({ name: 'Ada' })) } }
})

declare const withAuthor: RecordOf<typeof computed>

export const author: string | undefined = withAuthor.author?.name

// Relations.
interface Profile {
  name: string
}

interface Comment {
  noteId: number
  position: number
  text: string
}

const articles = schema(Note, {
  relations: {
    author: one(typed<Profile>('users'), { from: 'ownerId' }),
    comments: many(typed<Comment>('comments'), { to: 'noteId' }),
    commentCount: count('comments', { to: 'noteId' }),
    hasComments: exists('comments', { to: 'noteId' })
  }
})

declare const articleApp: Application<{ articles: ServiceOf<typeof articles> }>

articleApp.use('articles', memory<Note>({ paginate: { default: 10 } }), { schema: articles })

const articleService = articleApp.service('articles')

const page = await articleService.find({ query: { $include: ['author', 'comments.author'], done: true } })
const article = await articleService.get(1, { query: { $include: 'commentCount' } })

export const order: ListOrder<'position'> = { position: 1 }
export const users: PathTo<RelatedTypes> = typed<Profile>('users')
export const related: readonly [OneRelation, ManyRelation, CountRelation<'count', 'id'>] = [
  one(users, { from: 'ownerId' }),
  many(users, { to: 'noteId', from: 'ownerId' }),
  count('comments', { to: 'noteId', from: 'id' })
]
expectType<Profile | null | undefined>().of(page.data[0]?.author)
expectType<Comment[] | undefined>().of(page.data[0]?.comments)
expectType<number>().of(article.commentCount)
expectType<string>().of((await articleService.get(1)).text)
// @ts-expect-error It was not included.
article.author
// @ts-expect-error There is no such relation.
await articleService.find({ query: { $include: ['autor'] } })
// @ts-expect-error There is no such relation.
await articleService.get(1, { query: { $include: 'comment' } })

// Relations that are included by default may be there.
const shown = schema(Note, {
  relations: {
    author: one(typed<Profile>('users'), { from: 'ownerId' }),
    comments: many(typed<Comment>('comments'), { to: 'noteId', sort: { position: 1 }, limit: 20 }),
    tags: many('tags', { through: { table: 'note_tags', from: 'noteId', to: 'tagId' } })
  },
  include: ['author.team']
})

declare const shownService: ServiceOf<typeof shown>

const byDefault = await shownService.get(1)
const asked = await shownService.get(1, { query: { $include: ['author', 'comments'] } })

expectType<Profile | null | undefined>().of(byDefault.author)
expectType<Profile | null>().of(asked.author)
expectType<Comment[]>().of(asked.comments)
// @ts-expect-error It is not included by default.
byDefault.comments
// Clients sort by the fields and the numbers that are listed.
const counted = { comments: many('comments', { to: 'noteId' }), size: count('comments', { to: 'noteId' }) }

schema(Note, { relations: counted, query: { fields: ['text'], sort: ['text', 'size'] } })
// @ts-expect-error A list is not sorted by.
schema(Note, { relations: counted, query: { sort: ['comments'] } })
// @ts-expect-error No condition is about a number.
schema(Note, { relations: counted, query: { fields: ['size'] } })
// @ts-expect-error An order has 1 or -1.
many('comments', { to: 'noteId', sort: { position: 2 } })
// @ts-expect-error A link is a service or a table.
many('tags', { through: { path: 'note-tags', table: 'note_tags', from: 'noteId', to: 'tagId' } })

// Queries.
export const query: Query<Note> = {
  done: true,
  due: { $gt: new Date(), $not: { $lt: new Date() } },
  text: { $in: ['a', 'b'], $like: 'a%' },
  'address.city': 'Rome',
  $or: [{ text: 'a' }, { $and: [{ done: false }] }],
  $sort: { text: 1, 'address.city': -1 },
  $select: ['id', 'text', 'address.city'],
  $limit: 10
}
// @ts-expect-error There is no such field.
export const unknown: Query<Note> = { don: true }
// @ts-expect-error There is no such field inside.
export const inside: Query<Note> = { $or: [{ don: true }] }
// @ts-expect-error A text is no boolean.
export const wrong: Query<Note> = { done: 'true' }
// @ts-expect-error There is no such field to select.
export const selected: Query<Note> = { $select: ['address.town'] }
// @ts-expect-error There is no such field to sort by.
export const sorted: Query<Note> = { $sort: { don: 1 } }

await app.service('notes').find({ query: query })

// On an application without types, and as a class of its own.
alula().use('notes', new MemoryService({}), { schema: notes })
export type Context = HookContext<Application<Services>, ServiceOf<typeof notes>, 'create'>

// The parts by name.
export const declared: DeclaredSchema = notes
export const standard: StandardSchema<z.input<typeof Note>, Note> = Note
export const owner: ServerValue<string> = ({ params }) => String(params.headers?.owner)
export const written: WrittenValue<Date> = onWrite(() => new Date())
export const size: ServerValue<number | undefined, WriteContext<Partial<Note>>> = ({ data }) =>
  data.text?.length
