import { access, anyone, owner } from 'alula/access'
import { hashPassword } from 'alula/authentication'
import { kysely } from 'alula/kysely'
import type { ServiceOf } from 'alula/schema'
import { db } from '../database.ts'
import type { Application } from '../declarations.ts'
import { type User, userSchema } from './users.schema.ts'

declare module '../declarations.ts' {
  interface Services {
    users: ServiceOf<typeof userSchema, 'find' | 'get' | 'create'>
  }
}

declare module '../database.ts' {
  interface Tables {
    users: User
  }
}

/** Those who can log in. Clients can sign up, and see themselves. */
export function users(app: Application): void {
  app.use('users', kysely<User>({ Model: db, name: 'users', paginate: { default: 10, max: 50 } }), {
    schema: userSchema,
    access: access({ find: owner('id'), get: owner('id'), create: anyone }),
    methods: ['find', 'get', 'create']
  })
  app.service('users').hooks({ before: { create: [hashPassword('password')] } })
}
