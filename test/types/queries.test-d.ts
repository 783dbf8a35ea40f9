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

// `programs.test.ts` has what calls take.
expectType<{ count: number }>().of(await service.finish({ note: { id: 1 } }))
expectType<Profile | null>().of((await service.remove(1, { query: { $include: 'author' } })).author)

export const pattern: CustomOperators<string> = { $like: 'a%' }
export const some: RecordQuery<z.output<typeof Note>> = { done: true, $select: ['id'] }
// @ts-expect-error One record has no page.
export const page: RecordQuery<z.output<typeof Note>> = { $limit: 1 }

const people = schema(
  z.object({
    id: z.string(),
    address: z.object({ city: z.string(), size: z.number().optional() }).optional()
  })
)
const houses = schema(Note, {
  relations: {
    owner: one(typed<typeof people>('people'), { from: 'ownerId', filter: ['address.city', 'address.size'] }),
    guests: many(typed<typeof people>('people'), { to: 'id', filter: ['address.city'] }),
    other: one('others', { from: 'ownerId', filter: ['address.city'] })
  }
})

declare const village: Application<{ houses: ServiceOf<typeof houses> }>

// Fields of objects in related records.
await village.service('houses').find({
  query: {
    'address.city': 'Rome',
    'owner.address.city': 'Rome',
    'owner.address.size': { $gt: 1 },
    'guests.address.city': { $in: ['Rome'] },
    'other.address.city': 'Rome',
    $or: [{ 'owner.address.city': 'Pisa' }]
  }
})
// @ts-expect-error A city is a string.
await village.service('houses').find({ query: { 'owner.address.city': 1 } })
// @ts-expect-error There is no such field.
await village.service('houses').find({ query: { 'guests.address.zip': 'a' } })
