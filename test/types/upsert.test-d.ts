// The method that services have with the option `upsert`.
import { z } from 'zod'
import type { AdapterParams } from '../../src/adapter.ts'
import type { ClientServices } from '../../src/client.ts'
import { type Application, alula, type HookContext, type Id } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { type ServiceOf, schema } from '../../src/schema.ts'
import { expectType } from '../support/expect-type.ts'

interface User {
  id: number
  email: string
  name?: string
}

type NewUser = Omit<User, 'id'>

export class Users extends MemoryService<User, NewUser, AdapterParams> {}

interface Services {
  users: Users
  accounts: ServiceOf<typeof accounts, 'find' | 'upsert'>
}

const accounts = schema(z.object({ id: z.int(), email: z.email(), hash: z.string(), ownerId: z.int() }), {
  server: { ownerId: () => 1 },
  hidden: ['hash']
})

const app = alula<Services>()

app.use('users', new Users({ upsert: { by: ['email'] } }), { methods: ['find', 'upsert'] })
app.use('accounts', memory({ upsert: { by: ['email'] } }), { schema: accounts, methods: ['find', 'upsert'] })
kysely<User>({ Model: {} as any, name: 'users', upsert: { by: ['team', 'email'] } })

export async function call(client: ClientServices<Services, { users: 'upsert'; accounts: 'upsert' }>) {
  const account = { email: 'ada@example.org', hash: 'x' }

  expectType<User>().of(await app.service('users').upsert({ email: 'ada@example.org' }))
  expectType<User>().of(await client.users.upsert({ email: 'ada@example.org' }))
  expectType<{ id: number; email: string; hash: string; ownerId: number }>().of(
    await app.service('accounts').upsert(account)
  )
  expectType<{ id: number; email: string; ownerId: number }>().of(await client.accounts.upsert(account))

  // @ts-expect-error -- one record
  await app.service('users').upsert([{ email: 'ada@example.org' }])
  // @ts-expect-error -- a user has an email
  await app.service('users').upsert({ name: 'Ada' })
  // @ts-expect-error -- the server sets the owner
  await client.accounts.upsert({ ...account, ownerId: 1 })
}

// @ts-expect-error -- clients have the methods that are listed
export type Unlisted = ClientServices<Services>['users']['upsert']
// @ts-expect-error -- a declared service has it where it is named
export type Unnamed = ServiceOf<typeof accounts>['upsert']

memory({
  // @ts-expect-error -- the fields are a list
  upsert: { by: 'email' }
})

export type Context = HookContext<Application<Services>, Users, 'upsert'>

export function hook(context: Context): Id | undefined {
  expectType<NewUser>().of(context.data)

  return context.result?.id
}
