import { assertAuthenticated } from 'alula/authentication'
import { one, onWrite, schema, typed } from 'alula/schema'
import { z } from 'zod'
import type { userSchema } from '../users/users.schema.ts'

export const Note = z.object({
  id: z.int(),
  text: z.string().trim().min(1).max(1000),
  done: z.boolean().default(false),
  ownerId: z.int(),
  createdAt: z.date(),
  updatedAt: z.date()
})

export type Note = z.infer<typeof Note>

export const noteSchema = schema(Note, {
  // Clients cannot send these fields.
  server: {
    ownerId: (context) => {
      assertAuthenticated(context)

      return context.params.user.id
    },
    createdAt: () => new Date(),
    updatedAt: onWrite(() => new Date())
  },
  // `?$include=owner` loads the user with the note.
  relations: { owner: one(typed<typeof userSchema>('users'), { from: 'ownerId' }) }
})
