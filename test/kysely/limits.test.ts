import { Kysely, MysqlDialect, SqliteDialect, sql } from 'kysely'
import Database from 'libsql'
import { createPool } from 'mysql2'
import { expect, it, onTestFinished } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { createTable, describeDatabases, MARIADB, MARIADB_URL, POSTGRES, SQLITE } from '../support/sql.ts'

describeDatabases('what is too large for a database', (database) => {
  async function open(): Promise<any> {
    const columns = `id ${database.countedId}, number integer, extra ${database.json}`

    return kysely({ Model: await createTable(database, 'alula_limits', columns), name: 'alula_limits' })
  }

  it('is refused, and the next call is served: values', async () => {
    const service = await open()
    const $or = Array.from({ length: 70_000 }, (_, number) => ({ number }))
    const answer = await service.find({ query: { $or } }).catch((error: Error) => error)

    if (database === MARIADB) expect(answer).toEqual([])
    else expect(answer).toMatchObject({ name: 'BadRequest' })

    expect(await service.create({ number: 1 })).toMatchObject({ number: 1 })
    expect(await service.find({ query: { number: 1 } })).toHaveLength(1)
  })

  it('is refused, and the next call is served: what to sort by', async () => {
    const service = await open()
    const $sort = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`extra.a${index}`, 1]))

    await expect(service.find({ query: { $sort } })).rejects.toMatchObject({ name: 'BadRequest' })
    expect(await service.create({ number: 1 })).toMatchObject({ number: 1 })
  })
})

describeDatabases(
  'an id from which the database would count on',
  (database) => {
    it('is refused where few would be left', async () => {
      const type = database === SQLITE ? database.countedId : 'bigint auto_increment primary key'
      const db = await createTable(database, 'alula_limits', `id ${type}, number integer`)
      const service: any = kysely({ Model: db, name: 'alula_limits' })

      for (const id of [String(2n ** 63n - 1n), 2n ** 63n - 1n, String(2 ** 53)]) {
        await expect(service.create({ id })).rejects.toMatchObject({
          name: 'BadRequest',
          errors: { id: 'expects a number below 2^53' }
        })
      }

      await service.create({ id: Number.MAX_SAFE_INTEGER })
      expect(await service.create({ number: 1 })).toEqual({ id: String(2 ** 53), number: 1 })
    })
  },
  [SQLITE, MARIADB]
)

describeDatabases(
  'an id that nobody makes',
  (database) => {
    it.each(['bigint', 'int', 'numeric', 'blob'])('has to be given: %s', async (type) => {
      const db = await createTable(database, 'alula_limits', `id ${type} primary key, number integer`)
      const service: any = kysely({ Model: db, name: 'alula_limits' })

      await expect(service.create({ number: 1 })).rejects.toMatchObject({
        name: 'BadRequest',
        errors: { id: 'is required' }
      })
      expect(await service.find()).toEqual([])
    })
  },
  [SQLITE]
)

describeDatabases(
  'a domain',
  (database) => {
    it('is what its type is', async () => {
      const db = await createTable(database, 'alula_domain', `id ${database.countedId}`)

      await sql.raw('drop domain if exists alula_small, alula_count cascade').execute(db)
      await sql.raw('create domain alula_count as integer check (value >= 0)').execute(db)
      await sql.raw('create domain alula_small as alula_count check (value < 100)').execute(db)
      await sql.raw('alter table alula_domain add number alula_small').execute(db)

      const service: any = kysely({ Model: db, name: 'alula_domain' })

      expect(await service.create({ number: 7 })).toEqual({ id: 1, number: 7 })
      for (const number of [7, '7', { $gt: 6.5 }, { $in: [7, 8] }, { $lt: 2 ** 40 }]) {
        expect(await service.find({ query: { number } })).toHaveLength(1)
      }
      await expect(service.create({ number: 100 })).rejects.toMatchObject({ name: 'BadRequest' })
      await expect(service.create({ number: 'x' })).rejects.toMatchObject({ name: 'BadRequest' })
    })
  },
  [POSTGRES]
)

describeDatabases(
  'types with a text of their own',
  (database) => {
    it('are found by patterns', async () => {
      const db = await createTable(
        database,
        'alula_limits',
        'id uuid primary key default uuid(), address inet6'
      )
      const service: any = kysely({ Model: db, name: 'alula_limits', operators: ['$like', '$ilike'] })
      const { id } = await service.create({ address: '2001:db8::1' })

      expect(await service.find({ query: { id: { $like: `${id.slice(0, 8)}%` } } })).toHaveLength(1)
      expect(await service.find({ query: { address: { $ilike: '%DB8%' } } })).toHaveLength(1)
      expect(await service.find({ query: { address: { $like: '%DB8%' } } })).toEqual([])
    })
  },
  [MARIADB]
)

describeDatabases(
  'a driver that gives a bigint for each integer',
  (database) => {
    it('stores and gives what others do', async () => {
      const db = new Kysely<any>({
        dialect: new SqliteDialect({ database: new Database(':memory:').defaultSafeIntegers(true) as any })
      })
      const { number, boolean, text } = database
      const service: any = kysely({ Model: db, name: 'alula_limits', multi: true })

      onTestFinished(() => db.destroy())
      await sql
        .raw(`create table alula_limits (id integer primary key, age integer, size ${number}, price decimal,
          active ${boolean}, name ${text} not null default 'x', other)`)
        .execute(db)

      const record = { id: 1, age: 7, size: 2, price: 3, active: false, name: 'Ada', other: 5 }

      expect(await service.create(record)).toEqual(record)
      expect(await service.patch(null, { active: true })).toEqual([{ ...record, active: true }])
      expect(await service.find({ query: { active: true, age: '7', $sort: { other: 1 } } })).toHaveLength(1)
    })
  },
  [SQLITE]
)

describeDatabases(
  'a session in which a backslash protects nothing',
  (database) => {
    it('is refused: values could change statements', async () => {
      const owner = await createTable(database, 'alula_limits', 'id integer primary key, name varchar(50)')
      const pool = createPool(MARIADB_URL)
      const db = new Kysely<any>({ dialect: new MysqlDialect({ pool }) })
      const service: any = kysely({ Model: db, name: 'alula_limits' })

      onTestFinished(() => db.destroy())
      pool.on('connection', (connection) => connection.query("set session sql_mode = 'NO_BACKSLASH_ESCAPES'"))
      await sql`insert into alula_limits values (1, 'Ada')`.execute(owner)

      await expect(service.find({ query: { name: "' or 1=1) -- " } })).rejects.toMatchObject({
        name: 'GeneralError',
        cause: expect.objectContaining({ message: expect.stringContaining('NO_BACKSLASH_ESCAPES') })
      })
    })
  },
  [MARIADB]
)
