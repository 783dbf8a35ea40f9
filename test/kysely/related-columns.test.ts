// Numbers, filters and sorts through columns of any type find the records that `$include` does.
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { count, exists, many } from '../../src/schema.ts'
import { createTable, type DatabaseName, describeDatabases } from '../support/sql.ts'

/**
 * The types of two columns, a value that both hold and one that only the first one holds, as they stand in SQL, and whether
 * records show the value of both columns alike.
 */
type Columns = readonly [own: string, other: string, value: string, unrelated: string, areEqual?: boolean]

const COLUMNS: { readonly [name in DatabaseName]: readonly Columns[] } = {
  SQLite: [
    ['boolean', 'boolean', '1', '0'],
    ['json', 'json', `'"a"'`, `'"b"'`],
    ['json', 'json', "'7'", "'8'"],
    ['numeric', 'numeric', '1.5', '2.5'],
    ['anything', 'anything', '1.0', "'x'"]
  ],
  PostgreSQL: [
    ['boolean', 'boolean', 'true', 'false'],
    ['jsonb', 'jsonb', `'"a"'`, `'"b"'`],
    ['json', 'json', `'"a"'`, `'"b"'`],
    ['json', 'jsonb', "'7'", "'8'"],
    ['jsonb', 'json', `'"a"'`, `'"A"'`],
    ['numeric', 'numeric', '1', '2'],
    ['alula_mood', 'alula_mood', "'sad'", "'glad'"],
    ['alula_mood', 'alula_other_mood', "'sad'", "'glad'"],
    ['alula_mood', 'text', "'sad'", "'glad'"],
    ['int4range', 'int8range', "'[1,3)'", "'[1,4)'"],
    ['macaddr', 'macaddr8', "'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'", false],
    ['inet', 'inet', "'10.0.0.1'", "'10.0.0.2'"],
    ['interval', 'interval', "'1 day'", "'2 days'"]
  ],
  MariaDB: [
    ['boolean', 'boolean', '1', '0'],
    ['bit(1)', 'bit(1)', "b'1'", "b'0'"],
    ['bit(8)', 'bit(8)', "b'101'", "b'111'"],
    ['bit(8)', 'integer', "b'101'", "b'111'"],
    ['json', 'json', `'"a"'`, `'"A"'`],
    ['decimal(10, 2)', 'decimal(10, 2)', '1.5', '2.5'],
    ['float', 'float', '0.1', '0.2'],
    ['time', 'time', "'10:00:00'", "'11:00:00'"]
  ]
}

describeDatabases('related records', (database) => {
  it.each(COLUMNS[database.name])(
    'by a column of the type %s and one of the type %s are the same for all of a relation',
    async (own, other, value, unrelated, areEqual = true) => {
      const db = await createTable(database, 'alula_column', 'id integer')
      const run = (text: string) => sql.raw(text).execute(db)
      const moods = database.name === 'PostgreSQL' ? ['alula_mood', 'alula_other_mood'] : []
      const drop = async () => {
        await run('drop table if exists alula_column')
        await run('drop table if exists alula_column_of')
        for (const mood of moods) await run(`drop type if exists ${mood} cascade`)
      }

      onTestFinished(drop)
      await drop()
      for (const mood of moods) await run(`create type ${mood} as enum ('glad', 'sad')`)
      await run(`create table alula_column (id integer primary key, value ${own})`)
      await run(`create table alula_column_of (id integer primary key, value ${other})`)
      await run(`insert into alula_column values (1, ${value}), (2, ${unrelated}), (3, null)`)
      await run(`insert into alula_column_of values (7, ${value}), (8, ${value}), (9, null)`)

      const app: any = alula()
      const by = { from: 'value', to: 'value' }

      app.use('owners', kysely({ Model: db, name: 'alula_column' }), {
        schema: table({
          relations: {
            related: many('related', { ...by, filter: ['id'] }),
            size: count('related', by),
            has: exists('related', by)
          }
        })
      })
      app.use('related', kysely({ Model: db, name: 'alula_column_of' }), { schema: table() })
      await app.setup()

      const find = async (query: object) => await app.service('owners').find({ query })
      const found = await find({ $include: ['related', 'size', 'has'], $sort: { id: 1 } })
      const lists = found.map(({ related, size, has }: any) => [related.map(({ id }: any) => id), size, has])
      const ids = async (query: object) => (await find(query)).map(({ id }: any) => id)
      const none = [[], 0, false]

      expect(lists).toEqual([areEqual ? [[7, 8], 2, true] : none, none, none])
      expect(await ids({ 'related.id': 7 })).toEqual(areEqual ? [1] : [])
      expect(await ids({ $sort: { size: -1, id: -1 } })).toEqual(areEqual ? [1, 3, 2] : [3, 2, 1])
    }
  )

  it('have columns whose names are words of SQL', async () => {
    const db = await createTable(database, 'alula_column', 'id integer primary key, owner integer')
    const app: any = alula()

    await sql`create index alula_column_owner on alula_column (owner)`.execute(db)
    await sql`alter table alula_column add column ${sql.id('true')} integer`.execute(db)
    app.use('notes', kysely({ Model: db, name: 'alula_column', multi: true, paginate: { default: 5 } }), {
      schema: table({ relations: { related: many('notes', { to: 'owner', sort: { true: 1 } }) } })
    })
    await app.setup()
    await app.service('notes').create([
      { id: 1, true: 1 },
      { id: 2, owner: 1, true: 5 },
      { id: 3, owner: 1, true: 4 }
    ])

    const { data } = await app.service('notes').find({ query: { id: 1, $include: 'related' } })

    expect(data[0].related).toEqual([
      { id: 3, owner: 1, true: 4 },
      { id: 2, owner: 1, true: 5 }
    ])
  })

  it('are in no column of the page, whatever its name', async () => {
    const columns = 'id integer primary key, owner integer, _prefetch0 integer'
    const db = await createTable(database, 'alula_column', columns)
    const app: any = alula()

    await sql`create index alula_column_owner on alula_column (owner)`.execute(db)
    app.use('notes', kysely({ Model: db, name: 'alula_column', paginate: { default: 5 } }), {
      schema: table({ relations: { related: many('notes', { to: 'owner' }) } })
    })
    await app.setup()

    const note = await app.service('notes').create({ id: 1, owner: 1, _prefetch0: 5 })

    expect((await app.service('notes').find({ query: { $include: 'related' } })).data).toEqual([
      { ...note, related: [note] }
    ])
  })
})
