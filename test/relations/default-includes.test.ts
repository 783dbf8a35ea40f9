import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { callService, getResponse } from '../../src/core/call.ts'
import { alula, asCaller } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { count, many, one, schema } from '../../src/schema.ts'
import { describeDatabases, MARIADB } from '../support/sql.ts'
import { describeRemoteTransports } from '../support/transports.ts'
import { openTables } from './support/tables.ts'

const PREFIX = 'alula_defaults_'

const Team = z.object({ id: z.int(), name: z.string() })
const Person = z.object({ id: z.int(), name: z.string(), team_id: z.int(), secret: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), owner: z.int() })
const Comment = z.object({ id: z.int(), note: z.int() })

const relations = {
  author: one('people', { from: 'owner' }),
  comments: many('comments', { to: 'note' }),
  commentCount: count('comments', { to: 'note' })
}

/** Notes include their authors, with the team, and the number of comments. */
function declare(app: any, toService: (name: string) => any): any {
  app.use('teams', toService('teams'), { schema: schema(Team) })
  app.use('people', toService('people'), {
    schema: schema(Person, {
      hidden: ['secret'],
      relations: { team: one('teams', { from: 'team_id' }), notes: many('notes', { to: 'owner' }) },
      include: ['notes']
    })
  })
  app.use('comments', toService('comments'), { schema: schema(Comment) })
  app.use('notes', toService('notes'), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'copy'],
    schema: schema(Note, { relations, include: ['author.team', 'commentCount'] })
  })

  return app
}

async function fill(app: any): Promise<void> {
  await app.service('teams').create({ id: 1, name: 'A' }, { schema: false })
  await app
    .service('people')
    .create({ id: 1, name: 'Ada', team_id: 1, secret: 'sentinel' }, { schema: false })
  await app.service('comments').create({ id: 1, note: 1 }, { schema: false })
  await app.service('notes').create({ id: 1, text: 'a', owner: 1 }, { schema: false })
}

const toMemory = () =>
  Object.assign(memory({ multi: true }), {
    async copy({ id }: any, params: any): Promise<unknown> {
      return await (this as any).get(id, asCaller(params))
    }
  })

async function call(app: any, method: string, rest: object = {}, query: object = {}): Promise<any> {
  const params = { provider: 'rest', query }

  return await callService(app.service('notes'), { method, params, ...rest } as any)
}

const author = { id: 1, name: 'Ada', team_id: 1 }
const team = { id: 1, name: 'A' }
const note = { id: 1, text: 'a', owner: 1 }
const added = { author: { ...author, team }, commentCount: 1 }

describe('relations that a service includes by default', () => {
  it('are in what clients get of each method but remove, and in no other result', async () => {
    const app = declare(alula(), toMemory)

    await app.setup()
    await fill(app)

    const get = async (...args: Parameters<typeof call>) => getResponse(await call(...args))

    expect(await get(app, 'find')).toEqual([{ ...note, ...added }])
    expect(await get(app, 'get', { id: 1 })).toEqual({ ...note, ...added })
    expect(await get(app, 'create', { data: { text: 'b', owner: 1 } })).toMatchObject({
      ...{ text: 'b', owner: 1, author: added.author, commentCount: 0 }
    })
    expect(await get(app, 'update', { id: 1, data: { text: 'a', owner: 1 } })).toEqual({ ...note, ...added })
    expect(await get(app, 'patch', { id: 1, data: { text: 'a' } })).toEqual({ ...note, ...added })
    // A call with the params of a client.
    expect(await get(app, 'copy', { data: { id: 1 } })).toEqual({ ...note, ...added })
    expect(await app.service('notes').get(1)).toEqual(note)
    expect(await app.service('notes').find()).toHaveLength(2)
    expect(await get(app, 'remove', { id: 1 })).toEqual(note)
  })

  it('are those that `$include` names, or `$select`, where a client asks for something', async () => {
    const app = declare(alula(), toMemory)

    await app.setup()
    await fill(app)

    const get = async (query: object) => getResponse(await call(app, 'get', { id: 1 }, query))

    expect(await get({ $include: 'author' })).toEqual({ ...note, author })
    expect(await get({ $include: ['comments'] })).toEqual({ ...note, comments: [{ id: 1, note: 1 }] })
    expect(await get({ $include: [] })).toEqual(note)
    expect(await get({ $include: '' })).toEqual(note)
    expect(await get({ $include: [''] })).toEqual(note)
    expect(await get({ $select: ['text'] })).toEqual({ id: 1, text: 'a' })
    expect(await get({ $select: ['text', 'author'] })).toEqual({ id: 1, text: 'a', author: added.author })
    expect(await get({ $select: ['text'], $include: 'comments' })).toEqual({
      ...{ id: 1, text: 'a', comments: [{ id: 1, note: 1 }] }
    })
    await expect(get({ $include: null })).rejects.toMatchObject({ code: 400 })
  })

  it('are in events only when the call has asked for them', async () => {
    const app = declare(alula(), toMemory)

    await app.setup()
    await fill(app)

    const patch = async (query: object) =>
      (await call(app, 'patch', { id: 1, data: { text: 'a' } }, query)).dispatch

    expect(await patch({})).toEqual(note)
    expect(await patch({ $include: 'author' })).toEqual({ ...note, author })
    expect(await patch({ $select: ['author'] })).toEqual({ id: 1, author: added.author })

    const copied = async (context: any) => {
      context.event = 'patched'
    }

    app.service('notes').hooks({ after: { copy: [copied] } })

    const context = await call(app, 'copy', { data: { id: 1 } })

    expect(getResponse(context)).toEqual({ ...note, ...added })
    expect(context.dispatch).toEqual(note)
  })

  it('are for those who may find them alone', async () => {
    const app: any = alula()

    app.use('people', memory(), {
      methods: [],
      schema: schema(Person, { hidden: ['secret'] }),
      access: access({ find: ({ params }) => Boolean(params.admin) })
    })
    app.use('comments', memory(), { methods: [], schema: schema(Comment), access: access({ find: anyone }) })
    app.use('notes', memory(), {
      schema: schema(Note, { relations, include: ['author', 'comments'] }),
      access: access({ all: anyone })
    })
    await app.setup()
    await app
      .service('people')
      .create({ id: 1, name: 'Ada', team_id: 1, secret: 'sentinel' }, { schema: false })
    await app.service('comments').create({ id: 1, note: 1 }, { schema: false })
    await app.service('notes').create(note, { schema: false })

    const get = async (params: object) =>
      getResponse(
        await callService(app.service('notes'), {
          ...{ method: 'get', id: 1, params: { provider: 'rest', query: {}, ...params } }
        } as any)
      )
    const comments = [{ id: 1, note: 1 }]

    expect(await get({})).toEqual({ ...note, author: null, comments })
    expect(await get({ admin: true })).toEqual({ ...note, author, comments })
  })

  it('are none where a hook of a related service asks with the params of the call', async () => {
    const app = declare(alula(), toMemory)
    const seen: unknown[] = []

    await app.setup()
    await fill(app)

    for (const path of ['people', 'comments']) {
      app.service(path).hooks({
        before: {
          find: [
            async ({ params }: any) =>
              void seen.push(await app.service('notes').find({ ...params, query: {} }))
          ]
        }
      })
    }

    expect(getResponse(await call(app, 'get', { id: 1 }))).toEqual({ ...note, ...added })
    expect(seen).toEqual([[note], [note]])
  })

  it('are checked when the application starts', async () => {
    const include = (names: any) => schema(Note, { relations, include: names })
    const start = (names: string[]) => {
      const app: any = alula()

      for (const path of ['teams', 'comments']) app.use(path, memory())
      app.use('people', memory(), {
        schema: schema(Person, { relations: { team: one('teams', { from: 'team_id' }) } })
      })
      app.use('notes', memory(), { schema: include(names) })

      return app.setup()
    }

    const alone: any = alula()

    alone.use('notes', memory(), { schema: schema(Note, { include: ['author'] as string[] }) })
    await expect(alone.setup()).rejects.toThrow(
      "'include' in the schema of service 'notes' has no relation 'author' (ALULA_INVALID_RELATION)"
    )
    await expect(start(['autor'])).rejects.toThrow("has no relation 'autor'. Did you mean 'author'?")
    expect(() => include('author')).toThrow(
      "Invalid option 'include' of schema(): expected an array of names"
    )
    await expect(start(['author.tema'])).rejects.toThrow(
      "'include' in the schema of service 'notes' has no relation 'author.tema'. Did you mean 'team'? (ALULA_INVALID_RELATION)"
    )
    await expect(start(['author.team.a.b'])).rejects.toThrow('expects at most 3 levels')
    await start(['author.team'])
  })
})

describeRemoteTransports('relations that a service includes by default', (open) => {
  it('leave without what is hidden, unless the client wants none', async () => {
    const { call: ask } = await open((app: any) => declare(app, toMemory))

    await ask('create', 'teams', { data: { name: 'A' } })
    await ask('create', 'people', { data: { name: 'Ada', team_id: 0, secret: 'sentinel' } })

    const created = await ask('create', 'notes', { data: { text: 'a', owner: 0 } })
    const plain = { id: 0, text: 'a', owner: 0 }
    const whole = {
      ...plain,
      author: { id: 0, name: 'Ada', team_id: 0, team: { id: 0, name: 'A' } },
      commentCount: 0
    }

    expect(created).toEqual(whole)
    expect(await ask('get', 'notes', { id: 0 })).toEqual(whole)
    expect(await ask('get', 'notes', { id: 0, query: '$include=' })).toEqual(plain)
  })
})

describeDatabases('relations that a service includes by default', (database) => {
  it('cost the statements of `$include`', async () => {
    const statements: string[] = []
    const db = await openTables(
      database,
      PREFIX,
      {
        teams: `name ${database.text}`,
        people: `name ${database.text}, team_id integer, secret ${database.text}`,
        notes: `text ${database.text}, owner integer`,
        comments: 'note integer'
      },
      (statement) => statements.push(statement)
    )
    const app = declare(alula(), (name) =>
      Object.assign(kysely({ Model: db, name: `${PREFIX}${name}`, paginate: { default: 10 } }), {
        copy: async () => undefined
      })
    )

    await app.setup()
    await fill(app)

    const measure = async (query: object) => {
      statements.length = 0

      const { data } = getResponse(await call(app, 'find', {}, query)) as any

      expect(data).toEqual([{ ...note, ...added }])

      return statements.length
    }

    await measure({})
    expect(await measure({})).toBe(database === MARIADB ? 4 : 2)
    expect(await measure({ $include: ['author.team', 'commentCount'] })).toBe(database === MARIADB ? 4 : 2)
  })

  it('may be those of a service whose schema is its table', async () => {
    const db = await openTables(database, PREFIX, {
      people: `name ${database.text}`,
      notes: `text ${database.text}, owner integer`
    })
    const app: any = alula()
    const open = (name: string) => kysely({ Model: db, name: `${PREFIX}${name}` })

    app.use('notes', open('notes'), {
      schema: table({ relations: { author: one('people', { from: 'owner' }) }, include: ['author.notes'] })
    })
    app.use('people', open('people'), {
      schema: table({ relations: { notes: many('notes', { to: 'owner' }) } })
    })
    await app.setup()
    await app.service('people').create({ id: 1, name: 'Ada' }, { schema: false })
    await app.service('notes').create(note, { schema: false })

    expect(getResponse(await call(app, 'get', { id: 1 }))).toEqual({
      ...note,
      author: { id: 1, name: 'Ada', notes: [note] }
    })
  })
})
