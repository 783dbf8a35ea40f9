import { type Kysely, sql } from 'kysely'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, postgres } from '../../src/kysely.ts'
import { createTable, describeDatabases, SQLITE } from '../support/sql.ts'

describeDatabases('records that refer to others', (database) => {
  let db: Kysely<any>
  let users: any
  let notes: any

  beforeEach(async () => {
    const { countedId } = database

    db = await createTable(database, 'alula_ref_users', `id ${countedId}, owner integer, code integer unique`)
    await addTable(
      'alula_ref_notes',
      `id ${countedId}, owner integer, code integer, note integer, foreign key (owner) references alula_ref_users (id), foreign key (note) references alula_ref_notes (id),
      foreign key (code) references alula_ref_users (code)`
    )
    users = kysely({ Model: db, name: 'alula_ref_users', multi: true })
    notes = kysely({ Model: db, name: 'alula_ref_notes', multi: true })
  })

  /** Makes a table that refers to the first one, and is dropped before it. */
  async function addTable(name: string, columns: string): Promise<void> {
    onTestFinished(() => db.schema.dropTable(name).execute())
    await sql`create table ${sql.table(name)} (${sql.raw(columns)})`.execute(db)
  }

  /** What a client sees of a call that fails. */
  async function failureOf(call: Promise<unknown>): Promise<object> {
    const { code, message, errors } = await call.then(
      () => expect.unreachable('expected an error'),
      (error) => error
    )

    return { code, message, errors }
  }

  /** SQLite does not tell which table it is. */
  function inUse(name: string): object {
    const records = database === SQLITE ? 'other records' : `records of '${name}'`

    return { code: 409, message: `A record is in use: ${records} refer to it`, errors: undefined }
  }

  it('keep them from being removed: a 409 that names the service or table, and no column', async () => {
    const { id } = await users.create({})
    const { id: note } = await notes.create({ owner: id })

    await notes.create({ owner: id, note })
    expect(await failureOf(users.remove(id))).toEqual(inUse('alula_ref_notes'))

    const app = alula()

    app.use('people', users)
    app.use('notes', notes)
    await app.setup()

    expect(await failureOf(users.remove(id))).toEqual(inUse('notes'))
    expect(await failureOf(users.remove(null))).toEqual(inUse('notes'))
    expect(await failureOf(notes.remove(note))).toEqual(inUse('notes'))
    expect(await users.find()).toHaveLength(1)
    expect(await notes.find()).toHaveLength(2)
    // The last ones first.
    expect(await notes.remove(null, { query: { note } })).toHaveLength(1)
    expect(await notes.remove(note)).toMatchObject({ owner: id })
    expect(await users.remove(id)).toMatchObject({ id })
  })

  it('are a 400 when there is no such record, and name the field where the database does', async () => {
    const { id } = await users.create({ code: 1 })
    const { id: note } = await notes.create({ owner: id, code: 1 })

    for (const field of ['owner', 'note']) {
      const isTold = database !== SQLITE
      const name = isTold ? `'${field}'` : 'a reference'
      const message = `Invalid data: ${name} refers to a record that does not exist`
      const errors = isTold ? { [field]: 'refers to no record' } : undefined

      expect(await failureOf(notes.create({ [field]: 99 }))).toEqual({ code: 400, message, errors })
      expect(await failureOf(notes.patch(note, { [field]: 99 }))).toEqual({
        code: 400,
        message: isTold
          ? message
          : 'Invalid data: a reference refers to a record that does not exist, or other records refer to what was there',
        errors
      })
    }

    // A change may also take away what others refer to.
    const failure = await failureOf(users.patch(id, { code: 2 }))

    if (database === SQLITE) expect(failure).toMatchObject({ code: 400, errors: undefined })
    else expect(failure).toEqual(inUse('alula_ref_notes'))
  })

  it('of a third table are named too, where a removal goes on to them', async () => {
    const { countedId } = database

    await addTable(
      'alula_ref_parts',
      `id ${countedId}, owner integer, foreign key (owner) references alula_ref_users (id) on delete cascade`
    )
    await addTable(
      'alula_ref_leaves',
      `id ${countedId}, owner integer, foreign key (owner) references alula_ref_parts (id)`
    )

    const { id } = await users.create({})

    await sql`insert into alula_ref_parts (owner) values (${id})`.execute(db)
    await sql`insert into alula_ref_leaves (owner) select id from alula_ref_parts`.execute(db)

    expect(await failureOf(users.remove(id))).toEqual(inUse('alula_ref_leaves'))
  })
})

it('PostgreSQL says in every language which side has failed', () => {
  const messages = [
    [
      'Aktualisieren oder Löschen in Tabelle »users« verletzt Fremdschlüssel-Constraint »notes_owner_fkey« von Tabelle »notes«',
      'Einfügen oder Aktualisieren in Tabelle »notes« verletzt Fremdschlüssel-Constraint »notes_owner_fkey«'
    ],
    [
      'update or delete on table "users" violates foreign key constraint "notes_owner_fkey" on table "notes"',
      'insert or update on table "notes" violates foreign key constraint "notes_owner_fkey"'
    ]
  ]

  for (const [referenced, reference] of messages) {
    expect(postgres.toErrorKind({ code: '23503', message: referenced })).toBe('referenced')
    expect(postgres.toErrorKind({ code: '23503', message: reference })).toBe('reference')
  }
})
