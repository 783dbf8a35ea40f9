import { expect, it } from 'vitest'
import { z } from 'zod'
import type { Application } from '../../src/index.ts'
import { MemoryService } from '../../src/memory.ts'
import { toOpenApi } from '../../src/openapi.ts'
import { schema } from '../../src/schema.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const Event = z.object({
  id: z.int(),
  at: z.date(),
  until: z.date().nullish(),
  place: z.object({ opens: z.date() }).optional(),
  breaks: z.array(z.date()).optional(),
  byName: z.record(z.string(), z.date()).optional(),
  span: z.tuple([z.string(), z.date()]).optional(),
  kind: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('day'), on: z.date() }),
      z.object({ type: z.literal('note'), on: z.string() })
    ])
    .optional(),
  either: z.union([z.date(), z.string()]).optional()
})

class Events extends MemoryService {
  async move({ to }: { to: Date }) {
    return { isDate: to instanceof Date, to }
  }
}

function configure(app: Application): void {
  const declared = schema(Event, {
    methods: { move: { data: z.object({ to: z.date() }), result: z.any() } }
  })

  app.use('events', new Events({ multi: true }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'move'],
    schema: declared
  })
}

const AT = '2026-11-22T10:00:00.000Z'
const DATE = new Date(AT)

describeRemoteTransports('a declared date', (open) => {
  it('is sent as a string in ISO 8601, at any depth, and stored as a date', async () => {
    let app: any
    const client = await open((opened: any) => {
      app = opened
      configure(opened)
    })
    const data = {
      at: '2026-11-22T11:00+01:00',
      until: null,
      place: { opens: AT },
      breaks: [AT],
      byName: { lunch: AT },
      span: ['x', AT],
      kind: { type: 'day', on: AT },
      either: AT
    }
    const stored = {
      ...{ id: 0, at: DATE, until: null, place: { opens: DATE }, breaks: [DATE], byName: { lunch: DATE } },
      ...{ span: ['x', DATE], kind: { type: 'day', on: DATE }, either: AT }
    }
    const events = app.service('events')

    expect(await client.call('create', 'events', { data })).toMatchObject({ id: 0, at: AT })
    expect(await events.get(0)).toEqual(stored)
    expect(await client.call('update', 'events', { id: 0, data })).toMatchObject({ at: AT })
    expect(await events.get(0)).toEqual(stored)
    expect(
      await client.call('patch', 'events', {
        id: 0,
        data: { until: AT, kind: { type: 'note', on: AT } }
      })
    ).toMatchObject({ until: AT })
    expect(await events.get(0)).toEqual({ ...stored, until: DATE, kind: { type: 'note', on: AT } })
    expect(await client.call('move', 'events', { data: { to: AT } })).toEqual({ isDate: true, to: AT })

    expect(toOpenApi(app).components.schemas).toMatchObject({
      EventCreate: { properties: { at: { type: 'string', format: 'date-time' } } }
    })
    // As before: calls from inside have dates.
    await expect(events.create({ at: AT })).rejects.toMatchObject({ code: 400 })
  })

  it('takes nothing else, and says what it expects', async () => {
    const client = await open(configure)
    const expected = 'expects a date in ISO 8601 with a time and a zone, such as 2026-11-22T10:00:00Z'

    for (const at of ['', 'x', '2026-11-22', '2026-11-22T10:00', '2026-02-30T10:00Z', '22.11.2026', '0']) {
      expect(
        await client.fail('create', 'events', { data: { at, breaks: [at], place: { opens: at } } }),
        at
      ).toMatchObject({
        code: 400,
        errors: { at: expected, 'breaks.0': expected, 'place.opens': expected }
      })
      expect(await client.fail('move', 'events', { data: { to: at } })).toMatchObject({
        code: 400,
        errors: { to: expected }
      })
    }
    for (const at of [0, null, true, [AT], { at: AT }]) {
      expect(await client.fail('create', 'events', { data: { at } }), `${at}`).toMatchObject({ code: 400 })
    }
  })
})
