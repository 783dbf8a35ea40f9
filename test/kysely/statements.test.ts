import type { LogEvent } from 'kysely'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, withTransaction } from '../../src/kysely.ts'
import { createTable, describeDatabases, MARIADB, POSTGRES, SQLITE } from '../support/sql.ts'

describeDatabases('the number of statements', (database) => {
  async function open() {
    const { countedId, text } = database
    const statements: string[] = []
    const log = (event: LogEvent) => void statements.push(event.query.sql.trim())
    const db = await createTable(
      database,
      'alula_statements',
      `id ${countedId}, name ${text}, age integer`,
      log
    )
    const app = alula()

    app.use('people', kysely({ Model: db, name: 'alula_statements', multi: true, paginate: { default: 10 } }))

    const people: any = app.service('people')

    await people.create([{ name: 'Ada' }, { name: 'Bob' }])

    /** Runs something, and returns the first word of each statement of it. */
    async function during(run: () => Promise<unknown>): Promise<string[]> {
      statements.length = 0
      await run()

      return statements.map((statement) => statement.split(/\s/)[0] as string)
    }

    return { app, db, people, during }
  }

  it('of a call is one, and two for a page after the last record', async () => {
    const { people, during } = await open()
    // MariaDB has no RETURNING for what is changed.
    const change = database === MARIADB ? ['begin', 'select', 'update', 'select', 'commit'] : ['update']

    expect(await during(() => people.find())).toEqual(['select'])
    expect(await during(() => people.find({ query: { $select: ['name'] } }))).toEqual(['select'])
    expect(await during(() => people.find({ query: { name: 'Nobody' } }))).toEqual(['select'])
    expect(await during(() => people.find({ query: { $skip: 2 } }))).toEqual(['select', 'select'])
    expect(await during(() => people.find({ paginate: false }))).toEqual(['select'])
    expect(await during(() => people.find({ paginate: { default: 5, total: false } }))).toEqual(['select'])
    expect(await during(() => people.find({ query: { $limit: 0 } }))).toEqual(['select'])
    expect(await during(() => people.get(1))).toEqual(['select'])
    expect(await during(() => people.get(1, { query: { name: 'Ada' } }))).toEqual(['select'])
    expect(await during(() => people.create({ name: 'Cyd' }))).toEqual(['insert'])
    expect(await during(() => people.create([{ name: 'Dan' }, { name: 'Eve' }]))).toEqual(['insert'])
    expect(await during(() => people.patch(1, { age: 1 }))).toEqual(change)
    expect(await during(() => people.update(1, { age: 2 }))).toEqual(change)
    expect(await during(() => people.patch(null, { age: 3 }))).toEqual(change)
    expect(await during(() => people.remove(1))).toEqual(['delete'])
    expect(await during(() => people.remove(null))).toEqual(['delete'])
  })

  it('is one for a page of records that have a total themselves', async () => {
    const { countedId, text } = database
    const columns = `id ${countedId}, total ${text}, total0 ${text}, total_0 ${text}`
    const db = await createTable(database, 'alula_totals', columns)
    const sums: any = kysely({ Model: db, name: 'alula_totals', multi: true, paginate: { default: 1 } })
    const data = [
      { id: 1, total: 'a', total0: 'b', total_0: 'c' },
      { id: 2, total: 'd', total0: 'e', total_0: 'f' }
    ]

    await sums.create(data)

    expect(await sums.find()).toEqual({ total: 2, limit: 1, skip: 0, data: [data[0]] })
    expect(await sums.find({ query: { $skip: 2 } })).toEqual({ total: 2, limit: 1, skip: 2, data: [] })
    expect(await sums.find({ query: { $select: ['total'], total: 'd' } })).toEqual({
      ...{ total: 1, limit: 1, skip: 0 },
      data: [{ id: 2, total: 'd' }]
    })
  })

  it('of a transaction is that of its calls, with begin and commit', async () => {
    const { app, db, people, during } = await open()
    const savepoint = database === POSTGRES ? ['savepoint'] : []
    const release = database === POSTGRES ? ['release'] : []
    const create = [...savepoint, 'insert', ...release]

    expect(
      await during(() =>
        withTransaction(app, async () => {
          await people.create({ name: 'Cyd' })
          await people.find({ paginate: false })
        })
      )
    ).toEqual(['begin', ...create, 'select', 'commit'])
    expect(await during(() => withTransaction(db, () => people.create({ name: 'Cyd' })))).toEqual([
      'begin',
      ...create,
      'commit'
    ])
    expect(await during(() => withTransaction(app, async () => undefined))).toEqual([])
  })

  it('of a transaction in which one fails is balanced: each savepoint is released', async () => {
    const { app, people, during } = await open()
    const statements = await during(() =>
      withTransaction(app, async () => {
        await withTransaction(app, async () => {
          await people.create({ name: 'Cyd' })
          throw new Error('no')
        }).catch(() => undefined)
      })
    )
    const count = (word: string) => statements.filter((statement) => statement === word).length

    expect(count('savepoint')).toBeGreaterThan(0)
    expect(count('release')).toBe(count('savepoint'))
  })

  it('is none where no record can match, and what is wrong is refused all the same', async () => {
    const { people, during } = await open()
    const none: readonly object[] = [
      { name: { $in: [] } },
      { id: { $in: [] }, name: 'Ada' },
      { $or: [{ id: { $in: [] } }, { name: { $in: [] } }] },
      { $and: [{ name: 'Ada' }, { id: { $in: [] } }] },
      { age: 'seven' }
    ]

    for (const query of none) {
      expect(
        await during(async () => {
          expect(await people.find({ query })).toEqual({ total: 0, limit: 10, skip: 0, data: [] })
          expect(await people.find({ query, paginate: false })).toEqual([])
          expect(await people.patch(null, { age: 1 }, { query })).toEqual([])
          expect(await people.remove(null, { query })).toEqual([])
          for (const call of [people.get(1, { query }), people.patch(1, { age: 1 }, { query })]) {
            await expect(call).rejects.toMatchObject({ name: 'NotFound' })
          }
          for (const wrong of [
            { nothing: 1 },
            { $sort: { nothing: 1 } },
            { $select: ['nothing'] },
            { nothing: { $in: [] } }
          ]) {
            await expect(people.find({ query: { ...query, ...wrong } })).rejects.toMatchObject({
              message: "Unknown column 'nothing'"
            })
          }
          await expect(people.get(1, { query: { ...query, $select: ['nothing'] } })).rejects.toMatchObject({
            name: 'BadRequest'
          })
          await expect(people.patch(null, { nothing: 1 }, { query })).rejects.toMatchObject({
            name: 'BadRequest'
          })
        })
      ).toEqual([])
    }

    expect(await people.find({ query: { name: { $nin: [] } } })).toMatchObject({ total: 2 })
    expect(await people.find({ query: { $or: [{ id: { $in: [] } }, { name: 'Ada' }] } })).toMatchObject({
      total: 1
    })
  })
})

it('a sorted page of SQLite reads columns of its rows alone', async () => {
  const statements: string[] = []
  const db = await createTable(SQLITE, 'alula_sorted', 'id integer primary key, age integer', (event) => {
    statements.push(event.query.sql)
  })
  const people = kysely({ Model: db, name: 'alula_sorted', multi: true, paginate: { default: 2 } })

  await people.create([{ age: 3 }, { age: 1 }, { age: 2 }])

  const page = await people.find({ query: { $sort: { age: 1 }, $skip: 1 } })

  expect(page).toMatchObject({
    total: 3,
    data: [
      { id: 3, age: 2 },
      { id: 1, age: 3 }
    ]
  })
  expect(statements.at(-1)).toMatch(/ from \(select \* from "alula_sorted" .* limit \? offset \?\) as /)
  await people.find({ query: { $sort: { id: -1 } } })
  expect(statements.at(-1)).not.toContain('from (')
})
