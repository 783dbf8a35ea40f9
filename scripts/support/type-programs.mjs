// Programs of declarations and calls: which compile, which do not, and what the compiler says of those.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.mjs'

const PRELUDE = `
import { type Application, alula, type Paginated, type Params } from 'alula'
import { type ClientServices, alula as createClient } from 'alula/client'
import { KyselyService, table } from 'alula/kysely'
import { MemoryService, memory } from 'alula/memory'
import {
  count, exists, many, type Nested, one, onWrite, type Query, type RecordOf, type SchemaSettings, type ServiceOf,
  type SingletonOf, schema, typed
} from 'alula/schema'
import { z } from 'zod'

export const Continent = z.object({ id: z.int(), name: z.string() })
export const Country = z.object({ id: z.int(), code: z.string(), continentId: z.int() })
export const Company = z.object({ id: z.int(), title: z.string(), countryId: z.int(), founded: z.date() })
export const Team = z.object({ id: z.int(), label: z.string(), companyId: z.int() })
export const User = z.object({ id: z.int(), name: z.string(), age: z.int(), teamId: z.int(), joined: z.date() })
export const Comment = z.object({ id: z.int(), noteId: z.int(), text: z.string(), at: z.date() })
export const Note = z.object({
  id: z.int(),
  text: z.string(),
  done: z.boolean().default(false),
  ownerId: z.int(),
  size: z.number().nullable(),
  address: z.object({ city: z.string(), zip: z.int() }).optional(),
  tags: z.array(z.object({ label: z.string(), secret: z.string() })).optional(),
  due: z.date().optional()
})
export type Note = z.output<typeof Note>
export type User = z.output<typeof User>
export type Comment = z.output<typeof Comment>

export const continents = schema(Continent)
export const countries = schema(Country, {
  relations: { continent: one(typed<typeof continents>('continents'), { from: 'continentId' }) }
})
export const companies = schema(Company, {
  relations: { country: one(typed<typeof countries>('countries'), { from: 'countryId' }) }
})
export const teams = schema(Team, {
  relations: { company: one(typed<typeof companies>('companies'), { from: 'companyId' }) }
})
export const users = schema(User, {
  relations: { team: one(typed<typeof teams>('teams'), { from: 'teamId', filter: ['label'] }) }
})
export const notes = schema(Note, {
  server: { ownerId: () => 1 },
  computed: { length: { from: ['text'], many: (records) => records.map(({ text }) => String(text).length) } },
  relations: {
    author: one(typed<typeof users>('users'), { from: 'ownerId', filter: ['name'] }),
    comments: many(typed<Comment>('comments'), { to: 'noteId', sort: { at: -1 }, limit: 10 }),
    commentCount: count(typed<Comment>('comments'), { to: 'noteId' }),
    other: one('others', { from: 'ownerId' })
  },
  methods: {
    finish: {
      data: z.object({ note: z.object({ id: z.int(), at: z.date() }) }).transform(({ note }) => note),
      result: z.object({ at: z.date(), count: z.int() })
    }
  }
})
export const replaced = schema({ record: Note, update: z.object({ text: z.string() }), patch: z.object({ done: z.boolean() }) })
export const posts = schema(Note, {
  envelope: { one: 'post', many: 'posts', total: 'postCount', request: true },
  methods: { rename: { data: z.object({ text: z.string() }), result: Note } }
})
export const nested = schema(Comment)
export const members = schema(User, { hidden: ['age'], server: { teamId: () => 1 } })
export const Badge = z.object({ id: z.int(), memberId: z.int(), createdAt: z.date(), updatedAt: z.date() })
export const badges = schema(Badge, {
  timestamps: true,
  hidden: ['owner'],
  relations: {
    member: one(typed<typeof members>('members'), { from: 'memberId' }),
    owner: one(typed<User>('users'), { from: 'memberId' })
  }
})

export interface Services {
  notes: ServiceOf<typeof notes>
  archive: ServiceOf<typeof notes, 'find' | 'get' | 'finish'>
  replaced: ServiceOf<typeof replaced>
  posts: ServiceOf<typeof posts>
  'notes/:noteId/comments': ServiceOf<Nested<typeof nested, 'noteId'>>
  profile: SingletonOf<typeof users>
  members: ServiceOf<typeof members>
  badges: ServiceOf<typeof badges>
}

export class Notes extends MemoryService<Note> {
  async finish({ at }: { id: number; at: Date }): Promise<{ at: Date; count: number }> {
    return { at, count: 1 }
  }
}

export const app: Application<Services> = alula<Services>()
export const client = createClient<ClientServices<Services, { notes: 'finish'; posts: 'rename' }>>()
const service = app.service('notes')
const remote = client.service('notes')
const posting = client.service('posts')
const inner = app.service('notes/:noteId/comments')
const profile = app.service('profile')
const member = { name: 'Ada', age: 36, joined: new Date() }
const remoteMembers = client.service('members')
const remoteBadges = client.service('badges')
const own = { id: 1, ownerId: 1, size: 1 }
`

export const RIGHT = [
  // Declarations.
  'schema(Note)',
  "schema(Note, { hidden: ['text', 'address.city', 'tags.secret'], timestamps: false })",
  "schema({ record: Note, hidden: ['text'], unknown: 'drop' })",
  'schema({ record: Note, create: z.object({ text: z.string() }), server: { ownerId: ({ params }) => params.user.id } })',
  'schema(Note, { server: { text: ({ data }) => data.text?.trim(), size: onWrite(({ data }) => data.text?.length) } })',
  'schema({ record: Note, create: z.object({ title: z.string() }), server: { text: ({ data }) => data.title } })',
  'schema(Note, { server: { ownerId: async ({ params }) => params.user.id, due: onWrite(() => new Date()) } })',
  "schema(Note, { computed: { length: { from: ['text', 'size'], many: (records) => records.map(() => 1) } } })",
  "schema(Note, { relations: { author: one(typed<User>('users'), { from: 'ownerId', to: 'id', filter: ['name'] }) }, hidden: ['author'] })",
  "schema(Note, { relations: { author: one('users', { from: 'ownerId', filter: ['anything'] }) }, include: ['author.team'] })",
  "schema(Note, { relations: { author: one(typed<typeof users>('users'), { from: 'ownerId' }) }, include: ['author.team.company'] })",
  "schema(Note, { relations: { comments: many(typed<Comment>('comments'), { from: 'id', to: 'noteId' }) } })",
  "schema(Note, { relations: { tags2: many('tags', { through: { table: 'links', from: 'noteId', to: 'tagId' } }) } })",
  "schema(Note, { relations: { has: exists(typed<Comment>('comments'), { to: 'noteId', from: 'id' }) } })",
  "schema(Note, { envelope: { one: 'note', many: 'notes', request: true }, status: { remove: 204 } })",
  "schema(Note, { view: ({ dispatch }) => ({ note: dispatch }), extra: 'keep' })",
  'schema(Note, { view: { schema: z.object({ note: z.string() }), make: async ({ dispatch }) => ({ note: String(dispatch.text) }) } })',
  "schema(Note, { query: { fields: ['text', 'address.city'], sort: ['text'], operators: ['$gt'] } })",
  'schema(Note, { query: z.object({ word: z.string() }).transform(({ word }) => ({ text: word })) })',
  "schema(Note, { query: { type: 'object', properties: { word: { type: 'string' } } } })",
  'schema(Note, { methods: { finish: { data: z.object({}), result: Note, query: z.object({}) } } })',
  'schema(Note, {} as SchemaSettings)',
  "schema({ type: 'object', properties: { id: { type: 'integer' } } }, { hidden: ['secret'] })",
  "schema(typed<Note>({ type: 'object' }), { hidden: ['text'] })",
  "const shared = { hidden: ['text'], unknown: 'drop' } as const; schema({ ...shared, record: Note }); schema(Note, { ...shared, timestamps: false })",
  "table<Note>({ hidden: ['text'] })",
  // Services.
  "app.use('notes', new Notes({}), { schema: notes, methods: ['find', 'finish'] })",
  "app.use('archive', new Notes({}), { methods: ['find', 'finish'] })",
  "app.use('notes/:noteId/comments', memory<Comment>({ paginate: { default: 5 } }), { schema: nested, parent: { noteId: 'notes' } })",
  "app.use('profile', memory<User>(), { schema: users, singleton: ({ user }) => user?.id })",
  "app.use('posts', new (class extends MemoryService<Note> { async rename(data: { text: string }) { return { ...own, done: true, ...data } } })({}), { by: 'text', schema: posts })",
  'return class extends KyselyService<Note> { override async create(data: { text: string }, params?: Params): Promise<Note> { return super.create(data, params) } }',
  // Queries.
  "service.find({ query: { text: 'a', done: { $ne: true }, size: null } })",
  "service.find({ query: { 'address.city': { $in: ['Rome'] }, due: { $gt: new Date() } } })",
  "service.find({ query: { $or: [{ text: 'a' }, { $and: [{ done: false }] }], $not: { size: 1 } } })",
  "service.find({ query: { text: { $like: 'a%', $not: { $in: ['abc'] } } } })",
  "service.find({ query: { 'author.name': 'Ada', 'comments.text': { $in: ['a'] }, 'other.field': 1 } })",
  "service.find({ query: { $sort: { text: 1, 'address.city': -1, commentCount: -1 }, $limit: 5, $skip: 1 } })",
  "service.find({ query: { $select: ['text', 'author'] }, paginate: false })",
  "service.get(1, { query: { done: true, $select: ['id'] } })",
  "service.patch(null, { done: true }, { query: { 'author.age': { $gt: 30 } } })",
  "service.remove(null, { query: { text: 'a' } })",
  "const query: Query<Note> = { text: 'a', $sort: { text: 1 } }; service.find({ query })",
  // Includes.
  "const { author } = await service.get(1, { query: { $include: 'author' } }); author?.name.trim()",
  "const { data } = await service.find({ query: { $include: ['author.team.company.country.continent', 'comments'] } }); data[0]?.author?.team?.company?.country?.continent?.name.trim(); data[0]?.comments[0]?.text.trim()",
  "const { commentCount } = await service.get(1, { query: { $include: ['commentCount'] } }); commentCount.toFixed()",
  "service.get(1, { query: { $include: ['other.anything', 'comments.anything'] } })",
  "const note = await service.patch(1, { done: true }, { query: { $include: ['author.team'] } }); note.author?.team?.label.trim()",
  "const page = {} as Paginated<RecordOf<typeof notes, 'author.team' | 'comments'>>; page.data[0]?.author?.team?.label.trim(); page.data[0]?.comments[0]?.at.getTime()",
  "const note = {} as RecordOf<typeof notes, 'author.team.company.country.continent' | 'other.anything' | 'comments.anything'>; note.author?.team?.company?.country?.continent?.name.trim()",
  'const note: RecordOf<typeof notes> = await service.get(1); note.length?.toFixed()',
  "const note: RecordOf<typeof notes, 'author'> = await service.get(1, { query: { $include: 'author' } }); note.author?.joined.getTime()",
  // Data, and methods.
  "service.create({ text: 'a', size: null }).then(({ done }) => done === true)",
  "service.create([{ text: 'a', size: 1, ownerId: 2 }]).then(([note]) => note?.text)",
  "service.update(1, { text: 'a', size: 1 })",
  "app.service('replaced').update(1, { text: 'a' })",
  "app.service('replaced').patch(1, { done: true })",
  'const { at } = await service.finish({ note: { id: 1, at: new Date() } }); at.getTime()',
  "inner.create({ text: 'a', at: new Date() }).then(({ noteId }) => noteId.toFixed())",
  "const user = await profile.patch(null, { name: 'Ada' }, { query: { $include: 'team' } }); user.team?.label.trim()",
  "service.on('created', (note) => note.text.trim())",
  'service.hooks({ before: { create: [({ data }) => void data.text.trim()], finish: [({ data }) => void data.note.id] } })',
  // Clients.
  "const { data } = await remote.find({ query: { due: { $gt: '2026-01-01T00:00:00Z' }, $include: ['comments', 'author.team.company'] } }); data[0]?.due?.slice(0, 4); data[0]?.comments[0]?.at.slice(0, 4); data[0]?.author?.team?.company?.founded.slice(0, 4)",
  "remote.create({ text: 'a', size: 1, due: '2026-01-01T00:00:00Z' }).then(({ due }) => due?.slice(0, 4))",
  'remote.patch(1, { due: new Date() }, { query: { due: new Date() } })',
  "const { at, count } = await remote.finish({ note: { id: 1, at: '2026-01-01T00:00:00Z' } }); at.slice(count)",
  "remote.on('created', (note) => note.due?.slice(0, 4))",
  "const { posts, postCount } = await posting.find({ query: { text: 'a' } }); posts[postCount]?.due?.slice(0, 4)",
  "posting.create({ post: { text: 'a', ownerId: 1, size: 1 } }).then(({ post }) => post.text.trim())",
  "posting.rename({ post: { text: 'a' } }).then(({ post }) => post.due?.slice(0, 4))",
  "client.service('profile').get(null).then(({ joined }) => joined.slice(0, 4))",
  "client.service('notes/:noteId/comments').create({ text: 'a', at: '2026-01-01T00:00:00Z' }, { route: { noteId: 1 } })",
  "app.asClient().service('notes').get(1).then(({ due }) => due?.getTime())",
  "app.use('notes', new Notes({}), { by: 'text', schema: notes }); remote.get('a-text'); service.get('a-text')",
  // Hidden fields, and those of the server.
  "const { age } = await app.service('members').create({ ...member, teamId: 2 }); age.toFixed()",
  "app.service('members').find({ query: { age: { $gt: 30 }, $select: ['age'], $sort: { age: 1 } } })",
  "const { member } = await app.service('badges').get(1, { query: { $include: 'member' } }); member?.age.toFixed()",
  "remoteMembers.create({ name: 'Ada', age: 36, joined: '2026-01-01T00:00:00Z' }).then(({ teamId }) => teamId.toFixed())",
  "remoteMembers.patch(1, { age: 37 }, { query: { teamId: 1, $select: ['name'] } })",
  "const { member } = await remoteBadges.get(1, { query: { $include: 'member' } }); member?.name.trim()",
  'remoteBadges.create({ memberId: 1 }).then(({ createdAt }) => createdAt.slice(0, 4))',
  "const { owner } = await app.service('badges').get(1, { query: { $include: 'owner' } }); owner?.age.toFixed()",
  "app.service('badges').create({ memberId: 1, createdAt: new Date() })"
]

export const WRONG = [
  // Settings: at the setting, by its name.
  ["schema(Note, {\n  hiden: ['text']\n})", 'hiden', 2],
  ["schema(Note, {\n  timestamps: true,\n  hiden: ['text']\n})", 'NoSuchName<"hiden">', 3],
  ["schema({\n  record: Note,\n  hiden: ['text']\n})", 'NoSuchName<"hiden">', 3],
  [
    "const shared = { unknown: 'drop', extras: 1 } as const\nschema({ ...shared, record: Note })",
    'NoSuchName<"extras">',
    2
  ],
  ["schema(Note, {\n  hidden: ['txt']\n})", `'"txt"' is not assignable`, 2],
  ["schema({\n  record: Note,\n  hidden: ['txt']\n})", `'"txt"' is not assignable`, 3],
  ["schema(Note, { hidden: ['address.town'] })", 'address.town'],
  ["schema(Note, { hidden: ['tags.secrets'] })", 'tags.secrets'],
  ["schema(Note, {\n  hidden: ['text'],\n  timestamps: 'yes'\n})", 'boolean', 3],
  ["schema({\n  record: Note,\n  timestamps: 'yes'\n})", 'boolean', 3],
  ["schema(Note, {\n  unknown: 'droop'\n})", 'droop', 2],
  ['schema(Note, {\n  server: { owner: () => 1 }\n})', "'owner'", 2],
  ["schema(Note, {\n  server: { ownerId: () => 'ada' }\n})", "'string' is not assignable to type 'number", 2],
  ['schema({\n  record: Note,\n  server: { owner: () => 1 }\n})', 'NoSuchName<"owner">', 3],
  [
    "schema({\n  record: Note,\n  server: { ownerId: () => 'ada' }\n})",
    "'string' is not assignable to type 'number",
    3
  ],
  [
    "schema(Note, {\n  computed: {\n    a: {\n      from: ['txt'],\n      many: () => []\n    }\n  }\n})",
    'txt',
    4
  ],
  ["schema(Note, {\n  computed: {\n    a: { from: ['text'] }\n  }\n})", "'many' is missing", 3],
  [
    "schema(Note, {\n  relations: {\n    author: one('users', { from: 'owner' })\n  }\n})",
    'NoSuchName<"owner">',
    3
  ],
  [
    "schema({\n  record: Note,\n  relations: {\n    author: one(typed<User>('users'), { from: 'owner' })\n  }\n})",
    'NoSuchName<"owner">',
    4
  ],
  [
    "schema(Note, {\n  relations: {\n    comments: many(typed<Comment>('comments'), { from: 'ids', to: 'noteId' })\n  }\n})",
    'NoSuchName<"ids">',
    3
  ],
  ["one(typed<User>('users'), {\n  from: 'ownerId',\n  to: 'uid'\n})", 'uid', 3],
  ["one(typed<User>('users'), {\n  from: 'ownerId',\n  filter: ['nam']\n})", 'nam', 3],
  ["one(typed<typeof users>('users'), { from: 'ownerId', filter: ['nam'] })", 'nam'],
  ["one(typed<User>('users'), { form: 'ownerId' })", 'form'],
  ["many(typed<Comment>('comments'), { to: 'note' })", 'note'],
  ["many(typed<Comment>('comments'), { to: 'noteId', sort: { position: 1 } })", 'position'],
  ["many(typed<Comment>('comments'), { to: 'noteId', sort: { at: 2 } })", "'2' is not assignable"],
  ["count(typed<Comment>('comments'), { to: 'note' })", 'note'],
  ["one<User>('users', { from: 'ownerId' })", 'RelatedTypes'],
  [
    "schema(Note, {\n  relations: { author: one(typed<typeof users>('users'), { from: 'ownerId' }) },\n  include: ['autor']\n})",
    'autor',
    3
  ],
  [
    "schema(Note, {\n  relations: { author: one(typed<typeof users>('users'), { from: 'ownerId' }) },\n  include: ['author.teem']\n})",
    'author.teem',
    3
  ],
  ["schema(Note, {\n  envelope: { one: 'note', mani: 'notes' }\n})", 'NoSuchName<"mani">', 2],
  ['schema(Note, {\n  server: {\n    text: ({ data }) => data.txt\n  }\n})', "'txt' does not exist", 3],
  [
    'schema(Note, {\n  server: {\n    size: onWrite(({ data }) => data.txt)\n  }\n})',
    "'txt' does not exist",
    3
  ],
  [
    'schema(Note, {\n  view: {\n    schema: z.object({ note: z.string() }),\n    make: () => ({ note: 1 })\n  }\n})',
    "'number' is not assignable",
    4
  ],
  [
    'schema(Note, {\n  view: {\n    schema: Continent,\n    make: ({ dispatch }) => dispatch,\n    mak: 1\n  }\n})',
    'NoSuchName<"mak">',
    5
  ],
  ["schema(Note, {\n  query: { fields: ['txt'] }\n})", '"txt"', 2],
  ["schema({\n  record: Note,\n  query: { sort: ['address.town'] }\n})", '"address.town"', 3],
  ["schema(Note, {\n  query: { feilds: ['text'] }\n})", 'NoSuchName<"feilds">', 2],
  ["schema(Note, {\n  status: { remove: '204' }\n})", "'string' is not assignable to type 'number'", 2],
  ["schema(Note, {\n  extra: 'kep'\n})", 'kep', 2],
  ["schema(Note, {\n  drift: 'warm'\n})", 'warm', 2],
  ["schema(Note, {\n  enforce: 'no'\n})", 'boolean', 2],
  ['schema(Note, {\n  relations: { author: 5 }\n})', "'number' is not assignable", 2],
  ['schema(Note, {\n  envelope: { one: 5 }\n})', "'number' is not assignable", 2],
  ["schema(Note, {\n  include: 'author'\n})", "'string' is not assignable", 2],
  ['schema(Note, {\n  view: 5\n})', "'number' is not assignable", 2],
  ['schema(Note, {\n  methods: { finish: { data: Note, resutl: Note } }\n})', 'NoSuchName<"resutl">', 2],
  // Services.
  ["app.use('notes', new Notes({}), { methods: ['find', 'finsh'] })", 'finsh'],
  ["app.use('notes', memory<Note>({ paginate: { default: 5 } }), { schema: notes })", 'finish'],
  [
    "app.use('notes/:noteId/comments', memory<Comment>({ paginate: { default: 5 } }), { parent: { noteIds: 'notes' } })",
    'noteIds'
  ],
  [
    "app.use('notes/:noteId/comments', memory<Comment>({ paginate: { default: 5 } }), { parent: { noteId: 'note' } })",
    '"note"'
  ],
  ["app.use('notes', new Notes({}), { by: 5 })", "'number' is not assignable"],
  ["app.use('notes', new Notes({}), { by: 'slug' })", `"slug"' is not assignable`],
  ["app.use('profile', memory<User>(), { singleton: 1 })", 'Singleton'],
  // Queries.
  ["service.find({ query: { titel: 'a' } })", 'titel'],
  ['service.find({ query: { text: 5 } })', "'number' is not assignable"],
  ["service.find({ query: { text: { $gtt: 'a' } } })", '$gtt'],
  ["service.find({ query: { size: { $in: ['a'] } } })", "'string' is not assignable"],
  ["service.find({ query: { done: { $like: 'a' } } })", "'string' is not assignable"],
  ["service.find({ query: { 'address.town': 'Rome' } })", 'address.town'],
  ["service.find({ query: { 'author.nam': 'Ada' } })", 'author.nam'],
  ["service.find({ query: { 'author.age': 'old' } })", "'string' is not assignable"],
  ['service.find({ query: { $or: [{ don: true }] } })', 'don'],
  ['service.find({ query: { $sort: { title: 1 } } })', 'title'],
  ["service.find({ query: { $sort: { text: 'asc' } } })", "'string' is not assignable"],
  ["service.find({ query: { $select: ['title'] } })", 'title'],
  ["service.find({ query: { $limit: '1' } })", "'string' is not assignable"],
  ['service.find({ query: { length: 1 } })', 'length'],
  ["service.find({ query: { due: '2026-01-01' } })", "'string' is not assignable"],
  ["service.get(1, { query: { titel: 'a' } })", 'titel'],
  ['service.get(1, { query: { $limit: 1 } })', '$limit'],
  ["service.patch(null, { done: true }, { query: { titel: 'a' } })", 'titel'],
  ["service.remove(null, { query: { titel: 'a' } })", 'titel'],
  // Includes.
  ["service.find({ query: { $include: ['autor'] } })", 'autor'],
  ["service.get(1, { query: { $include: 'author.teem' } })", 'author.teem'],
  ["service.find({ query: { $include: ['author.team.compny'] } })", 'author.team.compny'],
  ["service.find({ query: { $include: ['author.team.company.contry'] } })", 'author.team.company.contry'],
  [
    "service.find({ query: { $include: ['author.team.company.country.continnt'] } })",
    'author.team.company.country.continnt'
  ],
  ["service.get(1, { query: { $include: 'commentCount.x' } })", 'commentCount.x'],
  ['service.get(1).then((note) => note.author)', "'author' does not exist"],
  [
    "service.get(1, { query: { $include: 'author' } }).then(({ author }) => author?.team)",
    "'team' does not exist"
  ],
  [
    "service.get(1, { query: { $include: 'author.team' } }).then(({ author }) => author?.team?.lable)",
    'lable'
  ],
  ["type Row = RecordOf<typeof notes, 'autor'>", 'autor'],
  // Data, and methods.
  ['service.create({ size: 1 })', "'text' is missing"],
  ["service.create({ text: 'a', size: 1, titel: 'b' })", 'titel'],
  ['service.patch(1, { don: true })', 'don'],
  ["app.service('replaced').update(1, { text: 'a', done: true })", 'done'],
  ["app.service('replaced').patch(1, { text: 'a' })", 'text'],
  ['service.finish({ id: 1 })', "'id' does not exist"],
  ["app.service('archive').patch(1, {})", "'patch' does not exist"],
  ['inner.create({ at: new Date() })', "'text' is missing"],
  ['profile.find()', "'find' does not exist"],
  ["profile.patch(null, { nam: 'Ada' })", 'nam'],
  ["service.on('created', (note) => note.titel)", 'titel'],
  // Clients.
  ['remote.get(1).then(({ due }) => due?.getTime())', "'getTime' does not exist"],
  [
    "remote.get(1, { query: { $include: 'comments' } }).then(({ comments }) => comments[0]?.at.getTime())",
    "'getTime' does not exist"
  ],
  ["remote.create({ text: 'a', size: 1, due: 5 })", "'number' is not assignable"],
  ['remote.find({ query: { text: new Date() } })', "'Date' is not assignable"],
  ["remote.find({ query: { titel: 'a' } })", 'titel'],
  ["remote.find({ query: { $include: 'author.teem' } })", 'author.teem'],
  ['remote.find({ paginate: false })', 'paginate'],
  ['remote.finish({ note: { id: 1, at: 5 } })', "'number' is not assignable"],
  ["client.service('archive').finish({ note: { id: 1, at: new Date() } })", "'finish' does not exist"],
  ["posting.create({ text: 'a', ownerId: 1, size: 1 })", "'text' does not exist"],
  ['posting.create({ post: { size: 1 } })', 'text'],
  ['posting.find().then((page) => page.data)', "'data' does not exist"],
  ['posting.get(1).then((post) => post.text)', "'text' does not exist"],
  ["client.service('profile').get(null).then(({ joined }) => joined.getTime())", "'getTime' does not exist"],
  ["app.asClient().service('posts').create({ text: 'a' })", "'text' does not exist"],
  // Hidden fields, and those of the server.
  ['remoteMembers.get(1).then(({ age }) => age)', "'age' does not exist"],
  ["app.asClient().service('members').get(1).then(({ age }) => age)", "'age' does not exist"],
  ["remoteMembers.on('created', ({ age }) => age)", "'age' does not exist"],
  ['remoteMembers.find({ query: { age: 36 } })', "'age' does not exist"],
  ["remoteMembers.find({ query: { $select: ['age'] } })", '"age"'],
  ['remoteMembers.find({ query: { $sort: { age: 1 } } })', "'age' does not exist"],
  [
    "remoteBadges.get(1, { query: { $include: 'member' } }).then(({ member }) => member?.age)",
    "'age' does not exist"
  ],
  ["remoteBadges.get(1, { query: { $include: 'owner' } })", '"owner"'],
  ['remoteMembers.create({\n  ...member,\n  teamId: 2\n})', "'teamId' does not exist", 3],
  ['remoteMembers.patch(1, { teamId: 2 })', "'teamId' does not exist"],
  ['remoteMembers.update(1, { ...member, teamId: 2 })', "'teamId' does not exist"],
  ['remoteBadges.create({ memberId: 1, createdAt: new Date() })', "'createdAt' does not exist"],
  // The type of a record.
  ["const note = {} as RecordOf<typeof notes, 'author.teem'>; note", 'author.teem'],
  [
    "const note = {} as RecordOf<typeof notes, 'comments' | 'author.team.compani'>; note",
    'author.team.compani'
  ],
  [
    "const note = {} as RecordOf<typeof notes, 'author.team.company.contry'>; note",
    'author.team.company.contry'
  ],
  [
    "const note = {} as RecordOf<typeof notes, 'author.team.company.country.continnt'>; note",
    'author.team.company.country.continnt'
  ]
]

export async function checkPrograms(tsc, folder, paths) {
  const options = {
    target: 'es2023',
    lib: ['es2023', 'es2024.string'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    paths
  }
  const right = toModule(RIGHT)
  const wrong = toModule(WRONG.map(([program]) => program))

  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['*.ts'] })
  )
  writeFileSync(join(folder, 'right.ts'), right.text)
  writeFileSync(join(folder, 'wrong.ts'), wrong.text)

  const { output } = await run(process.execPath, [tsc, '-p', folder, '--pretty', 'false'])
  const messages = readMessages(output)
  const expected = WRONG.map(([program, word, line = 1], index) => ({
    program,
    word,
    line: wrong.lines[index] + line - 1
  }))

  return [
    ...expected.filter((one) => !messages.some((message) => isAbout(message, one))).map(toSilence),
    ...messages
      .filter((message) => !expected.some(({ line }) => message.file === 'wrong.ts' && message.line === line))
      .map(({ file, line, text }) => `${file}:${line}: ${text}`)
  ]
}

function isAbout({ file, line, text }, expected) {
  return file === 'wrong.ts' && line === expected.line && text.includes(expected.word)
}

function toSilence({ program, word, line }) {
  return `No message about "${word}" in line ${line}: ${program}`
}

/** Each program is a function; and the line that each begins in. */
function toModule(programs) {
  let text = PRELUDE
  const lines = []

  for (const [index, program] of programs.entries()) {
    text += `\nexport async function program${index}() {\n`
    lines.push(text.split('\n').length)
    text += `${program}\n}\n`
  }

  return { text, lines }
}

/** What the compiler says, with the lines that belong to a message. */
function readMessages(output) {
  const starts = output.split(/^(?=\S)/m)

  return starts.flatMap((text) => {
    const [, file, line] = /([^/\\]+)\((\d+),\d+\): error/.exec(text) ?? []

    // The sources of a checkout are checked elsewhere.
    if (text.trim() === '' || (file !== undefined && !/^(right|wrong)\.ts$/.test(file))) return []

    return [{ file: file ?? '', line: Number(line ?? 0), text: text.trim() }]
  })
}
