import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { createTable, describeDatabases, MARIADB, SQLITE } from '../support/sql.ts'

/** What other programs write into a column of booleans, as SQL, and what it stands for. */
const WRITTEN: { readonly [database: string]: readonly (readonly [string, boolean | null])[] } = {
  SQLite: [
    ...[
      ['1', true],
      ['0', false],
      ['2', true],
      ['-1', true],
      ['0.5', true],
      ['0.0', false],
      ['null', null]
    ],
    ...["'t'", "'true'", "'TRUE'", "'1'", "'2'", "'yes'", "'on'", "'Y'"].map((text) => [text, true]),
    ...["'f'", "'false'", "'False'", "'0'", "'no'", "'off'", "'N'", "''"].map((text) => [text, false])
  ] as [string, boolean | null][],
  MariaDB: [
    ['1', true],
    ['0', false],
    ['2', true],
    ['-1', true],
    ['null', null]
  ]
}

describeDatabases(
  'booleans that other programs have written',
  (database) => {
    const types = database === MARIADB ? ['tinyint(1)', 'boolean'] : ['boolean', 'bool']

    it.each(types)('are found, compared and sorted as they are shown: %s', async (type) => {
      const db = await createTable(database, 'alula_booleans', `id ${database.countedId}, flag ${type}`)
      const written = WRITTEN[database.name] ?? []

      for (const [text] of written) {
        await sql`insert into alula_booleans (flag) values (${sql.raw(text)})`.execute(db)
      }

      const stored: any = kysely({ Model: db, name: 'alula_booleans', operators: ['$not', '$nor'] })
      const same: any = memory({ operators: ['$not', '$nor'] })
      const records = await stored.find()

      expect(records.map(({ flag }: any) => flag)).toEqual(written.map(([, flag]) => flag))
      for (const record of records) await same.create(record)

      for (const flag of [
        ...[true, false, null, 'true', 'false', '1', 't', 1, 0],
        ...['$ne', '$lt', '$lte', '$gt', '$gte'].flatMap((name) => [{ [name]: true }, { [name]: 'false' }]),
        ...['$in', '$nin'].flatMap((name) =>
          [[true], [false, null], [true, false], []].map((list) => ({ [name]: list }))
        )
      ]) {
        for (const query of [{ flag }, { $not: { flag } }]) {
          const complete = { query: { ...query, $sort: { id: 1 } } }

          expect(await stored.find(complete), JSON.stringify(query)).toEqual(await same.find(complete))
        }
      }
      for (const direction of [1, -1]) {
        const sorted = { query: { $sort: { flag: direction, id: 1 } } }

        expect(await stored.find(sorted)).toEqual(await same.find(sorted))
      }
    })
  },
  [SQLITE, MARIADB]
)
