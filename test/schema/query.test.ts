import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { describeUnknown } from '../../src/schema/query.ts'
import { schema } from '../../src/schema.ts'

const Person = z.object({
  id: z.int(),
  name: z.string(),
  age: z.int().optional(),
  tags: z.array(z.string()).optional(),
  address: z.object({ city: z.string(), geo: z.object({ lat: z.number() }).optional() }).optional(),
  either: z.union([z.string(), z.number()]).optional(),
  anything: z.any(),
  get parent() {
    return Person.optional()
  }
})

function open(settings: object = {}, options: object = {}): any {
  const app = alula()

  app.use('people', memory({ operators: ['$not', '$nor', '$has'], matcher: () => () => true, ...options }), {
    schema: schema(Person as any, settings)
  })

  return app.service('people')
}

async function fail(service: any, query: object, provider = 'rest'): Promise<any> {
  return service.find({ query, provider }).then(
    () => undefined,
    (error: { code: number; errors: object }) => [error.code, error.errors]
  )
}

const unknown = 'is not a field that can be queried'

it.each([
  [{ secret: 1 }, 'secret'],
  [{ secret: { $gt: 1 } }, 'secret'],
  [{ 'address.secret': 1 }, 'address.secret'],
  [{ 'tags.length': 1 }, 'tags.length'],
  [{ 'name.length': 1 }, 'name.length'],
  [{ constructor: 1 }, 'constructor'],
  [JSON.parse('{"__proto__":{"$gt":1}}'), '__proto__'],
  [{ $or: [{ name: 'a' }, { secret: 1 }] }, 'secret'],
  [{ $and: [{ $or: [{ $nor: [{ secret: 1 }] }] }] }, 'secret'],
  [{ $not: { $or: [{ secret: 1 }] } }, 'secret']
])('a field that the record does not declare cannot be reached: %j', async (query, path) => {
  expect(await fail(open(), query)).toEqual([400, { [path]: unknown }])
  expect(await fail(open(), query, 'socketio')).toEqual([400, { [path]: unknown }])
})

it.each([
  [{ name: { $gt: 5 } }, 'name', 'expects a string, got a number'],
  [{ name: { $in: ['a', 5] } }, 'name', 'expects a string, got a number'],
  [{ name: { $not: { $gt: 5 } } }, 'name', 'expects a string, got a number'],
  [{ name: { $not: { $not: 5 } } }, 'name', 'expects a string, got a number'],
  [{ name: null }, 'name', 'expects a string, got null'],
  [{ age: '' }, 'age', 'expects an integer, got a string'],
  [{ age: 0.5 }, 'age', 'expects an integer, got a number'],
  [{ tags: 'a' }, 'tags', 'is a list, which cannot be compared'],
  [{ 'address.geo.lat': 'x' }, 'address.geo.lat', 'expects a number, got a string']
])('a value of another type is refused: %j', async (query, path, message) => {
  expect(await fail(open(), query, 'socketio')).toEqual([400, { [path]: message }])
})

it.each([
  [{ $or: 5 }],
  [{ $or: [5] }],
  [{ name: { $in: {} } }],
  [{ name: ['a'] }],
  [{ name: { first: 'a' } }],
  [{ name: {} }],
  [{ $sort: 'name' }],
  [{ $select: [{ secret: 1 }] }],
  [{ $limit: 'x' }],
  [{ $where: 'true' }],
  [{ name: { $regex: 'x' } }]
])('a malformed shape is refused by the adapter: %j', async (query) => {
  expect((await fail(open(), query))?.[0]).toBe(400)
})

it.each([
  [{ name: 'a', age: { $gt: '1', $lt: '9' } }],
  [{ 'parent.name': 'a' }],
  [{ either: '7' }],
  [{ anything: '7' }],
  [{ tags: { $has: 'a' } }],
  [{ $sort: { 'address.city': '1' }, $select: ['name', 'address', 'tags'], $limit: '5', $skip: '0' }]
])('what is declared passes: %j', async (query) => {
  expect(await fail(open(), query)).toBeUndefined()
})

it.each([
  [{ age: 1 }, 'age', unknown],
  [{ 'address.city': 'a' }, 'address.city', unknown],
  [{ $sort: { age: 1 } }, 'age', 'is not a field to sort by']
])('a computed field cannot be queried where the record declares it: %j', async (query, path, message) => {
  const computed = Object.fromEntries(
    ['age', 'address'].map((name) => [name, { from: ['id'], many: (people: any[]) => people.map(() => 1) }])
  )

  expect(await fail(open({ computed }), query)).toEqual([400, { [path]: message }])
  expect(await fail(open({ computed }), { $select: ['age'] })).toBeUndefined()
})

it('deep queries end', async () => {
  let query: object = { name: 'a' }

  for (let depth = 0; depth < 5000; depth++) query = { $or: [query] }

  expect((await fail(open(), query))[0]).toBe(400)

  let value: object = { $gt: 'a' }

  for (let depth = 0; depth < 5000; depth++) value = { $not: value }

  expect((await fail(open(), { name: value }))[0]).toBe(400)
})

it('an error tells at most 20 faults, and no long path', async () => {
  const query = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`x${index}`, 1]))
  const [, errors] = await fail(open(), query)
  const [, long] = await fail(open(), { ['y'.repeat(10_000)]: 1 })

  expect(Object.keys(errors)).toHaveLength(20)
  expect(Object.keys(long)[0]).toHaveLength(101)
})

it('queries can be narrowed', async () => {
  const service = open({ query: { fields: ['name', 'age'], sort: ['name'], operators: ['$gt', '$or'] } })

  expect(await fail(service, { name: 'a', age: { $gt: '1' }, $sort: { name: 1 } })).toBeUndefined()
  expect(await fail(service, { 'address.city': 'a' })).toEqual([400, { 'address.city': unknown }])
  expect(await fail(service, { age: { $lt: '1' } })).toEqual([400, { age: 'cannot be queried with $lt' }])
  expect(await fail(service, { $not: { age: '1' } })).toEqual([400, { $not: 'cannot be queried with $not' }])
  expect(await fail(service, { $sort: { age: 1 } })).toEqual([400, { age: 'is not a field to sort by' }])
})

it('a schema can stand in place of the fields', async () => {
  const query = z.object({ q: z.string(), page: z.int().default(1), flag: z.boolean().optional() })
  const seen: unknown[] = []
  const app = alula()

  app.use(
    'search',
    { find: async (params: { query?: object }) => seen.push(params.query) },
    { schema: schema(z.object({ id: z.int() }), { query }) }
  )

  const search = app.service('search')

  await search.find({ provider: 'rest', query: { q: '7', flag: 'true' } })

  await search.find({ provider: 'socketio', query: { q: '7', page: 2, flag: false } })

  expect(seen).toEqual([
    { q: '7', page: 1, flag: true },
    { q: '7', page: 2, flag: false }
  ])
  expect(await fail(search, { q: '7', page: 'x', other: 1 })).toEqual([
    400,
    { other: 'is not a known field', page: expect.any(String) }
  ])
})

it('a schema for queries is asked for an empty one too', async () => {
  const app: any = alula()
  const queries: object[] = []

  app.use(
    'search',
    { find: async ({ query }: any) => void queries.push(query), count: async () => 1 },
    {
      methods: ['find', 'count'],
      schema: schema({
        record: z.object({ id: z.int() }),
        query: z.object({ page: z.coerce.number().default(1) }),
        methods: { count: { query: z.object({ q: z.string() }) } }
      })
    }
  )

  await app.service('search').find({ provider: 'rest', query: {} })
  expect(queries).toEqual([{ page: 1 }])
  await expect(app.service('search').count({}, { provider: 'rest', query: {} })).rejects.toMatchObject({
    code: 400,
    errors: { q: expect.any(String) }
  })
})

it('a call with a provider may have values that are typed already', async () => {
  const Event = z.object({
    id: z.int(),
    at: z.date(),
    size: z.number(),
    open: z.boolean(),
    end: z.date().nullable()
  })
  const app = alula()

  app.use('events', memory(), { schema: schema(Event) })

  const events = app.service('events')

  await events.create({ at: new Date(0), size: 5, open: true, end: null })

  for (const query of [{ at: new Date(0) }, { at: { $lt: new Date(1) } }, { open: true }, { end: null }]) {
    expect(await events.find({ provider: 'rest', query })).toHaveLength(1)
  }

  expect(await fail(events, { size: 5n })).toBeUndefined()
  expect(await fail(events, { at: 5n })).toEqual([400, { at: 'expects a date in ISO 8601, got a bigint' }])
  expect((await fail(events, { size: new Date(0) }))[1]).toHaveProperty('size')
  expect((await fail(events, { size: true }))[1]).toHaveProperty('size')
  expect((await fail(events, { size: undefined }))[1]).toHaveProperty('size')
})

const integer = { id: z.int() }
const string = { id: z.string() }
const either = { id: z.union([z.string(), z.int()]) }

it.each<[object, string | number, unknown]>([
  [integer, '7', 7],
  [integer, 7, 7],
  [integer, '07', 404],
  [integer, '7.5', 404],
  [integer, 'x', 404],
  [string, '7', '7'],
  [string, 7, '7'],
  [either, '7', '7'],
  [either, 7, 7],
  [{ id: z.any() }, '7', '7'],
  // A record that does not declare its id.
  [{ text: z.string() }, '7', '7'],
  [{ text: z.string() }, 7, 7]
])('a client that sends an id gets what its field makes of it: %#', async (fields, sent, got) => {
  const app = alula()
  const get = async (id: unknown) => ({ got: id })

  app.use('things', { get }, { schema: schema(z.object(fields as any), { extra: 'keep' }) })

  expect(
    await app
      .service('things')
      .get(sent, { provider: 'rest' })
      .catch((error) => ({ got: error.code }))
  ).toEqual({
    got
  })
})

it('names of the adapter pass', async () => {
  expect(
    await fail(open({}, { filters: { $search: true, near: true } }), { $search: 'x', near: 'y' })
  ).toBeUndefined()
})

it.each([
  ['1', [1]],
  ['auto', ['auto']],
  ['true', [true]],
  ['other', undefined]
])('a text of a URL is the value of a list that it stands for: %s', async (size, expected) => {
  const Thing = z.object({ id: z.int(), size: z.literal([1, 'auto', true]) })
  const app: any = alula().use('things', memory({ multi: true }), { schema: schema(Thing), forms: true })
  const params = { provider: 'rest', headers: { 'content-type': 'application/x-www-form-urlencoded' } }

  await app.service('things').create([1, 'auto', true].map((one) => ({ size: one })))

  const found = await app
    .service('things')
    .find({ provider: 'rest', query: { size } })
    .then((things: any[]) => things.map((thing) => thing.size))
    .catch(() => undefined)
  const sent = await app
    .service('things')
    .create({ size }, params)
    .catch(() => ({}))

  expect(found).toEqual(expected)
  expect(sent.size).toBe(expected?.[0])
})

it('the message for an unknown field suggests another name, and never the same', () => {
  expect(describeUnknown('p.titel', ['p.title'])).toBe(
    "is not a field that can be queried. Did you mean 'p.title'?"
  )
  // A relation may list a field that the table of the other service lacks.
  expect(describeUnknown('p.title', ['p.title'])).toBe('is not a field that can be queried')
})

it('a part of an object that a computed field is made from is selected with and without that field', async () => {
  const app: any = alula()
  const Person = z.object({ id: z.int(), address: z.object({ city: z.string(), zip: z.string() }) })

  app.use('people', memory({ store: [{ id: 1, address: { city: 'London', zip: '1' } }] }), {
    schema: schema(Person, {
      computed: { label: { from: ['address'], many: (all) => all.map(({ address }) => address.zip) } }
    })
  })

  const select = (...$select: string[]) => app.service('people').get(1, { query: { $select } })

  expect(await select('address.city')).toEqual({ id: 1, address: { city: 'London' } })
  expect(await select('address.city', 'label')).toEqual({ id: 1, address: { city: 'London' }, label: '1' })
  expect(await select('label')).toEqual({ id: 1, label: '1' })
})
