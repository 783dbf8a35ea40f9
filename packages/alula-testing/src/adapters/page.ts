import { assertIs, assertOrder, toNames } from './assert.ts'
import { rules } from './rule.ts'

const FOUR = ['Ada', 'Bob', 'Cyd', 'Dan'].map((name) => ({ name }))
const $sort = { name: 1 }

export const page = rules('pages', {
  '$limit is the most that find returns': async ({ fill }) => {
    const service = await fill(FOUR)

    await assertOrder(service, { $sort, $limit: 2 }, ['Ada', 'Bob'])
    await assertOrder(service, { $sort, $limit: 9 }, ['Ada', 'Bob', 'Cyd', 'Dan'])
  },

  '$skip leaves out the first records': async ({ fill }) => {
    const service = await fill(FOUR)

    await assertOrder(service, { $sort, $skip: 3 }, ['Dan'])
    await assertOrder(service, { $sort, $skip: 4 }, [])
    await assertOrder(service, { $sort, $skip: 9 }, [])
    await assertOrder(service, { $sort, $skip: 1, $limit: 2 }, ['Bob', 'Cyd'])
  },

  '$limit and $skip count the records that match': async ({ fill }) => {
    const service = await fill(FOUR)

    await assertOrder(service, { name: { $ne: 'Ada' }, $sort, $skip: 1, $limit: 1 }, ['Cyd'])
  },

  '$limit and $skip may be text, as they stand in a URL': async ({ fill }) => {
    const service = await fill(FOUR)

    await assertOrder(service, { $sort: { name: '-1' }, $skip: '1', $limit: '2' }, ['Cyd', 'Bob'])
  },

  '$limit of 0 returns an empty array': async ({ fill }) => {
    const service = await fill(FOUR)

    await assertOrder(service, { $limit: 0 }, [])
    await assertOrder(service, { $limit: 0, $sort, $skip: 1 }, [])
  },

  'find returns a page when `paginate` has a default': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 3 } })
    const { data, ...counts } = await service.find({ query: { $sort } })

    assertIs(toNames(data).join(), 'Ada,Bob,Cyd')
    assertIs(JSON.stringify(Object.entries(counts).sort()), '[["limit",3],["skip",0],["total",4]]')
  },

  'the total of a page counts all records that match': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 1 } })
    const query = { name: { $gt: 'Ada' }, $sort, $skip: 1 }
    const { total, limit, skip, data } = await service.find({ query })

    assertIs([total, limit, skip, ...toNames(data)].join(), '3,1,1,Cyd')
  },

  '$limit chooses the size of a page, up to the maximum': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 1, max: 2 } })

    for (const [$limit, expected] of [
      [1, 1],
      [2, 2],
      [3, 2],
      ['3', 2]
    ]) {
      const { limit, data } = await service.find({ query: { $limit } })

      assertIs(limit, expected)
      assertIs(data.length, expected)
    }
  },

  'the maximum also caps the default': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 3, max: 2 } })
    const { limit, data } = await service.find()

    assertIs(limit, 2)
    assertIs(data.length, 2)
  },

  'a maximum without a default caps the array': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { max: 2 } })

    assertIs((await service.find()).length, 2)
    assertIs((await service.find({ query: { $limit: 3 } })).length, 2)
    assertIs((await service.find({ query: { $limit: 1 } })).length, 1)
  },

  '$limit of 0 returns the total only': async ({ fill, same }) => {
    const service = await fill(FOUR, { paginate: { default: 2 } })
    const query = { $limit: 0, name: { $ne: 'Ada' } }

    same(await service.find({ query }), { total: 3, limit: 0, skip: 0, data: [] })
  },

  'a page after the last record is empty and has the total': async ({ fill, same }) => {
    const service = await fill(FOUR, { paginate: { default: 2 } })

    same(await service.find({ query: { $skip: 5 } }), { total: 4, limit: 2, skip: 5, data: [] })
  },

  'a page of nothing is a page': async ({ open, same }) => {
    const service = await open({ paginate: { default: 2 } })

    same(await service.find(), { total: 0, limit: 2, skip: 0, data: [] })
  },

  'a page without its total has the rest of it': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 3, total: false } })
    const page = await service.find({ query: { $sort, $skip: 2 } })

    assertIs('total' in page, false)
    assertIs([page.limit, page.skip, ...toNames(page.data)].join(), '3,2,Cyd,Dan')
  },

  '`params.paginate` of false returns all records in an array': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 1, max: 2 } })

    assertIs((await service.find({ paginate: false })).length, 4)
    assertIs((await service.find({ paginate: false, query: { $limit: 3 } })).length, 3)
  },

  '`params.paginate` counts instead of the option': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 1, max: 2 } })
    const { limit, data } = await service.find({ paginate: { default: 3 } })

    assertIs(limit, 3)
    assertIs(data.length, 3)
  },

  '`params.adapter.paginate` counts before everything else': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 1 } })
    const { limit } = await service.find({ paginate: false, adapter: { paginate: { default: 3 } } })

    assertIs(limit, 3)
    assertIs((await service.find({ adapter: { paginate: false } })).length, 4)
    assertIs((await service.find()).limit, 1)
  },

  'a query cannot switch the pagination off': async ({ fill }) => {
    const service = await fill(FOUR, { paginate: { default: 1, max: 2 } })

    for (const $limit of [1000, '1000', Number.MAX_SAFE_INTEGER]) {
      assertIs((await service.find({ query: { $limit } })).data.length, 2)
    }
  }
})
