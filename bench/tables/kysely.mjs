// Kysely by hand: the statements that somebody would write for exactly these operations.
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import { toColumns } from '../sql-records.mjs'

export async function openTable(database, name) {
  const db = await openKysely(database, name)

  return {
    get: (id) => db.selectFrom(name).selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    page: ({ room, score, $sort, $limit }) => readPage(db, name, { room, score, $sort, $limit }),
    patch: (id, data) =>
      db.updateTable(name).set(data).where('id', '=', id).returningAll().executeTakeFirstOrThrow(),
    create: async (data) => {
      const rows = await db.insertInto(name).values(data).returningAll().execute()

      return Array.isArray(data) ? rows : rows[0]
    },
    drop: async () => {
      await db.schema.dropTable(name).execute()
      await db.destroy()
    }
  }
}

/** Opens a database, with a new table in it. */
export async function openKysely(database, name) {
  const db = new Kysely({ dialect: await createDialect(database) })

  await sql.raw(`drop table if exists ${name}`).execute(db)
  await sql.raw(`create table ${name} (${toColumns(database)})`).execute(db)

  return db
}

async function readPage(db, name, { room, score, $sort, $limit }) {
  const matches = db.selectFrom(name).where('room', '!=', room.$ne).where('score', '>', score.$gt)
  const [{ total }, data] = await Promise.all([
    matches.select((select) => select.fn.countAll().as('total')).executeTakeFirstOrThrow(),
    matches
      .selectAll()
      .orderBy('score', $sort.score === 1 ? 'asc' : 'desc')
      .orderBy('id')
      .limit($limit)
      .execute()
  ])

  return { total: Number(total), data }
}

async function createDialect(database) {
  if (database === 'sqlite') {
    const { default: Database } = await import('libsql')

    return new SqliteDialect({ database: new Database(':memory:') })
  }

  const { default: pg } = await import('pg')

  return new PostgresDialect({ pool: new pg.Pool({ connectionString: database }) })
}
