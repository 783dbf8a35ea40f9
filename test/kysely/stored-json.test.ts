import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { createTable, describeDatabases, SQLITE } from '../support/sql.ts'

const NAME = 'alula_json'

describeDatabases(
  'JSON that other programs have written',
  (database) => {
    it('is shown as it is where it is none, and fails no query', async () => {
      const db = await createTable(database, NAME, 'id integer primary key, data json')
      const records = kysely({ Model: db, name: NAME, operators: ['$contains'] })
      const find = (query: object) => records.find({ query: { ...query, $select: ['id'] } } as any)

      await sql`insert into alula_json values (1, ''), (2, '{"a":1,"list":[1]}'), (3, '{')`.execute(db)
      expect(await records.find()).toEqual([
        { id: 1, data: '' },
        { id: 2, data: { a: 1, list: [1] } },
        { id: 3, data: '{' }
      ])
      expect(await find({ 'data.a': 1 })).toEqual([{ id: 2 }])
      expect(await find({ 'data.list': { $contains: 1 } })).toEqual([{ id: 2 }])
      expect(await find({ $sort: { 'data.a': -1 }, $limit: 1 })).toEqual([{ id: 2 }])
    })

    it('is read where it is stored as bytes', async () => {
      const db = await createTable(database, NAME, 'id integer primary key, data jsonb')
      const records = kysely({ Model: db, name: NAME })

      await sql`insert into alula_json values (1, jsonb('{"a":1}')), (2, jsonb('"1"')), (3, '[1]')`.execute(
        db
      )
      expect((await records.find()).map(({ data }: any) => data)).toEqual([{ a: 1 }, '1', [1]])
      expect(await records.patch(1, { data: { a: 2 } })).toEqual({ id: 1, data: { a: 2 } })
    })
  },
  [SQLITE]
)
