import { sql } from 'kysely'
import { expect, it, onTestFinished, vi } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { createTable, describeDatabases, MARIADB, POSTGRES, SQLITE } from '../support/sql.ts'

const ROWS = [
  { number: 1, owner: 1, qty: 1 },
  { number: 1, owner: 2, qty: 2 },
  { number: 1, owner: 3, qty: 3 },
  { number: 2, owner: 1, qty: 4 }
]

const SEVERAL = { name: 'Conflict', message: "Several records have '1' as 'number'" }

describeDatabases('a table in which several records have an id', (database) => {
  async function open(columns = 'number integer, owner integer, qty integer, primary key (number, owner)') {
    const db = await createTable(database, 'alula_one_record', columns)
    const options = { Model: db, name: 'alula_one_record', id: 'number' }

    await db.insertInto('alula_one_record').values(ROWS).execute()

    return {
      service: kysely(options) as any,
      multi: kysely({ ...options, multi: true }) as any,
      read: () => db.selectFrom('alula_one_record').selectAll().orderBy('number').orderBy('owner').execute()
    }
  }

  it('keeps them as they are: a call for one of them is a 409', async () => {
    const { service, multi, read } = await open()

    for (const call of [
      () => service.get(1),
      () => service.patch(1, { qty: 9 }),
      () => service.patch(1, {}),
      () => service.remove(1),
      () => multi.patch(1, { qty: 9 }),
      () => multi.remove(1, { query: { owner: { $lt: 3 } } })
    ]) {
      await expect(call()).rejects.toMatchObject(SEVERAL)
      expect(await read()).toEqual(ROWS)
    }

    // The primary key objects first, where the database checks it for each row.
    await expect(service.update(1, { owner: 9, qty: 9 })).rejects.toMatchObject({ name: 'Conflict' })
    expect(await read()).toEqual(ROWS)
  })

  it('has no more than two of them read to find that there are several', async () => {
    const db = await createTable(database, 'alula_one_record', 'number integer, owner integer, qty integer')
    const lengths: number[] = []
    const counted = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        lengths.push(result.rows.length)

        return result
      }
    })

    await db.insertInto('alula_one_record').values(ROWS).execute()
    await expect(
      kysely({ Model: counted, name: 'alula_one_record', id: 'number' }).get(1)
    ).rejects.toMatchObject(SEVERAL)
    expect(lengths).toEqual([2])
  })

  it('has no record changed that the query does not select', async () => {
    const { service, multi, read } = await open()
    const [first, second, third, other] = ROWS
    const query = { owner: 2 }

    expect(await service.get(1, { query })).toEqual(second)
    expect(await service.patch(1, { qty: 9 }, { query })).toEqual({ ...second, qty: 9 })
    expect(await service.update(1, { owner: 7, qty: 2 }, { query })).toEqual({ ...second, owner: 7 })
    expect(await multi.patch(null, { owner: 2 }, { query: { owner: 7 } })).toEqual([second])
    expect(await read()).toEqual(ROWS)
    expect(await multi.patch(null, { qty: 5 }, { query: { qty: { $lt: 3 } } })).toHaveLength(2)
    expect(await read()).toEqual([{ ...first, qty: 5 }, { ...second, qty: 5 }, third, other])
    expect(await multi.remove(null, { query: { qty: 5, owner: 1 } })).toEqual([{ ...first, qty: 5 }])
    expect(await service.remove(1, { query })).toEqual({ ...second, qty: 5 })
    expect(await read()).toEqual([third, other])
  })

  it('tells rows apart that differ in nothing, and those without an id', async () => {
    const { multi, service, read } = await open('number integer, owner integer, qty integer')
    const none = { number: null, owner: 1, qty: 1 }

    await multi.remove(null, { query: { number: 1 } })
    await multi.create([{ ...ROWS[0] }, { ...ROWS[0] }])
    await expect(service.remove(1, { query: { owner: 1 } })).rejects.toMatchObject(SEVERAL)
    expect(await multi.patch(null, { qty: 2 }, { query: { owner: 1, qty: 1 } })).toHaveLength(2)

    if (database !== SQLITE) {
      expect(await service.create({ owner: 1, qty: 1 })).toEqual(none)
      expect(await multi.patch(null, { qty: 6 }, { query: { qty: 1 } })).toEqual([{ ...none, qty: 6 }])
      expect(await multi.remove(null, { query: { qty: 6 } })).toEqual([{ ...none, qty: 6 }])
    }

    expect(await read()).toEqual([{ ...ROWS[0], qty: 2 }, { ...ROWS[0], qty: 2 }, ROWS[3]])
  })

  it('has no event for a call that changed nothing, and one for a call that did', async () => {
    const { service } = await open()
    const app = alula()
    const events: unknown[] = []

    app.use('rows', service)
    for (const event of ['patched', 'removed'])
      app.service('rows').on(event, (record: unknown) => events.push(record))
    await expect(app.service('rows').remove(1)).rejects.toMatchObject(SEVERAL)
    await app.service('rows').remove(1, { query: { owner: 3 } })
    await app.service('rows').patch(2, { qty: 7 })

    expect(events).toEqual([ROWS[2], { ...ROWS[3], qty: 7 }])
  })

  it('keeps them also where the call names the column: in memory as in a table', async () => {
    const { countedId } = database
    const db = await createTable(
      database,
      'alula_one_record',
      `id ${countedId}, number integer, owner integer, qty integer`
    )
    const byNumber = { adapter: { id: 'number' } }

    for (const service of [
      kysely({ Model: db, name: 'alula_one_record', multi: true }),
      memory({ multi: true })
    ] as any[]) {
      const rows = await service.create(ROWS)

      for (const call of [
        () => service.get(1, byNumber),
        () => service.patch(1, { qty: 9 }, byNumber),
        () => service.update(1, { qty: 9 }, byNumber),
        () => service.remove(1, byNumber)
      ]) {
        await expect(call()).rejects.toMatchObject(SEVERAL)
      }

      expect(await service.find()).toEqual(rows)
      expect(await service.patch(1, { qty: 9 }, { ...byNumber, query: { owner: 3 } })).toEqual({
        ...rows[2],
        qty: 9
      })
      expect(await service.create({ number: 1, owner: 4, qty: 4 }, byNumber)).toMatchObject({ owner: 4 })
      expect(await service.update(2, { owner: 1, qty: 5 }, byNumber)).toEqual({ ...rows[3], qty: 5 })
      expect(await service.remove(2, byNumber)).toEqual({ ...rows[3], qty: 5 })
      expect(await service.find({ query: { $select: ['owner', 'qty'] } })).toMatchObject([
        { owner: 1, qty: 1 },
        { owner: 2, qty: 2 },
        { owner: 3, qty: 9 },
        { owner: 4, qty: 4 }
      ])
    }
  })

  it('is named once when the application is set up, and one with a unique index is not', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    const unique = 'create unique index alula_one_record_number on alula_one_record'
    const indexes: readonly (readonly [columns: string, isNamed: boolean, statement?: string])[] = [
      ['number integer', true],
      ['number integer, primary key (number, owner)', true],
      ['number integer primary key', false],
      ['number integer, unique (number)', false],
      ['number integer', false, `${unique} (number)`],
      ...(database === MARIADB
        ? []
        : ([
            ['number integer', true, `${unique} (number) where owner > 1`],
            ['number integer', true, `${unique} ((number + owner))`]
          ] as const)),
      ...(database === POSTGRES
        ? ([
            ['number integer, unique (number) deferrable', true],
            ['number integer', false, `${unique} (number) include (owner)`],
            [
              'number integer primary key',
              true,
              'create table alula_one_child () inherits (alula_one_record)'
            ]
          ] as const)
        : [])
    ]

    onTestFinished(() => warn.mockRestore())

    for (const [columns, isNamed, statement] of indexes) {
      const [first, ...rest] = columns.split(', ')
      const db = await createTable(database, 'alula_one_record', [first, 'owner integer', ...rest].join(', '))
      const service = kysely({ Model: db, name: 'alula_one_record', id: 'number' })
      const app = alula()

      if (statement !== undefined) await sql.raw(statement).execute(db)
      warn.mockClear()
      app.use('rows', service)
      await app.setup()
      await service.find()
      await sql`drop table if exists alula_one_child`.execute(db)

      expect(warn.mock.calls).toEqual(
        isNamed
          ? [
              [
                "The service 'rows' finds records by 'number', for which the table 'alula_one_record' has no unique index: where several records have the value of a call, it is a 409. Make the column the primary key or add a unique index, or set the option 'id' to a column that has one",
                { code: 'ALULA_ID_NOT_UNIQUE' }
              ]
            ]
          : []
      )
    }
  })

  it('needs no transaction where the index is unique', async () => {
    const statements: string[] = []
    const db = await createTable(
      database,
      'alula_one_record',
      'number integer primary key, slug varchar(50) unique, qty integer',
      ({ query }) => void statements.push(query.sql)
    )
    const service: any = kysely({ Model: db, name: 'alula_one_record', id: 'number' })

    await sql`insert into alula_one_record values (1, 'a', 1)`.execute(db)
    await service.get(1)
    statements.length = 0
    await service.remove('a', { adapter: { id: 'slug' } })

    expect(statements).toHaveLength(1)
  })
})
