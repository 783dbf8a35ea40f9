import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

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
