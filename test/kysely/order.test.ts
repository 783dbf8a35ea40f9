import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { many } from '../../src/schema.ts'
import { createTable, describeDatabases, MARIADB, MARIADB_URL, POSTGRES } from '../support/sql.ts'

describeDatabases('several records that are changed or removed', (database) => {
  it('come, and are told, in the order of their ids', async () => {
    const db = await createTable(
      database,
      'alula_order',
      `id ${database.textId}, number integer, age integer`
    )
    const app = alula()
    const heard: string[] = []

    app.use('items', kysely({ Model: db, name: 'alula_order', multi: true }))

    const items: any = app.service('items')
    const ids = ['a', 'b', 'ä', '\u{FFFD}', '\u{1F426}']

    for (const event of ['patched', 'removed']) items.on(event, ({ id }: any) => heard.push(id))
    await sql`create index alula_order_age on alula_order (age)`.execute(db)
    await items.create(ids.map((id, age) => ({ id, age })).toReversed())
    // PostgreSQL puts what is changed behind the rest.
    await items.patch('a', { age: 7 })
    heard.length = 0

    const query = { age: { $gte: 0 } }

    expect((await items.patch(null, { number: 1 }, { query })).map(({ id }: any) => id)).toEqual(ids)
    expect((await items.remove(null, { query })).map(({ id }: any) => id)).toEqual(ids)
    expect(heard).toEqual([...ids, ...ids])
  })
})

describeDatabases(
  'several records with decimals as ids',
  (database) => {
    it('come in the order of numbers', async () => {
      const db = await createTable(database, 'alula_order', 'id decimal(20, 0) primary key, age integer')
      const items: any = kysely({ Model: db, name: 'alula_order', multi: true })
      const ids = ['2', '10', '9007199254740992', '9007199254740993']
      const toIds = (records: any[]) => records.map(({ id }) => id)

      await items.create(ids.toReversed().map((id) => ({ id })))

      expect(toIds(await items.find())).toEqual(ids)
      expect(toIds(await items.patch(null, { age: 1 }))).toEqual(ids)
      expect(toIds(await items.remove(null))).toEqual(ids)
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases(
  'strings that a type lists',
  (database) => {
    it.each(['enum', 'set'])('are sorted as strings, whatever the collation: %s', async (type) => {
      for (const collation of ['utf8mb4_general_ci', 'utf8mb4_nopad_bin']) {
        const db = await createTable(
          database,
          'alula_order',
          `id integer primary key, state ${type}('new', 'done') collate ${collation} not null`
        )
        const items: any = kysely({ Model: db, name: 'alula_order', multi: true })

        await items.create([
          { id: 1, state: 'new' },
          { id: 2, state: 'done' }
        ])

        for (const [query, ids] of [
          [{ $sort: { state: 1 } }, [2, 1]],
          [{ $sort: { state: -1 } }, [1, 2]],
          [{ state: { $gt: 'done' } }, [1]],
          [{ state: { $lt: 'e' } }, [2]],
          [{ state: 'done' }, [2]]
        ] as const) {
          expect((await items.find({ query })).map(({ id }: any) => id)).toEqual(ids)
        }
      }
    })
  },
  [MARIADB]
)

describeDatabases('columns whose names are words of SQL', (database) => {
  it.each(['true', 'FALSE', 'null', 'order'])('such as %s sort pages', async (name) => {
    const db = await createTable(database, 'alula_order', 'id integer primary key')
    const app: any = alula()

    await sql`alter table alula_order add column ${sql.id(name)} integer`.execute(db)
    app.use('items', kysely({ Model: db, name: 'alula_order', multi: true, paginate: { default: 2 } }))
    app.use('more', kysely({ Model: db, name: 'alula_order', paginate: { default: 2, cursor: true } }))
    await app.service('items').create([1, 2, 3].map((id) => ({ id, [name]: -id })))

    const query = { $sort: { [name]: 1 } }
    const { endCursor, data } = await app.service('more').find({ query })
    const next = await app.service('more').find({ query: { ...query, $after: endCursor } })
    const rows = [3, 2, 1].map((id) => ({ id, [name]: -id }))

    expect((await app.service('items').find({ query })).data).toEqual(rows.slice(0, 2))
    expect(data).toEqual(rows.slice(0, 2))
    expect(next.data).toEqual(rows.slice(2))
  })

  it('and one with a dot sorts pages with cursors for clients, which hide nothing of it', async () => {
    const db = await createTable(database, 'alula_order', 'id integer primary key')
    const app: any = alula()

    await sql`alter table alula_order add column ${sql.id('a.b')} integer`.execute(db)
    app.use('items', kysely({ Model: db, name: 'alula_order', paginate: { default: 2, cursor: true } }), {
      schema: table()
    })
    await app.setup()
    await app.service('items').create({ id: 1, 'a.b': 2 })

    const { data } = await app
      .asClient()
      .service('items')
      .find({ query: { $sort: { 'a.b': 1 } } })

    expect(data).toEqual([{ id: 1, 'a.b': 2 }])
  })
})

describeDatabases('a page of a table that is named with its schema', (database) => {
  it('is sorted, and has its related records', async () => {
    const schema = { SQLite: 'main', PostgreSQL: 'public', MariaDB: new URL(MARIADB_URL).pathname.slice(1) }[
      database.name
    ]
    const db = await createTable(database, 'alula_order', 'id integer primary key, age integer')
    const app = alula()

    app.use(
      'items',
      kysely({ Model: db, name: `${schema}.alula_order`, paginate: { default: 2, max: 5 }, multi: true }),
      { schema: table({ relations: { same: many('items', { from: 'age', to: 'age' }) } }) }
    )

    const items: any = app.service('items')

    await items.create([
      { id: 1, age: 3 },
      { id: 2, age: 1 },
      { id: 3, age: 2 }
    ])
    expect((await items.find({ query: { $sort: { age: 1 } } })).data).toEqual([
      { id: 2, age: 1 },
      { id: 3, age: 2 }
    ])
    expect((await items.find({ query: { $sort: { age: -1 }, $include: 'same', $limit: 1 } })).data).toEqual([
      { id: 1, age: 3, same: [{ id: 1, age: 3 }] }
    ])
  })
})
