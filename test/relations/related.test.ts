import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callService } from '../../src/core/call.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'

const Person = z.object({ id: z.int(), name: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), owner: z.int().nullish() })

const relations = {
  author: one('people', { from: 'owner' }),
  people: many('people', { from: 'owner', to: 'id' }),
  tags: many('tags', { through: { path: 'links', from: 'note', to: 'tag' } }),
  number: count('people', { from: 'owner', to: 'id' }),
  hasAuthor: exists('people', { from: 'owner', to: 'id' })
}

interface Records {
  readonly notes: readonly unknown[]
  readonly people?: readonly object[]
  readonly links?: readonly object[]
  readonly tags?: readonly object[]
}

/** Services that return all that they have, and the queries that they are asked. */
function open({ notes, people = [], links = [], tags = [] }: Records) {
  const app: any = alula()
  const asked: unknown[] = []
  const list = (path: string, records: readonly unknown[]) => ({
    find: async ({ query: { $limit, ...query } = {} }: any) => {
      asked.push([path, query])

      return records.map((record) => (typeof record === 'object' && record ? { ...record } : record))
    }
  })

  app.use('people', list('people', people), { schema: schema(Person) })
  app.use('links', list('links', links))
  app.use('tags', list('tags', tags))
  app.use('notes', list('notes', notes), { schema: schema(Note, { relations }) })

  const find = async (...$include: string[]): Promise<any> => {
    asked.length = 0

    return (
      await callService(app.service('notes'), {
        method: 'find',
        params: { provider: 'rest', query: { $include } }
      } as any)
    ).dispatch
  }

  return { find, asked }
}

const names = ['author', 'people', 'tags', 'number', 'hasAuthor']

describe('related records', () => {
  it('are not asked for where no record has a value', async () => {
    const notes = [
      { id: 1, text: 'a', owner: null },
      { id: 2, text: 'b' }
    ]
    const { find, asked } = open({ notes, people: [{ id: 1, name: 'Ada' }] })
    const none = { author: null, people: [], number: 0, hasAuthor: false }

    expect(await find('author', 'people', 'number', 'hasAuthor')).toEqual(
      notes.map((note) => ({ ...note, ...none }))
    )
    expect(asked).toEqual([['notes', {}]])
  })

  it('are not asked for where there is no record, and results that are none stay', async () => {
    const empty = open({ notes: [] })
    const odd = open({ notes: ['text', null] })

    expect(await empty.find(...names)).toEqual([])
    expect(empty.asked).toEqual([['notes', {}]])
    expect(await odd.find(...names)).toEqual(['text', null])
    expect(odd.asked).toEqual([['notes', {}]])
  })

  it('are asked for once, by the values that there are', async () => {
    const notes = [1, 1, null, undefined, 2].map((owner, id) => ({ id, text: 'a', owner }))
    const { find, asked } = open({ notes })

    await find('author')

    expect(asked).toEqual([
      ['notes', {}],
      ['people', { id: { $in: [1, 2] } }]
    ])
  })

  it('are those that belong to a record, from a service that returns others too', async () => {
    const { find } = open({
      notes: [{ id: 1, text: 'a', owner: 7 }],
      people: [
        { id: 8, name: 'Bob' },
        { id: new Date(Number.NaN), name: 'Eve' },
        { id: 7, name: 'Ada' }
      ],
      links: [
        { note: 2, tag: 5 },
        { note: 1, tag: 4 },
        { note: 1, tag: 4 }
      ],
      tags: [{ id: 5 }, { id: 4 }, { id: 6 }]
    })

    expect(await find(...names)).toEqual([
      {
        ...{ id: 1, text: 'a', owner: 7 },
        author: { id: 7, name: 'Ada' },
        people: [{ id: 7, name: 'Ada' }],
        tags: [{ id: 4 }],
        number: 1,
        hasAuthor: true
      }
    ])
  })

  it('are in the order of ids that are numbers, whatever order they come in', async () => {
    const { find } = open({
      notes: [{ id: 1, text: 'a', owner: null }],
      links: [10, 9, 2].map((tag) => ({ note: 1, tag })),
      tags: [{ id: 10 }, { id: 2 }, { id: 9 }]
    })

    expect(await find('tags')).toMatchObject([{ tags: [{ id: 2 }, { id: 9 }, { id: 10 }] }])
  })

  it('stand in the order in which they are asked for', async () => {
    const { find } = open({ notes: [{ id: 1, text: 'a', owner: 7 }], people: [{ id: 7, name: 'Ada' }] })

    expect(Object.keys((await find('number', 'author', 'tags', 'people'))[0]).slice(3)).toEqual([
      ...['number', 'author', 'tags', 'people']
    ])
  })

  it('are counted by each service on its own', async () => {
    const app: any = alula()

    app.use('teams', memory({ multi: true }), {
      schema: schema(z.object({ id: z.int() }), {
        relations: {
          people: count('people', { to: 'team' }),
          notes: count('notes', { to: 'team' }),
          hasNotes: exists('notes', { to: 'team' })
        }
      })
    })
    for (const path of ['people', 'notes']) app.use(path, memory({ multi: true }))
    await app.service('teams').create([{}, {}])
    await app.service('people').create([{ team: 0 }, { team: 0 }, { team: 1 }])
    await app.service('notes').create([{ team: 1 }])

    expect(await app.service('teams').find({ query: { $include: ['people', 'notes', 'hasNotes'] } })).toEqual(
      [
        { id: 0, people: 2, notes: 0, hasNotes: false },
        { id: 1, people: 1, notes: 1, hasNotes: true }
      ]
    )
  })
})

describe('a filter by related records', () => {
  const Thing = z.object({ id: z.int(), name: z.string().nullish(), code: z.int().nullish() })

  /** Things are stored; the others return all that they have. */
  async function find(
    query: object,
    { people = [], links = [] }: Omit<Records, 'notes'>,
    caller: object = { provider: 'rest' }
  ) {
    const app: any = alula()
    const asked: string[] = []
    const list = (path: string, records: readonly object[]) => ({
      find: async () => {
        asked.push(path)

        return records
      }
    })

    app.use('people', list('people', people), { schema: schema(Thing) })
    app.use('links', list('links', links))
    app.use('things', memory({ multi: true }), {
      schema: schema(Thing, {
        relations: {
          author: one('people', { from: 'code', to: 'code', filter: ['name'] }),
          linked: many('people', {
            through: { path: 'links', from: 'thing', to: 'person' },
            filter: ['name']
          })
        }
      })
    })
    await app.service('things').create([{ code: null }, {}, { code: 7 }, { code: 8 }])

    const found = await app.service('things').find({ ...caller, query })

    return { ids: found.map(({ id }: { id: number }) => id), asked }
  }

  it('finds no record by a value that is missing in both', async () => {
    const people = [{ id: 1, code: null }, { id: 2 }, { id: 3, code: 7 }]

    expect(await find({ 'author.name': 'Ada' }, { people })).toEqual({ ids: [2], asked: ['people'] })
  })

  it('goes through the service in between, unless there is nothing to find', async () => {
    const links = [
      { thing: 3, person: 1 },
      { thing: null, person: 1 },
      { thing: 3, person: 2 }
    ]

    expect(await find({ 'linked.name': 'Ada' }, { people: [{ id: 1 }], links })).toEqual({
      ids: [3],
      asked: ['people', 'links']
    })
    expect(await find({ 'linked.name': 'Ada' }, { links })).toEqual({ ids: [], asked: ['people'] })
  })

  it('is not asked for where a query has none, and stands beside what else it has', async () => {
    const people = [{ id: 3, code: 7 }]

    expect(await find({ code: 8 }, { people })).toEqual({ ids: [3], asked: [] })
    expect(await find({ 'author.name': 'Ada', id: { $lt: 2 } }, { people })).toEqual({
      ids: [],
      asked: ['people']
    })
  })

  it.each([
    [
      { 'author.nmae': { $ne: 'Ada' } },
      "'author.nmae' is not a field that can be queried. Did you mean 'author.name'?"
    ],
    [{ $or: [{ author: 'Ada' }] }, "'author' is not a field that can be queried: write 'author.name'"],
    [{ $sort: { 'author.name': 1 } }, "'author.name' cannot be sorted by"]
  ])('is refused where there is none, from inside too: %j', async (query, message) => {
    await expect(find(query, {}, {})).rejects.toMatchObject({
      code: 400,
      message: `Invalid query: ${message}`
    })
  })

  it('with an undefined value does not choose the records that a call changes', async () => {
    const app: any = alula()
    const comments = many('comments', { to: 'note', filter: ['author'] })

    app.use('comments', memory(), {
      schema: schema(z.object({ id: z.int(), note: z.int(), author: z.int().nullish() }))
    })
    app.use('notes', memory({ multi: true }), { schema: schema(Thing, { relations: { comments } }) })
    await app.service('notes').create({})
    await app.service('comments').create({ note: 0 })

    const notes = app.service('notes')
    const query = { 'comments.author': undefined }

    for (const [method, ...args] of [['remove'], ['patch', { code: 1 }]] as const) {
      await expect(notes[method](null, ...args, { query })).rejects.toMatchObject({
        code: 400,
        message: `Invalid query: 'comments.author' is undefined. To ${method} records without a value, use null`
      })
      await expect(
        notes[method](null, ...args, { query: { $or: [{ 'comments.author': { $gt: undefined } }] } })
      ).rejects.toMatchObject({ message: expect.stringContaining("'comments.author.$gt' is undefined") })
    }

    expect(await notes.find({ query })).toEqual([{ id: 0 }])
    expect(await notes.remove(null, { query: { 'comments.author': null } })).toEqual([{ id: 0 }])
  })

  it('means the records that are linked, where all are in one place', async () => {
    const app: any = alula()
    const tags = many('tags', { through: { path: 'links', from: 'note', to: 'tag' }, filter: ['name'] })

    app.use('tags', memory({ multi: true }), { schema: schema(Thing) })
    app.use('links', memory({ multi: true }))
    app.use('notes', memory({ multi: true }), { schema: schema(Thing, { relations: { tags } }) })
    await app.service('tags').create([{ name: 'x' }, { name: 'y' }])
    await app.service('notes').create([{}, {}, {}])
    await app.service('links').create([
      { note: 0, tag: 0 },
      { note: 1, tag: 1 }
    ])

    const find = async (name: string) =>
      (await app.service('notes').find({ query: { 'tags.name': name } })).map(({ id }: any) => id)

    expect(await find('x')).toEqual([0])
    expect(await find('y')).toEqual([1])
    expect(await find('z')).toEqual([])
  })
})

describe('a selection', () => {
  it('loads the relations that it names, and has no field that was read for them', async () => {
    const app: any = alula()
    const queries: unknown[] = []

    app.use('people', memory({ multi: true }), { schema: schema(Person) })
    app.use('notes', memory({ multi: true }), {
      schema: schema(Note, {
        relations: { author: one('people', { from: 'owner' }), others: many('notes', { to: 'owner' }) },
        computed: {
          length: { from: ['text'], many: (notes) => notes.map(({ text }) => text.length) },
          shout: { from: ['text'], many: (notes) => notes.map(({ text }) => text.toUpperCase()) }
        }
      })
    })
    app.service('notes').hooks({
      before: { find: [({ params }: any) => void queries.push(params.query.$select?.toSorted())] }
    })
    await app.service('people').create({ name: 'Ada' })
    await app.service('notes').create({ text: 'abc', owner: 0 })

    const find = async (query: object) => (await app.service('notes').find({ query }))[0]

    expect(await find({ $select: ['author', 'length'] })).toEqual({
      id: 0,
      author: { id: 0, name: 'Ada' },
      length: 3
    })
    expect(await find({ $select: ['text'], $include: 'author' })).toEqual({
      ...{ id: 0, text: 'abc', author: { id: 0, name: 'Ada' } }
    })
    expect(await find({ $select: ['id'] })).toEqual({ id: 0 })
    expect(queries).toEqual([['owner', 'text'], ['owner', 'text'], ['id']])
    expect(await find({})).toEqual({ id: 0, text: 'abc', owner: 0, length: 3, shout: 'ABC' })
    await expect(find({ $select: [5] })).rejects.toMatchObject({ code: 400 })
  })
})

describe('what is included', () => {
  const people = { boss: one('people', { from: 'bossId' }), team: many('people', { to: 'bossId' }) }

  async function fail($include: unknown): Promise<string> {
    const app: any = alula()
    const fields = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`r${index}`, one('people', { from: 'bossId' })])
    )

    app.use('people', memory(), {
      schema: schema(z.object({ id: z.int(), bossId: z.int().nullable() }), {
        relations: { ...people, ...fields, size: count('people', { to: 'bossId' }) }
      })
    })

    return await app
      .service('people')
      .find({ provider: 'rest', query: { $include } })
      .then(
        () => 'it succeeded',
        ({ message }: Error) => message
      )
  }

  it.each<[unknown, string]>([
    ['boss.boss.boss', 'it succeeded'],
    ['boss.boss.boss.boss', "Invalid query: '$include' expects at most 3 levels"],
    [
      Array.from({ length: 11 }, (_, index) => `r${index}`),
      "Invalid query: '$include' expects at most 10 relations"
    ],
    [Array.from({ length: 10 }, (_, index) => `r${index}`), 'it succeeded'],
    [['boss', 5], "Invalid query: '$include' expects names of relations"],
    [[], 'it succeeded'],
    ['bos', "Invalid query: '$include' has no relation 'bos'. Did you mean 'boss'?"],
    ['boss.tem', "Invalid query: '$include' has no relation 'boss.tem'. Did you mean 'team'?"],
    ['size.boss', "Invalid query: '$include' has no relation 'size.boss'"],
    ['constructor', "Invalid query: '$include' has no relation 'constructor'"]
  ])('%j: %s', async ($include, message) => {
    expect(await fail($include)).toBe(message)
  })
})
