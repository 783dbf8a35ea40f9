import { expect, it } from 'vitest'
import { access, anyone, closed, owner, role, user } from '../../src/access.ts'
import { AuthenticationService } from '../../src/authentication.ts'
import { BadRequest, Conflict } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { createApp, logIn } from './support/application.ts'

const outside = { provider: 'rest' }
const NOTES = { 1: { id: 1, ownerId: 1 }, 2: { id: 2, ownerId: 2 } }

/** What a call fails with. */
async function fail(call: Promise<unknown>): Promise<any> {
  return await call.then(
    () => 'it succeeded',
    ({ name, message }) => `${name}: ${message}`
  )
}

async function open(rules: Parameters<typeof access>[0], service: object = memory({ store: NOTES })) {
  const app = createApp()

  app.use('notes', service as any, { access: access(rules) })
  await app.setup()

  return { app, notes: app.service('notes') as any, ada: (await logIn(app)).ada.params }
}

it('say what is refused, and that a login is missing', async () => {
  const { notes, ada } = await open({ get: anyone, find: role('admin'), patch: owner('ownerId') })

  expect(await fail(notes.find(outside))).toBe('NotAuthenticated: Not authenticated')
  expect(await fail(notes.find(ada))).toBe("Forbidden: You may not call 'find' of 'notes'")
  expect(await fail(notes.patch(2, {}, ada))).toBe("Forbidden: You may not patch this record of 'notes'")
  expect(await fail(notes.patch(9, {}, ada))).toBe("NotFound: No record found for id '9'")
})

it('of a closed method name it', async () => {
  const app = alula()

  app.configure(closed())
  app.use('notes', memory())

  expect(await fail(app.service('notes').find(outside))).toBe(
    "Forbidden: The method 'find' of 'notes' is closed"
  )
})

it('say that there is no login, where credentials are sent to an application without one', async () => {
  const app = alula()
  const authentication = { strategy: 'jwt', accessToken: 'x.y.z' }

  app.use('notes', memory(), { access: access({ all: anyone }) })

  expect(await fail(app.service('notes').find({ ...outside, authentication }))).toBe(
    'NotAuthenticated: Could not find a valid authentication service'
  )
})

it('that a rule makes for clients reach them, and are not reported', async () => {
  const { app, notes, ada } = await open({
    find: () => {
      throw new BadRequest('Choose a team')
    },
    get: async () => {
      throw new BadRequest('Choose a team')
    }
  })
  const reported: unknown[] = []

  app.on('error', (error) => reported.push(error))

  expect(await fail(notes.find(ada))).toBe('BadRequest: Choose a team')
  expect(await fail(notes.get(1, ada))).toBe('BadRequest: Choose a team')
  // A method without a rule is no mistake either.
  expect(await fail(notes.remove(1, ada))).toMatch('Forbidden')
  expect(reported).toEqual([])
})

it('of the service itself stay as they are, for records that the caller may see', async () => {
  class Notes extends MemoryService {
    override async _patch(): Promise<never> {
      throw new Conflict('Somebody else has changed it')
    }
  }

  const { notes, ada } = await open({ get: anyone, patch: owner('ownerId') }, new Notes({ store: NOTES }))

  expect(await fail(notes.patch(1, {}, ada))).toBe('Conflict: Somebody else has changed it')
})

it('of a service that does not apply the query say so', async () => {
  const { notes, ada } = await open({ find: owner('ownerId') }, { find: async () => [{ ownerId: 2 }] })

  expect(await fail(notes.find(ada))).toBe(
    "GeneralError: 'find' of 'notes' returned records that its access, parent or singleton does not allow: it has to apply params.query"
  )
})

it.each<[string, () => unknown]>([
  ['ALULA_INVALID_ACCESS', () => access({})],
  ['ALULA_INVALID_ACCESS', () => access({ find: true as any })],
  [
    'ALULA_INVALID_ACCESS',
    () => {
      const app = createApp()

      app.use('login', new AuthenticationService(app, 'login') as any, { access: access({ create: user }) })
    }
  ],
  [
    'ALULA_INVALID_ACCESS',
    () =>
      alula().use('notes', { archive: async () => 1 } as any, {
        methods: ['archive'],
        access: access({ all: owner('ownerId') })
      })
  ],
  ['ALULA_UNKNOWN_METHOD', () => alula().use('notes', memory(), { access: access({ archive: user }) })],
  ['ALULA_INVALID_ARGUMENT', () => owner('$where')],
  ['ALULA_INVALID_ARGUMENT', () => role('')],
  ['ALULA_INVALID_ARGUMENT', () => role(1 as any)],
  ['ALULA_INVALID_OPTION', () => role('admin', { field: '' })]
])('of a mistake have a code: %s', (code, make) => {
  expect(make).toThrow(expect.objectContaining({ code }))
})

it('of a misspelt method name the one that was meant', () => {
  const use = (name: string) => () => alula().use('notes', memory(), { access: access({ [name]: user }) })

  expect(use('al')).toThrow("Did you mean 'all'?")
  expect(use('ptach')).toThrow("Did you mean 'patch'?")
})
