import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { callService, getResponse } from '../../src/core/call.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'
import { scaled } from '../support/scale.ts'
import { describeDatabases, SQLITE, type TestDatabase } from '../support/sql.ts'

const Person = z.object({ id: z.int(), name: z.string(), boss_id: z.int().nullable(), secret: z.string() })
const Note = z.object({ id: z.int(), text: z.string(), owner: z.int().nullable() })
const Comment = z.object({ id: z.int(), note: z.int(), author_id: z.int(), text: z.string() })
const Tag = z.object({ id: z.int(), name: z.string() })
const Link = z.object({ id: z.int(), note: z.int(), tag: z.int() })

const relations = {
  people: {
    boss: one('people', { from: 'boss_id', filter: ['name'] }),
    notes: many('notes', { to: 'owner', filter: ['text'] }),
    noteCount: count('notes', { to: 'owner' }),
    team: count('people', { to: 'boss_id' })
  },
  notes: {
    author: one('people', { from: 'owner', filter: ['name'] }),
    comments: many('comments', { to: 'note', filter: ['text', 'author_id'] }),
    tags: many('tags', { through: { path: 'links', from: 'note', to: 'tag' }, filter: ['name'] }),
    commentCount: count('comments', { to: 'note' }),
    hasComments: exists('comments', { to: 'note' })
  },
  comments: { author: one('people', { from: 'author_id' }), on: one('notes', { from: 'note' }) },
  tags: {},
  links: {}
}

/** New for each application: a declaration belongs to one service. */
const declare = {
  people: () => schema(Person, { hidden: ['secret'], relations: relations.people }),
  notes: () => schema(Note, { relations: relations.notes }),
  comments: () => schema(Comment, { relations: relations.comments }),
  tags: () => schema(Tag),
  links: () => schema(Link)
}

type Path = keyof typeof declare

const paths = Object.keys(declare) as Path[]

const columns: { readonly [name in Path]: (database: TestDatabase) => string } = {
  people: ({ text }) => `name ${text}, boss_id integer, secret ${text}`,
  notes: ({ text }) => `text ${text}, owner integer`,
  comments: ({ text }) => `note integer, author_id integer, text ${text}`,
  tags: ({ text }) => `name ${text}`,
  links: () => 'note integer, tag integer'
}

/** What clients may find: all, nothing, or what a condition lets them. */
type Rule = 'all' | 'none' | object

interface Guarded {
  rules: { readonly [path in Path]?: Rule }
}

/** The rules can be changed while the application runs. */
function toAccess(guarded: Guarded, path: Path) {
  return access({
    all: () => {
      const rule = guarded.rules[path] ?? 'all'

      return typeof rule === 'object' ? rule : rule === 'all'
    }
  })
}

interface Store {
  readonly app: any
  readonly guarded: Guarded
  /** The statements since it was emptied. */
  readonly statements: string[]
}

function createInMemory(): Store {
  const app: any = alula()
  const guarded: Guarded = { rules: {} }

  for (const path of paths) {
    app.use(path, memory({ multi: true, operators: ['$nor', '$not'] }), {
      schema: declare[path](),
      access: toAccess(guarded, path)
    })
  }

  return { app, guarded, statements: [] }
}

async function createInTables(database: TestDatabase): Promise<Store> {
  const app: any = alula()
  const guarded: Guarded = { rules: {} }
  const statements: string[] = []
  const log = ({ query }: { query: { sql: string } }) => void statements.push(query.sql)
  const db = database.open(log as any)

  onTestFinished(async () => {
    for (const path of paths) await db.schema.dropTable(`alula_related_${path}`).ifExists().execute()
    await db.destroy()
  })
  for (const path of paths) {
    const text = `id ${database.countedId}, ${columns[path](database)}`

    await db.schema.dropTable(`alula_related_${path}`).ifExists().execute()
    await sql`create table ${sql.table(`alula_related_${path}`)} (${sql.raw(text)})`.execute(db)
  }

  for (const path of paths) {
    app.use(path, kysely({ Model: db, name: `alula_related_${path}`, multi: true, operators: ['$nor'] }), {
      schema: declare[path](),
      access: toAccess(guarded, path)
    })
  }

  return { app, guarded, statements }
}

async function ask(app: any, path: string, query: object): Promise<any[]> {
  const context = await callService(app.service(path), {
    method: 'find',
    params: { provider: 'rest', query }
  } as any)

  return context.dispatch as any[]
}

/** What a `find` of its own gives; nothing where the caller is refused. */
async function find(app: any, path: string, query: object): Promise<any[]> {
  try {
    return (await ask(app, path, query)).toSorted((a, b) => a.id - b.id)
  } catch (error: any) {
    if (error.code === 401) return []
    throw error
  }
}

/** The relations once more, one record after the other. */
async function addByHand(app: any, path: Path, records: any[], names: readonly string[]): Promise<any[]> {
  const tops = [...new Set(names.map((name) => name.split('.')[0] as string))]
  const expanded = records.map((record) => ({ ...record }))

  for (const record of expanded) {
    for (const name of tops) {
      const relation: any = (relations[path] as any)[name]
      const within = names
        .filter((other) => other.startsWith(`${name}.`))
        .map((other) => other.slice(name.length + 1))
      const own = record[relation.from ?? 'id']
      let related: any[] = []

      if (own !== null && relation.through) {
        const { path: link, from, to } = relation.through
        const links = await app.service(link).find({ query: { [from]: own } })

        for (const tag of new Set(links.map((one: any) => one[to]))) {
          related.push(...(await find(app, relation.path, { id: tag })))
        }
        related.sort((a, b) => a.id - b.id)
      } else if (own !== null) related = await find(app, relation.path, { [relation.to ?? 'id']: own })

      if (relation.kind === 'count') record[name] = related.length
      else if (relation.kind === 'exists') record[name] = related.length > 0
      else {
        const full = await addByHand(app, relation.path, related, within)

        record[name] = relation.kind === 'one' ? (full[0] ?? null) : full
      }
    }
  }

  return expanded
}

/** Each name that a query on a service may include, to three levels. */
const trees: { readonly [path in Path]?: readonly string[] } = {
  notes: [
    ...['author', 'comments', 'tags', 'commentCount', 'hasComments', 'author.boss', 'author.notes'],
    ...[
      'comments.author',
      'comments.on',
      'comments.author.boss',
      'author.boss.noteCount',
      'author.noteCount'
    ],
    'author.notes.tags'
  ],
  people: [
    'boss',
    'notes',
    'noteCount',
    'team',
    'boss.boss',
    'boss.boss.boss',
    'notes.comments.author',
    'boss.team'
  ],
  comments: ['author', 'on', 'on.tags', 'on.author.notes', 'author.noteCount', 'on.commentCount']
}

const id = fc.integer({ min: 1, max: 5 })
const rows = {
  people: fc.array(
    fc.record({
      name: fc.constantFrom('Ada', 'Bob', 'Eve'),
      boss_id: fc.option(id),
      secret: fc.constant('sentinel')
    }),
    { minLength: 1, maxLength: 5 }
  ),
  notes: fc.array(fc.record({ text: fc.constantFrom('a', 'b', 'c'), owner: fc.option(id) }), {
    minLength: 1,
    maxLength: 6
  }),
  comments: fc.array(fc.record({ note: id, author_id: id, text: fc.constantFrom('a', 'b') }), {
    maxLength: 6
  }),
  tags: fc.array(fc.record({ name: fc.constantFrom('x', 'y', 'z') }), { maxLength: 4 }),
  links: fc.array(fc.record({ note: id, tag: id }), { maxLength: 6 })
}

const rules = fc.record(
  {
    people: fc.constantFrom<Rule>('all', 'none', { name: { $ne: 'Bob' } }, { $or: [{ id: 1 }, { id: 2 }] }),
    notes: fc.constantFrom<Rule>('all', 'none', { text: 'a' }, { owner: { $ne: null } }),
    comments: fc.constantFrom<Rule>('all', 'none', { text: 'a' }),
    tags: fc.constantFrom<Rule>('all', 'none', { name: { $in: ['x'] } }),
    links: fc.constantFrom<Rule>('all', 'none')
  },
  { requiredKeys: [] }
)

const included = fc.constantFrom<Path>('notes', 'people', 'comments').chain((path) =>
  fc.record({
    path: fc.constant(path),
    names: fc.subarray([...(trees[path] as string[])], { minLength: 1, maxLength: 4 })
  })
)

const filters = fc.constantFrom(
  ...[
    ['notes', 'author', { 'author.name': 'Ada' }],
    ['notes', 'author', { 'author.name': { $ne: 'Ada' } }],
    ['notes', 'comments', { 'comments.text': 'a' }],
    ['notes', 'comments', { 'comments.text': 'a', 'comments.author_id': { $lt: 3 } }],
    ['notes', 'tags', { 'tags.name': { $in: ['x', 'y'] } }],
    ['people', 'boss', { 'boss.name': 'Ada' }],
    ['people', 'notes', { 'notes.text': { $gt: 'a' } }]
  ]
) as fc.Arbitrary<[Path, string, Record<string, any>]>

async function fill(app: any, data: { [path in Path]: any[] }): Promise<void> {
  await Promise.all(
    paths.map(async (path) => {
      const service = app.service(path)
      // The ids that relations mean, whatever numbers the store has given before.
      const records = data[path].map((record, index) => ({ ...record, id: index + 1 }))

      await service.remove(null)
      if (records.length > 0) await service.create(records, { schema: false })
    })
  )
}

function check(create: () => Promise<Store>): void {
  it('includes what a find of its own would give the caller', async () => {
    const { app, guarded } = await create()

    await fc.assert(
      fc.asyncProperty(fc.record(rows), rules, included, async (data, rule, { path, names }) => {
        guarded.rules = {}
        await fill(app, data)
        guarded.rules = { ...rule, [path]: 'all' }

        const query = { $sort: { id: 1 } }
        const expected = await addByHand(app, path, await ask(app, path, query), names)
        const found = await ask(app, path, { ...query, $include: names })

        expect(found).toEqual(expected)
        expect(JSON.stringify(found)).not.toContain('sentinel')
      }),
      { numRuns: scaled(5000) }
    )
  })

  it('filters through relations like two steps by hand, by listed fields alone', async () => {
    const { app, guarded } = await create()

    await fc.assert(
      fc.asyncProperty(
        fc.record(rows),
        rules,
        filters,
        fc.boolean(),
        async (data, rule, [path, name, query], isNegated) => {
          guarded.rules = {}
          await fill(app, data)
          guarded.rules = { ...rule, [path]: 'all' }

          const relation: any = (relations[path] as any)[name]
          const asked = Object.fromEntries(
            Object.entries(query).map(([key, value]) => [key.slice(name.length + 1), value])
          )
          const related = await find(app, relation.path, asked)
          const links = relation.through ? await app.service(relation.through.path).find() : []
          const matches = (record: any) =>
            relation.through
              ? links.some(
                  (link: any) => link.note === record.id && related.some((one) => one.id === link.tag)
                )
              : related.some((one) => one[relation.to ?? 'id'] === record[relation.from ?? 'id'])
          const all = await ask(app, path, { $sort: { id: 1 } })
          const expected = all.filter((record) => matches(record) !== isNegated)

          expect(
            await ask(app, path, { $sort: { id: 1 }, ...(isNegated ? { $nor: [query] } : query) })
          ).toEqual(expected)
        }
      ),
      { numRuns: scaled(2000) }
    )
    guarded.rules = {}
    for (const query of [
      { 'author.secret': 'x' },
      { 'author.boss_id': 1 },
      { 'author.boss.name': 'x' },
      { author: 1 }
    ]) {
      await expect(ask(app, 'notes', query)).rejects.toMatchObject({ code: 400 })
    }
  })

  it('sorts by numbers of related records that the caller may find', async () => {
    const { app, guarded } = await create()

    await fc.assert(
      fc.asyncProperty(fc.record(rows), rules, fc.constantFrom(1, -1), async (data, rule, direction) => {
        guarded.rules = {}
        await fill(app, data)

        for (const [path, name] of [
          ['people', 'noteCount'],
          ['people', 'team'],
          ['notes', 'hasComments']
        ] as const) {
          guarded.rules = { ...rule, [path]: 'all' }

          const all = await addByHand(app, path, await ask(app, path, { $sort: { id: 1 } }), [name])
          const expected = all.toSorted((a, b) => (Number(a[name]) - Number(b[name])) * direction)
          const found = await ask(app, path, { $sort: { [name]: direction, id: 1 }, $select: ['id', name] })

          expect(found).toEqual(expected.map((record) => ({ id: record.id, [name]: record[name] })))
        }
      }),
      { numRuns: scaled(1000) }
    )
  })

  it('are part of what writing methods return, when they are asked for', async () => {
    const { app } = await create()

    await fill(app, {
      people: [{ name: 'Ada', boss_id: null, secret: 's' }],
      notes: [],
      comments: [],
      tags: [],
      links: []
    })

    const call = async (method: string, rest: object) =>
      getResponse(
        await callService(app.service('notes'), {
          method,
          params: { provider: 'rest', query: { $include: 'author' } },
          ...rest
        } as any)
      )
    const author = { id: 1, name: 'Ada', boss_id: null }
    const created: any = await call('create', { data: { text: 'a', owner: 1 } })

    expect(created).toMatchObject({ text: 'a', author })
    expect(await call('patch', { id: created.id, data: { text: 'b' } })).toMatchObject({ text: 'b', author })
    expect(await call('get', { id: created.id })).toMatchObject({ text: 'b', author })
    expect(await app.service('notes').get(created.id)).not.toHaveProperty('author')
    expect(await call('remove', { id: created.id })).toMatchObject({ text: 'b', author })
  })
}

describe('relations in memory', () => {
  check(async () => createInMemory())
})

describeDatabases('relations', (database) => {
  check(() => createInTables(database))

  it('cost as many statements for a hundred records as for one', async () => {
    const { app, statements } = await createInTables(database)

    for (const size of [1, 100]) {
      const list = <T>(make: (index: number) => T) => Array.from({ length: size }, (_, index) => make(index))

      for (const path of paths) await app.service(path).remove(null)

      const people = await app
        .service('people')
        .create(list((n) => ({ name: `p${n}`, boss_id: null, secret: 's' })))
      const notes = await app.service('notes').create(list((n) => ({ text: 'a', owner: people[n].id })))

      await app
        .service('comments')
        .create(list((n) => ({ note: notes[n].id, author_id: people[n].id, text: 'a' })))

      const tags = await app.service('tags').create(list((n) => ({ name: `t${n}` })))

      await app.service('links').create(list((n) => ({ note: notes[n].id, tag: tags[n].id })))

      const measure = async (query: object) => {
        statements.splice(0)
        await app.service('notes').find({ provider: 'rest', paginate: { default: 100 }, query })

        return statements.length
      }

      // One for a page, one for a relation and level, one more for a link table, one for all counts.
      expect(await measure({})).toBe(1)
      expect(await measure({ $include: ['author'] })).toBe(2)
      expect(await measure({ $include: ['comments.author'] })).toBe(3)
      expect(await measure({ $include: ['tags'] })).toBe(3)
      expect(await measure({ $select: ['text', 'commentCount', 'hasComments'] })).toBe(2)
      expect(await measure({ $include: ['author', 'comments.author', 'tags', 'commentCount'] })).toBe(7)
      expect(await measure({ 'author.name': 'p0', 'comments.text': 'a' })).toBe(1)
      expect(await measure({ 'tags.name': 't0' })).toBe(1)
      expect(await measure({ $sort: { commentCount: -1 } })).toBe(1)
    }
  })
})

describe('a relation', () => {
  it('has limits on levels, names and records', async () => {
    const { app } = createInMemory()
    const refuse = (names: unknown) => expect(ask(app, 'people', { $include: names })).rejects

    await refuse('boss.boss.boss.boss').toThrow("'$include' expects at most 3 levels")
    await refuse([
      'boss.boss.boss',
      'boss.notes.tags',
      'boss.notes.author',
      'notes.comments.author',
      'team',
      'noteCount'
    ]).toThrow("'$include' expects at most 10 relations")
    await refuse({ boss: 1 }).toThrow("'$include' expects names of relations")
    await refuse('bos').toThrow("'$include' has no relation 'bos'. Did you mean 'boss'?")
    await refuse('boss.nots').toThrow("'$include' has no relation 'boss.nots'. Did you mean 'notes'?")
    await refuse('team.boss').toThrow("'$include' has no relation 'team.boss'")
    await refuse('toString').toThrow("'$include' has no relation 'toString'")

    const [ada] = await app.service('people').create([{ name: 'Ada', boss_id: null, secret: 's' }])

    await app.service('notes').create(Array.from({ length: 10_000 }, () => ({ text: 'a', owner: ada.id })))
    expect((await ask(app, 'people', { $include: 'notes' }))[0].notes).toHaveLength(10_000)
    await app.service('notes').create({ text: 'a', owner: ada.id })
    await refuse('notes').toThrow('Invalid query: its relations lead to more than 10000 records')
    expect(await ask(app, 'people', { $include: 'noteCount' })).toMatchObject([{ noteCount: 10_001 }])
  })

  it('has one limit on records for all filters of a call', async () => {
    const { app } = createInMemory()
    let found = 0

    app.service('people').hooks({
      after: {
        find: [
          ({ result }: any) => {
            found += result.length
          }
        ]
      }
    })
    await app
      .service('people')
      .create(Array.from({ length: 6000 }, () => ({ name: 'Ada', boss_id: null, secret: 's' })))

    const filter = { 'author.name': 'Ada' }

    expect(await ask(app, 'notes', { $or: [filter, { text: 'a' }] })).toEqual([])
    found = 0
    await expect(ask(app, 'notes', { $or: Array.from({ length: 10 }, () => filter) })).rejects.toThrow(
      'Invalid query: its relations lead to more than 10000 records'
    )
    expect(found).toBeLessThanOrEqual(10_001)
    await expect(
      ask(app, 'notes', { $or: Array.from({ length: 11 }, () => ({ 'author.name': 'Eve' })) })
    ).rejects.toThrow('Invalid query: expected at most 10 filters by relations')
  })

  it('counts the records that link among those that it loads', async () => {
    const { app } = createInMemory()

    await app.service('notes').create({ text: 'a', owner: 1 })
    await app.service('tags').create({ name: 'x' })
    await app.service('links').create(Array.from({ length: 10_000 }, () => ({ note: 0, tag: 0 })))

    for (const query of [{ 'tags.name': 'x' }, { $include: 'tags' }]) {
      await expect(ask(app, 'notes', query)).rejects.toThrow(
        'Invalid query: its relations lead to more than 10000 records'
      )
    }
  })

  it('stands in a result as often as its limit allows, however few records are loaded', async () => {
    const { app } = createInMemory()

    await app.service('people').create([{ name: 'Ada', boss_id: null, secret: 's' }])
    await app.service('notes').create(Array.from({ length: 200 }, () => ({ text: 'a', owner: 0 })))

    await expect(ask(app, 'notes', { $include: 'author.notes' })).rejects.toThrow(
      'Invalid query: its relations lead to more than 10000 records'
    )
    expect((await ask(app, 'notes', { $limit: 40, $include: 'author.notes' }))[39].author.notes).toHaveLength(
      200
    )
  })

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

  it('of a service that not everybody may read is for the caller, and not for events', async () => {
    const app: any = alula()
    const notes = { author: one('people', { from: 'owner' }), log: many('log', { to: 'note' }) }
    const open = { by: one('people', { from: 'author_id' }), on: one('notes', { from: 'note' }) }

    app.use('people', memory({ multi: true }), {
      schema: schema(Person, { hidden: ['secret'] }),
      access: access({ find: ({ params }) => Boolean(params.admin) })
    })
    app.use('notes', memory({ multi: true }), {
      schema: schema(Note, { relations: notes }),
      access: access({ all: anyone })
    })
    app.use('log', memory({ multi: true }), { schema: schema(Comment, { relations: open }) })
    await app.service('people').create({ name: 'Ada', boss_id: null, secret: 's' })
    await app.service('log').create({ note: 0, author_id: 0, text: 'a' })

    const create = (names: string[]) =>
      callService(app.service('notes'), {
        method: 'create',
        data: { text: 'a', owner: 0 },
        params: { provider: 'rest', admin: true, query: { $include: names } }
      } as any)
    const first = await create(['author', 'log.on'])
    const second = await create(['log.by'])

    expect(getResponse(first)).toMatchObject({
      author: { name: 'Ada' },
      log: [{ text: 'a', on: { text: 'a' } }]
    })
    expect(first.dispatch).toEqual({ id: 0, text: 'a', owner: 0, log: (getResponse(first) as any).log })
    expect(getResponse(second)).toEqual({ id: 1, text: 'a', owner: 0, log: [] })
    expect(second.dispatch).toEqual({ id: 1, text: 'a', owner: 0 })
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
      author: 'is refused: Invalid query parameter $like'
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
    const Thing = z.object({ id: z.string(), parent: z.string().nullable() })

    app.use('things', memory({ multi: true }), {
      schema: schema({
        record: Thing,
        create: Thing,
        relations: {
          above: one('things', { from: 'parent' }),
          below: many('things', { to: 'parent' }),
          number: count('things', { to: 'parent' })
        }
      })
    })
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

  it('that is not valid refuses the start', async () => {
    const start = (relations: any) => {
      const app: any = alula()

      app.use('people', memory(), { schema: schema(Person, { hidden: ['secret'] }) })
      app.use('notes', memory(), { schema: schema(Note, { relations }) })

      return app.setup()
    }

    expect(() => start({ text: one('people', { from: 'owner' }) })).toThrow(
      "The relation 'text' of schema() has the name of a field"
    )
    expect(() => start({ author: one('people', { from: 'ownr' }) })).toThrow(
      "The record of schema() has no field 'ownr', which 'relations.author.from' names"
    )
    expect(() => one('people', {} as any)).toThrow(
      "Invalid option 'from' of one(): expected the name of a field"
    )
    expect(() => (one as any)('people')).toThrow("Invalid option 'from' of one()")
    expect(() => many('people', { too: 'x' } as any)).toThrow('of many()')
    expect(() => many('people', { through: { path: 'x' } } as any)).toThrow('of through of many()')
    expect(() => start({ 'a.b': one('people', { from: 'owner' }) })).toThrow(
      "The relation 'a.b' of schema() needs a name without dots"
    )
    expect(() => count('', { to: 'x' })).toThrow('count() expects the path of a service')
    await expect(start({ author: one('peopl', { from: 'owner' }) })).rejects.toThrow(
      "The relation 'author' of service 'notes' needs the service 'peopl', which is not registered. Did you mean 'people'?"
    )
    await expect(
      start({ all: many('people', { through: { path: 'notes', from: 'ownr', to: 'id' } }) })
    ).rejects.toThrow("asks 'notes' for 'ownr', which its schema does not declare")
    await expect(start({ author: one('people', { from: 'owner', filter: ['secret'] }) })).rejects.toThrow(
      "The relation 'author' of service 'notes' asks 'people' for 'secret', which its clients cannot query"
    )
  })

  it('needs a service that finds', async () => {
    const app: any = alula()

    app.use('people', { get: async () => ({}) })
    app.use('notes', memory(), {
      schema: schema(Note, {
        relations: { author: one('people', { from: 'owner' }), number: count('people', { to: 'note' }) }
      })
    })

    await expect(app.setup()).rejects.toThrow(
      "The relation 'author' of service 'notes' needs the method 'find' of 'people'"
    )
  })

  it('that counts asks for a field that its service has', async () => {
    const app: any = alula()

    app.use('comments', memory(), { schema: schema(Comment) })
    app.use('notes', memory(), {
      schema: schema(Note, { relations: { number: count('comments', { to: 'nte' }) } })
    })

    await expect(app.setup()).rejects.toThrow(
      "The relation 'number' of service 'notes' asks 'comments' for 'nte', which its clients cannot query"
    )
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
    message: 'Invalid query: it sorts by records of another database'
  })
})
