import { PGlite } from '@electric-sql/pglite'
import { Kysely, sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { kysely, pglite, withTransaction } from '../../src/kysely.ts'

const shared = await PGlite.create()

async function open(columns: string) {
  const db = new Kysely<any>({ dialect: pglite(shared) })

  onTestFinished(async () => void (await sql`drop table notes`.execute(db)))
  await sql`create table notes (${sql.raw(columns)})`.execute(db)

  return { db, notes: kysely({ Model: db, name: 'notes', multi: true }) }
}

describe('pglite()', () => {
  it.each([
    [undefined, 'undefined'],
    ['memory://', '"memory://"'],
    [PGlite, 'function'],
    [{ query: () => undefined }, 'object']
  ])('is given an instance of PGlite, and not %s', (value, got) => {
    expect(() => pglite(value as any)).toThrow(
      `Invalid option 'database' of pglite(): expected an instance of PGlite, got ${got} (ALULA_INVALID_OPTION)`
    )
  })

  it('has one connection, which statements outside of a transaction wait for', async () => {
    const { db, notes } = await open('id serial primary key, text text')

    await expect(
      withTransaction(db, async () => await db.selectFrom('notes').selectAll().execute())
    ).rejects.toMatchObject({ name: 'Error', code: 'ALULA_TRANSACTION_DEADLOCK' })

    const texts = Array.from({ length: 20 }, (_, index) => `Note ${index}`)

    await Promise.all(
      texts.map((text, index) =>
        withTransaction(db, async () => {
          await notes.create({ text })
          if (index % 2) throw new Error('no')
        }).catch(() => undefined)
      )
    )
    expect(await notes.find({ query: { $select: ['text'], $sort: { id: 1 } } })).toMatchObject(
      texts.filter((_, index) => index % 2 === 0).map((text) => ({ text }))
    )
  })

  it('two instances of one dialect share the connection', async () => {
    await open('id integer primary key')

    const dialect = pglite(shared)
    const [db, other] = [new Kysely<any>({ dialect }), new Kysely<any>({ dialect })]

    const transaction = await db.startTransaction().execute()
    const found = other.selectFrom('notes').selectAll().execute()

    await transaction.insertInto('notes').values({ id: 1 }).execute()
    await transaction.rollback().execute()
    expect(await found).toEqual([])
  })

  it('says how many rows a statement has changed', async () => {
    const { db } = await open('id integer primary key')

    await db
      .insertInto('notes')
      .values([{ id: 1 }, { id: 2 }])
      .execute()
    expect(await db.updateTable('notes').set({ id: 3 }).where('id', '=', 1).executeTakeFirst()).toMatchObject(
      {
        numUpdatedRows: 1n
      }
    )
    expect(await db.deleteFrom('notes').where('id', '=', 9).executeTakeFirst()).toMatchObject({
      numDeletedRows: 0n
    })
  })

  it('bytes and times are the same in every zone', async () => {
    const { notes } = await open('id integer primary key, bytes bytea, at timestamp, moment timestamptz')
    const zone = process.env.TZ

    onTestFinished(() => {
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
    })

    for (const [id, name] of ['Asia/Tokyo', 'America/New_York', 'UTC'].entries()) {
      process.env.TZ = name

      const at = new Date('2024-03-10T07:30:00.123Z')
      const created = await notes.create({ id, bytes: Buffer.from([0, 255]), at, moment: at })

      expect(created).toEqual({ id, bytes: 'AP8=', at, moment: at })
      expect(await notes.find({ query: { id, at } })).toEqual([created])
    }
  })

  // The last one: it closes what the others share.
  it('a closed one is a 503', async () => {
    const db = new Kysely<any>({ dialect: pglite(shared) })
    const other = new Kysely<any>({ dialect: pglite(shared) })

    await sql`select 1`.execute(db)
    await db.destroy()

    for (const Model of [db, other]) {
      await expect(kysely({ Model, name: 'notes' }).find()).rejects.toMatchObject({ code: 503 })
    }
  })
})
