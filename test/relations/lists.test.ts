// The order of the records of a list, and how many of them it has.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { callService, getResponse } from '../../src/core/call.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { type ListOrder, many, schema } from '../../src/schema.ts'
import { scaled } from '../support/scale.ts'
import { describeDatabases, MARIADB } from '../support/sql.ts'
import { openTables } from './support/tables.ts'

const PREFIX = 'alula_lists_'

const Photo = z.object({
  id: z.int(),
  note: z.int(),
  position: z.int(),
  label: z.string(),
  note_label: z.string()
})
const Link = z.object({ id: z.int(), note: z.int(), photo: z.int() })

/** By the name of a relation, its order and its limit. */
const lists: { readonly [name: string]: readonly [sort: ListOrder | undefined, limit?: number] } = {
  byPosition: [{ position: 1 }],
  byLabel: [{ label: -1, position: 1 }, 3],
  lastOnes: [{ id: -1 }, 2],
  firstOnes: [undefined, 2],
  one_: [{ position: -1 }, 1]
}

const through = { path: 'links', from: 'note', to: 'photo' }

function toRelations(): object {
  const entries = Object.entries(lists).flatMap(([name, [sort, limit]]) => {
    const options = { ...(sort && { sort }), ...(limit && { limit }) }

    const direct = [name, many('photos', { to: 'note', ...options })]

    // A query includes 10 at most.
    return name === 'one_' ? [direct] : [direct, [`${name}Linked`, many('photos', { through, ...options })]]
  })

  // Not every database tells upper and lower case apart.
  const labelled = many('photos', { from: 'text', to: 'note_label', sort: { position: 1 }, limit: 1 })

  return { ...Object.fromEntries(entries), labelled }
}

interface Store {
  readonly app: any
  readonly statements: string[]
  /** What clients may find of photos; `undefined` for all, without a rule. */
  rule?: object | undefined
}

async function start(
  toService: (name: string) => any,
  statements: string[] = [],
  hasRule = false
): Promise<Store> {
  const store: Store = { app: alula(), statements }
  const { app } = store

  app.use('photos', toService('photos'), {
    // Clients that could set what is hidden would be refused an order by it.
    schema: schema(Photo, { hidden: ['position'] }),
    methods: ['find', 'get'],
    ...(hasRule && { access: access({ find: () => store.rule ?? true }) })
  })
  app.use('links', toService('links'), { schema: schema(Link), methods: [] })
  app.use('notes', toService('notes'), {
    schema: schema(z.object({ id: z.int(), text: z.string() }), { relations: toRelations() as any })
  })
  await app.setup()
  await app.service('notes').create(
    ['a', 'b', 'B'].map((text, index) => ({ id: index + 1, text })),
    { schema: false }
  )

  return store
}

const photos = fc.array(
  fc.record({
    note: fc.integer({ min: 1, max: 3 }),
    position: fc.integer({ min: -2, max: 2 }),
    label: fc.constantFrom('a', 'B', 'b', 'É', '')
  }),
  { maxLength: 12 }
)

type Photos = typeof photos extends fc.Arbitrary<infer Value> ? Value : never

async function find(app: any, path: string, query: object, params: object = {}): Promise<any[]> {
  const call = { method: 'find', params: { provider: 'rest', query, ...params } }
  const response: any = getResponse(await callService(app.service(path), call as any))

  return response.data ?? response
}

/** Each list is what a `find` of its own gives the caller. */
async function check({ app }: Store, records: Photos): Promise<void> {
  const rows = records.map((photo, index) => ({ ...photo, id: index + 1, note_label: photo.label }))

  for (const path of ['photos', 'links']) await app.service(path).remove(null)
  await app.service('photos').create(rows, { schema: false })
  await app.service('links').create(
    rows.map(({ note, id }) => ({ id, note, photo: id })),
    { schema: false }
  )

  for (const params of [{}, { paginate: false }]) {
    const notes = await find(app, 'notes', { $include: Object.keys(toRelations()), $sort: { id: 1 } }, params)

    const shown = new Set((await find(app, 'photos', {}, { paginate: false })).map(({ id }) => id))
    /** From inside, where hidden fields are sorted by: the order is that of the store. */
    const list = async (query: object, sort: ListOrder | undefined, limit: number | undefined) => {
      const $sort = { ...sort, id: sort?.id ?? 1 }
      const all = await app.service('photos').find({ query: { ...query, $sort }, paginate: false })

      return all
        .filter(({ id }: any) => shown.has(id))
        .slice(0, limit)
        .map(({ position, ...visible }: any) => visible)
    }

    for (const note of notes) {
      for (const [name, [sort, limit]] of Object.entries(lists)) {
        const expected = await list({ note: note.id }, sort, limit)

        expect(note[name]).toEqual(expected)
        if (name !== 'one_') expect(note[`${name}Linked`]).toEqual(expected)
      }
      expect(note.labelled).toEqual(await list({ note_label: note.text }, { position: 1 }, 1))
    }
  }
}

const TITLE = 'have the order and the limit of their relation'

async function checkAll(store: Store): Promise<void> {
  await fc.assert(
    fc.asyncProperty(photos, fc.constantFrom(undefined, { label: { $ne: 'a' } }), (records, rule) => {
      store.rule = rule

      return check(store, records)
    }),
    { numRuns: scaled(200) }
  )
}

describe('lists of related records in memory', () => {
  it(TITLE, async () => {
    await checkAll(await start(() => memory({ multi: true, paginate: { default: 10 } }), [], true))
  })
})

describeDatabases('lists of related records', (database) => {
  const open = async (hasRule: boolean) => {
    const statements: string[] = []
    const db = await openTables(
      database,
      PREFIX,
      {
        notes: `text ${database.text}`,
        photos: `note integer, position integer, label ${database.text}, note_label ${database.text}`,
        links: 'note integer, photo integer'
      },
      (statement) => statements.push(statement)
    )
    const options = { Model: db, multi: true, paginate: { default: 10 } }

    return await start((name) => kysely({ ...options, name: `${PREFIX}${name}` }), statements, hasRule)
  }

  it(`${TITLE}, where a rule reads them by themselves`, async () => {
    await checkAll(await open(true))
  })

  it(`${TITLE}, where they may come with a page`, async () => {
    await checkAll(await open(false))
  })

  it('have what a hook leaves of them', async () => {
    const { app } = await open(false)
    const rows = [1, 2].map((id) => ({ id, note: 1, position: -id, label: `${id}`, note_label: '' }))

    await app.service('photos').create(rows, { schema: false })
    app.service('photos').hooks({
      after: {
        find: [
          (context: any) => {
            context.result = context.result.filter(({ label }: any) => label !== '1')
          }
        ]
      }
    })

    const [note] = await find(app, 'notes', { $include: ['one_', 'firstOnes'], id: 1 })

    expect([note.one_, note.firstOnes].flat().map(({ id }) => id)).toEqual([2, 2])
  })

  it('are read as far as they go', async () => {
    const { app, statements } = await open(false)

    for (let id = 0; id < 12_000; id += 500) {
      await app.service('photos').create(
        Array.from({ length: 500 }, (_, index) => ({
          ...{ id: id + index + 1, note: ((id + index) % 3) + 1, position: -id - index },
          ...{ label: 'a', note_label: 'a' }
        })),
        { schema: false }
      )
    }

    const ask = (query: object, ...names: string[]) =>
      find(app, 'notes', { $include: names, $sort: { id: 1 }, ...query })

    await ask({}, 'one_')

    // With the page, or each by itself.
    for (const [$limit, count] of [
      [10, database === MARIADB ? 4 : 1],
      [6000, 4]
    ]) {
      statements.length = 0

      const [first] = await ask({ $limit }, 'one_', 'firstOnes', 'byLabel')

      expect(statements).toHaveLength(count as number)
      expect(first.one_).toMatchObject([{ id: 1 }])
      expect(first.firstOnes).toMatchObject([{ id: 1 }, { id: 4 }])
      expect(first.byLabel).toMatchObject([{ id: 11_998 }, { id: 11_995 }, { id: 11_992 }])
    }

    await expect(ask({}, 'byPosition')).rejects.toThrow('its relations lead to more than 10000 records')
  })
})

it('options of a list are checked', () => {
  const relate = (options: object) => () => many('photos', { to: 'note', ...options } as any)

  for (const sort of [{}, { position: 2 }, { position: '1' }, 'position', ['position']]) {
    expect(relate({ sort })).toThrow(
      "Invalid option 'sort' of many(): expected an object of fields with 1 or -1"
    )
  }
  for (const limit of [0, -1, 1.5, '1']) {
    expect(relate({ limit })).toThrow("Invalid option 'limit' of many(): expected a positive integer")
  }
  expect(relate({ sort: { position: -1 }, limit: 1 })).not.toThrow()
})

it.each([
  ['large integers', [10n, 9n], [9n, 10n]],
  ['numbers and strings', ['9007199254740993', 95], [95, '9007199254740993']],
  ['dates', [new Date(2), new Date(1)], [new Date(1), new Date(2)]]
])('a list has records whose ids are %s in the order of these', async (_title, ids, sorted) => {
  const app: any = alula()
  const records = ids.map((id) => ({ id, noteId: 1 }))

  app.use(
    'comments',
    { find: async () => records },
    { schema: schema(z.object({ id: z.any(), noteId: z.int() })) }
  )
  app.use('notes', memory({ store: [{ id: 1 }] }), {
    schema: schema(z.object({ id: z.int() }), { relations: { comments: many('comments', { to: 'noteId' }) } })
  })

  const { comments } = await app.service('notes').get(1, { query: { $include: 'comments' } })

  expect(comments.map(({ id }: any) => id)).toEqual(sorted)
})
