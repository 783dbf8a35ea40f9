import { schema } from 'alula/schema'
import { z } from 'zod'

export const User = z.object({
  id: z.int(),
  // Addresses are stored in one spelling, so that each can sign up only once.
  email: z.string().trim().toLowerCase().check(z.email()),
  password: z.string().min(8).max(200)
})

export type User = z.infer<typeof User>

export const userSchema = schema(User, { hidden: ['password'] })
