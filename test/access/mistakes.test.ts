import { Kysely, PostgresDialect } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { access, anyone, owner, role, user } from '../../src/access.ts'
import { protect } from '../../src/authentication.ts'
import { type Application, alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { findPort } from '../support/redis.ts'
import { createTable, describeDatabases, openPool } from '../support/sql.ts'
import { createApp } from './support/application.ts'

/** An application to which users can log in, and about whose login there is nothing to warn of. */
function createSafeApp(): Application {
  const app = createApp()

  app.service('users').hooks({ after: { all: [protect('password')] } })

  return app
}

/** The warnings of the process when an application starts. */
async function start(
  app: Application,
  rules: Parameters<typeof access>[0],
  service: object = memory()
): Promise<unknown[]> {
  const warnings: unknown[] = []
  const original = process.emitWarning

  process.emitWarning = ((...warning: unknown[]) => void warnings.push(warning)) as typeof process.emitWarning
  onTestFinished(() => {
    process.emitWarning = original
  })
  app.use('notes', service as any, { access: access(rules) })
  await app.setup()

  return warnings
}

it.each([
  ["owner('ownerId')", owner('ownerId')],
  ["role('admin')", role('admin')],
  ['user', user]
])(
  '%s warns of an application without an authentication service, which may have its own logins',
  async (who, rule) => {
    expect(await start(alula(), { find: anyone, create: rule })).toEqual([
      [
        `The access of service 'notes' has ${who}, and the application has no authentication service: calls pass only where the application sets params.user and params.authenticated itself`,
        { code: 'ALULA_NO_AUTHENTICATION' }
      ]
    ])
    expect(await start(createSafeApp(), { find: anyone, create: rule })).toEqual([])
  }
)

it('owner and role know the user of a session, and nobody else', async () => {
  const app = alula()
  const store = memory({ store: { 1: { id: 1, ownerId: 7 }, 2: { id: 2, ownerId: 8 } } })

  await start(app, { get: owner('ownerId'), remove: role('admin') }, store)

  const notes: any = app.service('notes')
  const get = (id: number, params: object) => notes.get(id, { provider: 'rest', ...params })
  const ada = { authenticated: true, user: { id: 7, role: 'admin' } }

  expect(await get(1, ada)).toMatchObject({ id: 1 })
  await expect(get(2, ada)).rejects.toMatchObject({ code: 404 })
  await expect(get(1, { user: ada.user })).rejects.toMatchObject({ code: 401 })
  await expect(get(1, { authenticated: true, user: {} })).rejects.toMatchObject({ code: 403 })
  await expect(
    notes.remove(2, { provider: 'rest', authenticated: true, user: { id: 8 } })
  ).rejects.toMatchObject({ code: 403 })
  expect(await notes.remove(2, { provider: 'rest', ...ada })).toMatchObject({ id: 2 })
})

it('rules that need no login need no authentication service', async () => {
  expect(await start(alula(), { find: anyone, create: () => true })).toEqual([])
})

describeDatabases('the table of a service without a schema', (database) => {
  it('has the field of the owner, or the application does not start', async () => {
    const name = 'alula_access_owner'
    const db = await createTable(
      database,
      name,
      `id ${database.countedId}, owner_id integer, meta ${database.json}`
    )
    const begin = (field: string, table = name) =>
      start(createSafeApp(), { find: anyone, patch: owner(field) }, kysely({ Model: db, name: table }))

    await expect(begin('ownerId')).rejects.toMatchObject({
      code: 'ALULA_UNKNOWN_FIELD',
      message: expect.stringContaining(
        "The access of service 'notes' has owner('ownerId'), and its table has no field 'ownerId'"
      )
    })
    await expect(begin('owner_if')).rejects.toThrow("Did you mean 'owner_id'?")
    expect(await begin('owner_id')).toEqual([])
    expect(await begin('meta.ownerId')).toEqual([])
    // Of a table that is not there, another warning tells.
    await begin('ownerId', 'alula_access_none')
  })
})

it('an owner is not looked for in a table while its database is away', async () => {
  const pool = openPool({ host: '127.0.0.1', port: await findPort() })
  const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })

  onTestFinished(() => db.destroy())

  expect(
    await start(createSafeApp(), { find: owner('ownerId') }, kysely({ Model: db, name: 'notes' }))
  ).toEqual([])
})
