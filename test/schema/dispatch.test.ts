import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { toDeliveries } from '../../src/transport/socket.ts'
import { getMark, showRecord } from '../../src/utils/dispatch.ts'

it('all records of a service say by one mark what clients see of them', async () => {
  const app = alula()

  app.use('notes', memory({ multi: true }), {
    schema: schema(z.object({ id: z.int(), text: z.string(), key: z.string() }), { hidden: ['key'] })
  })
  await app.setup()

  const [first, second] = await app.service('notes').create([
    { text: 'a', key: 'secret' },
    { text: 'b', key: 'secret' }
  ])
  const third = await app.service('notes').get(0)

  expect(showRecord(second)).toEqual({ id: 1, text: 'b' })
  for (const record of [second, third]) expect(getMark(record)).toBe(getMark(first))
})

it('an event that code sends has of a record what docs/schemas.md says', async () => {
  const app: any = alula()
  const sent: unknown[] = []

  app.use('notes', memory(), {
    events: ['pinged'],
    schema: schema(z.object({ id: z.int(), text: z.string(), key: z.string() }), { hidden: ['key'] })
  })
  app.service('notes').publish(() => app.channel('all'))
  app.channel('all').join({})
  app.on('publish', (event: string, channel: any, context: any, data: unknown) => {
    sent.push(...toDeliveries(event, channel, context, data).map(({ payload }) => payload))
  })
  await app.setup()

  const record = await app.service('notes').create({ text: 'a', key: 'secret', other: 1 }, { schema: false })

  sent.length = 0
  for (const event of ['created', 'pinged']) {
    app.service('notes').emit(event, record)
    app.service('notes').emit(event, { in: { ...record } })
    app.service('notes').emit(event, { ...record })
  }
  app.service('notes').emit('created', new Map([['key', 'secret']]))

  const shown = { id: 0, text: 'a' }

  expect(sent).toEqual([shown, {}, shown, shown, { in: { ...shown, other: 1 } }, { ...shown, other: 1 }, {}])
})
