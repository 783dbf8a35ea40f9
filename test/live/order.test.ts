import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { until } from '../support/until.ts'
import { connect, startServer } from './app.ts'

/** A list of a service in memory, which has records in the order of their creation. */
async function startList(ids: readonly unknown[], hooks: object = {}) {
  const server = await startServer((app) => {
    app.use('things', memory({ multi: true }))
    app.service('things').publish(() => app.channel('all'))
  })
  const things = server.app.service('things')

  await things.create(ids.map((id) => ({ id })))

  things.hooks(hooks)

  const client = await connect(server, 'Socket.IO')
  let finds = 0

  client.service('things').hooks({
    before: {
      find: [
        async () => {
          finds++
        }
      ]
    }
  })

  const list = client.live('things')
  const show = (expected: readonly unknown[]) =>
    until(() => expect(list.getSnapshot().data.map(({ id }: any) => id)).toEqual(expected))

  await show(ids)

  return { things, show, countFinds: () => finds }
}

it('a record with the greatest id of those that are equal comes last, in any store', async () => {
  const { things, show, countFinds } = await startList(['b', 'd'])

  await things.create({ id: 'e' })
  await show(['b', 'd', 'e'])
  expect(countFinds()).toBe(1)
})

it('where the order of ids is not that of the rows, a new record comes last', async () => {
  const { things, show, countFinds } = await startList(['d', 'b'])

  await things.create({ id: 'c' })
  await show(['d', 'b', 'c'])
  expect(countFinds()).toBe(1)
})

it.each([
  { ids: ['b', 'd'], id: 'c' },
  { ids: ['9', '10'], id: '11' },
  { ids: [1, 3], id: 2 }
])('where it is not known, the list is fetched again: $id after $ids', async ({ ids, id }) => {
  const { things, show, countFinds } = await startList(ids)

  await things.create({ id })
  await until(() => expect(countFinds()).toBe(2))
  await show([...ids, id])
})

it('where a hook of the server sorts, the list is fetched again', async () => {
  const sort = async (context: any) => {
    context.params.query = { $sort: { id: -1 }, ...context.params.query }
  }
  const { things, show, countFinds } = await startList([2, 1], { before: { find: [sort] } })

  await things.create({ id: 3 })
  await until(() => expect(countFinds()).toBe(2))
  await show([3, 2, 1])
})

// As two connections to a database, or two processes, may have them.
it.each([
  ['removal', 'last change', ['removed', 'patched']],
  ['change', 'creation', ['patched', 'created']]
])(
  'when the %s of a record comes before its %s, the list is fetched again',
  async (_early, _late, events) => {
    const { things, show, countFinds } = await startList([1, 2])

    for (const event of events) things.emit(event, { id: 2 })

    // Long before it is fetched in any case.
    await until(() => expect(countFinds()).toBe(2), 10_000)
    await show([1, 2])
  }
)
