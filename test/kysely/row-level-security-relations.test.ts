// Whose rows a relation finds where hooks change the user of a call.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { count, many } from '../../src/schema.ts'
import { describeDatabases, POSTGRES } from '../support/sql.ts'
import { openRows, session } from './support/row-level-security.ts'

/** People, whose notes are their own; of the audits each caller finds those of Bob, by a hook. */
async function open(): Promise<any> {
  const { root, db } = await openRows(3)

  for (const statement of [
    'create table people (id text primary key)',
    'alter table people enable row level security',
    'create policy everyone on people using (true)',
    'grant select on people to public',
    "insert into people values ('ada'), ('bob')",
    "insert into audits (owner, text) values ('ada', 'x'), ('bob', 'y')"
  ]) {
    await sql.raw(statement).execute(root)
  }

  const app: any = alula()
  const create = (name: string) => kysely({ Model: db, name, session, paginate: { default: 10 } })

  app.use('notes', create('notes'), { schema: table() })
  app.use('audits', create('audits'), { schema: table() })
  app.use('people', create('people'), {
    schema: table({
      relations: {
        notes: count('notes', { to: 'owner' }),
        auditCount: count('audits', { to: 'owner' }),
        audits: many('audits', { to: 'owner', filter: ['text'] })
      }
    })
  })
  app.service('audits').hooks({
    before: { find: [(context: any) => void Object.assign(context.params, { user: { id: 'bob' } })] }
  })
  await app.setup()

  const people = app.asClient({ user: { id: 'ada' } }).service('people')

  return async (query: object) => (await people.find({ query: { $sort: { id: 1 }, ...query } })).data
}

describeDatabases('relations under row level security', () => {
  it('count as their own calls would, whatever is counted beside them', async () => {
    const find = await open()

    for (const $include of [
      ['notes', 'auditCount'],
      ['auditCount', 'notes']
    ]) {
      expect(await find({ $include })).toEqual([
        { id: 'ada', notes: 2, auditCount: 0 },
        { id: 'bob', notes: 0, auditCount: 1 }
      ])
    }
  })

  it('filter by what their own calls would find', async () => {
    const find = await open()

    expect(await find({ 'audits.text': 'x' })).toEqual([])
    expect(await find({ 'audits.text': 'y' })).toEqual([{ id: 'bob' }])
  })

  it('sort by numbers of the same user, and by no others', async () => {
    const find = await open()

    expect(await find({ $sort: { notes: 1 } })).toEqual([{ id: 'bob' }, { id: 'ada' }])
    await expect(find({ $sort: { auditCount: 1 } })).rejects.toMatchObject({ code: 400 })
  })
}, [POSTGRES])
