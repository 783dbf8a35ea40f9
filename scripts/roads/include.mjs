// A GET of a page on SQL, with the author of each record.
import assert from 'node:assert/strict'
import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { z } from 'zod'
import { access, anyone } from '../../dist/access.js'
import { kysely } from '../../dist/kysely.js'
import { one, schema } from '../../dist/schema.js'
import { createApp, listen, send } from './server.mjs'

const User = z.object({ id: z.int(), email: z.string() })

const Note = z.object({ id: z.int(), text: z.string(), done: z.boolean(), ownerId: z.int() })

const TABLES = `
  create table users (id integer primary key, email text not null);
  create table notes (id integer primary key, text text not null, done boolean not null, ownerId integer not null);
  insert into users (email) values ('ada@example.com'), ('bob@example.com');
  insert into notes (text, done, ownerId) values ('x', true, 1), ('y', true, 2), ('z', false, 1);
`

export async function prepare() {
  const database = new Database(':memory:')

  database.exec(TABLES)

  const Model = new Kysely({ dialect: new SqliteDialect({ database }) })
  const app = createApp()

  app.use('users', kysely({ Model, name: 'users' }), { schema: schema(User) })
  app.use('notes', kysely({ Model, name: 'notes', paginate: { default: 10, max: 50 } }), {
    schema: schema(Note, { relations: { author: one('users', { from: 'ownerId' }) } }),
    access: access({ find: anyone })
  })

  const port = await listen(app)

  return {
    async request() {
      const { data } = await send(port, 'GET', '/notes?done=true&$include=author')

      assert.equal(data[0].author.email, 'ada@example.com')
    },
    async close() {
      await app.teardown()
      await Model.destroy()
    }
  }
}
