// Hooks and classes that call `find` once more, copy queries and throw anything: what a relation finds stays what its service finds.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { KyselyService, kysely } from '../../src/kysely.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { count, many, one, schema } from '../../src/schema.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

const Note = z.object({ id: z.int(), text: z.string(), ownerId: z.int().nullable() })
const User = z.object({ id: z.int(), name: z.string() })

const RELATIONS = {
  author: one('users', { from: 'ownerId', filter: ['name'] }),
  others: many('notes', { from: 'ownerId', to: 'ownerId', filter: ['text'] }),
  count: count('notes', { from: 'ownerId', to: 'ownerId' })
}

function open(notes: any): any {
  const app: any = alula()

  app.use('users', memory({ multi: true, startId: 1 }), { schema: schema(User) })
  app.use('notes', notes, { schema: schema(Note, { relations: RELATIONS }) })

  return app
}

const NOTES = [
  { id: 1, text: 'open', ownerId: 1 },
  { id: 2, text: 'secret', ownerId: 1 },
  { id: 3, text: 'open', ownerId: 2 },
  { id: 4, text: 'open', ownerId: null }
]

async function fill(app: any): Promise<void> {
  await app.service('users').create([{ name: 'Ada' }, { name: 'Bob' }])
  for (const note of NOTES) await app.service('notes').create(note, { schema: false })
  app.service('notes').hooks({
    before: {
      find: [
        async ({ params }: any) => {
          params.query = { text: 'open', ...params.query }
        }
      ]
    }
  })
}

describeDatabases('a hook that finds once more with its params', (database) => {
  it('does not widen the numbers of a relation', async () => {
    const db = await createTable(
      database,
      'alula_notes',
      `id integer primary key, text ${database.text}, "ownerId" integer`.replaceAll(
        '"',
        database.name === 'MariaDB' ? '`' : '"'
      )
    )
    const app = open(kysely({ Model: db, name: 'alula_notes', multi: true }))

    await fill(app)
    app.service('notes').hooks({
      after: {
        find: [async ({ service, params }: any) => void (await service._find({ ...params, query: {} }))]
      }
    })

    const [first] = await app.service('notes').find({ query: { id: 1, $include: 'count' } })

    expect(first.count).toBe(1)
  })

  it('finds by an operand what a class narrows', async () => {
    class Narrow extends MemoryService {
      override async _find(params: any): Promise<any> {
        return super._find({ ...params, query: { ...params.query, text: 'open' } })
      }
    }

    const app = open(new Narrow({ multi: true }))

    await fill(app)

    const found = await app.service('notes').find({ query: { 'others.text': 'open', $sort: { id: 1 } } })

    expect(found.map(({ id }: any) => id)).toEqual([1, 3])
  })
})

describe('a hook or a class that finds once more before it decides', () => {
  const C = [
    { id: 1, p: 1, kind: 'open' },
    { id: 2, p: 1, kind: 'open' },
    { id: 3, p: 1, kind: 'private' }
  ]
  const relations = {
    number: count('cs', { to: 'p' }),
    all: many('cs', { to: 'p', filter: ['kind'] }),
    last: many('cs', { to: 'p', limit: 1, sort: { id: -1 } })
  }

  /** The query without what is private. */
  async function narrow(find: (params: any) => Promise<any>, params: any): Promise<object> {
    const hidden = await find({ ...params, query: { kind: 'private' }, paginate: false })

    return { ...params.query, id: { $nin: hidden.map(({ id }: any) => id) } }
  }

  const hook =
    (method: string) =>
    async ({ service, params }: any) => {
      if (params.isInner) return

      params.query = await narrow((inner) => service[method]({ ...inner, isInner: true }), params)
    }

  class FindingTwice extends MemoryService {
    override async find(params: any): Promise<any> {
      return super.find({ ...params, query: await narrow((inner) => super.find(inner), params) })
    }
  }

  class ReadingTwice extends MemoryService {
    override async _find(params: any): Promise<any> {
      return super._find({ ...params, query: await narrow((inner) => super._find(inner), params) })
    }
  }

  it.each<[string, new (options: object) => object, string | undefined]>([
    ['a hook, by `find`', MemoryService, 'find'],
    ['a hook, by `_find`', MemoryService, '_find'],
    ['a class, by `find`', FindingTwice, undefined],
    ['a class, by `_find`', ReadingTwice, undefined]
  ])('is asked by each relation: %s', async (_title, Service, method) => {
    const app: any = alula()

    app.use('cs', new Service({ store: C }), {
      schema: schema(z.object({ id: z.int(), p: z.int(), kind: z.string() }))
    })
    app.use('ps', memory({ store: [{ id: 1 }] }), {
      schema: schema(z.object({ id: z.int() }), { relations })
    })
    if (method) app.service('cs').hooks({ before: { find: [hook(method)] } })

    const open = C.slice(0, 2)
    const query = { $include: ['number', 'all', 'last'] }

    expect(await app.service('cs').find({ query: {} })).toEqual(open)
    expect(await app.service('ps').find({ query })).toEqual([
      { id: 1, number: 2, all: open, last: open.slice(1) }
    ])
    expect(await app.service('ps').find({ query: { 'all.kind': 'private' } })).toEqual([])
    expect(await app.service('ps').find({ query: { 'all.kind': 'open' } })).toHaveLength(1)
  })
})

describeDatabases('a class that leaves out what it has found', (database) => {
  const TABLE = 'alula_leaving_out'
  const isOpen = ({ text }: any) => text === 'open'

  class ByFind extends KyselyService {
    override async find(params: any): Promise<any> {
      return ((await super.find(params)) as any).filter(isOpen)
    }
  }

  class BySearch extends KyselyService {
    override async _find(params: any): Promise<any> {
      return ((await super._find(params)) as any).filter(isOpen)
    }
  }

  it.each([
    ['find', ByFind],
    ['_find', BySearch]
  ])('is asked for all records of a list, and with all fields of them: %s', async (_method, Service) => {
    const db = await createTable(
      database,
      TABLE,
      `id integer primary key, parent integer, text ${database.text}`
    )
    const app: any = alula()
    const children = many('entries', { from: 'id', to: 'parent', limit: 2, filter: ['id'] })
    const linked = many('parents', { through: { path: 'entries', from: 'parent', to: 'id' } })

    await sql.raw(`create index alula_leaving_out_parent on ${TABLE} (parent)`).execute(db)
    app.use('entries', new Service({ Model: db, name: TABLE, multi: true }))
    app.use('parents', kysely({ Model: db, name: TABLE }), {
      schema: schema(z.object({ id: z.int() }), { relations: { children, linked } })
    })
    await app
      .service('entries')
      .create([
        { id: 1, parent: null, text: 'hidden' },
        ...[2, 3, 4].map((id) => ({ id, parent: 1, text: 'hidden' })),
        ...[5, 6, 7].map((id) => ({ id, parent: 1, text: 'open' }))
      ])

    const service = app.service('parents')
    const [first] = await service.find({ query: { id: 1, $include: ['children', 'linked'] } })

    expect(first.children.map(({ id }: any) => id)).toEqual([5, 6])
    expect(first.linked.map(({ id }: any) => id)).toEqual([5, 6, 7])
    expect(await service.find({ query: { 'children.id': 5, $select: ['id'] } })).toEqual([{ id: 1 }])
    expect(await service.find({ query: { 'children.id': 2 } })).toEqual([])
  })
})

it('a name in `$select` that is no string is refused and no fault of ours', async () => {
  const app = open(memory({ multi: true }))
  const response = await createHandler(app, { logger: false })(
    new Request('http://localhost/notes?$select[0][toString]=x')
  )

  expect(response.status).toBe(400)
})

it('what a hook of a related service throws is the error, whatever it is', async () => {
  const app = open(memory({ multi: true }))

  app.service('users').hooks({
    before: {
      find: [
        async () => {
          throw null
        }
      ]
    }
  })
  await expect(app.service('notes').find({ query: { 'author.name': 'Ada' } })).rejects.toBeNull()
})

it('a record without a value is sorted as one that nothing is related to', async () => {
  const app: any = alula()

  app.use('tags', memory({ multi: true }), {})
  app.use('pages', memory({ multi: true }), {
    schema: schema(z.object({ id: z.int(), key: z.string().nullable() }), {
      relations: { tagCount: count('tags', { from: 'key', to: 'page' }) }
    })
  })
  await app.service('tags').create([{ page: 'null' }, { page: 'null' }, { page: 'a' }])
  await app.service('pages').create([{ key: null }, { key: 'a' }])

  const found = await app.service('pages').find({ query: { $sort: { tagCount: -1 }, $include: 'tagCount' } })

  expect(found.map(({ key, tagCount }: any) => [key, tagCount])).toEqual([
    ['a', 1],
    [null, 0]
  ])
})
