import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { createTable, describeDatabases, POSTGRES, type TestDatabase } from '../support/sql.ts'

async function open(database: TestDatabase, columns: string, data: readonly object[] = []) {
  const db = await createTable(database, 'alula_columns', `id ${database.countedId}, ${columns}`)
  const service: any = kysely({ Model: db, name: 'alula_columns', multi: true, operators: ['$not'] })

  if (data.length > 0) await service.create([...data])

  return { db, service }
}

describeDatabases('columns', (database) => {
  const { name: databaseName, text, number, boolean, date, json } = database

  it('text of a URL is a number, a boolean or a date when it is exactly the text of one', async () => {
    const { service } = await open(
      database,
      `age integer, size ${number}, active ${boolean}, joined ${date}`,
      [{ age: 7, size: 0.5, active: true, joined: new Date('2024-10-01T12:30:00.000Z') }]
    )
    const found = async (query: object) => (await service.find({ query: query as any })).length

    for (const query of [
      { age: '7' },
      { age: { $in: ['7', 'x'] } },
      { age: { $gt: '6' } },
      { age: { $lte: '7' } },
      { size: '0.5' },
      { active: 'true' },
      { active: { $ne: 'false' } },
      { joined: '2024-10-01T12:30:00.000Z' },
      { joined: '2024-10-01T14:30:00+02:00' },
      { joined: { $gt: '2024-10-01' } },
      { id: '1' }
    ]) {
      expect(await found(query), JSON.stringify(query)).toBe(1)
    }

    for (const field of ['age', 'size', 'active', 'joined', 'id']) {
      for (const value of [
        '',
        ' 7',
        '7 ',
        '07',
        '7.0',
        '+7',
        '0x7',
        '7e0',
        'true ',
        'TRUE',
        '1',
        'null',
        'yesterday',
        '2024',
        "'",
        '\0',
        '9'.repeat(400)
      ]) {
        if (field === 'id' && value === '1') continue

        expect(await found({ [field]: value }), `${field}=${value}`).toBe(0)
        expect(await found({ [field]: { $ne: value } }), `${field}[$ne]=${value}`).toBe(1)
        expect(await found({ $not: { [field]: { $nin: [value] } } })).toBe(0)
        expect(await found({ [field]: { $lt: '-'.concat(value) } })).toBe(0)
      }
    }
  })

  it('values of another type match nothing, without an error', async () => {
    const { service } = await open(
      database,
      `age integer, size ${number}, name ${text}, active ${boolean}, joined ${date}, extra ${json}`,
      [{ age: 1, size: 1, name: '1', active: true, joined: new Date(1), extra: { a: 1 } }]
    )
    const values = [
      1.5,
      2 ** 40,
      1e300,
      -1e300,
      Infinity,
      -Infinity,
      'x',
      '\ud800',
      'a\0',
      '2024-10-01',
      false,
      new Date(0),
      10n ** 30n,
      Buffer.from('x')
    ]

    for (const field of ['age', 'size', 'name', 'active', 'joined', 'extra', 'extra.a', 'extra.a.b']) {
      for (const value of values) {
        expect(await service.find({ query: { [field]: value } as any }), `${field} ${String(value)}`).toEqual(
          []
        )
        expect(await service.find({ query: { [field]: { $ne: value } } as any })).toHaveLength(1)
        for (const operator of ['$lt', '$lte', '$gt', '$gte']) {
          await service.find({ query: { [field]: { [operator]: value } } as any })
        }
      }
    }

    expect(await service.find({ query: { age: { $lt: 1.5, $gt: -1e300 } } as any })).toHaveLength(1)
    expect(
      await service.find({ query: { age: { $lt: 2 ** 40 }, size: { $lte: Infinity } } as any })
    ).toHaveLength(1)
    expect(await service.find({ query: { size: { $gt: Infinity } } as any })).toEqual([])
  })

  it('booleans and dates are what they were, also when the database has no such types', async () => {
    const joined = new Date('2024-02-29T12:34:56.789Z')
    const { service } = await open(database, `active ${boolean}, joined ${date}`, [{ active: false, joined }])

    expect(await service.find()).toEqual([{ id: 1, active: false, joined }])
    expect(await service.patch(1, { active: 'true', joined: joined.toISOString() } as any)).toEqual({
      id: 1,
      active: true,
      joined
    })
  })

  it('a default of the database counts where nothing was given', async () => {
    const { service } = await open(
      database,
      `team ${text} default 'red', role ${text} not null default 'user', name ${text}`
    )
    const stored = await service.create([{ name: 'Ada' }, { name: 'Bob', team: null, role: 'admin' }, {}])

    expect(stored).toEqual([
      { id: 1, team: 'red', role: 'user', name: 'Ada' },
      { id: 2, team: null, role: 'admin', name: 'Bob' },
      { id: 3, team: 'red', role: 'user', name: null }
    ])
    expect(await service.create({})).toEqual({ id: 4, team: 'red', role: 'user', name: null })
    // What was not given is missing, as in memory; only where null cannot be, the default takes its place.
    expect(await service.update(2, { name: 'Cyd' })).toEqual({ id: 2, team: null, role: 'user', name: 'Cyd' })
  })

  it('a number that the database gives stays when an update does not name it', async () => {
    const numbers = {
      SQLite: 'integer primary key',
      PostgreSQL: 'integer generated by default as identity',
      MariaDB: 'integer not null auto_increment unique'
    }
    const key = `code varchar(10) ${databaseName === 'SQLite' ? 'unique' : 'primary key'}`
    const db = await createTable(
      database,
      'alula_columns',
      `${key}, number ${numbers[databaseName]}, name ${text}`
    )
    const service: any = kysely({ Model: db, name: 'alula_columns', id: 'code' })

    await service.create({ code: 'a' })
    await service.create({ code: 'b', name: 'Ada' })
    expect(await service.update('b', { name: 'Bob' })).toEqual({ code: 'b', number: 2, name: 'Bob' })
    expect(await service.update('b', { number: 7 })).toEqual({ code: 'b', number: 7, name: null })
  })

  it('JSON holds any value, and a path leads to those in objects', async () => {
    const values = [
      'text',
      '',
      '7',
      7,
      0,
      1e21,
      0.1,
      true,
      false,
      { a: { b: ['x'] } },
      ['x', { a: 1 }],
      {},
      [],
      { 'ö "q\'': 1 }
    ]
    const { service } = await open(database, `extra ${json}`)

    for (const extra of values) {
      const { id } = await service.create({ extra })

      expect(await service.get(id)).toEqual({ id, extra })
    }

    const find = (extra: unknown) => service.find({ query: { extra, $select: 'extra' } as any })

    for (const value of ['text', '', 7, 0, 1e21, 0.1, true, false]) {
      expect(await find(value)).toMatchObject([{ extra: value }])
    }
    // A string finds what is written so, too.
    for (const value of [0, 0.1, true]) expect(await find(String(value))).toMatchObject([{ extra: value }])
    expect(await find('7')).toMatchObject([{ extra: '7' }, { extra: 7 }])
    expect(await find({ $gte: '7', $lt: 'u' })).toMatchObject([{ extra: 'text' }, { extra: '7' }])
    expect(await find({ $gte: '7' })).toMatchObject([
      { extra: 'text' },
      { extra: '7' },
      { extra: 7 },
      { extra: 1e21 }
    ])

    expect(await service.find({ query: { 'extra.0': 'x' } })).toEqual([])
    expect(await service.find({ query: { 'extra.a.b': null } })).toHaveLength(values.length - 1)
    expect(await service.find({ query: { 'extra.a.b.0': 'x' } })).toEqual([])
    expect(await service.find({ query: { 'extra.a"b': { $ne: null } } })).toEqual([])
    expect(
      await service.find({ query: { "extra.'; drop": 1, 'extra.\\': 1, 'extra.\0': 1, 'extra.': 1 } })
    ).toEqual([])
  })

  it('JSON is sorted by type, then by value', async () => {
    const values = [null, -1, 9, 10, '10', '9', 'B', 'a', false, true]
    const { service } = await open(database, `position integer, extra ${json}`, [
      ...values.map((value, position) => ({ position, extra: { value } })).toReversed()
    ])
    const sorted = await service.find({ query: { $sort: { 'extra.value': 1 } } })

    expect(sorted.map((record: any) => record.extra.value)).toEqual(values)
  })

  it('text is told apart and ordered by its characters, whatever the collation of the column', async () => {
    const loose = {
      SQLite: 'text collate nocase',
      PostgreSQL: 'text collate "und-x-icu"',
      MariaDB: 'varchar(50) collate utf8mb4_unicode_ci'
    }[databaseName]
    const names = ['', ' ', '10', '9', 'A', 'B', 'a', 'a ', 'b', 'á', '\u{1F426}']
    const { service } = await open(
      database,
      `name ${loose}`,
      names.toReversed().map((name) => ({ name }))
    )
    const found = async (query: object) =>
      (await service.find({ query: query as any })).map((record: any) => record.name)

    expect(await found({ $sort: { name: 1 } })).toEqual(names)
    for (const name of names) {
      expect(await found({ name })).toEqual([name])
      expect(await found({ name: { $in: [name, 'nobody'] } })).toEqual([name])
      expect(await found({ name: { $lt: name }, $sort: { name: 1 } })).toEqual(
        names.slice(0, names.indexOf(name))
      )
    }
  })

  it('pages hold every record once, also when the fields of $sort are equal', async () => {
    const { service } = await open(
      database,
      `team ${text}`,
      Array.from({ length: 50 }, (_, index) => ({ team: `${index % 2}` }))
    )
    const ids = []

    for (let $skip = 0; $skip < 50; $skip += 7) {
      ids.push(
        ...(await service.find({ query: { $sort: { team: -1 }, $limit: 7, $skip } as any })).map(
          ({ id }: any) => id
        )
      )
    }

    expect(new Set(ids).size).toBe(50)
    expect(await service.find({ query: { $skip: 48 } })).toHaveLength(2)
    expect(await service.find({ query: { $limit: 0 } })).toEqual([])
  })

  it('a column called true or false changes no condition', async () => {
    const { db } = await open(database, `name ${text}, extra ${json}`)

    for (const word of ['true', 'false']) {
      await sql`alter table alula_columns add column ${sql.id(word)} ${sql.raw(text)}`.execute(db)
    }

    const service: any = kysely({
      Model: db,
      name: 'alula_columns',
      multi: true,
      operators: ['$not', '$notlike', '$contains']
    })
    const found = async (query: object) => (await service.find({ query })).map(({ id }: any) => id)

    await service.create([
      { name: 'Ada', true: '0', false: '1' },
      { name: 'Bob', true: '1', false: '0' },
      { name: null, true: null, false: null, extra: { tags: ['true'] } }
    ])
    expect(await found({})).toEqual([1, 2, 3])
    expect((await service.find({ paginate: { default: 10 } })).total).toBe(3)
    expect(await found({ name: { $ne: 'Ada' } })).toEqual([2, 3])
    expect(await found({ name: { $nin: ['Bob'] } })).toEqual([1, 3])
    expect(await found({ name: { $notlike: 'A%' } })).toEqual([2, 3])
    expect(await found({ $not: { $not: { name: 'Ada' } } })).toEqual([1])
    expect(await found({ $not: { name: { $in: [] } } })).toEqual([1, 2, 3])
    expect(await found({ $not: { name: { $lt: 'B' } } })).toEqual([2, 3])
    expect(await found({ 'extra.a"b': null })).toEqual([1, 2, 3])
    expect(await found({ 'extra.tags': { $contains: 'true' } })).toEqual([3])
    expect(await found({ true: '1', false: { $ne: '1' } })).toEqual([2])
    await service.remove(null, {})
    expect(await found({})).toEqual([])
  })

  it('a page without a total is not counted', async () => {
    const { service } = await open(database, `name ${text}`, [{ name: 'Ada' }, { name: 'Bob' }])

    expect(await service.find({ paginate: { default: 1 } })).toEqual({
      total: 2,
      limit: 1,
      skip: 0,
      data: [{ id: 1, name: 'Ada' }]
    })
    expect(await service.find({ paginate: { default: 1, total: false } })).toEqual({
      limit: 1,
      skip: 0,
      data: [{ id: 1, name: 'Ada' }]
    })
  })

  it('ids that are counted skip those that are chosen, however many they are', async () => {
    const { service } = await open(database, `name ${text}`)
    const ids = Array.from({ length: 300 }, (_, index) => index + 1)

    await service.create(ids.map((id) => ({ id })))
    expect(await service.create({ name: 'next' })).toMatchObject({ id: 301 })
    await service.create([{ name: 'a' }, { id: 303 }, { id: 304 }, { name: 'b' }])
    expect(await service.find()).toHaveLength(305)
  })

  it('a thousand conditions, and lists and creates beyond what a statement can hold', async () => {
    const { service } = await open(database, `name ${text}, age integer`)
    const created = await service.create(
      Array.from({ length: 20_000 }, (_, age) => ({ name: `n${age}`, age }))
    )

    expect(created).toHaveLength(20_000)
    expect(created[19_999]).toMatchObject({ name: 'n19999', age: 19_999 })
    expect(
      await service.find({ query: { $or: Array.from({ length: 2000 }, (_, age) => ({ age })) } as any })
    ).toHaveLength(2000)
    expect(
      await service.find({ query: { age: { $in: Array.from({ length: 70_000 }, (_, age) => age) } } as any })
    ).toHaveLength(20_000)
    expect(
      await service.find({
        query: { name: { $nin: Array.from({ length: 70_000 }, (_, age) => `n${age + 1}`) } } as any
      })
    ).toHaveLength(1)
  })
})

describeDatabases(
  'a type of one’s own',
  (database) => {
    it('is compared and sorted by its text, whatever its order is', async () => {
      const owner = database.open()

      onTestFinished(async () => {
        await sql`drop type alula_column_mood`.execute(owner)
        await owner.destroy()
      })
      await sql`drop type if exists alula_column_mood cascade`.execute(owner)
      await sql`create type alula_column_mood as enum ('sad', 'Glad', 'happy')`.execute(owner)

      const { service } = await open(database, 'mood alula_column_mood', [
        { mood: 'sad' },
        { mood: 'happy' },
        { mood: 'Glad' }
      ])
      const found = async (query: object) =>
        (await service.find({ query: query as any })).map(({ mood }: any) => mood)

      expect(await found({ $sort: { mood: 1 } })).toEqual(['Glad', 'happy', 'sad'])
      expect(await found({ mood: 'happy' })).toEqual(['happy'])
      expect(await found({ mood: { $in: ['sad', 'angry'] } })).toEqual(['sad'])
      expect(await found({ mood: 'angry' })).toEqual([])
      expect(await found({ mood: { $lt: 'a' } })).toEqual(['Glad'])
      expect(await found({ mood: { $ne: 'sad' }, $sort: { mood: -1 } })).toEqual(['happy', 'Glad'])
    })

    it('of a fixed length is compared with the blanks that its records have', async () => {
      const { service } = await open(database, 'code char(3) collate "und-x-icu"', [{ code: 'a' }])
      const [{ code }] = await service.find()

      expect(code).toBe('a  ')
      for (const query of [
        { code },
        { code: { $gte: code } },
        { code: { $lte: code } },
        { code: { $lte: 'a' } }
      ]) {
        expect(await service.find({ query }), JSON.stringify(query)).toHaveLength(1)
      }
    })
  },
  [POSTGRES]
)
