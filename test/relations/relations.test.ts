import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { callService } from '../../src/core/call.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { count, many, one, schema } from '../../src/schema.ts'
import { SQLITE } from '../support/sql.ts'
import { ask, createInMemory, declareThings, Note, Person } from './support/relations.ts'

describe('a relation', () => {
  it('past its limit is left out of what a write returns, because the write is done', async () => {
    const { app } = createInMemory()
    const events: string[] = []

    app.service('notes').on('patched', ({ text }: any) => events.push(text))
    await app.service('people').create([{ name: 'Ada', boss_id: null, secret: 's' }])
    await app.service('notes').create(Array.from({ length: 10_001 }, () => ({ text: 'a', owner: 0 })))

    const { dispatch } = await callService(app.service('notes'), {
      method: 'patch',
      ...{ id: 0, data: { text: 'b' }, params: { provider: 'rest', query: { $include: 'author.notes' } } }
    } as any)

    expect(dispatch).toEqual({ id: 0, text: 'b', owner: 0 })
    expect(events).toEqual(['b'])
  })

  it('is loaded from a service whose clients may ask for less', async () => {
    const app: any = alula()
    const find = (path: string, query: object) => ask(app, path, query)

    app.use('people', memory({ multi: true }), {
      schema: schema(Person, { hidden: ['secret'], query: { fields: ['name'], operators: ['$ne'] } })
    })
    app.use('notes', memory({ multi: true }), {
      schema: schema(Note, {
        relations: {
          author: one('people', { from: 'owner', filter: ['name'] }),
          holder: one('people', { from: 'text', to: 'secret' })
        }
      })
    })
    await app.service('people').create({ name: 'Ada', boss_id: null, secret: 's' })
    await app.service('notes').create({ text: 's', owner: 0 })

    expect(await find('notes', { $include: 'author' })).toMatchObject([{ author: { name: 'Ada' } }])
    expect(await find('notes', { 'author.name': { $ne: 'x' } })).toHaveLength(1)
    await expect(find('people', { id: 0 })).rejects.toMatchObject({ code: 400 })
    await expect(find('people', { name: { $in: ['Ada'] } })).rejects.toMatchObject({ code: 400 })
    await expect(find('notes', { 'author.name': { $in: ['Ada'] } })).rejects.toMatchObject({ code: 400 })
    await expect(find('notes', { $include: 'holder' })).rejects.toMatchObject({ code: 400 })
  })

  it('names itself in what is wrong with a query', async () => {
    const { app } = createInMemory()
    const fail = async (path: string, query: object) =>
      (await ask(app, path, query).catch((error) => error)).errors

    expect(await fail('notes', { 'comments.author_id': 'x' })).toEqual({
      'comments.author_id': 'expects an integer, got a string'
    })
    expect(await fail('notes', { 'author.name': { $like: 'x' } })).toEqual({
      author: "is refused: Invalid query parameter $like: the service does not list it in 'operators'"
    })
    expect(await fail('notes', { author: { name: 'x' } })).toEqual({
      author: "is not a field that can be queried: write 'author.name'"
    })
    expect(await fail('notes', { $include: 'author,tags' })).toEqual({
      $include: 'expects a list for several relations: $include[]=one&$include[]=other'
    })
    await expect(ask(app, 'notes', { 'author.name': 'x', $and: { id: 1 } })).rejects.toThrow(
      "'$and' expects an array of queries"
    )
  })

  it('of a record without a value is empty, whatever values others have', async () => {
    const app: any = alula()

    app.use('things', memory({ multi: true }), { schema: declareThings() })
    await app.service('things').create([
      { id: 'null', parent: 'top' },
      { id: 'top', parent: null }
    ])

    expect(await ask(app, 'things', { id: 'top', $include: ['above', 'number'] })).toMatchObject([
      { above: null, number: 1 }
    ])
    expect(await ask(app, 'things', { id: 'null', $include: ['below', 'number'] })).toMatchObject([
      { below: [], number: 0 }
    ])
  })

  it.each([
    ['an invalid date', new Date(Number.NaN)],
    ['NaN', Number.NaN]
  ])('of a record with %s is empty, whatever values others have', async (_what, at) => {
    const app: any = alula()
    const Moment = z.object({ id: z.int(), at: z.any() })
    const relations = {
      same: one('moments', { from: 'at', to: 'at', filter: ['id'] }),
      all: many('moments', { from: 'at', to: 'at' }),
      number: count('moments', { from: 'at', to: 'at' })
    }
    const now = new Date(0)
    const store = { 1: { id: 1, at }, 2: { id: 2, at: String(at) }, 3: { id: 3, at }, 4: { id: 4, at: now } }

    app.use('moments', memory({ store }), { schema: schema(Moment, { relations }) })

    const [first, , third, last] = await ask(app, 'moments', { $include: Object.keys(relations) })

    for (const record of [first, third]) expect(record).toMatchObject({ same: null, all: [], number: 0 })
    expect(last).toMatchObject({ same: { id: 4 }, all: [{ id: 4 }], number: 1 })
    expect(await ask(app, 'moments', { $sort: { number: -1, id: -1 } })).toMatchObject(
      [4, 2, 3, 1].map((id) => ({ id }))
    )
    expect(await ask(app, 'moments', { 'same.id': { $in: [3, 4] } })).toMatchObject([{ id: 4 }])
  })

  it('to several is in the order of ids, which may be strings', async () => {
    const app: any = alula()
    const Thing = z.object({ id: z.string(), parent: z.string().nullable() })

    app.use('things', memory({ multi: true }), {
      schema: schema({ record: Thing, create: Thing, relations: { below: many('things', { to: 'parent' }) } })
    })
    await app
      .service('things')
      .create([
        { id: 'top', parent: null },
        ...['c', 'a', 'b', 'a b'].map((name) => ({ id: name, parent: 'top' }))
      ])

    const [{ below }] = await ask(app, 'things', { id: 'top', $include: 'below' })

    expect(below.map((thing: any) => thing.id)).toEqual(['a', 'a b', 'b', 'c'])
  })

  it('is absent where `find` of the service is not for clients, and there from inside', async () => {
    const app: any = alula()
    const author = { author: one('people', { from: 'owner', filter: ['name'] }) }

    app.use('people', memory(), { methods: ['get'], schema: schema(Person, { hidden: ['secret'] }) })
    app.use('notes', memory(), { schema: schema(Note, { relations: author }) })
    await app.service('people').create({ name: 'Ada', boss_id: null, secret: 's' })
    await app.service('notes').create({ text: 'a', owner: 0 })

    expect(await ask(app, 'notes', { $include: 'author' })).toMatchObject([{ author: null }])
    expect(await ask(app, 'notes', { 'author.name': 'Ada' })).toEqual([])
    expect(await app.service('notes').find({ query: { $include: 'author' } })).toMatchObject([
      { author: { name: 'Ada', secret: 's' } }
    ])
  })

  it('to a service without a schema leads no further', async () => {
    const app: any = alula()

    app.use('people', memory())
    app.use('notes', memory(), {
      schema: schema(Note, { relations: { author: one('people', { from: 'owner' }) } })
    })
    await app.service('people').create({ name: 'Ada' })
    await app.service('notes').create({ text: 'a', owner: 0 })

    expect(await ask(app, 'notes', { $include: 'author' })).toMatchObject([{ author: { name: 'Ada' } }])
    await expect(ask(app, 'notes', { $include: 'author.boss' })).rejects.toThrow(
      "'$include' has no relation 'author.boss'"
    )
  })

  it('shows each record as a hook of its service does', async () => {
    const app: any = alula()
    let show = (records: any[]): unknown => records.map(({ name }) => ({ name }))

    app.use('people', memory({ multi: true }))
    app.use('notes', memory({ multi: true }), {
      schema: schema(Note, { relations: { author: one('people', { from: 'owner' }) } })
    })
    app.service('people').hooks({
      after: { find: [(context: any) => void Object.assign(context, { dispatch: show(context.result) })] }
    })
    await app.service('people').create([{ name: 'Ada' }, { name: 'Bob' }])
    await app.service('notes').create([
      { text: 'a', owner: 0 },
      { text: 'b', owner: 1 }
    ])

    const find = async () => (await ask(app, 'notes', { $include: 'author' })).map(({ author }) => author)

    expect(await find()).toEqual([{ name: 'Ada' }, { name: 'Bob' }])
    // Which of the records it shows is not known.
    show = ([{ name }]) => [{ name }]
    expect(await find()).toEqual([
      { id: 0, name: 'Ada' },
      { id: 1, name: 'Bob' }
    ])
  })

  it('is filtered by inside $not, and beside $and', async () => {
    const { app } = createInMemory()

    await app.service('people').create([
      { name: 'Ada', boss_id: null, secret: 's' },
      { name: 'Bob', boss_id: null, secret: 's' }
    ])
    await app.service('notes').create([
      { text: 'a', owner: 0 },
      { text: 'b', owner: 0 },
      { text: 'a', owner: 1 }
    ])

    const find = async (query: object) => (await ask(app, 'notes', query)).map(({ id }) => id)

    expect(await find({ 'author.name': 'Ada', $and: [{ text: 'a' }] })).toEqual([0])
    expect(await find({ $nor: [{ 'author.name': 'Ada' }] })).toEqual([2])
    expect(await find({ $not: { 'author.name': 'Ada' } })).toEqual([2])
    await expect(find({ 'author.name': 'Ada', $or: [5] })).rejects.toMatchObject({ code: 400 })
  })

  it('is no field to sort by, for calls from inside either', async () => {
    const { app } = createInMemory()

    await expect(ask(app, 'notes', { $sort: { author: 1 } })).rejects.toThrow(
      "'author' is not a field to sort by"
    )
    await expect(app.service('notes').find({ query: { $sort: { author: 1 } } })).rejects.toMatchObject({
      code: 400,
      errors: { author: 'cannot be sorted by' }
    })
  })

  it('fails as its service does', async () => {
    const { app } = createInMemory()
    const failed = Object.assign(new Error('full'), { code: 503 })

    app.service('people').hooks({
      before: {
        find: [
          () => {
            throw failed
          }
        ]
      }
    })
    await app.service('notes').create({ text: 'a', owner: 0 })

    await expect(ask(app, 'notes', { 'author.name': 'Ada' })).rejects.toBe(failed)
    await expect(ask(app, 'notes', { $include: 'author' })).rejects.toBe(failed)
  })

  it('takes part in the transaction of the call', async () => {
    const { app } = createInMemory()
    const transaction = { id: 7 }
    const seen: unknown[] = []

    for (const path of ['links', 'tags']) {
      app.service(path).hooks({ before: { find: [({ params }: any) => void seen.push(params.transaction)] } })
    }
    await app.service('notes').create({ text: 'a', owner: 0 })
    await app.service('tags').create({ name: 'x' })
    await app.service('links').create({ note: 0, tag: 0 })

    expect(await app.service('notes').find({ transaction, query: { $include: 'tags' } })).toMatchObject([
      { tags: [{ name: 'x' }] }
    ])
    expect(seen).toEqual([transaction, transaction])
  })

  it('works with any adapter, and is not sorted by where that has no sets', async () => {
    const app: any = alula()
    const stored = [{ id: 1, name: 'Ada', boss_id: null }]

    app.use(
      'people',
      {
        find: async ({ query }: any) => stored.filter(({ id }) => !query.id || query.id.$in.includes(id))
      },
      {
        schema: schema(Person, {
          relations: { team: count('people', { to: 'boss_id' }), boss: one('people', { from: 'boss_id' }) }
        })
      }
    )

    expect(await ask(app, 'people', { $include: ['team', 'boss'] })).toEqual([
      { id: 1, name: 'Ada', boss_id: null, team: 0, boss: null }
    ])
    await expect(ask(app, 'people', { $sort: { team: 1 } })).rejects.toMatchObject({
      code: 400,
      errors: { team: 'cannot be sorted by' }
    })
  })
})

it('numbers of related records in another database are not sorted by', async () => {
  const app: any = alula()
  const open = async () => {
    const db = SQLITE.open()

    onTestFinished(() => db.destroy())
    await sql`create table people (id integer primary key, name text not null, boss_id integer, secret text not null)`.execute(
      db
    )
    await sql`create table notes (id integer primary key, text text not null, owner integer)`.execute(db)

    return db
  }

  app.use('people', kysely({ Model: await open(), name: 'people' }), {
    schema: schema(Person, { relations: { noteCount: count('notes', { to: 'owner' }) } })
  })
  app.use('notes', kysely({ Model: await open(), name: 'notes' }), { schema: schema(Note) })
  await app.service('people').create({ name: 'Ada', boss_id: null, secret: 's' })
  await app.service('notes').create({ text: 'a', owner: 1 })

  expect(await ask(app, 'people', { $include: 'noteCount' })).toMatchObject([{ noteCount: 1 }])
  await expect(ask(app, 'people', { $sort: { noteCount: 1 } })).rejects.toMatchObject({
    code: 400,
    message:
      "Invalid query: 'noteCount' counts records of another database, or that are read with other settings of 'session'",
    errors: { noteCount: 'cannot be sorted by' }
  })
})
