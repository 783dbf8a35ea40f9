import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone, closed } from '../../src/access.ts'
import { callService, getResponse } from '../../src/core/call.ts'
import { Forbidden } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { count, exists, many, one, schema } from '../../src/schema.ts'
import { scaled } from '../support/scale.ts'
import { describeDatabases, type TestDatabase } from '../support/sql.ts'

const Item = z.object({ id: z.int(), note: z.int(), status: z.string(), secret: z.string() })
const OPEN = { status: 'open' }

/** What may decide which items a client finds. */
const schemas = {
  none: () => undefined,
  plain: () => schema(Item),
  hidden: () => schema(Item, { hidden: ['secret'] }),
  'a default of the query': () =>
    schema(Item, {
      query: z.looseObject({ status: z.literal('open').default('open'), $limit: z.int().default(1) })
    }),
  'a query resolver': () =>
    schema(Item, { resolvers: { query: { resolve: async (query: object) => ({ ...query, ...OPEN }) } } })
}

const rules = {
  none: undefined,
  anyone: () => access({ find: anyone }),
  refuses: () => access({ find: () => false }),
  narrows: () => access({ find: () => OPEN }),
  'of another method': () => access({ create: anyone })
}

const narrow = (context: any) => {
  context.params = { ...context.params, query: { ...context.params.query, $and: [OPEN] } }
}
const drop = (context: any) => {
  context.result = context.result.filter(({ status }: any) => status === 'open')
}
const refuse = () => {
  throw new Forbidden('no')
}

const hooks: { readonly [kind: string]: object } = {
  none: {},
  'before, narrows': { before: { find: [narrow] } },
  'before, refuses': { before: { find: [refuse] } },
  'around, narrows': {
    around: {
      find: [
        async (context: any, next: any) => {
          narrow(context)
          await next()
        }
      ]
    }
  },
  'around, drops': {
    around: {
      find: [
        async (context: any, next: any) => {
          await next()
          drop(context)
        }
      ]
    }
  },
  'after, drops': { after: { find: [drop] } },
  'after, refuses': { after: { find: [refuse] } },
  'after, does nothing': { after: { find: [() => undefined] } }
}

const settings = fc.record({
  schema: fc.constantFrom(...(Object.keys(schemas) as (keyof typeof schemas)[])),
  rule: fc.constantFrom(...(Object.keys(rules) as (keyof typeof rules)[])),
  hook: fc.constantFrom(...Object.keys(hooks)),
  hasFind: fc.boolean(),
  isClosed: fc.boolean(),
  items: fc.array(
    fc.record({ note: fc.integer({ min: 1, max: 3 }), status: fc.constantFrom('open', 'draft') }),
    { maxLength: 6 }
  )
})

type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never

const open: Settings = {
  schema: 'none',
  rule: 'none',
  hook: 'none',
  hasFind: true,
  isClosed: false,
  items: [
    { note: 1, status: 'open' },
    { note: 1, status: 'draft' },
    { note: 2, status: 'draft' }
  ]
}

/** Each of them once, with nothing beside it. */
const examples: [Settings][] = [
  [open],
  [{ ...open, isClosed: true }],
  [{ ...open, hasFind: false }],
  ...Object.keys(schemas).map((name): [Settings] => [{ ...open, schema: name as keyof typeof schemas }]),
  ...Object.keys(rules).map((rule): [Settings] => [
    { ...open, rule: rule as keyof typeof rules, hasFind: false }
  ]),
  ...Object.keys(hooks).map((hook): [Settings] => [{ ...open, hook }])
]

/** The services of a database. */
type ToService = (name: 'notes' | 'items' | 'links', options: object) => any

async function start(toService: ToService, chosen: Settings): Promise<any> {
  const app: any = alula()
  const ofItems = schemas[chosen.schema]()
  const rule = rules[chosen.rule]?.()
  const items = { to: 'note' }

  // The start says which relations no client can load.
  app.on('error', () => undefined)

  app.use('items', toService('items', { multi: true }), {
    methods: chosen.hasFind ? ['find'] : [],
    ...(ofItems && { schema: ofItems }),
    ...(rule && { access: rule })
  })
  app.use('links', toService('links', { multi: true }), { methods: [] })
  app.use('notes', toService('notes', { multi: true, paginate: { default: 10 } }), {
    access: access({ find: anyone, get: anyone }),
    schema: schema(z.object({ id: z.int(), item: z.int() }), {
      relations: {
        items: many('items', { ...items, filter: ['status'] }),
        item_: one('items', { from: 'item', filter: ['status'] }),
        linked: many('items', { through: { path: 'links', from: 'note', to: 'item' }, filter: ['status'] }),
        itemCount: count('items', items),
        hasItems: exists('items', items)
      }
    })
  })
  if (chosen.isClosed) app.configure(closed())
  await app.setup()
  await app.service('items').remove(null, { schema: false })
  await app.service('items').create(
    chosen.items.map((item, index) => ({ ...item, id: index + 1, secret: 'sentinel' })),
    { schema: false }
  )
  await app.service('links').remove(null)
  await app
    .service('links')
    .create(chosen.items.map(({ note }, index) => ({ id: index + 1, note, item: index + 1 })))
  await app.service('notes').remove(null)
  await app.service('notes').create(
    [1, 2, 3].map((id) => ({ id, item: id })),
    { schema: false }
  )
  app.service('items').hooks(hooks[chosen.hook])

  return app
}

async function ask(app: any, path: string, query: object, params: object = {}): Promise<any> {
  return getResponse(
    await callService(app.service(path), {
      method: 'find',
      params: { provider: 'rest', query, ...params }
    } as any)
  )
}

/** What `find` gives the same caller, by its rule where clients do not have it. */
async function listFound(app: any, { hasFind, rule }: Settings, query: object = {}): Promise<any[]> {
  if (!hasFind && rule === 'none') return []

  try {
    return await ask(app, 'items', { ...query, $limit: 100 }, { paginate: false })
  } catch (error: any) {
    // A schema may refuse the query; then it tells nothing of records.
    if ([400, 401, 403].includes(error.code)) return []
    throw error
  }
}

async function compare(toService: ToService, chosen: Settings): Promise<void> {
  const app = await start(toService, chosen)
  const found = (await listFound(app, chosen)).toSorted((a, b) => a.id - b.id)
  const ids = [1, 2, 3]
  const listOf = (id: number, records = found) => records.filter(({ note }) => note === id)
  const expected = ids.map((id) => ({
    id,
    item: id,
    items: listOf(id),
    item_: found.find((item) => item.id === id) ?? null,
    linked: listOf(id),
    itemCount: listOf(id).length,
    hasItems: listOf(id).length > 0
  }))
  const $include = ['items', 'item_', 'linked', 'itemCount', 'hasItems']

  // With a page, which may read related records in its own statement, without one, and each relation by itself.
  for (const params of [{}, { paginate: false }]) {
    const page = await ask(app, 'notes', { $sort: { id: 1 }, $include }, params)

    expect(page.data ?? page).toEqual(expected)

    for (const name of $include) {
      const single = await ask(app, 'notes', { $sort: { id: 1 }, $select: ['id', name] }, params)

      expect(single.data ?? single).toEqual(
        expected.map((note) => ({ id: note.id, [name]: (note as any)[name] }))
      )
    }
  }

  for (const status of ['open', 'draft']) {
    const matching = await listFound(app, chosen, { status })
    const asked = [
      ['items', ids.filter((id) => listOf(id, matching).length > 0)],
      ['linked', ids.filter((id) => listOf(id, matching).length > 0)],
      ['item_', ids.filter((id) => matching.some((item) => item.id === id))]
    ] as const

    for (const [name, wanted] of asked) {
      const { data } = await ask(app, 'notes', { $sort: { id: 1 }, [`${name}.status`]: status }).catch(
        (error) => {
          expect(error.code).toBe(400)

          return { data: [] }
        }
      )

      expect(data.map(({ id }: any) => id)).toEqual(wanted)
    }
  }

  for (const name of ['itemCount', 'hasItems'] as const) {
    const sorted = expected.toSorted((a, b) => Number(b[name]) - Number(a[name])).map(({ id }) => id)
    const { data } = await ask(app, 'notes', { $sort: { [name]: -1, id: 1 } }).catch((error) => {
      // A hook that returns another list leaves nothing to sort by.
      expect(error).toMatchObject({ code: 400, errors: { [name]: 'cannot be sorted by' } })

      return { data: sorted.map((id) => ({ id })) }
    })

    expect(data.map(({ id }: any) => id)).toEqual(sorted)
  }
}

const TITLE = 'tells of another service nothing that its `find` does not tell the same caller'

describe('a relation in memory', () => {
  const toService: ToService = (_name, options) => memory({ ...options, operators: ['$and'] })

  it(TITLE, async () => {
    await fc.assert(
      fc.asyncProperty(settings, (chosen) => compare(toService, chosen)),
      { numRuns: scaled(2500) + examples.length, examples }
    )
  })
})

describeDatabases('a relation', (database: TestDatabase) => {
  it(TITLE, async () => {
    const db = database.open()
    const tables = { notes: 'alula_rules_notes', items: 'alula_rules_items', links: 'alula_rules_links' }
    const dropAll = async () => {
      for (const table of Object.values(tables)) await db.schema.dropTable(table).ifExists().execute()
    }

    await dropAll()
    onTestFinished(async () => {
      await dropAll()
      await db.destroy()
    })
    await db.schema
      .createTable(tables.notes)
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('item', 'integer', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable(tables.items)
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('note', 'integer', (column) => column.notNull())
      .addColumn('status', 'varchar(20)', (column) => column.notNull())
      .addColumn('secret', 'varchar(20)', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable(tables.links)
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('note', 'integer', (column) => column.notNull())
      .addColumn('item', 'integer', (column) => column.notNull())
      .execute()
    // A page prefetches what an index finds.
    await db.schema.createIndex('alula_rules_note').on(tables.items).column('note').execute()
    await fc.assert(
      fc.asyncProperty(settings, (chosen) =>
        compare((name, options) => kysely({ Model: db, name: tables[name], ...options }), chosen)
      ),
      { numRuns: scaled(database.name === 'SQLite' ? 2500 : 500) + examples.length, examples }
    )
  })
})
