import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'
import { expect, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  MARIADB_URL,
  POSTGRES,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'

/** Neighbours that are one number of JavaScript. */
const EVEN = '9007199254740992'
const ODD = '9007199254740993'

/** MariaDB as its driver may be set up. */
function openMariadb(options: object): TestDatabase {
  return {
    ...MARIADB,
    open: () =>
      new Kysely({ dialect: new MysqlDialect({ pool: createPool({ uri: MARIADB_URL, ...options }) }) })
  }
}

async function open(database: TestDatabase, columns: string) {
  const db = await createTable(database, 'alula_large', columns)
  const service: any = kysely({ Model: db, name: 'alula_large', multi: true })

  return { db, service }
}

describeDatabases('large integers', (database) => {
  const bigint = database === SQLITE ? 'integer' : 'bigint'

  const variants: readonly (readonly [string, TestDatabase])[] =
    database === MARIADB
      ? [
          ['as it comes', database],
          ['with supportBigNumbers', openMariadb({ supportBigNumbers: true })],
          ['with bigNumberStrings', openMariadb({ supportBigNumbers: true, bigNumberStrings: true })]
        ]
      : [['as it comes', database]]

  it.each(variants)('are exactly their text, as ids and in other columns: %s', async (_, variant) => {
    const { service } = await open(
      variant,
      `id ${bigint} primary key, number ${bigint}, name ${database.text}`
    )
    const even = { id: EVEN, number: `-${EVEN}`, name: 'even' }
    const odd = { id: ODD, number: `-${ODD}`, name: 'odd' }

    expect(await service.create([odd, even])).toEqual([odd, even])
    expect(await service.find()).toEqual([even, odd])
    expect(await service.find({ query: { $sort: { number: 1 }, $select: ['number'] } })).toEqual([
      { id: ODD, number: `-${ODD}` },
      { id: EVEN, number: `-${EVEN}` }
    ])
    expect(await service.get(ODD)).toEqual(odd)
    expect(await service.get(BigInt(ODD))).toEqual(odd)
    expect(await service.find({ query: { number: `-${ODD}` } })).toEqual([odd])
    expect(await service.find({ query: { number: { $in: [`-${EVEN}`, '5'] } } })).toEqual([even])
    expect(await service.find({ query: { id: { $gt: EVEN } } })).toEqual([odd])
    expect(await service.find({ query: { id: { $ne: ODD } } })).toEqual([even])

    expect(await service.patch(ODD, { name: 'patched' })).toEqual({ ...odd, name: 'patched' })
    expect(await service.patch(null, { name: 'all' }, { query: { number: `-${ODD}` } })).toEqual([
      { ...odd, name: 'all' }
    ])
    expect(await service.update(ODD, { number: ODD })).toEqual({ id: ODD, number: ODD, name: null })
    expect(await service.remove(ODD)).toEqual({ id: ODD, number: ODD, name: null })
    expect(await service.find()).toEqual([even])
  })

  it('that are numbers already are no id: they may stand for one beside it', async () => {
    const { service } = await open(database, `id ${bigint} primary key, name ${database.text}`)

    await service.create({ id: EVEN, name: 'even' })

    await expect(service.get(2 ** 53)).rejects.toMatchObject({ name: 'NotFound' })
    await expect(service.patch(2 ** 53, { name: 'x' })).rejects.toMatchObject({ name: 'NotFound' })
    await expect(service.create({ id: 2 ** 53 })).rejects.toMatchObject({ name: 'BadRequest' })
    expect(await service.find({ query: { id: { $in: [2 ** 53] } } })).toEqual([])
    expect(await service.find({ query: { id: { $gte: 2 ** 52, $lt: 2 ** 60 } } })).toHaveLength(1)
  })

  it('are exactly their text in long lists, of which others are none', async () => {
    const { service } = await open(database, `id ${bigint} primary key, number ${bigint}`)
    const numbers = [...Array.from({ length: 12 }, (_, index) => String(2n ** 53n + BigInt(index))), '5']
    const records = numbers.map((number) => ({ id: number, number: `-${number}` }))

    await service.create([...records, { id: ODD.replace('9', '8'), number: 1 }])

    const ids = [...numbers, 1.5, String(2n ** 63n), String(2n ** 64n)]
    const negative = numbers.map((number) => `-${number}`)

    expect(await service.find({ query: { id: { $in: ids } } })).toHaveLength(13)
    expect(await service.find({ query: { number: { $in: negative } } })).toHaveLength(13)
    expect(await service.remove(null, { query: { id: { $nin: ids } } })).toHaveLength(1)
    expect(await service.find()).toHaveLength(13)
  })

  it('up to the last are exact, and those beyond it equal none', async () => {
    const { service } = await open(database, `id ${bigint} primary key, name ${database.text}`)
    const last = String(2n ** 63n - 1n)
    const first = String(-(2n ** 63n))

    await service.create([{ id: last }, { id: first }])

    expect(await service.find()).toMatchObject([{ id: first }, { id: last }])
    expect(await service.find({ query: { id: { $lt: String(2n ** 63n) } } })).toHaveLength(2)
    expect(await service.find({ query: { id: { $in: [String(2n ** 63n), String(2n ** 64n)] } } })).toEqual([])
    for (const id of [String(2n ** 63n), 2n ** 64n, '9'.repeat(400)]) {
      await expect(service.get(id)).rejects.toMatchObject({ name: 'NotFound' })
      await expect(service.create({ id })).rejects.toMatchObject({ name: 'BadRequest' })
    }
  })
})

describeDatabases(
  'large decimals',
  (database) => {
    it('are compared digit by digit, from a bigint too', async () => {
      const { service } = await open(database, `id ${database.countedId}, number numeric(60, 0)`)
      const number = `1${'0'.repeat(40)}1`

      await service.create({ number: BigInt(number) })

      expect(await service.find({ query: { number } })).toEqual([{ id: 1, number }])
      expect(await service.find({ query: { number: BigInt(number) } })).toHaveLength(1)
      expect(await service.find({ query: { number: BigInt(number) + 1n } })).toEqual([])
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases('fractions', (database) => {
  it('are found by long lists too', async () => {
    const { service } = await open(database, `id integer primary key, size ${database.number}`)
    const sizes = [428184523.313786, 0.1, 1 / 3, 1e20]

    await service.create(sizes.map((size, id) => ({ id, size })))

    for (const others of [[], [1, 2, 3, 4, 5, 6, 7, 8, 9]]) {
      for (const [id, size] of sizes.entries()) {
        expect(await service.find({ query: { size: { $in: [size, ...others] } } })).toEqual([{ id, size }])
      }
    }
  })
})

describeDatabases(
  'numbers of a catalog',
  (database) => {
    it('are found by long lists too', async () => {
      const { service } = await open(database, 'id integer primary key, source oid')
      const sources = [1, 2 ** 31, 2 ** 32 - 1]

      await service.create(sources.map((source, id) => ({ id, source })))

      for (const others of [[], Array.from({ length: 12 }, (_, index) => -index)]) {
        const source = { $in: [...sources, 2 ** 32, 2 ** 40, 1.5, ...others] }

        expect(await service.find({ query: { source } })).toHaveLength(3)
      }
    })
  },
  [POSTGRES]
)

describeDatabases(
  'a large id',
  (database) => {
    it('has the type of its column, so that an index serves', async () => {
      const statements: string[] = []
      const db = await createTable(
        database,
        'alula_large',
        'id bigint primary key',
        (event) => void statements.push(event.query.sql)
      )
      const service: any = kysely({ Model: db, name: 'alula_large' })

      await service.create({ id: ODD })
      statements.length = 0
      await service.get(ODD)

      expect(statements.join()).not.toContain('::numeric')
    })
  },
  [POSTGRES]
)

describeDatabases(
  'records with neighbours as ids',
  (database) => {
    it('are changed and removed without them', async () => {
      const { service } = await open(database, 'id decimal(20, 0) primary key, age integer')
      const query = { id: { $in: [ODD, '1', '2'] } }

      await service.create(['1', '2', EVEN, ODD].map((id) => ({ id, age: 0 })))
      await service.patch(null, { age: 1 }, { query })
      expect(await service.find()).toEqual([
        { id: '1', age: 1 },
        { id: '2', age: 1 },
        { id: EVEN, age: 0 },
        { id: ODD, age: 1 }
      ])

      await service.remove(null, { query })
      expect(await service.find()).toEqual([{ id: EVEN, age: 0 }])
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases(
  'integers without a sign',
  (database) => {
    it('are exact where those with one end', async () => {
      const { service } = await open(database, 'id bigint unsigned primary key, name varchar(10)')
      const [one, other, last] = [2n ** 63n, 2n ** 63n + 1n, 2n ** 64n - 1n].map(String)

      await service.create([{ id: one }, { id: other }, { id: last }])
      await service.patch(other, { name: 'other' })
      await service.remove(last)

      expect(await service.find()).toEqual([
        { id: one, name: null },
        { id: other, name: 'other' }
      ])
    })
  },
  [MARIADB]
)

describeDatabases(
  'text in a column of integers',
  (database) => {
    it('is shown as it is', async () => {
      const { db, service } = await open(database, 'id integer primary key, number integer')
      const texts = ['', ' ', '0x10', '0b1', 'Infinity', 'x']

      for (const number of texts) await db.insertInto('alula_large').values({ number }).execute()

      expect((await service.find()).map(({ number }: any) => number)).toEqual(texts)
    })
  },
  [SQLITE]
)
