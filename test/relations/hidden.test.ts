// Fields that clients never see link records all the same, and are told to nobody.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { callService, getResponse } from '../../src/core/call.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'
import { describeDatabases } from '../support/sql.ts'
import { openTables } from './support/tables.ts'

const PREFIX = 'alula_hidden_'

const Person = z.object({ id: z.int(), name: z.string(), token: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), owner: z.int() })
const Comment = z.object({ id: z.int(), note: z.int(), body: z.string() })
const Tag = z.object({ id: z.int(), name: z.string() })
const Link = z.object({ id: z.int(), note: z.int(), tag: z.int() })

const relations = {
  author: one('people', { from: 'owner', filter: ['name'] }),
  comments: many('comments', { to: 'note', filter: ['body'] }),
  tags: many('tags', { through: { path: 'links', from: 'note', to: 'tag' }, filter: ['name'] }),
  commentCount: count('comments', { to: 'note' }),
  hasComments: exists('comments', { to: 'note' })
}

async function ask(app: any, query: object, params: object = {}): Promise<any> {
  const call = { method: 'find', params: { provider: 'rest', query, ...params } }

  return getResponse(await callService(app.service('notes'), call as any))
}

async function start(toService: (name: string) => any): Promise<any> {
  const app: any = alula()
  const mistakes: string[] = []

  app.on('error', ({ message }: Error) => mistakes.push(message))
  app.use('people', toService('people'), { schema: schema(Person, { hidden: ['id', 'token'] }) })
  app.use('comments', toService('comments'), {
    schema: schema(Comment, { hidden: ['id', 'note'], query: { fields: ['body'] } })
  })
  app.use('tags', toService('tags'), { schema: schema(Tag, { hidden: ['id'], query: { fields: ['name'] } }) })
  app.use('links', toService('links'), { schema: schema(Link), methods: [] })
  app.use('notes', toService('notes'), {
    schema: schema(Note, { hidden: ['owner'], relations }),
    access: access({ all: anyone })
  })
  await app.setup()
  expect(mistakes).toEqual([])

  const add = (path: string, records: object[]) => app.service(path).create(records, { schema: false })

  await add('people', [
    { id: 1, name: 'Ada', token: 'sentinel' },
    { id: 2, name: 'Bob', token: 'sentinel' }
  ])
  await add('notes', [
    { id: 1, text: 'a', owner: 2 },
    { id: 2, text: 'b', owner: 1 }
  ])
  await add('comments', [
    { id: 1, note: 1, body: 'x' },
    { id: 2, note: 1, body: 'y' }
  ])
  await add('tags', [{ id: 1, name: 'code' }])
  await add('links', [{ id: 1, note: 2, tag: 1 }])

  return app
}

async function check(app: any): Promise<void> {
  const first = {
    ...{ id: 1, text: 'a', author: { name: 'Bob' }, comments: [{ body: 'x' }, { body: 'y' }], tags: [] },
    ...{ commentCount: 2, hasComments: true }
  }
  const second = {
    ...{ id: 2, text: 'b', author: { name: 'Ada' }, comments: [], tags: [{ name: 'code' }] },
    ...{ commentCount: 0, hasComments: false }
  }
  const $include = Object.keys(relations)

  // Read with a page, and by themselves.
  for (const params of [{}, { paginate: false }]) {
    const page = await ask(app, { $include, $sort: { id: 1 } }, params)

    expect(page.data ?? page).toEqual([first, second])
  }

  const list = async (query: object) =>
    (await ask(app, { ...query, $select: ['id'] })).data.map((one: any) => one.id)

  expect(await list({ 'author.name': 'Ada' })).toEqual([2])
  expect(await list({ 'comments.body': 'y' })).toEqual([1])
  expect(await list({ 'tags.name': 'code' })).toEqual([2])
  expect(await list({ $sort: { commentCount: 1 } })).toEqual([2, 1])
  for (const query of [
    { 'author.id': 1 },
    { 'comments.note': 1 },
    { 'author.token': 'sentinel' },
    { owner: 1 }
  ]) {
    await expect(ask(app, query)).rejects.toMatchObject({ code: 400 })
  }
}

describe('hidden fields in memory', () => {
  it('link records', async () => {
    await check(await start(() => memory({ multi: true, paginate: { default: 10 } })))
  })

  it('are compared with no value that clients choose, also where the application was not set up', async () => {
    const open = (settings: object, relation: object, methods = ['find', 'create']) => {
      const app: any = alula()

      app.use('people', memory(), { schema: schema(Person, { hidden: ['id', 'token'] }) })
      app.use('links', memory(), { methods: ['create'] })
      app.use('notes', memory(), {
        schema: schema(Note, { ...settings, relations: { related: relation as any } }),
        methods
      })

      return app
    }
    const message =
      "asks 'people' for 'token', which its schema hides, by 'text', which clients can set: they could try values until it finds one. Let the server set 'text', or name another field"

    for (const relation of [
      one('people', { from: 'text', to: 'token' }),
      many('people', { from: 'text', to: 'token' }),
      count('people', { from: 'text', to: 'token' }),
      exists('people', { from: 'text', to: 'token' })
    ]) {
      const app = open({}, relation)

      await expect(app.setup()).rejects.toMatchObject({
        code: 'ALULA_UNKNOWN_FIELD',
        message: expect.stringContaining(`The relation 'related' of service 'notes' ${message}`)
      })

      const unready = open({}, relation)

      await unready.service('people').create({ name: 'Ada', token: 'guess' })
      await unready.service('notes').create({ text: 'guess', owner: 0 }, { schema: false })
      await expect(ask(unready, { $include: 'related' })).rejects.toMatchObject({ code: 400 })
    }

    const through = { path: 'links', from: 'note', to: 'guess' }

    await expect(open({}, many('people', { through, to: 'token' })).setup()).rejects.toThrow(
      "by 'guess' of 'links', which clients can set"
    )
    // An id names a record, and is no secret to a client that sets it.
    await open({}, one('people', { from: 'owner', to: 'id' })).setup()
    // The server sets it, or clients do not write.
    await open({ server: { text: () => 'a' } }, one('people', { from: 'text', to: 'token' })).setup()
    await open({}, one('people', { from: 'text', to: 'token' }), ['find']).setup()
  })

  it('of links are compared with no value that clients choose either', async () => {
    const open = (settings: object) => {
      const app: any = alula()
      const through = { path: 'badges', from: 'token', to: 'name' }
      const related = many('people', { from: 'text', through, to: 'name' })

      app.use('people', memory(), { schema: schema(Person) })
      app.use('badges', memory(), { schema: schema(Person, { hidden: ['token'] }) })
      app.use('notes', memory(), { schema: schema(Note, { ...settings, relations: { related } }) })

      return app
    }

    await expect(open({}).setup()).rejects.toThrow(
      "The relation 'related' of service 'notes' asks 'badges' for 'token', which its schema hides, by 'text', which clients can set"
    )
    await open({ server: { text: () => 'a' } }).setup()
  })

  it('count `upsert` among what clients set fields by', async () => {
    const open = (name: string, settings: object = {}) => {
      const app: any = alula()
      const service = () => memory({ upsert: { by: ['name'] } })
      const methods = ['find', 'upsert']
      const related = {
        one: one('people', { from: 'name', to: 'token' }),
        many: many('people', { from: 'name', to: 'name', sort: { token: 1 } })
      }[name] as any

      app.use('people', service(), { schema: schema(Person, { hidden: ['token'], ...settings }), methods })
      app.use('notes', service(), { schema: schema(Person, { relations: { related } }), methods })

      return app
    }

    await expect(open('one').setup()).rejects.toThrow("by 'name', which clients can set")
    await expect(open('many').setup()).rejects.toThrow("and clients can set 'token'")
    await open('many', { server: { token: () => 'a' } }).setup()
  })

  it('order no list where clients can set them', async () => {
    const User = z.object({ id: z.int(), team: z.int(), rank: z.int(), at: z.object({ x: z.int() }) })
    const open = (sort: object, settings: object = {}, methods = ['find', 'patch']) => {
      const app: any = alula()

      app.use('users', memory(), {
        schema: schema(User, { hidden: ['id', 'rank', 'at'], ...settings }),
        methods
      })
      app.use('notes', memory(), {
        schema: schema(Note, { relations: { users: many('users', { to: 'team', sort: sort as any }) } })
      })

      return app
    }

    for (const [sort, field, set] of [
      [{ team: 1, rank: 1 }, 'rank', 'rank'],
      [{ 'at.x': -1 }, 'at.x', 'at']
    ] as const) {
      await expect(open(sort).setup()).rejects.toMatchObject({
        code: 'ALULA_UNKNOWN_FIELD',
        message: expect.stringContaining(
          `The relation 'users' of service 'notes' sorts 'users' by '${field}', which its schema hides, and clients can set '${set}': by`
        )
      })

      const unready = open(sort)

      await unready.service('users').create({ team: 0, rank: 1, at: { x: 1 } })
      await unready.service('notes').create({ text: 'a', owner: 0 }, { schema: false })
      await expect(ask(unready, { $include: 'users' })).rejects.toMatchObject({ code: 400 })
    }

    await open({ id: -1 }).setup()
    await open({ rank: 1 }, { server: { rank: () => 1 } }).setup()
    await open({ rank: 1 }, {}, ['find']).setup()
  })

  it('are as open as the most open service with the same object', async () => {
    const open = (relation: object, people: object, writers: object = {}) => {
      const app: any = alula()
      const stores: any = { people: memory(), notes: memory() }

      app.use('people', stores.people, {
        schema: schema(Person, { hidden: ['token'] }),
        methods: ['get'],
        ...people
      })
      app.use('notes', stores.notes, {
        schema: schema(Note, { relations: { related: relation as any } }),
        methods: ['find']
      })
      for (const [path, methods] of Object.entries(writers))
        app.use(`${path}-desk`, stores[path], { methods })
      // Another store says nothing of these.
      app.use('others', memory(), { methods: ['create'] })

      return app
    }
    const sorted = many('people', { from: 'owner', to: 'id', sort: { token: 1 } })
    const compared = one('people', { from: 'text', to: 'token' })

    for (const relation of [sorted, compared]) await open(relation, {}, { people: ['get'] }).setup()
    await expect(open(sorted, {}, { people: ['patch'] }).setup()).rejects.toThrow(
      "set 'token' of 'people-desk'"
    )
    await expect(open(compared, {}, { notes: ['patch'] }).setup()).rejects.toThrow(
      "by 'text' of 'notes-desk'"
    )

    const unready = open(compared, { methods: ['find'] }, { notes: ['patch'] })

    await unready.service('notes').create({ text: 'guess', owner: 0 }, { schema: false })
    await expect(ask(unready, { $include: 'related' })).rejects.toMatchObject({ code: 400 })
  })
})

describeDatabases('hidden fields in tables', (database) => {
  it('link records', async () => {
    const db = await openTables(database, PREFIX, {
      people: `name ${database.text}, token ${database.text}`,
      notes: `text ${database.text}, owner integer`,
      comments: `note integer, body ${database.text}`,
      tags: `name ${database.text}`,
      links: 'note integer, tag integer'
    })

    await check(
      await start((name) =>
        kysely({ Model: db, name: `${PREFIX}${name}`, multi: true, paginate: { default: 10 } })
      )
    )
  })

  it('are as open as the most open service with the same table', async () => {
    const db = await openTables(database, PREFIX, {
      people: `name ${database.text}, token ${database.text}`,
      notes: `text ${database.text}, owner integer`,
      links: `note integer, guess ${database.text}`
    })
    const at = (name: string) => kysely({ Model: db, name: `${PREFIX}${name}` })
    const open = (relation: object, table: string, methods: readonly string[]) => {
      const app: any = alula()

      app.use('people', at('people'), { schema: schema(Person, { hidden: ['token'] }), methods: ['get'] })
      app.use('notes', at('notes'), {
        schema: schema(Note, { relations: { related: relation as any } }),
        methods: ['find']
      })
      app.use('desk', at(table), { methods })

      return app.setup()
    }
    const through = { table: `${PREFIX}links`, from: 'note', to: 'guess' }

    for (const [relation, table, message] of [
      [many('people', { from: 'owner', to: 'id', sort: { token: 1 } }), 'people', "set 'token' of 'desk'"],
      [one('people', { from: 'text', to: 'token' }), 'notes', "by 'text' of 'desk'"],
      [many('people', { through, to: 'token' }), 'links', "by 'guess' of 'desk'"]
    ] as const) {
      await expect(open(relation, table, ['create'])).rejects.toThrow(message)
      await open(relation, table, ['find'])
    }
  })
})
