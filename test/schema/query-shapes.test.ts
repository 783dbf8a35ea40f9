import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

const Person = z.object({
  id: z.int(),
  name: z.string(),
  address: z.object({ city: z.string() }),
  score: z.number()
})

function open(settings: object = {}): any {
  const app = alula()

  app.use('people', memory({ operators: ['$not', '$nor'], filters: { near: true } }), {
    schema: schema(Person, settings)
  })

  return app.service('people')
}

/** What a client is told of a query. */
async function fail(query: object, provider = 'rest', people = open()): Promise<any> {
  return await people.find({ query, provider }).then(
    () => 'it succeeded',
    ({ message }: Error) => message
  )
}

it.each<[string, (query: object) => object, object]>([
  ['$or', (query) => ({ $or: [query] }), { name: 'a' }],
  ['$not', (query) => ({ $not: query }), { name: 'a' }],
  ['$not of a field', (value) => ({ $not: value }), { $gt: 'a' }]
])('a query has at most fifty levels: %s', async (_, wrap, innermost) => {
  let query = innermost

  for (let depth = 0; depth < 5000; depth++) query = wrap(query)

  expect(await fail('$gt' in innermost ? { name: query } : query)).toMatch(/50 levels/)
})

it('names of the adapter stand at the top alone', async () => {
  expect(await fail({ near: 'x' })).toBe('it succeeded')
  expect(await fail({ $or: [{ near: 'x' }] })).toBe(
    "Invalid query: 'near' is not a field that can be queried"
  )
})

it('a list of one is written like a value in a URL, and nowhere else', async () => {
  expect(await fail({ name: { $in: 'a' } })).toBe('it succeeded')
  expect(await fail({ name: { $in: 5 } })).toContain("'$in' expects an array, got a number")
  expect(await fail({ name: { $in: 'a' } }, 'socketio')).toContain("'$in' expects an array, got a string")
})

it('marks of hooks stay on a query', async () => {
  const mark = Symbol('mark')
  const people = open()
  const marks: unknown[] = []

  people.hooks({ before: { find: [({ params }: any) => void marks.push(params.query[mark])] } })
  await people.find({ provider: 'rest', query: { name: 'a', [mark]: 1 } })

  expect(marks).toEqual([1])
})

it.each([
  [{ nmae: 'a' }, "'nmae' is not a field that can be queried. Did you mean 'name'?"],
  [{ address: 'a' }, "'address' is not a field that can be queried: write 'address.city'"],
  [{ $sort: { nmae: 1 } }, "'nmae' is not a field to sort by. Did you mean 'name'?"],
  [{ $select: ['nmae'] }, "'nmae' is not a field to select. Did you mean 'name'?"],
  [{ limit: 5 }, "'limit' is not a field that can be queried. Did you mean '$limit'?"],
  [{ sort: 'name' }, "'sort' is not a field that can be queried. Did you mean '$sort'?"],
  [{ $select: '' }, "'$select' expects names of fields, got an empty string"]
])('a name that is near to a field leads to it: %j', async (query, message) => {
  expect(await fail(query)).toBe(`Invalid query: ${message}`)
})

it('values that have the type of the field pass, empty strings among them', async () => {
  expect(await fail({ name: '', score: 0.5 }, 'socketio')).toBe('it succeeded')
})

it('conditions can be combined, whichever operators are allowed', async () => {
  const people = open({ query: { operators: ['$gt'] } })
  const query = { $and: [{ $or: [{ score: { $gt: 1 } }] }] }

  expect(await fail(query, 'rest', people)).toBe('it succeeded')
  expect(await fail({ score: { $lt: 1 } }, 'rest', people)).toBe(
    "Invalid query: 'score' cannot be queried with $lt"
  )
  expect(await fail({ score: { $tg: 1 } }, 'rest', people)).toBe(
    "Invalid query: 'score' cannot be queried with $tg. Did you mean '$gt'?"
  )
})

it('an id that can be none is one that there is no record for', async () => {
  await expect(open().get('x', { provider: 'rest' })).rejects.toMatchObject({
    name: 'NotFound',
    message: "No record found for id 'x'"
  })
})

it('an id of a call from inside stays as it is', async () => {
  const app = alula()

  app.use('people', { get: async (id: unknown) => id }, { schema: schema(Person) })

  expect(await app.service('people').get('7' as any)).toBe('7')
  expect(await app.service('people').get('7' as any, { provider: 'rest' })).toBe(7)
})
