// A hook that comes after `authenticate` knows that there is a user.
import { type AccessRule, access } from '../../src/access.ts'
import { type Authenticated, assertAuthenticated } from '../../src/authentication.ts'
import type { Application, HookContext, Params, ServiceInterface } from '../../src/index.ts'
import { expectType } from '../support/expect-type.ts'

interface Person {
  id: string
}

interface NoteParams extends Params {
  user?: Person
  tenant?: { name: string }
}

interface Note {
  text: string
  ownerId: string
}

type Notes = ServiceInterface<Note, Note, NoteParams>
type App = Application<{ notes: Notes }>

export async function setOwner(context: HookContext<App, Notes, 'create'>): Promise<void> {
  expectType<Person | undefined>().of(context.params.user)
  assertAuthenticated(context)
  expectType<string>().of(context.params.user.id)
  context.data.ownerId = context.params.user.id
}

export const readUser = ({ params }: Authenticated<HookContext<App, Notes>, 'user'>): Person => params.user

export function readTenant(context: HookContext<App, Notes>): string {
  assertAuthenticated(context, 'tenant')

  return context.params.tenant.name
}

export function misspell(context: HookContext<App, Notes>): void {
  // @ts-expect-error -- the params have no such entity
  assertAuthenticated(context, 'usr')
}

// A rule of one application takes the context of that.
const onlyLists: AccessRule = ({ app, path }: HookContext<App>) => {
  expectType<'notes'>().of(path)
  expectType<App>().of(app)

  return true
}

export const rules = access({ find: onlyLists })
