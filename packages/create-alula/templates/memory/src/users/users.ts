import { access, anyone, owner } from 'alula/access'
import { hashPassword } from 'alula/authentication'
import { memory } from 'alula/memory'
import type { ServiceOf } from 'alula/schema'
import type { Application } from '../declarations.ts'
import { type User, userSchema } from './users.schema.ts'

declare module '../declarations.ts' {
  interface Services {
    users: ServiceOf<typeof userSchema, 'find' | 'get' | 'create'>
  }
}

/** Those who can log in. Clients can sign up, and see themselves. */
export function users(app: Application): void {
  app.use('users', memory<User>({ startId: 1, paginate: { default: 10, max: 50 } }), {
    schema: userSchema,
    access: access({ find: owner('id'), get: owner('id'), create: anyone }),
    methods: ['find', 'get', 'create'],
    // No two users have the same address, and clients name a user by it.
    by: 'email'
  })
  app.service('users').hooks({ before: { create: [hashPassword('password')] } })
}
