// The records of a declared service as clients read them.
import { z } from 'zod'
import { type Application, type ClientRecord, type ClientServices, live } from '../../src/client.ts'
import { count, many, one, type ServiceOf, schema, typed } from '../../src/schema.ts'
import { expectType } from '../support/expect-type.ts'

const User = z.object({ id: z.int(), email: z.string(), password: z.string() })
const Comment = z.object({ id: z.int(), noteId: z.int(), createdAt: z.date() })
const Note = z.object({
  id: z.int(),
  text: z.string(),
  secret: z.string(),
  dueAt: z.date().nullish(),
  marks: z.array(z.object({ at: z.date() })),
  ownerId: z.int()
})

const users = schema(User, { hidden: ['password'] })
const notes = schema(Note, {
  hidden: ['secret'],
  relations: {
    owner: one(typed<typeof users>('users'), { from: 'ownerId' }),
    comments: many(typed<z.infer<typeof Comment>>('comments'), { to: 'noteId' }),
    commentCount: count('comments', { to: 'noteId' })
  }
})

interface PlainNote {
  id: number
  text: string
  dueAt?: string | null | undefined
  marks: { at: string }[]
  ownerId: number
}

declare const client: Application<ClientServices<{ notes: ServiceOf<typeof notes> }>>
declare const note: ClientRecord<typeof notes>
declare const withOwner: ClientRecord<typeof notes, 'owner' | 'comments'>

expectType<PlainNote>().of(note)
expectType<{ id: number; email: string } | null>().of(withOwner.owner)
expectType<{ id: number; noteId: number; createdAt: string }[]>().of(withOwner.comments)
expectType<string>().of(withOwner.text)

// @ts-expect-error -- clients do not get it
note.secret
// @ts-expect-error -- nor with the owner
withOwner.owner?.password
// @ts-expect-error -- it is not included
note.owner
// @ts-expect-error -- there is no such relation
export type Wrong = ClientRecord<typeof notes, 'author'>

/** The methods, events and lists of a client have these records. */
export async function readNotes(): Promise<readonly (typeof note)[]> {
  const list = client.configure(live()).live('notes')
  const listen = (received: ClientRecord<typeof notes>) => received.text

  expectType<typeof note>().of(await client.service('notes').get(1))
  expectType<typeof note>().of(await client.service('notes').patch(1, { text: 'Hello' }))
  client.service('notes').on('created', listen).off('created', listen)
  expectType<(typeof note)[]>().of((await client.service('notes').find()).data)

  return list.getSnapshot().data
}
