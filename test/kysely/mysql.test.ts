import { DummyDriver, Kysely, MysqlAdapter, MysqlIntrospector, MysqlQueryCompiler, sql } from 'kysely'
import { expect, it } from 'vitest'
import { mysql } from '../../src/kysely/dialects/mysql.ts'
import { kysely } from '../../src/kysely.ts'
import { createTable, describeDatabases, MARIADB } from '../support/sql.ts'

// MySQL has no RETURNING. What is done without it is tried on MariaDB, which then says that it is a MySQL.
describeDatabases(
  'a database without RETURNING',
  (database) => {
    async function open(idType: string, columns = 'name varchar(50) unique, age integer'): Promise<any> {
      const db = await createTable(database, 'alula_mysql', `id ${idType}, ${columns}`)
      const spied = db.withPlugin({
        transformQuery: ({ node }) => {
          expect(JSON.stringify(node)).not.toContain('"returning"')

          return node
        },
        transformResult: async ({ result }) => ({
          ...result,
          rows: result.rows.map((row) => ('version' in row ? { ...row, version: '8.4.0' } : row))
        })
      })

      // The catalog is read without plugins: only the answer about the version is another.
      spied.withoutPlugins = () => spied

      return kysely({ Model: spied, name: 'alula_mysql', multi: true })
    }

    it('records come back with the ids that were counted', async () => {
      const service = await open(database.countedId)

      expect(await service.create({ name: 'Ada' })).toEqual({ id: 1, name: 'Ada', age: null })
      expect(await service.create([{ name: 'Bob' }, { id: 9, name: 'Cyd' }, { name: 'Dan' }])).toEqual([
        { id: 10, name: 'Bob', age: null },
        { id: 9, name: 'Cyd', age: null },
        { id: 11, name: 'Dan', age: null }
      ])
      await expect(service.create([{ name: 'Eve' }, { name: 'Ada' }])).rejects.toMatchObject({
        name: 'Conflict'
      })
      expect(await service.patch(null, { age: 1 }, { query: { id: { $gt: 9 } } })).toHaveLength(2)
      expect(await service.remove(null, { query: { age: 1 } })).toHaveLength(2)
      expect(await service.remove(9)).toEqual({ id: 9, name: 'Cyd', age: null })
      expect(await service.find()).toEqual([{ id: 1, name: 'Ada', age: null }])
    })

    it('ids beyond 2^53 that were counted come back exactly', async () => {
      const service = await open('bigint auto_increment primary key')

      await service.create({ id: Number.MAX_SAFE_INTEGER, name: 'Ada' })

      expect(await service.create([{ name: 'Bob' }, { name: 'Cyd' }])).toEqual([
        { id: '9007199254740992', name: 'Bob', age: null },
        { id: '9007199254740993', name: 'Cyd', age: null }
      ])
      expect(await service.patch('9007199254740993', { age: 1 })).toMatchObject({ name: 'Cyd', age: 1 })
      expect(await service.remove(null, { query: { name: 'Cyd' } })).toMatchObject([{ age: 1 }])
      expect(await service.find({ query: { $select: ['name'] } })).toMatchObject([
        { name: 'Ada' },
        { name: 'Bob' }
      ])
    })

    it('a record that is created has its own values, where others have its id', async () => {
      const byNumber = { adapter: { id: 'number' } }
      const numbered = await open(database.countedId, 'number integer')

      await numbered.create([{ number: 1 }, { number: 1 }])
      expect(await numbered.create({ number: 1 }, byNumber)).toEqual({ id: 3, number: 1 })
      expect(await numbered.create([{ number: 1 }, {}], byNumber)).toEqual([
        { id: 4, number: 1 },
        { id: 5, number: null }
      ])

      const owned = await open('integer', 'owner integer, primary key (id, owner)')

      await owned.create({ id: 1, owner: 1 })
      expect(await owned.create({ id: 1, owner: 2 })).toEqual({ id: 1, owner: 2 })
      expect(
        await owned.create([
          { id: 1, owner: 4 },
          { id: 1, owner: 3 }
        ])
      ).toEqual([
        { id: 1, owner: 4 },
        { id: 1, owner: 3 }
      ])
      expect(await owned.remove(1, { query: { owner: 3 } })).toEqual({ id: 1, owner: 3 })
      await expect(owned.remove(1)).rejects.toMatchObject({ name: 'Conflict' })
      expect(await owned.find()).toHaveLength(3)
    })

    it('a record to which the database gives another id is refused, and not stored', async () => {
      const service = await open('varchar(40) primary key')

      await sql`create trigger alula_mysql_id before insert on alula_mysql
        for each row set new.id = concat('n-', uuid_short())`.execute(service.getModel())

      for (const data of [{ name: 'Ada' }, { id: 'a', name: 'Ada' }, [{ name: 'Ada' }, { name: 'Bob' }]]) {
        await expect(service.create(data)).rejects.toMatchObject({
          name: 'BadRequest',
          message: 'Invalid data: the database has not stored the record'
        })
      }

      expect(await service.find()).toEqual([])
    })

    it.each([
      ['decimal(10, 2)', '1.5', '1.50'],
      ['char(5)', 'AD ', 'AD']
    ])('a record comes back with its id as the database writes it: %s', async (type, id, stored) => {
      const service = await open(`${type} primary key`)
      const record = { id: stored, name: 'Ada', age: null }

      expect(await service.create({ id, name: 'Ada' })).toEqual(record)
      expect(await service.find()).toEqual([record])
    })

    it('ids that are text are made before', async () => {
      const service = await open(database.textId)
      const [ada, bob] = await service.create([{ name: 'Ada' }, { id: 'bob', name: 'Bob' }])

      expect(ada).toMatchObject({ id: expect.stringMatching(/^[\da-f-]{36}$/), name: 'Ada' })
      expect(bob).toEqual({ id: 'bob', name: 'Bob', age: null })
      expect(await service.get(ada.id)).toEqual(ada)
    })
  },
  [MARIADB]
)

it('a database without a collation that tells all characters apart is refused in a sentence', async () => {
  // Its catalog has no rows.
  const db = new Kysely<any>({
    dialect: {
      createAdapter: () => new MysqlAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (own) => new MysqlIntrospector(own),
      createQueryCompiler: () => new MysqlQueryCompiler()
    }
  })

  await expect(mysql.readTable(db, { schema: undefined, name: 'notes' })).rejects.toMatchObject({
    code: 'ALULA_UNSUPPORTED_DATABASE',
    message: expect.stringContaining('expected MySQL 8.0.17, MariaDB 10.11, or a newer version')
  })
})
