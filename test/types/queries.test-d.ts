// What a declared service can be asked for, and what its methods take.
import { z } from 'zod'
import type { Application } from '../../src/index.ts'
import { MemoryService } from '../../src/memory.ts'
import {
  type CustomOperators,
  count,
  many,
  one,
  type RecordQuery,
  type ServiceOf,
  schema,
  typed
} from '../../src/schema.ts'
import { expectType } from '../support/expect-type.ts'

const Note = z.object({
  id: z.int(),
  text: z.string(),
  done: z.boolean().default(false),
  ownerId: z.string(),
  address: z.object({ city: z.string() }).optional()
})

interface Profile {
  name: string
  age: number
}

const notes = schema({
  record: Note,
  update: z.object({ text: z.string() }),
  computed: { length: { from: ['text'], many: (records) => records.map(({ text }) => text.length) } },
  methods: {
    finish: {
      data: z.object({ note: z.object({ id: z.int() }) }).transform(({ note }) => note),
      result: z.object({ count: z.int() })
    }
  },
  relations: {
    author: one(typed<Profile>('users'), { from: 'ownerId', filter: ['name'] }),
    tags: many(typed<{ tag: string; noteId: number }>('tags'), { to: 'noteId' }),
    tagCount: count('tags', { to: 'noteId' }),
    other: one('others', { from: 'ownerId' })
  }
})

class Notes extends MemoryService<z.output<typeof Note>> {
  async finish({ id }: { id: number }): Promise<{ count: number }> {
    return { count: id }
  }
}

declare const app: Application<{ notes: ServiceOf<typeof notes> }>

app.use('notes', new Notes({}), { schema: notes, methods: ['find', 'get', 'patch', 'remove', 'finish'] })

const service = app.service('notes')

// Fields, operators, nested fields, relations, order, what is read.
await service.find({ query: { text: 'a', done: { $ne: true }, 'address.city': { $in: ['Rome'] } } })
await service.find({ query: { text: { $like: 'a%' }, $or: [{ ownerId: 'ada' }, { $not: { done: true } }] } })
await service.find({ query: { 'author.name': 'Ada', 'tags.tag': { $in: ['a'] }, 'other.field': 1 } })
await service.find({ query: { $sort: { tagCount: -1, 'address.city': 1 }, $select: ['text', 'author'] } })
await service.find({ query: { done: true, $include: ['author', 'tags.x'] }, paginate: false })
await service.get(1, { query: { done: true, $select: ['id'] } })
await service.patch(null, { text: 'a' }, { query: { done: true } })
await service.remove(null, { query: { 'author.age': { $gt: 30 } } })
await service.update(1, { text: 'a' })
expectType<{ count: number }>().of(await service.finish({ note: { id: 1 } }))
expectType<Profile | null>().of((await service.remove(1, { query: { $include: 'author' } })).author)

export const pattern: CustomOperators<string> = { $like: 'a%' }
export const some: RecordQuery<z.output<typeof Note>> = { done: true, $select: ['id'] }
// @ts-expect-error One record has no page.
export const page: RecordQuery<z.output<typeof Note>> = { $limit: 1 }

// @ts-expect-error There is no such field.
await service.find({ query: { titel: 'a' } })
// @ts-expect-error It holds text.
await service.find({ query: { text: 5 } })
// @ts-expect-error There is no such operator.
await service.find({ query: { text: { $gtt: 'a' } } })
// @ts-expect-error Only text is like a pattern.
await service.find({ query: { done: { $like: 'a' } } })
// @ts-expect-error There is no such field inside.
await service.find({ query: { 'address.town': 'Rome' } })
// @ts-expect-error The author has no such field.
await service.find({ query: { 'author.nam': 'Ada' } })
// @ts-expect-error It holds a number.
await service.find({ query: { 'author.age': 'old' } })
// @ts-expect-error There is no such field in a part.
await service.find({ query: { $or: [{ don: true }] } })
// @ts-expect-error There is no such field to sort by.
await service.find({ query: { $sort: { title: 1 } } })
// @ts-expect-error There is no such field to read.
await service.find({ query: { $select: ['title'] } })
// @ts-expect-error There is no such relation.
await service.find({ query: { $include: ['autor'] } })
// @ts-expect-error It is a number.
await service.find({ query: { $limit: '1' } })
// @ts-expect-error A computed field is not stored.
await service.find({ query: { length: 1 } })
// @ts-expect-error There is no such field.
await service.get(1, { query: { titel: 'a' } })
// @ts-expect-error There is no such field.
await service.patch(null, { text: 'a' }, { query: { titel: 'a' } })
// @ts-expect-error There is no such field.
await service.remove(null, { query: { titel: 'a' } })
// @ts-expect-error It takes what the schema takes, and not what it makes of it.
await service.finish({ id: 1 })
// @ts-expect-error `update` has a schema of its own.
await service.update(1, { text: 'a', done: true })
