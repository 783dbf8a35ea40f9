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
