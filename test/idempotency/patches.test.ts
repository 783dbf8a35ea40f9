import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { type Application, alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { PATTERN_PREDICATES } from '../../src/query.ts'
import { schema } from '../../src/schema.ts'
import { createTable, SQLITE } from '../support/sql.ts'

const OWNED = { text: 'a', owner: 'ada', version: 1 }

/** Adds a condition as many hooks do. */
const toAda = (query: any): object => ({ ...query, owner: 'ada' })

/** Notes whose records a hook limits to those of Ada. */
async function open(
  options: object = {},
  limits = true,
  limit = toAda,
  service: object = memory({ startId: 1 })
) {
  const app: Application<any> = alula()

  app.configure(idempotency())
  app.use('notes', service, { methods: ['create', 'patch'], ...options })
  app.service('notes').hooks({
    before: {
      patch: [
        ({ params }: any) => {
          if (limits && params.provider) params.query = limit(params.query)
        }
      ]
    }
  })
  await app.setup()

  const notes: any = app.service('notes')
  const handle = createHandler(app, { logger: false })
  /** Sends a patch with a new key; returns what sends it again. */
  const patch = async (path: string, data: object) => {
    const key = randomUUID()
    const send = async () => {
      const response = await handle(
        new Request(`http://localhost/notes/${path}`, {
          method: 'PATCH',
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
          body: JSON.stringify(data)
        })
      )

      return [response.status, await response.json()] as const
    }

    return { first: await send(), send }
  }

  await notes.create(OWNED)

  return { notes, patch }
}

const DECLARED = {
  schema: schema(z.object({ id: z.int(), version: z.int(), text: z.string(), owner: z.string() }))
}

it.each([
  ['converts', DECLARED],
  ['does not know', {}]
])(
  'a patch that changes the field of its own condition, which a schema %s, is repeated',
  async (_, options) => {
    const { notes, patch } = await open(options)
    const { first, send } = await patch('1?version=1', { version: 2 })

    expect(first).toEqual([200, { ...OWNED, id: 1, version: 2 }])
    await notes.patch(1, { version: 3 })
    expect(await send()).toEqual(first)
  }
)

it.each(['', '?owner=ada', '?owner=ada&text=a', '?owner[$in][]=ada'])(
  'a patch of 1%s is not repeated once the condition of a hook no longer holds',
  async (query) => {
    const { notes, patch } = await open()
    const { first, send } = await patch(`1${query}`, { text: 'b' })

    expect(first).toEqual([200, { ...OWNED, id: 1, text: 'b' }])
    expect(await send()).toEqual(first)
    await notes.patch(1, { owner: 'eve' })
    expect((await send())[0]).toBe(404)
  }
)

it.each([
  ['a hook', {}],
  ['a rule', { access: access({ patch: () => ({ owner: 'ada' }) }) }]
])('a patch under %s that selects fields and sorts is repeated', async (_, options) => {
  const { patch } = await open(options, !('access' in options))
  const { first, send } = await patch('1?$select[]=text&$sort[text]=1&$limit=1', { text: 'b' })

  expect(first).toEqual([200, { id: 1, text: 'b' }])
  expect(await send()).toEqual(first)
})

it('a patch under a rule is not repeated once the condition of a hook no longer holds', async () => {
  const { notes, patch } = await open({ access: access({ patch: () => ({ version: 1 }) }) })
  const { first, send } = await patch('1', { text: 'b' })

  expect(await send()).toEqual(first)
  await notes.patch(1, { owner: 'eve' })
  expect((await send())[0]).toBe(404)
})

it.each([
  ['memory', async () => memory({ startId: 1, operators: ['$like'], predicates: PATTERN_PREDICATES })],
  [
    'SQL',
    async () => {
      const fields = 'id integer primary key, text text, owner text, version integer'

      return kysely({
        Model: await createTable(SQLITE, 'notes', fields),
        name: 'notes',
        operators: ['$like']
      })
    }
  ]
])('a patch under a rule with an operator of %s is repeated', async (_, createNotes: () => Promise<any>) => {
  const rule = access({ patch: () => ({ owner: { $like: 'ad%' } }) })
  const { patch } = await open({ access: rule }, false, toAda, await createNotes())
  const { first, send } = await patch('1', { text: 'b' })

  expect(first[0]).toBe(200)
  expect(await send()).toEqual(first)
})

it.each([
  ['a hook', {}],
  ['a rule', { access: access({ patch: () => ({ owner: 'ada' }) }) }]
])('a patch under %s finds its record by id, whatever field names it', async (_, options) => {
  const { notes, patch } = await open({ by: 'text', ...options }, !('access' in options))
  const { first, send } = await patch('a', { text: 'b' })

  expect(first).toEqual([200, { ...OWNED, id: 1, text: 'b' }])
  // Another record has the name.
  await notes.create({ ...OWNED, owner: 'eve' })
  expect(await send()).toEqual(first)
  await notes.patch(1, { owner: 'eve' })
  expect((await send())[0]).toBe(404)
})

it.each([
  '$or[0][version]=1&$or[1][text]=x',
  '$and[0][version]=1',
  '$and[0][$or][0][version]=1&$and[0][$or][1][text]=x',
  'version[$in][]=1'
])(
  'a patch that changes a field of its condition %s is repeated, as long as that of a hook holds',
  async (query) => {
    for (const options of [{}, DECLARED]) {
      const { notes, patch } = await open(options)
      const { first, send } = await patch(`1?${query}`, { version: 2 })

      expect(first).toEqual([200, { ...OWNED, id: 1, version: 2 }])
      await notes.patch(1, { version: 3 })
      expect(await send()).toEqual(first)
      await notes.patch(1, { owner: 'eve' })
      expect((await send())[0]).toBe(404)
    }
  }
)

it('a patch whose query a hook puts under $and is repeated', async () => {
  const { patch } = await open({}, true, (query) => ({ $and: [query, { owner: 'ada' }] }))
  const { first, send } = await patch('1?version=1', { version: 2 })

  expect(first[0]).toBe(200)
  expect(await send()).toEqual(first)
})

it('a patch is not repeated once a condition in $or on other fields no longer holds', async () => {
  const { notes, patch } = await open()
  const { first, send } = await patch('1?$or[0][version]=1&$or[1][version]=7', { text: 'b' })

  expect(await send()).toEqual(first)
  await notes.patch(1, { version: 2 })
  expect((await send())[0]).toBe(404)
})

it.each([
  ['changes the query in place', '1', (query: any) => Object.assign(query, { owner: 'ada' })],
  ['replaces a condition', '1?owner=zoe', toAda],
  ['adds to $and', '1?$and[0][owner]=ada', ({ $and }: any) => ({ $and: [...$and, { owner: 'ada' }] })],
  ['adds before $and', '1?$and[0][owner]=ada', ({ $and }: any) => ({ $and: [{ owner: 'ada' }, ...$and] })]
])('a patch that gives its record away is not repeated where a hook %s', async (_, path, limit) => {
  const { patch } = await open({}, true, limit)
  const { first, send } = await patch(path, { owner: 'eve' })

  expect(first[0]).toBe(200)
  expect((await send())[0]).toBe(404)
})

it('a patch that writes what it has asked for is not repeated once that no longer holds', async () => {
  const { notes, patch } = await open()
  const { first, send } = await patch('1?owner=ada', { owner: 'ada', text: 'b' })

  expect(await send()).toEqual(first)
  await notes.patch(1, { owner: 'eve' })
  expect((await send())[0]).toBe(404)
})
