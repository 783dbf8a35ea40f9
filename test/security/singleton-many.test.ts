// Relations and calls with the rights of the caller reached the records of all callers of a singleton.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, user } from '../../src/access.ts'
import { type Application, asCaller } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { count, many, one, schema } from '../../src/schema.ts'
import { createApp, logIn, toStatus } from '../access/support/application.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

const Profile = z.object({ id: z.int(), name: z.string() })
const Note = z.object({ id: z.int(), profileId: z.int() })

const NOTES = { 1: { id: 1, profileId: 1 }, 2: { id: 2, profileId: 2 } }
const PROFILES = { 1: { id: 1, name: 'ada' }, 2: { id: 2, name: 'grace' } }

const relations = {
  profile: one('profile', { from: 'profileId', filter: ['name'] }),
  profiles: many('profile', { from: 'profileId', to: 'id' }),
  profileCount: count('profile', { from: 'profileId', to: 'id' })
}

async function dropConditions(context: any): Promise<void> {
  context.params = { ...context.params, query: {} }
}

async function open(
  profiles: object = memory({ multi: true, store: { ...PROFILES } }),
  options: object = {},
  notes: object = memory({ store: NOTES })
) {
  const app: Application = createApp()

  app.use('profile', profiles as any, {
    singleton: ({ user: caller }: any) => caller?.id,
    access: access({ all: user }),
    ...options
  })
  app.use('notes', notes as any, { access: access({ all: anyone }), schema: schema(Note, { relations }) })
  await app.setup()

  const { ada, root } = await logIn(app)

  return { app, profile: app.service('profile'), ada: ada.params as any, root: root.params as any }
}

async function assertOwn({ app, ada, root }: Awaited<ReturnType<typeof open>>): Promise<void> {
  const ask = (query: object, params = ada) => app.service('notes').find({ ...params, query })
  const $include = ['profile', 'profiles', 'profileCount']

  expect(await ask({ $include, $sort: { id: 1 } })).toEqual([
    { id: 1, profileId: 1, profile: PROFILES[1], profiles: [PROFILES[1]], profileCount: 1 },
    { id: 2, profileId: 2, profile: null, profiles: [], profileCount: 0 }
  ])
  // A user without a record.
  expect(await ask({ $include, id: 1 }, root)).toMatchObject([
    { profile: null, profiles: [], profileCount: 0 }
  ])
  expect(await ask({ 'profile.name': 'grace' })).toEqual([])
  expect(await ask({ 'profile.name': 'ada' })).toEqual([{ id: 1, profileId: 1 }])
}

describe('a singleton', () => {
  it('shows relations the record of the caller alone', async () => {
    await assertOwn(await open())
    await assertOwn(await open(undefined, { schema: schema(Profile) }))
  })

  it('holds calls with the rights of the caller for several records to its own', async () => {
    const { profile, ada, root } = await open(undefined, { access: access({ all: anyone }) })
    const caller = asCaller(ada)

    expect(await profile.find(caller)).toEqual([PROFILES[1]])
    expect(await profile.find(asCaller(ada, { id: 2 }))).toEqual([])
    expect(await profile.find(asCaller(root))).toEqual([])
    expect(await toStatus(profile.find({ provider: 'rest' }))).toBe(404)
    expect(await profile.patch(null, { name: 'a' }, caller)).toEqual({ id: 1, name: 'a' })
    expect(await toStatus(profile.create({ id: 3, name: 'x' }, caller))).toBe(403)
    expect(await toStatus(profile.create([{ id: 3, name: 'x' }], caller))).toBe(403)
    expect(await profile.remove(null, caller)).toEqual({ id: 1, name: 'a' })
    expect(await profile.create({ id: 1, name: 'b' }, caller)).toEqual({ id: 1, name: 'b' })
    expect(await profile.find({ query: { $sort: { id: 1 } } })).toEqual([{ id: 1, name: 'b' }, PROFILES[2]])
  })

  it('holds them whatever hooks do, and to the rule of access too', async () => {
    const held = await open()

    held.profile.hooks({ before: { find: [dropConditions] } })

    expect(await held.profile.find(asCaller(held.ada))).toEqual([PROFILES[1]])

    const ruled = await open(undefined, { access: access({ all: () => ({ name: 'grace' }) }) })

    expect(await ruled.profile.find(asCaller(ruled.ada))).toEqual([])
  })
})

describeDatabases('a singleton of a table', (database) => {
  it('shows relations the record of the caller alone', async () => {
    const { countedId, text } = database
    const quote = (name: string) => (database.name === 'MariaDB' ? `\`${name}\`` : `"${name}"`)
    const profiles = kysely({
      Model: await createTable(database, 'singleton_profiles', `id ${countedId}, name ${text} not null`),
      name: 'singleton_profiles',
      multi: true
    })
    const notes = kysely({
      Model: await createTable(
        database,
        'singleton_notes',
        `id ${countedId}, ${quote('profileId')} integer not null`
      ),
      name: 'singleton_notes',
      multi: true
    })
    const opened = await open(profiles, {}, notes)

    await opened.profile.create(Object.values(PROFILES))
    await opened.app.service('notes').create(Object.values(NOTES))
    await assertOwn(opened)
  })
})
