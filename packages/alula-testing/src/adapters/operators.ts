import { assertFails, assertFound, assertIs, assertStored } from './assert.ts'
import { type Check, each, needs, rules } from './rule.ts'

const NUMBERS = [
  { name: 'minus', age: -1.5 },
  { name: 'zero', age: 0 },
  { name: 'ten', age: 10 },
  { name: 'null', age: null },
  { name: 'missing' }
]

const ALL = ['minus', 'zero', 'ten', 'null', 'missing']

/** What each operator finds among these. Null and missing are the same; only `$ne` and `$nin` find them. */
const MEANINGS: readonly [sentence: string, condition: unknown, names: readonly string[]][] = [
  ['a value finds the records that have it', 10, ['ten']],
  ['$eq finds the records that have the value', { $eq: 10 }, ['ten']],
  ['zero is a value like others', 0, ['zero']],
  ['a value that no record has finds nothing', 7, []],
  ['null finds null and missing', null, ['null', 'missing']],
  ['$eq of null finds null and missing', { $eq: null }, ['null', 'missing']],
  ['$ne finds all others, null and missing too', { $ne: 10 }, ['minus', 'zero', 'null', 'missing']],
  ['$ne of a value that no record has finds all records', { $ne: 7 }, ALL],
  ['$ne of null finds the records that have a value', { $ne: null }, ['minus', 'zero', 'ten']],
  ['$null of true finds null and missing', { $null: true }, ['null', 'missing']],
  ['$null of false finds the records that have a value', { $null: false }, ['minus', 'zero', 'ten']],
  ['$null takes the text of true, as a URL has it', { $null: 'true' }, ['null', 'missing']],
  ['$lt finds what is less, and never null or missing', { $lt: 10 }, ['minus', 'zero']],
  ['$lte finds what is less or equal, and never null or missing', { $lte: 0 }, ['minus', 'zero']],
  ['$le is short for $lte', { $le: 0 }, ['minus', 'zero']],
  ['$gt finds what is greater, and never null or missing', { $gt: -1.5 }, ['zero', 'ten']],
  ['$gte finds what is greater or equal, and never null or missing', { $gte: 0 }, ['zero', 'ten']],
  ['$ge is short for $gte', { $ge: 0 }, ['zero', 'ten']],
  ['$lt of null finds nothing', { $lt: null }, []],
  ['$lte of null finds nothing', { $lte: null }, []],
  ['$gt of null finds nothing', { $gt: null }, []],
  ['$gte of null finds nothing', { $gte: null }, []],
  ['$in finds the records that have one of the values', { $in: [10, 0, 7, 10] }, ['zero', 'ten']],
  ['$in with null finds null and missing too', { $in: [10, null] }, ['ten', 'null', 'missing']],
  ['$in of nothing finds nothing', { $in: [] }, []],
  ['$nin finds all others, null and missing too', { $nin: [10, 0] }, ['minus', 'null', 'missing']],
  ['$nin with null leaves out null and missing', { $nin: [10, null] }, ['minus', 'zero']],
  ['$nin of nothing finds all records', { $nin: [] }, ALL],
  ['several operators on one field must all hold', { $gt: -1.5, $lt: 10 }, ['zero']],
  ['$ne and $gt together leave out null and missing', { $ne: 0, $gt: -2 }, ['minus', 'ten']],
  ['operators that contradict each other find nothing', { $gt: 5, $lt: 5 }, []],
  ['$in and $ne together find what both allow', { $in: [0, 10, null], $ne: null }, ['zero', 'ten']]
]

export const operators = rules('operators', {
  ...each(
    MEANINGS,
    ([sentence]) => sentence,
    ([, age, names]): Check =>
      async ({ fill }) =>
        await assertFound(await fill(NUMBERS), { age }, names)
  ),

  '$in and $nin take two hundred values': async ({ fill }) => {
    const service = await fill(NUMBERS)
    const values = Array.from({ length: 200 }, (_, index) => index)

    await assertFound(service, { age: { $in: values } }, ['zero', 'ten'])
    await assertFound(service, { age: { $nin: values } }, ['minus', 'null', 'missing'])
  },

  'undefined in a condition means null, and never everything': async ({ fill }) => {
    const service = await fill(NUMBERS, { multi: true })

    await assertFound(service, { age: undefined }, ['null', 'missing'])
    await assertFound(service, { age: { $ne: undefined } }, ['minus', 'zero', 'ten'])
    await assertFound(service, { age: { $in: [undefined, 10] } }, ['ten', 'null', 'missing'])
    await assertFound(service, { age: { $gt: undefined } }, [])
  },

  'patch and remove of several records refuse an undefined condition': async ({ fill }) => {
    const service = await fill(NUMBERS, { multi: true })

    for (const query of [
      { age: undefined },
      { age: { $ne: undefined } },
      { age: { $in: [10, undefined] } },
      { $or: [{ name: 'ten' }, { age: undefined }] }
    ]) {
      await assertFails(service.remove(null, { query }), 'BadRequest', 'age')
      await assertFails(service.patch(null, { name: 'changed' }, { query }), 'BadRequest', 'age')
    }

    await assertStored(service, ...ALL)
    await service.remove(null, { query: { age: null } })
    await assertStored(service, 'minus', 'zero', 'ten')
  },

  'conditions apply to get, update, patch and remove as to find': async ({ open, id }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: null })

    await service.create({ name: 'Cyd', age: 40 })

    for (const query of [
      { age: { $gt: 0 } },
      { age: { $ne: null } },
      { $or: [] },
      { $or: [{ name: 'Bob' }, { name: 'Cyd' }] },
      { $and: [{ name: 'Bob' }] }
    ]) {
      await assertFails(service.get(ada[id], { query }), 'NotFound')
      await assertFails(service.update(ada[id], { name: 'Bob' }, { query }), 'NotFound')
      await assertFails(service.patch(ada[id], { name: 'Bob' }, { query }), 'NotFound')
      await assertFails(service.remove(ada[id], { query }), 'NotFound')
    }

    const query = { age: { $ne: 3 }, $or: [{ name: 'Ada' }, { name: 'Bob' }] }

    assertIs((await service.get(ada[id], { query })).name, 'Ada')
    assertIs((await service.patch(ada[id], { age: 4 }, { query })).age, 4)
    assertIs((await service.update(ada[id], { name: 'Bob' }, { query })).name, 'Bob')
    assertIs((await service.remove(ada[id], { query })).name, 'Bob')
  }
})

const PEOPLE = [
  { name: 'Ada', age: 36, team: 'red' },
  { name: 'Bob', age: 40, team: 'red' },
  { name: 'Cyd', age: 36, team: 'blue' },
  { name: 'Dan' }
]

const ALL_NAMES = ['Ada', 'Bob', 'Cyd', 'Dan']

const COMBINATIONS: readonly [sentence: string, query: object, names: readonly string[]][] = [
  ['$or finds what one of its queries finds', { $or: [{ name: 'Dan' }, { age: 40 }] }, ['Bob', 'Dan']],
  ['$or finds a record once', { $or: [{ name: 'Ada' }, { age: 36 }] }, ['Ada', 'Cyd']],
  ['$or of one query is that query', { $or: [{ age: 36, team: 'red' }] }, ['Ada']],
  ['$or of nothing finds nothing', { $or: [] }, []],
  ['$or with an empty query finds all records', { $or: [{ name: 'Ada' }, {}] }, ALL_NAMES],
  ['a condition beside $or must hold as well', { age: 36, $or: [{ name: 'Ada' }, { age: 40 }] }, ['Ada']],
  ['$and finds what all of its queries find', { $and: [{ age: 36 }, { team: 'red' }] }, ['Ada']],
  ['$and may ask one field twice', { $and: [{ age: { $gt: 30 } }, { age: { $lt: 40 } }] }, ['Ada', 'Cyd']],
  ['$and of nothing finds all records', { $and: [] }, ALL_NAMES],
  ['a condition beside $and must hold as well', { team: 'blue', $and: [{ age: 36 }] }, ['Cyd']],
  [
    '$or and $and stand beside each other',
    { $or: [{ age: 36 }, { age: 40 }], $and: [{ team: 'red' }, { name: { $ne: 'Ada' } }] },
    ['Bob']
  ],
  [
    '$and in $or',
    { $or: [{ $and: [{ age: 36 }, { team: 'red' }] }, { $and: [{ age: null }, { team: null }] }] },
    ['Ada', 'Dan']
  ],
  [
    '$or in $and',
    { $and: [{ $or: [{ name: 'Ada' }, { name: 'Bob' }] }, { $or: [{ age: 40 }, { age: null }] }] },
    ['Bob']
  ],
  [
    '$or in $or in $or',
    { $or: [{ $or: [{ $or: [{ name: 'Ada' }] }, { name: 'Bob' }] }, { name: 'Cyd' }] },
    ['Ada', 'Bob', 'Cyd']
  ],
  [
    'the queries of $or take operators',
    { $or: [{ age: { $in: [40] } }, { team: { $ne: 'red' } }] },
    ['Bob', 'Cyd', 'Dan']
  ]
]

const NEGATIONS: readonly [sentence: string, query: object, names: readonly string[]][] = [
  ['$not finds what its query does not, null and missing too', { $not: { age: { $gt: 0 } } }, ['Dan']],
  ['$not turns the whole query round', { $not: { age: 36, team: 'red' } }, ['Bob', 'Cyd', 'Dan']],
  ['$not of an empty query finds nothing', { $not: {} }, []],
  ['$not under a field turns its operators round', { age: { $not: { $lt: 40 } } }, ['Bob', 'Dan']],
  ['$not under a field takes a value', { age: { $not: 36 } }, ['Bob', 'Dan']],
  ['$not of $ne is $eq', { age: { $not: { $ne: 36 } } }, ['Ada', 'Cyd']],
  ['$not of $not changes nothing', { $not: { $not: { age: { $gt: 36 } } } }, ['Bob']],
  ['$nor finds what none of its queries finds', { $nor: [{ age: { $lt: 40 } }, { team: null }] }, ['Bob']],
  ['$nor of nothing finds all records', { $nor: [] }, ALL_NAMES],
  ['$nor and $not stand in $or', { $or: [{ $nor: [{}] }, { $not: { name: { $ne: 'Dan' } } }] }, ['Dan']]
]

export const combinations = rules('combined queries', {
  ...each(
    COMBINATIONS,
    ([sentence]) => sentence,
    ([, query, names]): Check =>
      async ({ fill }) =>
        await assertFound(await fill(PEOPLE), query, names)
  ),

  '$or takes fifty queries': async ({ fill }) => {
    const service = await fill(PEOPLE)
    const $or = Array.from({ length: 50 }, (_, index) => ({ age: index, team: { $ne: 'red' } }))

    await assertFound(service, { $or }, ['Cyd'])
  },

  ...each(
    NEGATIONS,
    ([sentence]) => sentence,
    ([, query, names]) =>
      needs('negation', async ({ fill }) => {
        await assertFound(await fill(PEOPLE, { operators: ['$not', '$nor'] }), query, names)
      })
  ),

  '$not and $nor are refused where `operators` does not list them': async ({ fill }) => {
    const service = await fill(PEOPLE)

    for (const query of [{ $not: { age: 1 } }, { age: { $not: 1 } }, { $or: [{ $not: { age: 1 } }] }]) {
      await assertFails(service.find({ query }), 'BadRequest', '$not')
    }

    await assertFails(service.find({ query: { $nor: [{ age: 1 }] } }), 'BadRequest', '$nor')
  }
})
