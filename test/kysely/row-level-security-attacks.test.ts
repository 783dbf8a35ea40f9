import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, type SessionOption } from '../../src/kysely.ts'
import { describeDatabases, POSTGRES } from '../support/sql.ts'
import { openRows, session } from './support/row-level-security.ts'

/** Whether a call is refused because policies do not hold. */
async function expectRefused(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({
    code: 500,
    message: expect.stringContaining('row level security does not hold')
  })
}

const toNotes = (Model: Kysely<any>, options = {}) => kysely({ Model, name: 'notes', session, ...options })

describeDatabases('row level security', () => {
  it('is asked for by calls of services that set-up has not seen', async () => {
    const { root, db } = await openRows()
    const late: any = await alula().setup()
    const never: any = alula().use('notes', toNotes(root))

    late.on('error', () => undefined)
    late.use('notes', toNotes(root))
    for (const app of [late, never]) await expectRefused(app.service('notes').find())
    await expectRefused(toNotes(root)._find() as Promise<unknown>)

    const app: any = alula().use('notes', toNotes(db))

    await app.setup()
    for (const adapter of [{ Model: root }, { name: 'open_notes' }]) {
      await sql`create or replace view open_notes as select * from notes`.execute(root)
      await sql`grant select on open_notes to public`.execute(root)
      await expectRefused(app.service('notes').find({ adapter }))
    }
    expect(await app.service('notes').find({ user: { id: 'bob' } })).toHaveLength(1)
  })

  it('does not start with a view on a view of its owner, or on tables without policies', async () => {
    const { root, db } = await openRows()

    for (const statement of [
      'create table plain (id serial primary key)',
      'create view inner_notes as select * from notes',
      'create view outer_notes with (security_invoker = true) as select * from inner_notes',
      'create view plain_rows with (security_invoker = true) as select * from plain',
      'grant select on plain, inner_notes, outer_notes, plain_rows to public'
    ])
      await sql.raw(statement).execute(root)

    for (const [name, reason] of [
      ['outer_notes', "'inner_notes' is a view without security_invoker"],
      ['plain_rows', "'plain_rows' reads no table whose policies hold"]
    ] as const) {
      const app = alula().use('rows', toNotes(db, { name }))

      await expect(app.setup()).rejects.toThrow(reason)
    }
  })

  it('takes settings of any case for the same, and the params that a call has itself', async () => {
    const { db } = await openRows()
    const app: any = alula()

    app.use('notes', toNotes(db))
    app.use('others', toNotes(db, { session: (params: any) => ({ 'APP.User_Id': params.user?.id }) }))
    app.use('jobs', {
      async create({ user, hasQuery }: any) {
        const params = {
          ...(user && { user: { id: user } }),
          ...(hasQuery && { query: { text: { $ne: '' } } })
        }
        const found = await app.service('notes').find(params)

        return found.map(({ owner }: any) => owner)
      }
    })
    await app.setup()

    for (const path of ['notes', 'others', 'notes'])
      expect(await app.service(path).find({ user: { id: 'bob' } })).toHaveLength(1)

    const jobs = app.asClient({ user: { id: 'ada' } }).service('jobs')

    expect(await jobs.create({})).toEqual(['ada', 'ada'])
    expect(await jobs.create({ hasQuery: true })).toEqual(['ada', 'ada'])
    // Said by the code of the application.
    expect(await jobs.create({ user: 'bob' })).toEqual(['bob'])
  })

  it.each<[string, unknown, string]>([
    ['a promise', async () => ({ 'app.user_id': 'ada' }), 'got a promise: the function cannot be async'],
    ['null', () => null, 'expected an object of settings, got null'],
    ['an array', () => [], 'expected an object of settings, got an array'],
    ['a name with a dash', () => ({ 'app.user-id': 1 }), "names of letters, digits and '_' with a dot"],
    [
      'an error',
      (params: any) => ({ 'app.user_id': params.user.id }),
      "The adapter option 'session' has thrown"
    ]
  ])('refuses %s in place of settings', async (_, wrong, message) => {
    const { db } = await openRows()

    await expect(toNotes(db, { session: wrong as SessionOption }).find()).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining(message)
    })
  })
}, [POSTGRES])
