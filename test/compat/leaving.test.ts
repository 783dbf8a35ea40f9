import { KnexService } from '@feathersjs/knex'
import knex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { describeDatabases, openPool, POSTGRES, POSTGRES_URL } from '../support/sql.ts'

const TABLE = 'alula_leaving'

/** The services of both on one table. */
async function open() {
  const theirDb = knex({ client: 'pg', connection: POSTGRES_URL })
  const ourDb = new Kysely<any>({
    dialect: new PostgresDialect({ pool: openPool({ connectionString: POSTGRES_URL }) })
  })

  await theirDb.schema.dropTableIfExists(TABLE)
  await theirDb.schema.createTable(TABLE, (table) => {
    table.increments('id')
    table.string('text')
    table.boolean('done')
    table.timestamp('due')
    table.jsonb('tags')
  })
  onTestFinished(async () => {
    await theirDb.schema.dropTable(TABLE)
    await theirDb.destroy()
    await ourDb.destroy()
  })

  return {
    ours: kysely({ Model: ourDb, name: TABLE }) as any,
    theirs: new KnexService({ Model: theirDb, name: TABLE }) as any
  }
}

describeDatabases('leaving', () => {
  it('records of one are read and changed by the other', async () => {
    const { ours, theirs } = await open()
    const note = {
      text: 'Buy milk',
      done: false,
      due: new Date('2026-12-01T09:00:00Z'),
      tags: { shop: ['a'] }
    }
    const created = await ours.create(note)

    expect(created).toEqual({ id: created.id, ...note })
    expect(await theirs.get(created.id)).toEqual(created)
    expect(await theirs.patch(created.id, { done: true })).toEqual({ ...created, done: true })
    expect(await ours.get(created.id)).toEqual({ ...created, done: true })

    const back = await theirs.create({ text: 'Theirs', done: false, due: note.due })

    expect(await ours.get(back.id)).toEqual(back)
    expect(await ours.find({ query: { done: false } })).toEqual([back])
  })
}, [POSTGRES])
