import { assertOrder, toNames } from './assert.ts'
import { needs, rules } from './rule.ts'

export const sort = rules('$sort', {
  '$sort orders by a field, ascending and descending': async ({ fill }) => {
    const service = await fill([
      { name: 'Bob', age: 9 },
      { name: 'Ada', age: 10 },
      { name: 'Cyd', age: -1 }
    ])

    await assertOrder(service, { $sort: { age: 1 } }, ['Cyd', 'Bob', 'Ada'])
    await assertOrder(service, { $sort: { age: -1 } }, ['Ada', 'Bob', 'Cyd'])
    await assertOrder(service, { $sort: { name: 1 } }, ['Ada', 'Bob', 'Cyd'])
  },

  '$sort takes a direction as text, as it stands in a URL': async ({ fill }) => {
    const service = await fill([{ name: 'Bob' }, { name: 'Ada' }])

    await assertOrder(service, { $sort: { name: '1' } }, ['Ada', 'Bob'])
    await assertOrder(service, { $sort: { name: '-1' } }, ['Bob', 'Ada'])
  },

  'a second field orders what the first leaves equal': async ({ fill }) => {
    const service = await fill([
      { name: 'Ada', team: 'red', age: 1 },
      { name: 'Bob', team: 'blue', age: 2 },
      { name: 'Cyd', team: 'red', age: 3 },
      { name: 'Dan', team: 'blue', age: 4 }
    ])

    await assertOrder(service, { $sort: { team: 1, age: -1 } }, ['Dan', 'Bob', 'Cyd', 'Ada'])
    await assertOrder(service, { $sort: { team: -1, age: 1 } }, ['Ada', 'Cyd', 'Bob', 'Dan'])
    await assertOrder(service, { $sort: { age: -1, team: 1 } }, ['Dan', 'Cyd', 'Bob', 'Ada'])
  },

  'null and missing come first, and last when descending': async ({ fill }) => {
    for (const gap of [{ name: 'none' }, { name: 'none', age: null }]) {
      const service = await fill([{ name: 'two', age: 2 }, gap, { name: 'one', age: -1 }])

      await assertOrder(service, { $sort: { age: 1 } }, ['none', 'one', 'two'])
      await assertOrder(service, { $sort: { age: -1 } }, ['two', 'one', 'none'])
    }
  },

  'null and missing are equal in the order': async ({ fill }) => {
    const service = await fill([
      { name: 'Cyd', age: null },
      { name: 'Bob' },
      { name: 'Ada', age: null },
      { name: 'Dan' }
    ])

    await assertOrder(service, { $sort: { age: 1, name: 1 } }, ['Ada', 'Bob', 'Cyd', 'Dan'])
    await assertOrder(service, { $sort: { age: -1, name: -1 } }, ['Dan', 'Cyd', 'Bob', 'Ada'])
  },

  'text is ordered by the codes of its characters': async ({ fill }) => {
    const names = ['', ' ', '10', '9', 'B', '_', 'a', 'aa', 'b', 'é', '\u{1F426}']
    const service = await fill(names.toReversed().map((name) => ({ name })))

    await assertOrder(service, { $sort: { name: 1 } }, names)
    await assertOrder(service, { $sort: { name: -1 } }, names.toReversed())
  },

  'text is ordered by its UTF-16 code units': needs('codeUnits', async ({ fill }) => {
    const service = await fill([{ name: '\uFB00' }, { name: '\u{1F426}' }])

    await assertOrder(service, { $sort: { name: 1 } }, ['\u{1F426}', '\uFB00'])
    await assertOrder(service, { name: { $lt: '\uFB00' } }, ['\u{1F426}'])
  }),

  'false comes before true': needs('booleans', async ({ fill }) => {
    const service = await fill([
      { name: 'yes', active: true },
      { name: 'no', active: false },
      { name: 'open' }
    ])

    await assertOrder(service, { $sort: { active: 1 } }, ['open', 'no', 'yes'])
    await assertOrder(service, { $sort: { active: -1 } }, ['yes', 'no', 'open'])
  }),

  'dates are ordered by their time': needs('dates', async ({ fill }) => {
    const service = await fill([
      { name: 'late', joined: new Date('2024-10-01') },
      { name: 'early', joined: new Date('1969-09-01') },
      { name: 'never' }
    ])

    await assertOrder(service, { $sort: { joined: 1 } }, ['never', 'early', 'late'])
    await assertOrder(service, { $sort: { joined: -1 } }, ['late', 'early', 'never'])
  }),

  'numbers come before text, booleans and dates, in this order': needs(
    'mixedTypes',
    async ({ fill, features }) => {
      const sorted = [
        { name: 'null', team: null },
        { name: 'number', team: 1000 },
        { name: 'text', team: '1' },
        ...(features.booleans ? [{ name: 'boolean', team: false }] : []),
        ...(features.dates ? [{ name: 'date', team: new Date(0) }] : [])
      ]
      const service = await fill(sorted.toReversed())

      await assertOrder(service, { $sort: { team: 1 } }, toNames(sorted))
      await assertOrder(service, { $sort: { team: -1 } }, toNames(sorted).reverse())
    }
  ),

  'a dotted name orders by a field of an object': needs('objects', async ({ fill }) => {
    const service = await fill([
      { name: 'Ada', address: { city: 'Rome' } },
      { name: 'Bob' },
      { name: 'Cyd', address: { city: 'Oslo' } }
    ])

    await assertOrder(service, { $sort: { 'address.city': 1 } }, ['Bob', 'Cyd', 'Ada'])
    await assertOrder(service, { $sort: { 'address.city': -1 } }, ['Ada', 'Cyd', 'Bob'])
  }),

  'the id field orders': async ({ fill, id }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }, { name: 'Cyd' }])
    const ascending = toNames(await service.find({ query: { $sort: { [id]: 1 } } }))

    await assertOrder(service, { $sort: { [id]: -1 } }, ascending.toReversed())
  },

  'methods other than find do not look at $sort': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const params = { query: { $sort: { age: 1 } } }
    const ada = await service.create({ name: 'Ada' }, params)

    same(await service.get(ada[id], params), ada)
    same(await service.update(ada[id], { name: 'Ada' }, params), ada)
    same(await service.patch(ada[id], { name: 'Ada' }, params), ada)
    same(await service.patch(null, { name: 'Ada' }, params), [ada])
    same(await service.remove(null, params), [ada])
  },

  'a page is cut out of all records in order, however small it is': async ({ fill }) => {
    const ages = Array.from({ length: 40 }, (_, index) => (index * 17) % 40)
    const service = await fill(ages.map((age) => ({ name: `age ${age}`, age })))

    for (const $skip of [0, 1, 19, 38]) {
      await assertOrder(service, { $sort: { age: 1 }, $skip, $limit: 2 }, [
        `age ${$skip}`,
        `age ${$skip + 1}`
      ])
    }
  },

  'records that $sort leaves equal stay in the order in which they were created': needs(
    'insertionOrder',
    async ({ fill }) => {
      const service = await fill([
        { name: 'Cyd', age: 1 },
        { name: 'Ada', age: 1 },
        { name: 'Dan', age: 0 },
        { name: 'Bob', age: 1 }
      ])

      await assertOrder(service, { $sort: { age: 1 } }, ['Dan', 'Cyd', 'Ada', 'Bob'])
      await assertOrder(service, { $sort: { age: -1 } }, ['Cyd', 'Ada', 'Bob', 'Dan'])
      await assertOrder(service, { $sort: { age: 1 }, $limit: 2 }, ['Dan', 'Cyd'])
    }
  )
})
