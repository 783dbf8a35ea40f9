// Whose rows a relation finds where hooks change the user of a call.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { count, many } from '../../src/schema.ts'
import { describeDatabases, POSTGRES } from '../support/sql.ts'
import { openRows, session } from './support/row-level-security.ts'

const links = { from: 'person', to: 'note' }

/** People, whose notes are their own; of the audits each caller finds those of Bob, by a hook. */
async function openApp(): Promise<any> {
  const { root, db } = await openRows(3)

  for (const statement of [
    'create table people (id text primary key)',
    'create table links (id serial primary key, person text, note integer)',
    'alter table people enable row level security',
    'alter table links enable row level security',
    'create policy everyone on people using (true)',
    "create policy own on links using (person = nullif(current_setting('app.user_id', true), ''))",
    'grant select on people, links to public',
    "insert into people values ('ada'), ('bob')",
    "insert into links (person, note) values ('ada', 1), ('bob', 3)",
    "insert into audits (owner, text) values ('ada', 'x'), ('bob', 'y')"
  ]) {
    await sql.raw(statement).execute(root)
  }

  const app: any = alula()
  const create = (name: string) => kysely({ Model: db, name, session, paginate: { default: 10 } })

  app.use('notes', create('notes'), { schema: table() })
  app.use('audits', create('audits'), { schema: table() })
  app.use('links', create('links'), { methods: [] })
  app.use('people', create('people'), {
    schema: table({
      relations: {
        notes: count('notes', { to: 'owner' }),
        auditCount: count('audits', { to: 'owner' }),
        audits: many('audits', { to: 'owner', filter: ['text'] }),
        own: many('notes', { to: 'owner', filter: ['text'] }),
        linked: many('notes', { through: { path: 'links', ...links }, filter: ['text'] }),
        inTable: many('notes', { through: { table: 'links', ...links }, filter: ['text'] })
      }
    })
  })
  app.service('audits').hooks({
    before: { find: [(context: any) => void Object.assign(context.params, { user: { id: 'bob' } })] }
  })
  await app.setup()

  return app
}

async function open(): Promise<(query: object) => Promise<any[]>> {
  const app = await openApp()
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

  it('filter in the transaction of their call, once their table is known', async () => {
    const find = await open()
    const begun: unknown[] = []
    const listen = (message: any) => void (message.sql === 'begin' && begun.push(message))

    await find({ 'own.text': 'one' })
    subscribe('tracing:alula:sql:start', listen)
    onTestFinished(() => void unsubscribe('tracing:alula:sql:start', listen))

    expect(await find({ 'own.text': 'one' })).toEqual([{ id: 'ada' }])
    expect(begun).toHaveLength(1)
  })

  it('sort by numbers of the same user, and by no others', async () => {
    const find = await open()

    expect(await find({ $sort: { notes: 1 } })).toEqual([{ id: 'bob' }, { id: 'ada' }])
    await expect(find({ $sort: { auditCount: 1 } })).rejects.toMatchObject({ code: 400 })
  })

  it('read what links records as the user of an internal call', async () => {
    const app = await openApp()
    const user = { id: 'ada' }
    const note = { id: 1, owner: 'ada', text: 'one' }

    for (const find of [
      async (query: object) => (await app.service('people').find({ user, query })).data,
      async (query: object) => (await app.asClient({ user }).service('people').find({ query })).data
    ]) {
      expect(await find({ id: 'ada', $include: ['linked', 'inTable'] })).toEqual([
        { id: 'ada', linked: [note], inTable: [note] }
      ])
      expect(await find({ 'linked.text': 'one' })).toEqual([{ id: 'ada' }])
      expect(await find({ 'inTable.text': 'one' })).toEqual([{ id: 'ada' }])
    }
  })

  it('filter by no records of another user, whom a later hook has set', async () => {
    const app = await openApp()

    app.service('people').hooks({
      before: { find: [(context: any) => void Object.assign(context.params, { user: { id: 'bob' } })] }
    })

    const people = app.asClient({ user: { id: 'ada' } }).service('people')

    expect((await people.find()).data).toHaveLength(2)
    for (const name of ['own.text', 'linked.text', 'inTable.text']) {
      await expect(people.find({ query: { [name]: 'three' } })).rejects.toMatchObject({ code: 400 })
    }
  })
}, [POSTGRES])
