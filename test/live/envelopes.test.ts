import { expect, it } from 'vitest'
import { z } from 'zod'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { until } from '../support/until.ts'
import { connect, createTimers, startServer } from './app.ts'

/** A list of a service that returns two records at a time, in an envelope. */
async function openList(envelope: object) {
  let finds = 0
  const server = await startServer((app) => {
    app.use('items', memory({ startId: 1, multi: true, paginate: { default: 2 } }), {
      schema: schema(z.object({ id: z.int().optional(), text: z.string() }), {
        envelope: { one: 'item', many: 'items', total: 'total', ...envelope }
      })
    })
    app.service('items').publish(() => app.channel('all'))
    app.service('items').hooks({ before: { find: [async () => void finds++] } })
  })
  const items = server.app.service('items')
  const { timers, pass } = createTimers()
  const client = await connect(server, 'Socket.IO', { timers })

  await items.create([{ text: 'a' }, { text: 'b' }])

  const list = client.live('items')

  return {
    items,
    pass,
    getFinds: () => finds,
    shows: (expected: readonly string[]) =>
      until(() => expect(list.getSnapshot().data.map(({ text }: any) => text)).toEqual(expected))
  }
}

it('a page whose envelope does not say its limit is fetched again when a record comes or goes', async () => {
  const { items, pass, getFinds, shows } = await openList({})

  await shows(['a', 'b'])
  await items.patch(1, { text: 'A' })
  await shows(['A', 'b'])
  expect(getFinds()).toBe(1)

  await items.create({ text: 'c' })
  await until(() => {
    pass(1000)
    expect(getFinds()).toBe(2)
  })
  await shows(['A', 'b'])

  await items.remove(1)
  await until(() => {
    pass(1000)
    expect(getFinds()).toBe(3)
  })
  await shows(['b', 'c'])
})

it('one whose envelope says it follows the events', async () => {
  const { items, getFinds, shows } = await openList({ limit: 'limit' })

  await shows(['a', 'b'])
  await items.remove(1)
  await shows(['b'])
  await items.create({ text: 'c' })
  await shows(['b', 'c'])
  await items.create({ text: 'd' })
  await items.patch(2, { text: 'B' })
  await shows(['B', 'c'])
  expect(getFinds()).toBe(1)
})
