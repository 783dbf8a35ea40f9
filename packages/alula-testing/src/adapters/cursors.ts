import { assertFails, assertIs, toNames } from './assert.ts'
import type { Kit } from './rule.ts'
import { rules } from './rule.ts'
import type { TestedService } from './types.ts'

const PEOPLE = [
  { name: 'Ada', age: 30 },
  { name: 'Bob', age: null },
  { name: 'Cyd', age: 20 },
  { name: 'Dan', age: 30 },
  { name: 'Eve', age: null },
  { name: 'Fay', age: 40 }
]
const paginate = { default: 2, max: 3, cursor: true }

/** Reads all pages, forwards or backwards, and returns the names in the order of the query. */
async function walk(service: TestedService, query: object, isForward = true): Promise<readonly string[]> {
  const pages: string[][] = []
  let cursor: object = isForward ? {} : { $before: await getEnd(service, query) }

  for (;;) {
    const page = await service.find({ query: { ...query, ...cursor } })

    pages.push(toNames(page.data))
    if (!(isForward ? page.hasNextPage : page.hasPreviousPage) || pages.length > PEOPLE.length) break

    cursor = isForward ? { $after: page.endCursor } : { $before: page.startCursor }
  }

  return (isForward ? pages : pages.reverse()).flat()
}

/** The cursor of the last record. */
async function getEnd(service: TestedService, query: object): Promise<string> {
  const all = await service.find({ query, paginate: { default: 100, cursor: true } })

  return all.endCursor
}

const fillPeople = (kit: Kit, options: object = {}) => kit.fill(PEOPLE, { paginate, ...options })

export const cursors = rules(
  'pages with cursors',
  {
    'a page has its limit, its cursors, and whether there are others': async (kit) => {
      const service = await fillPeople(kit)
      const { data, startCursor, endCursor, ...rest } = await service.find({ query: { $sort: { name: 1 } } })

      assertIs(toNames(data).join(), 'Ada,Bob')
      assertIs([typeof startCursor, typeof endCursor].join(), 'string,string')
      assertIs(
        JSON.stringify(Object.entries(rest).sort()),
        '[["hasNextPage",true],["hasPreviousPage",false],["limit",2]]'
      )
    },

    '$after and $before lead to all records once, with null and equal values': async (kit) => {
      const service = await fillPeople(kit)

      for (const [sort, expected] of [
        [{ age: 1, name: 1 }, 'Bob,Eve,Cyd,Ada,Dan,Fay'],
        [{ age: -1, name: 1 }, 'Fay,Ada,Dan,Cyd,Bob,Eve'],
        [{ age: -1, name: -1 }, 'Fay,Dan,Ada,Cyd,Eve,Bob']
      ] as const) {
        const last = expected.split(',').at(-1)

        assertIs((await walk(service, { $sort: sort })).join(), expected)
        assertIs([...(await walk(service, { $sort: sort }, false)), last].join(), expected)
      }
    },

    'the id decides between records that are equal in the order': async (kit) => {
      const service = await fillPeople(kit)
      const all = await service.find({ paginate: false, query: { $sort: { age: 1, [kit.id]: 1 } } })

      assertIs((await walk(service, { $sort: { age: 1 } })).join(), toNames(all).join())
    },

    'records that come and go move no others': async (kit) => {
      const service = await fillPeople(kit)
      const $sort = { name: 1 }
      const first = await service.find({ query: { $sort } })

      await service.remove(first.data[1][kit.id])
      await service.create({ name: 'Aaron' })
      await service.create({ name: 'Bzz' })

      const second = await service.find({ query: { $sort, $after: first.endCursor } })
      const before = await service.find({ query: { $sort, $before: second.startCursor, $limit: 3 } })

      assertIs(toNames(second.data).join(), 'Bzz,Cyd')
      assertIs(toNames(before.data).join(), 'Aaron,Ada')
      assertIs(before.hasNextPage, true)
      assertIs(before.hasPreviousPage, false)
    },

    'a page says whether records are at its other side': async (kit) => {
      const service = await fillPeople(kit)
      const $sort = { name: 1 }
      const first = await service.find({ query: { $sort, $limit: 1 } })
      const second = await service.find({ query: { $sort, $after: first.endCursor } })

      assertIs(second.hasPreviousPage, true)
      await service.remove(first.data[0][kit.id])
      assertIs((await service.find({ query: { $sort, $after: first.endCursor } })).hasPreviousPage, false)
    },

    '$after and $before together are a range': async (kit) => {
      const service = await fillPeople(kit)
      const $sort = { name: 1 }
      const { startCursor: $after } = await service.find({ query: { $sort } })
      const { endCursor: $before } = await service.find({ query: { $sort, $limit: 3 } })
      const page = await service.find({ query: { $sort, $after, $before } })

      assertIs(toNames(page.data).join(), 'Bob')
      assertIs([page.hasPreviousPage, page.hasNextPage].join(), 'true,true')
    },

    '$total counts all records that match, and `total: false` none': async (kit) => {
      const service = await fillPeople(kit)
      const query = { age: { $gt: 20 }, $total: 'true' }
      const { endCursor: $after, total } = await service.find({ query })
      const uncounted = await service.find({ query, paginate: { ...paginate, total: false } })

      assertIs(total, 3)
      assertIs((await service.find({ query: { ...query, $after } })).total, 3)
      assertIs('total' in uncounted, false)
    },

    '$limit of 0 returns no records and no cursors': async (kit) => {
      const service = await fillPeople(kit)

      kit.same(await service.find({ query: { $limit: 0, $total: true } }), {
        ...{ data: [], limit: 0, hasNextPage: true, hasPreviousPage: false },
        ...{ startCursor: null, endCursor: null, total: 6 }
      })
    },

    '$select leaves out the fields of the order, and no cursor needs them': async (kit) => {
      const service = await fillPeople(kit)
      const query = { $sort: { age: -1 }, $select: ['name'] }
      const page = await service.find({ query })
      const next = await service.find({ query: { ...query, $after: page.endCursor } })

      assertIs(Object.keys(page.data[0]).sort().join(), [kit.id, 'name'].sort().join())
      assertIs(toNames([...page.data, ...next.data]).length, 4)
    },

    '`params.paginate` of false returns all records in an array': async (kit) => {
      const service = await fillPeople(kit)

      assertIs((await service.find({ paginate: false })).length, 6)
    },

    'a cursor that was changed, or is of another query, is a BadRequest': async (kit) => {
      for (const cursor of [true, { secret: 'a long secret of the suite' }]) {
        const service = await fillPeople(kit, { paginate: { default: 2, cursor } })
        const query = { age: { $gte: 20 }, $sort: { name: 1 } }
        const { endCursor } = await service.find({ query })
        const place = endCursor.length - 4
        const changed = `${endCursor.slice(0, place)}${endCursor[place] === 'A' ? 'B' : 'A'}${endCursor.slice(place + 1)}`

        for (const $after of ['', 'x', '€', 'W10', changed, 7, {}, [endCursor]]) {
          await assertFails(service.find({ query: { ...query, $after } }), 'BadRequest')
        }
        for (const other of [{ age: { $gte: 21 } }, { $sort: { name: -1 } }, { $sort: { age: 1 } }]) {
          await assertFails(service.find({ query: { ...query, ...other, $before: endCursor } }), 'BadRequest')
        }
      }
    },

    'pages with cursors have no $skip, and others have no $after': async (kit) => {
      const service = await fillPeople(kit)
      const { endCursor: $after } = await service.find()

      await assertFails(service.find({ query: { $skip: 1 } }), 'BadRequest')
      await assertFails(service.find({ paginate: false, query: { $after } }), 'BadRequest')
    }
  },
  ['cursors']
)
