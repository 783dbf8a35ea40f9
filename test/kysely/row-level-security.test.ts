import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { type Application, alula } from '../../src/index.ts'
import type { KyselyOptions } from '../../src/kysely/options.ts'
import {
  createIdempotencyTable,
  getTransaction,
  kysely,
  type SessionOption,
  table,
  transaction,
  withTransaction
} from '../../src/kysely.ts'
import { count, many } from '../../src/schema.ts'
import { describeDatabases, POSTGRES, SQLITE } from '../support/sql.ts'
import { openRows, type Rows, session } from './support/row-level-security.ts'

interface Row {
  readonly id: number
  readonly owner: string
  readonly text: string
}

async function start({ db }: Rows, options: Partial<KyselyOptions> = {}): Promise<Application<any>> {
  const app: Application<any> = alula()

  for (const name of ['notes', 'audits'])
    app.use(name, kysely({ Model: db, name, session, multi: true, ...options }))
  await app.setup()

  return app
}

/** The owners of the notes that a user sees. */
async function listOwners(app: Application<any>, user?: string): Promise<readonly string[]> {
  const notes = await toClient(app, user).find()

  return notes.map(({ owner }: Row) => owner)
}

/** The notes as a client calls them. */
function toClient(app: Application<any>, user?: string) {
  return app.asClient(user === undefined ? {} : { user: { id: user } }).service('notes')
}

describeDatabases('row level security', () => {
  it('shows each user their rows, and nothing to nobody, in every method', async () => {
    const rows = await openRows()
    const app = await start(rows)
    const [ada, bob] = ['ada', 'bob'].map((user) => toClient(app, user)) as any[]

    expect(await listOwners(app, 'ada')).toEqual(['ada', 'ada'])
    expect(await listOwners(app, 'bob')).toEqual(['bob'])
    expect(await listOwners(app)).toEqual([])
    expect(await app.service('notes').find()).toEqual([])
    expect(await app.service('notes').find({ user: { id: 'bob' } } as any)).toHaveLength(1)
    for (const call of [
      () => bob.get(1),
      () => bob.patch(1, { text: 'x' }),
      () => bob.update(1, { text: 'x' }),
      () => bob.remove(1)
    ]) {
      await expect(call()).rejects.toMatchObject({ name: 'NotFound' })
    }
    expect(await bob.patch(null, { text: 'changed' })).toHaveLength(1)
    expect(await ada.create({ text: 'four' })).toEqual({ id: 4, owner: 'ada', text: 'four' })
    await expect(ada.create({ owner: 'bob', text: 'x' })).rejects.toMatchObject({ code: 403 })
    expect(await ada.remove(null)).toHaveLength(3)
    expect(await rows.root.selectFrom('notes').selectAll().execute()).toEqual([
      { id: 3, owner: 'bob', text: 'changed' }
    ])
  })

  it('keeps 100 callers apart on one connection, also after errors', async () => {
    const rows = await openRows()
    const app = await start(rows)
    const users = Array.from({ length: 100 }, (_, index) => ['ada', 'bob', undefined][index % 3])
    const seen = await Promise.all(
      users.map(async (user, index) => {
        // A value that the database refuses ends its transaction.
        if (index % 5 === 0)
          await toClient(app, user)
            .create({ text: null })
            .catch(() => undefined)

        return await listOwners(app, user)
      })
    )

    expect(seen).toEqual(
      users.map((user) => (user === 'ada' ? ['ada', 'ada'] : user === 'bob' ? ['bob'] : []))
    )
    await listOwners(app, 'ada')
    // A statement of nobody finds nothing that a call has left.
    expect(await rows.db.selectFrom('notes').selectAll().execute()).toEqual([])
  })

  it('leaves nothing after a call that took too long', async () => {
    const rows = await openRows(1, '-c lock_timeout=200ms')
    const app = await start(rows)

    await rows.root.transaction().execute(async (holding) => {
      await sql`select * from notes for update`.execute(holding)
      await expect(toClient(app, 'ada').patch(1, { text: 'x' })).rejects.toMatchObject({ code: 503 })
    })

    expect(await listOwners(app, 'bob')).toEqual(['bob'])
    expect(await listOwners(app)).toEqual([])
  })

  it('is that of the client in calls that its hooks and methods make without params', async () => {
    const rows = await openRows(2)
    const app = await start(rows)

    app.service('notes').hooks({
      after: {
        create: [(context: any) => app.service('audits').create({ owner: context.result.owner, text: 'new' })]
      }
    })
    app.use('counts', {
      find: async () => (await app.service('notes').find()).length
    })

    const count = (user: string) =>
      app
        .asClient({ user: { id: user } })
        .service('counts')
        .find()

    expect(await Promise.all([count('ada'), count('bob'), count('cyd')])).toEqual([2, 1, 0])
    await toClient(app, 'ada').create({ text: 'four' })
    expect(await rows.root.selectFrom('audits').selectAll().execute()).toMatchObject([{ owner: 'ada' }])
  })

  it('holds in transactions, for each call of one', async () => {
    const rows = await openRows(2)
    const app = await start(rows)
    const asUser = (id: string): any => ({ user: { id } })
    const notes = app.service('notes')

    // As the same table without settings: nothing that a call before has set is left.
    app.use('bare', kysely({ Model: rows.db, name: 'notes' }))
    await withTransaction(app, async () => {
      expect(await notes.find(asUser('ada'))).toHaveLength(2)
      expect(await app.service('bare').find()).toEqual([])
      expect(await notes.find(asUser('bob'))).toHaveLength(1)
      expect(await notes.find()).toEqual([])
      await notes.create({ text: 'four' }, asUser('ada'))
      // Its savepoint takes the settings back, too.
      await withTransaction(app, async () => {
        await notes.find(asUser('bob'))
        throw new Error('no')
      }).catch(() => undefined)
      expect(await notes.find(asUser('ada'))).toHaveLength(3)
    })
    expect(await listOwners(app, 'ada')).toHaveLength(3)

    notes.hooks({
      before: {
        all: [
          transaction.start(),
          async (context: any) => {
            const { rows } = await sql`select text from notes`.execute(context.params.transaction.trx)

            context.params.seen = rows.length
          }
        ]
      },
      after: { all: [(context: any) => (context.result = context.params.seen), transaction.end()] },
      error: { all: [transaction.rollback()] }
    })
    expect(await Promise.all(['ada', 'bob', 'cyd'].map((user) => toClient(app, user).find()))).toEqual([
      3, 1, 0
    ])
  })

  it('that could not be checked is the end of a transaction: nothing is committed, and no event is sent', async () => {
    const rows = await openRows()
    const app: Application<any> = alula()
    const created: unknown[] = []

    app.use('notes', kysely({ Model: rows.db, name: 'notes', session }))
    app.use('audits', kysely({ Model: rows.db, name: 'audits', session }), { schema: table() })
    app.service('notes').on('created', (note: unknown) => created.push(note))
    await app.setup()
    await listOwners(app, 'ada')
    await sql`revoke select on pg_rewrite from public`.execute(rows.root)

    await expect(
      withTransaction(app, async () => {
        await toClient(app, 'ada').create({ text: 'four' })
        await app
          .service('audits')
          .get(1)
          .catch(() => undefined)
      })
    ).rejects.toMatchObject({ code: 503 })
    expect(created).toEqual([])
    expect(await listOwners(app, 'ada')).toHaveLength(2)
  })

  it('holds for statements in the transaction of a call, also of one with an idempotency key', async () => {
    const { root, db } = await openRows(2)
    const app = alula<any>()
    const seen: string[] = []
    const look = async ({ service, params }: any) => {
      const trx = await getTransaction<any>(service.getModel(), params)

      seen.push(...(await trx.selectFrom('notes').select('text').execute()).map(({ text }) => text))
    }

    await createIdempotencyTable('keys').up(root)
    await sql`grant all on keys to public`.execute(root)
    app.configure(idempotency({ store: 'keys' }))
    app.use('keys', kysely({ Model: db, name: 'keys' }), { methods: [] })
    app.use('notes', kysely({ Model: db, name: 'notes', session }))
    app.service('notes').hooks({
      before: {
        create: [
          (context: any) => void Object.assign(context.params, { user: { id: 'bob' } }),
          transaction.start()
        ]
      },
      after: { create: [look, transaction.end()] },
      error: { create: [transaction.rollback()] }
    })
    await app.setup()

    const handle = createHandler(app)
    const headers = { 'Content-Type': 'application/json' }

    for (const further of [[], [['Idempotency-Key', crypto.randomUUID()]]]) {
      const init = {
        method: 'POST',
        headers: { ...headers, ...Object.fromEntries(further) },
        body: '{"text":"four"}'
      }

      expect((await handle(new Request('http://localhost/notes', init))).status).toBe(201)
    }
    expect(seen).toEqual(['three', 'four', 'three', 'four', 'four'])
  })

  it('holds for related records that are read with a page, counted and filtered by', async () => {
    const rows = await openRows(2)

    await sql`insert into audits (owner, text) values ('ada', 'one'), ('bob', 'three')`.execute(rows.root)

    const list = async (ofAudits: SessionOption) => {
      const app: any = alula()

      app.use('notes', kysely({ Model: rows.db, name: 'notes', session }), {
        schema: table({
          relations: {
            audits: many('audits', { from: 'owner', to: 'owner', filter: ['text'] }),
            auditCount: count('audits', { from: 'owner', to: 'owner' })
          }
        })
      })
      app.use('audits', kysely({ Model: rows.db, name: 'audits', session: ofAudits }), {
        schema: table()
      })
      await app.setup()

      const notes = toClient(app, 'ada')
      const query = { $include: ['audits', 'auditCount'], $limit: 1, $sort: { id: 1 } }
      const [{ audits: related, auditCount }] = await notes.find({ query })
      const filtered = await notes.find({ query: { 'audits.text': 'one' } })

      return { texts: related.map(({ text }: Row) => text), auditCount, filtered: filtered.length }
    }

    // As a user of both tables, and of one alone.
    expect(await list(session)).toEqual({ texts: ['one'], auditCount: 1, filtered: 2 })
    expect(await list(() => ({ 'app.user_id': 'bob' }))).toEqual({ texts: [], auditCount: 0, filtered: 0 })
  })

  it.each([
    ['a superuser', async ({ root }: Rows) => root, 'is a superuser'],
    [
      'BYPASSRLS',
      async ({ root, db, role }: Rows) => {
        await sql`alter role ${sql.id(role)} bypassrls`.execute(root)
        return db
      },
      'has BYPASSRLS'
    ],
    [
      'an owner',
      async ({ root, db, role }: Rows) => {
        await sql`alter table notes owner to ${sql.id(role)}`.execute(root)
        return db
      },
      "owns 'notes'"
    ],
    [
      'a table without policies',
      async ({ root, db }: Rows) => {
        await sql`alter table notes disable row level security`.execute(root)
        return db
      },
      "'notes' has none"
    ],
    [
      'a table without policies in the schema of the instance',
      async ({ root, db, role }: Rows) => {
        await sql`create schema shop`.execute(root)
        await sql`create table shop.notes (id serial primary key, owner text, text text)`.execute(root)
        await sql`grant usage on schema shop to ${sql.id(role)}`.execute(root)
        return db.withSchema('shop')
      },
      "'notes' has none"
    ],
    [
      'no table',
      async ({ root, db }: Rows) => {
        await sql`drop table notes`.execute(root)
        return db
      },
      "there is no table 'notes'"
    ]
  ])('does not start with %s', async (_, prepare, reason) => {
    const db = await prepare(await openRows())
    const app = alula().use('notes', kysely({ Model: db, name: 'notes', session }))

    await expect(app.setup()).rejects.toMatchObject({
      code: 'ALULA_ROW_SECURITY',
      message: expect.stringContaining(reason)
    })
  })

  it('starts for an owner who forces it, and for views with the rights of their caller', async () => {
    const rows = await openRows()
    const { root, role } = rows

    await sql`alter table notes owner to ${sql.id(role)}`.execute(root)
    await sql`alter table notes force row level security`.execute(root)
    await sql`create view open_notes as select * from notes`.execute(root)
    await sql`create view own_notes with (security_invoker = true) as select * from notes`.execute(root)
    await sql`grant select on open_notes, own_notes to ${sql.id(role)}`.execute(root)

    expect(await listOwners(await start(rows), 'bob')).toEqual(['bob'])
    expect(await listOwners(await start(rows, { name: 'own_notes' }), 'bob')).toEqual(['bob'])
    await expect(start(rows, { name: 'open_notes' })).rejects.toThrow('is a view without security_invoker')
  })

  it.each([
    [() => 1, 'expected an object of settings, got a number'],
    [() => ({ role: 'postgres' }), "with a dot between them, as in 'app.user_id', got 'role'"],
    [() => ({ 'app.x': {} }), "expected a string, a number or a boolean for 'app.x', got an object"]
  ])('refuses the settings of %s', async (session, message) => {
    const rows = await openRows()
    const app = await start(rows, { session: session as any })

    await expect(app.service('notes').find()).rejects.toThrow(message)
  })
}, [POSTGRES])

it('is refused for a database without row level security', async () => {
  const db = SQLITE.open()

  onTestFinished(() => db.destroy())
  expect(() => kysely({ Model: db, name: 'notes', session })).toThrow(
    "Invalid option 'session' of KyselyService: expected none, because the database has no row level security"
  )
})
