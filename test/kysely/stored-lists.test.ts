import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { createTable, describeDatabases, POSTGRES } from '../support/sql.ts'

const TABLE = 'alula_stored_lists'

const TYPES = [
  `type "alula Listed"."Mood" as enum ('sad', 'ok')`,
  'type "alula Listed".pair as (a integer, b text)',
  'domain "alula Listed".number as integer check (value > 0)'
]

describeDatabases(
  'lists that SQL has stored',
  (database) => {
    async function open(columns: string, values: readonly string[]) {
      const owner = database.open()
      const clear = () => sql`drop schema if exists "alula Listed" cascade`.execute(owner)

      onTestFinished(async () => {
        await clear()
        await owner.destroy()
      })
      await clear()
      for (const type of ['schema "alula Listed"', ...TYPES]) {
        await sql.raw(`create ${type}`).execute(owner)
      }

      const db = await createTable(database, TABLE, `id serial primary key, ${columns}`)

      for (const value of values) {
        await sql.raw(`insert into ${TABLE} values (default, ${value})`).execute(db)
      }

      const lists: any = kysely({ Model: db, name: TABLE, operators: ['$contains', '$overlaps'] })
      const pages: any = kysely({ Model: db, name: TABLE, paginate: { default: 1, cursor: true } })

      /** The ids in the order of a field: of one page, and of pages of one record. */
      const sort = async (field: string, direction: 1 | -1) => {
        const query = { $sort: { [field]: direction } }
        const ids = (await lists.find({ query })).map(({ id }: any) => id)
        const byCursor: number[] = []

        for (let after: string | undefined, more = true; more; ) {
          const page = await pages.find({
            query: { ...query, ...(after !== undefined && { $after: after }) }
          })

          byCursor.push(...page.data.map(({ id }: any) => id))
          after = page.endCursor
          more = page.hasNextPage
        }

        expect(byCursor).toEqual(ids)

        return ids
      }

      return { lists, sort }
    }

    it('have null for the null of JSON', async () => {
      const { lists } = await open('extra jsonb[]', [
        "array['null'::jsonb, '1'::jsonb, null, '\"null\"'::jsonb]"
      ])
      const { extra } = await lists.get(1)

      expect(extra).toEqual([null, 1, null, 'null'])
      expect((await lists.patch(1, { extra })).extra).toEqual(extra)
    })

    it('of composite types are compared by whole elements', async () => {
      const { lists } = await open('pairs "alula Listed".pair[]', [`'{"(1,x)","(2,)"}'`, "'{}'", 'null'])
      const find = async (pairs: object) => (await lists.find({ query: { pairs } })).map(({ id }: any) => id)

      expect(await find({ $contains: '(1,x)' })).toEqual([1])
      expect(await find({ $contains: '1' })).toEqual([])
      expect(await find({ $overlaps: ['(3,)', '(2,)'] })).toEqual([1])
      expect(await find({ $overlaps: ['2', '(2,x)'] })).toEqual([])
    })

    it.each([
      ['integer[][]', ["'{{1,2},{3,4}}'", "'{{1,2},{3,5}}'", 'null'], [3, 1, 2]],
      ['"alula Listed".number[]', ["'{10}'", "'{9}'", 'null', "'{9,1}'"], [3, 2, 4, 1]],
      ['"alula Listed"."Mood"[]', ["'{sad}'", "'{ok}'", "'{}'"], [3, 1, 2]],
      ['"alula Listed".pair[]', [`'{"(2,x)"}'`, `'{"(1,y)"}'`], [2, 1]],
      ['numeric(6,2)[]', ["'{1.5}'", "'{1.25}'", "'{10}'"], [2, 1, 3]],
      ['varchar(3)[]', ["'{b}'", "'{abc}'"], [2, 1]],
      ['char(3)[]', ["'{b}'", "'{abc}'"], [2, 1]],
      ['timestamptz[]', ["'{2026-11-22 10:00Z}'", "'{2026-11-22 10:00:00.000001Z}'"], [1, 2]],
      ['json[]', ["array['2'::json]", "array['1'::json]", 'null'], [3, 2, 1]],
      ['jsonb[]', ["array['2'::jsonb]", "array['1'::jsonb]", 'null'], [3, 2, 1]],
      ['point[]', ['\'{"(2,1)"}\'', '\'{"(1,2)"}\'', 'null'], [3, 2, 1]]
    ])('of the type %s are sorted, on one page and by cursors', async (type, values, ids) => {
      const { sort } = await open(`value ${type}`, values)

      expect(await sort('value', 1)).toEqual(ids)
      expect(await sort('value', -1)).toEqual(ids.toReversed())
    })
  },
  [POSTGRES]
)
