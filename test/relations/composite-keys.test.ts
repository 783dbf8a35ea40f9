// Records of a table in which several rows have the same id: the number of a line, beside that of its order.
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { count, many, schema } from '../../src/schema.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'

type Line = readonly [order: number, line: number, visible: number]

/** Orders with their lines. A rule keeps them from coming with the page. */
async function open(database: TestDatabase, lines: readonly Line[], limit?: number): Promise<any> {
  const db = await createTable(database, 'alula_key_orders', 'id integer primary key')
  const rows = await createTable(
    database,
    'alula_key_lines',
    'order_id integer not null, line integer not null, visible integer not null, primary key (order_id, line)'
  )
  const orders = [...new Set(lines.map(([id]) => id))]
  const app: any = alula()

  await db
    .insertInto('alula_key_orders')
    .values(orders.map((id) => ({ id })))
    .execute()
  await rows
    .insertInto('alula_key_lines')
    .values(lines.map(([order_id, line, visible]) => ({ order_id, line, visible })))
    .execute()
  app.use('lines', kysely({ Model: rows, name: 'alula_key_lines', id: 'line' }), {
    access: access({ find: () => ({ visible: 1 }) })
  })
  app.use('orders', kysely({ Model: db, name: 'alula_key_orders' }), {
    schema: schema(z.object({ id: z.int() }), {
      relations: { lines: many('lines', { to: 'order_id', ...(limit && { limit }) }) }
    })
  })
  await app.setup()

  return await app
    .asClient({})
    .service('orders')
    .find({ query: { $include: 'lines', $sort: { id: 1 } } })
}

describeDatabases('records that share an id', (database) => {
  it('are in a list with a limit where the rule of their service lets them', async () => {
    const orders = await open(
      database,
      [
        [1, 1, 0],
        [2, 1, 1],
        [2, 2, 1],
        [2, 3, 1]
      ],
      2
    )

    expect(orders).toEqual([
      { id: 1, lines: [] },
      {
        id: 2,
        lines: [
          { order_id: 2, line: 1, visible: 1 },
          { order_id: 2, line: 2, visible: 1 }
        ]
      }
    ])
  })

  it('are there once, however many there are', async () => {
    const lines = Array.from({ length: 400 }, (_, order) =>
      [1, 2].map((line): Line => [order + 1, line, 1])
    ).flat()
    const orders = await open(database, lines)

    expect(
      orders.flatMap((order: any) => order.lines.map(({ order_id, line }: any) => [order_id, line, 1]))
    ).toEqual(lines)
  })

  it('are on one page each', async () => {
    const db = await createTable(
      database,
      'alula_key_lines',
      `order_id integer not null, line integer not null, note ${database.text}, primary key (order_id, line)`
    )
    const lines = Array.from({ length: 200 }, (_, index) => ({
      order_id: 1 + (index >> 1),
      line: 1 + (index % 2),
      note: 'x'.repeat((index * 7) % 150)
    }))
    const service = kysely({ Model: db, name: 'alula_key_lines', id: 'line', paginate: { default: 10 } })
    const pages: any[] = []

    await db.insertInto('alula_key_lines').values(lines).execute()
    for (let $skip = 0; $skip < lines.length; $skip += 10) {
      pages.push(...(await service.find({ query: { $skip } })).data)
    }

    expect(pages).toEqual(lines.toSorted((one, other) => one.line - other.line))
  })

  it('are sorted by their own numbers, where a collation takes their names for the same', async () => {
    const db = await createTable(
      database,
      'alula_key_orders',
      'part integer not null, id integer not null, name varchar(10) not null, primary key (part, id)'
    )
    const run = async (statement: string) => void (await sql.raw(statement).execute(db))
    const app: any = alula()
    const Part = z.object({ part: z.int(), id: z.int(), name: z.string() })
    const names = ['a', 'A', 'b']

    await db
      .insertInto('alula_key_orders')
      .values(names.map((name, index) => ({ part: index + 1, id: 1, name })))
      .execute()
    onTestFinished(() => run('drop table if exists alula_key_lines'))
    await run('drop table if exists alula_key_lines')
    await run('create table alula_key_lines (id integer primary key, name varchar(10))')
    await run("insert into alula_key_lines values (1, 'a'), (2, 'a'), (3, 'b')")
    app.use('notes', kysely({ Model: db, name: 'alula_key_lines' }))
    app.use('parts', kysely({ Model: db, name: 'alula_key_orders' }), {
      schema: schema(Part, { relations: { size: count('notes', { from: 'name', to: 'name' }) } })
    })
    await app.setup()

    const parts = await app.service('parts').find({ query: { $sort: { size: -1 }, $include: 'size' } })

    expect(parts.map(({ name, size }: any) => [name, size])).toEqual([
      ['a', 2],
      ['b', 1],
      ['A', 0]
    ])
  })
})
