import { access, anyone, owner } from 'alula/access'
import { hashPassword } from 'alula/authentication'
import { KyselyService } from 'alula/kysely'
import { type ServiceOf, schema } from 'alula/schema'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from './database.js'
import type { Application } from './declarations.js'

export const User = z.object({
  id: z.int(),
  // Addresses are stored in one spelling, so that each can sign up only once.
  email: z.string().trim().toLowerCase().check(z.email()),
  password: z.string().min(8).max(200)
})

export type User = z.infer<typeof User>

const declared = schema(User, { hidden: ['password'] })

declare module './declarations.js' {
  interface Services {
    users: ServiceOf<typeof declared, 'find' | 'get' | 'create'>
  }
}

/** Who can log in. Clients can sign up, and see themselves; the rest is for calls from inside. */
export const users = (db: Kysely<Tables>) => (app: Application) => {
  app.use('users', new KyselyService<User>({ Model: db, name: 'users' }), {
    schema: declared,
    access: access({ create: anyone, find: owner('id') }),
    methods: ['find', 'create']
  })
  app.service('users').hooks({
    before: { create: [hashPassword('password')] }
  })
}
