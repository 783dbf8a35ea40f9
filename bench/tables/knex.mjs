// The service of @feathersjs/knex, by its public methods.
import { KnexService } from '@feathersjs/knex'
import knex from 'knex'
import BetterSqlite from 'knex/lib/dialects/better-sqlite3/index.js'
import libsql from 'libsql'
import { toColumns } from '../sql-records.mjs'

/** libsql has the API of better-sqlite3. */
class Libsql extends BetterSqlite {
  _driver() {
    return libsql
  }
}

export async function openTable(database, name) {
  const db =
    database === 'sqlite'
      ? knex({ client: Libsql, connection: ':memory:', useNullAsDefault: true })
      : knex({ client: 'pg', connection: database })

  await db.raw(`drop table if exists ${name}`)
  await db.raw(`create table ${name} (${toColumns(database)})`)

  const service = new KnexService({
    Model: db,
    name,
    multi: ['create'],
    paginate: { default: 10, max: 50 }
  })

  return {
    get: (id) => service.get(id),
    page: (query) => service.find({ query }),
    patch: (id, data) => service.patch(id, data),
    create: (data) => service.create(data),
    drop: async () => {
      await db.schema.dropTable(name)
      await db.destroy()
    }
  }
}
