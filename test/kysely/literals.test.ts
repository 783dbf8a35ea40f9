import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { kysely, withTransaction } from '../../src/kysely.ts'
import { createTable, describeDatabases, POSTGRES, SQLITE } from '../support/sql.ts'

/** Values that a column of a type cannot hold. */
const BAD: { readonly [database: string]: { readonly [type: string]: readonly unknown[] } } = {
  PostgreSQL: {
    ...{ tsvector: ["a:b:'"], tsquery: ['a & '], inet: ['x', '10.0.0.999'], cidr: ['10.0.0.1/8'] },
    ...{
      macaddr: ['x'],
      int4range: ['x', '[5,1)'],
      uuid: ['x'],
      xml: ['<a>'],
      interval: ['x', '99999999999 years']
    },
    ...{ point: ['x'], polygon: ['x'], money: ['x'], jsonpath: ['$..'], pg_lsn: ['x'], time: ['25:00', 'x'] },
    ...{
      regclass: ['nothing'],
      regtype: ['nothing'],
      oid: [-(2 ** 40), 2 ** 40, 'x'],
      alula_literal_mood: ['odd']
    },
    ...{
      alula_literal_pair: ['(x', '(1,2,3)'],
      alula_literal_even: [3],
      smallint: [70_000],
      integer: [2 ** 40],
      bigint: [2n ** 63n]
    },
    ...{
      'bit(3)': ['1111', '11', '12x'],
      'bit varying(3)': ['1111'],
      'varchar(3)': ['long', '\u{1F426}abc']
    },
    ...{
      'char(3)': ['long'],
      'numeric(5, 2)': ['12345', 1e300, -1000],
      date: ['soon'],
      timestamptz: ['soon']
    },
    ...{ 'varchar(3)[]': [['long']], 'numeric(5, 2)[]': [['12345']], jsonb: [undefined, 1n], '"char"': [{}] }
  },
  MariaDB: {
    ...{ 'tinyint(4)': [200], smallint: [70_000], 'int unsigned': [-1], bigint: [2n ** 63n], 'bit(3)': [9] },
    ...{ 'decimal(5, 2)': ['12345', 1e300], 'varchar(3)': ['long'], 'char(3)': ['long'], float: [1e300] },
    ...{
      "enum('a','b')": ['c'],
      "set('a','b')": ['a,c'],
      inet6: ['x'],
      uuid: ['x'],
      time: ['x'],
      year: [9999]
    },
    ...{
      'binary(3)': ['AAAAAA=='],
      'varbinary(3)': ['AAAAAA=='],
      point: ['AAAA', 'AA=='],
      date: ['soon'],
      datetime: ['soon']
    },
    ...{ json: [1n] }
  },
  SQLite: {
    ...{
      integer: ['x', 1.5, 2n ** 70n],
      real: ['x', Infinity],
      text: [7],
      blob: ['?'],
      boolean: ['x'],
      json: [1n]
    }
  }
}

describeDatabases('a value that a column cannot hold', (database) => {
  const types = Object.entries(BAD[database.name] ?? {})

  async function open() {
    const owner = database.open()

    if (database === POSTGRES) {
      await sql`drop table if exists alula_literals`.execute(owner)
      await sql`drop domain if exists alula_literal_even`.execute(owner)
      await sql`drop type if exists alula_literal_mood, alula_literal_pair`.execute(owner)
      await sql`create type alula_literal_mood as enum ('sad', 'glad')`.execute(owner)
      await sql`create type alula_literal_pair as (a integer, b text)`.execute(owner)
      await sql`create domain alula_literal_even as integer check (value % 2 = 0)`.execute(owner)
    }

    const columns = types.map(([type], index) => `c${index} ${type}`).join(', ')
    const db = await createTable(database, 'alula_literals', `id ${database.countedId}, ${columns}`)

    onTestFinished(() => owner.destroy())

    return {
      db,
      service: kysely({
        Model: db,
        name: 'alula_literals',
        multi: true,
        operators: ['$like', '$ilike']
      }) as any
    }
  }

  it('is a 400 that names the field, in each method', async () => {
    const { service } = await open()
    const { id } = await service.create({})

    for (const [index, [type, values]] of types.entries()) {
      const name = `c${index}`

      for (const value of values.filter((one) => one !== undefined)) {
        for (const call of [
          () => service.create({ [name]: value }),
          () => service.create([{}, { c0: null, [name]: value }]),
          () => service.patch(id, { [name]: value }),
          () => service.update(id, { [name]: value }),
          () => service.patch(null, { [name]: value })
        ]) {
          const error = await call().then(
            (result: unknown) => ({ result }),
            (thrown: unknown) => thrown
          )

          expect([type, value, error.code, Object.keys(error.errors ?? error)]).toEqual([
            type,
            value,
            400,
            [name]
          ])
        }
      }
    }

    expect(await service.find({ query: { $limit: 2 } })).toHaveLength(1)
  })

  it('leaves the transaction as it was', async () => {
    const { db, service } = await open()
    const [[, values]] = types as [[string, unknown[]]]

    await withTransaction(db, async () => {
      await service.create({})
      await expect(service.create({ c0: values[0] })).rejects.toMatchObject({ code: 400 })
      await service.create({})
    })

    expect(await service.find()).toHaveLength(2)
  })

  it('is never a 500 in a query', async () => {
    const { service } = await open()

    await service.create({})

    const junk = [
      'x',
      '',
      "'",
      '\0',
      '1',
      '-1',
      '1.5',
      1.5,
      -1,
      2 ** 40,
      1e300,
      2n ** 70n,
      true,
      new Date(0),
      '2026-11-22',
      '(',
      '[1,2)'
    ]

    for (const [index, [type, values]] of types.entries()) {
      const name = `c${index}`

      for (const value of [...junk, ...values.filter((one) => !Array.isArray(one) && one !== undefined)]) {
        for (const query of [
          { [name]: value },
          { [name]: { $ne: value } },
          { [name]: { $in: [value, null] } },
          { [name]: { $in: Array.from({ length: 20 }, () => value).concat(null as any) } },
          { [name]: { $gt: value } },
          { [name]: { $like: String(value) } },
          { $sort: { [name]: 1 } }
        ]) {
          const error = await service.find({ query }).then(
            () => undefined,
            (thrown: unknown) => thrown
          )

          expect([type, query, error?.code ?? 400], error?.message).toEqual([type, query, 400])
        }
      }
    }
  })
})

describeDatabases(
  'a strict table',
  (database) => {
    it('names the column in its errors', async () => {
      const db = database.open()

      onTestFinished(() => db.destroy())
      await sql`create table alula_strict (id integer primary key, age integer, name text check (typeof(name) = 'text')) strict`.execute(
        db
      )
      await sql`create trigger alula_strict_age before insert on alula_strict begin update alula_strict set age = 'x'; end`.execute(
        db
      )

      const service: any = kysely({ Model: db, name: 'alula_strict' })

      await sql`insert into alula_strict (name) values ('a')`.execute(db)
      await expect(service.create({ name: 'b' })).rejects.toMatchObject({
        code: 400,
        errors: { age: 'cannot be stored' }
      })
    })
  },
  [SQLITE]
)
