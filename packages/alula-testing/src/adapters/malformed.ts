import { assertFails, assertRefused, assertStored } from './assert.ts'
import { copy } from './copy.ts'
import { type Check, each, needs, rules } from './rule.ts'

/** Conditions that mean nothing, each with what the message has to name. */
export const MALFORMED_CONDITIONS: readonly (readonly [condition: object, named: string])[] = [
  [{ name: {} }, 'name'],
  [{ name: ['Ada'] }, 'name'],
  [{ name: [] }, 'name'],
  [{ name: { first: 'Ada' } }, 'name'],
  [{ age: Number.NaN }, 'age'],
  [{ name: { $eq: {} } }, '$eq'],
  [{ name: { $eq: ['Ada'] } }, '$eq'],
  [{ name: { $ne: { $eq: 'Ada' } } }, '$ne'],
  [{ age: { $lt: [] } }, '$lt'],
  [{ age: { $lte: {} } }, '$lte'],
  [{ age: { $le: {} } }, '$le'],
  [{ age: { $gt: { $gt: 1 } } }, '$gt'],
  [{ age: { $gte: Number.NaN } }, '$gte'],
  [{ age: { $ge: {} } }, '$ge'],
  [{ name: { $in: 'Ada' } }, '$in'],
  [{ name: { $in: null } }, '$in'],
  [{ name: { $in: { 0: 'Ada' } } }, '$in'],
  [{ name: { $in: [['Ada']] } }, '$in'],
  [{ name: { $in: [{ $gt: '' }] } }, '$in'],
  [{ name: { $nin: 'Ada' } }, '$nin'],
  [{ name: { $nin: [{}] } }, '$nin'],
  [{ $or: 'Ada' }, '$or'],
  [{ $or: { name: 'Ada' } }, '$or'],
  [{ $or: null }, '$or'],
  [{ $or: ['Ada'] }, '$or'],
  [{ $or: [null] }, '$or'],
  [{ $or: [[{ name: 'Ada' }]] }, '$or'],
  [{ $and: 'Ada' }, '$and'],
  [{ $and: {} }, '$and'],
  [{ $and: [7] }, '$and']
]

/** Names that the service does not allow, where they can stand. */
export const UNKNOWN_OPERATORS: readonly (readonly [condition: object, named: string])[] = [
  [{ $where: 'true' }, '$where'],
  [{ $: 1 }, '$'],
  [{ $gt: 1 }, '$gt'],
  [{ $expr: { $eq: [1, 1] } }, '$expr'],
  [{ name: { $regex: 'A' } }, '$regex'],
  [{ name: { $like: 'A%' } }, '$like'],
  [{ name: { $eq: 'Ada', $where: 'true' } }, '$where'],
  [{ name: { $or: [] } }, '$or'],
  [{ name: { $limit: 1 } }, '$limit'],
  [{ $or: [{ name: 'Ada' }, { $where: 'true' }] }, '$where'],
  [{ $or: [{ $limit: 1 }] }, '$limit'],
  [{ $and: [{ $or: [{ $and: [{ name: { $regex: 'A' } }] }] }] }, '$regex'],
  [{ $or: [Object.assign(Object.create(null), { $where: 'true' })] }, '$where'],
  [Object.assign(Object.create(null), { name: { $regex: 'A' } }), '$regex']
]

/** What stands at the top only, and says what to do with the records. */
const MALFORMED_FILTERS: readonly (readonly [filters: object, named: string])[] = [
  [{ $limit: 'ten' }, '$limit'],
  [{ $limit: -1 }, '$limit'],
  [{ $limit: 1.5 }, '$limit'],
  [{ $limit: null }, '$limit'],
  [{ $limit: [1] }, '$limit'],
  [{ $limit: { $gt: 1 } }, '$limit'],
  [{ $limit: Number.NaN }, '$limit'],
  [{ $limit: Number.POSITIVE_INFINITY }, '$limit'],
  [{ $limit: '' }, '$limit'],
  [{ $skip: 'ten' }, '$skip'],
  [{ $skip: -1 }, '$skip'],
  [{ $skip: {} }, '$skip'],
  [{ $sort: 'name' }, '$sort'],
  [{ $sort: ['name'] }, '$sort'],
  [{ $sort: null }, '$sort'],
  [{ $sort: { name: 'up' } }, '$sort'],
  [{ $sort: { name: 0 } }, '$sort'],
  [{ $sort: { name: { age: 1 } } }, '$sort'],
  [{ $sort: { $where: 1 } }, '$where'],
  [{ $select: {} }, '$select'],
  [{ $select: null }, '$select'],
  [{ $select: [7] }, '$select'],
  [{ $select: [['name']] }, '$select'],
  [{ $select: ['$where'] }, '$where']
]

/** Objects that hide what they hold from a check that trusts prototypes or `constructor`. */
const DISGUISED: readonly object[] = [
  { name: { constructor: 'Date', $where: 'true' } },
  { $or: [{ constructor: null, $where: 'true' }] },
  { $or: [{ hasOwnProperty: null, $where: 'true' }] },
  JSON.parse('{"__proto__":{"$where":"true"}}'),
  JSON.parse('{"name":{"__proto__":{"$gt":""}}}'),
  JSON.parse('{"$or":[{"__proto__":{"$where":"true"}}]}'),
  JSON.parse('{"$or":{"length":1,"0":{"name":"Ada"}}}')
]

export const malformed = rules('malformed queries', {
  ...each(
    [...MALFORMED_CONDITIONS, ...MALFORMED_FILTERS],
    ([query, named]) => `${show(query)} is a BadRequest that names ${named}`,
    toCheck
  ),

  ...each(
    UNKNOWN_OPERATORS,
    ([query, named]) => `${named} is refused in ${show(query)}${hasNoPrototype(query)}`,
    toCheck
  ),

  'what hides behind a prototype or a constructor is refused': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }])

    for (const query of DISGUISED) await assertRefused(service.find({ query: copy(query) }))
  },

  'a query that is no object is a BadRequest': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }])

    for (const query of ['name', 7, true, [], [{ name: 'Ada' }]]) {
      await assertFails(service.find({ query }), 'BadRequest')
    }
  },

  'a query of a thousand levels is a BadRequest': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }])
    let query: object = { name: 'Ada' }

    for (let level = 0; level < 1000; level++) query = { $or: [query] }

    await assertFails(service.find({ query }), 'BadRequest')
  },

  'every method refuses a malformed query, before it changes anything': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada' })

    for (const query of [{ $where: 'true' }, { name: { $regex: 'A' } }, { $or: 'Ada' }, { $select: [{}] }]) {
      await assertFails(service.get(ada[id], { query }), 'BadRequest')
      await assertFails(service.create({ name: 'Bob' }, { query }), 'BadRequest')
      await assertFails(service.update(ada[id], { name: 'Bob' }, { query }), 'BadRequest')
      await assertFails(service.patch(ada[id], { name: 'Bob' }, { query }), 'BadRequest')
      await assertFails(service.patch(null, { name: 'Bob' }, { query }), 'BadRequest')
      await assertFails(service.remove(ada[id], { query }), 'BadRequest')
      await assertFails(service.remove(null, { query }), 'BadRequest')
    }

    same(await service.find(), [ada])
  },

  'a service still works after a malformed query': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }])

    await assertFails(service.find({ query: { $or: 'Ada' } }), 'BadRequest')
    await assertStored(service, 'Ada')
  },

  'a malformed query is refused in $not and $nor': needs('negation', async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }], { operators: ['$not', '$nor'] })

    for (const [query, named] of [
      [{ $not: 'Ada' }, '$not'],
      [{ $not: [{ name: 'Ada' }] }, '$not'],
      [{ $nor: { name: 'Ada' } }, '$nor'],
      [{ name: { $not: [] } }, 'name'],
      [{ name: { $nor: [] } }, '$nor'],
      [{ $not: { $where: 'true' } }, '$where'],
      [{ name: { $not: { $regex: 'A' } } }, '$regex'],
      [{ $nor: [{ $not: { $or: [{ $where: 'true' }] } }] }, '$where']
    ] as const) {
      await assertFails(service.find({ query }), 'BadRequest', named)
    }
  })
})

function toCheck([query, named]: readonly [object, string]): Check {
  return async ({ fill }) => {
    const service = await fill([{ name: 'Ada', age: 36 }])

    await assertFails(service.find({ query: copy(query) }), 'BadRequest', named)
  }
}

function show(query: object): string {
  return JSON.stringify(query, (_key, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  )
}

function hasNoPrototype(query: object): string {
  return Object.getPrototypeOf(query) === null ? ' without a prototype' : ''
}
