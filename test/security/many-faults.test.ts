import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

// More faults than a call can have arguments, which a body of 100 KiB may have, were a 500.

const Line = z.object({ a: z.string(), b: z.string(), c: z.string(), d: z.string() })
const LINES = z.object({ id: z.int(), lines: z.array(Line) })
const valibot = toStandardJsonSchema(
  v.object({ lines: v.array(v.object({ a: v.string(), b: v.string(), c: v.string(), d: v.string() })) })
)

const lines = Array.from({ length: 34_000 }, () => ({}))

it.each<[string, any, object]>([
  ['several records, for Zod', LINES, [{ lines }]],
  ['several records, for Valibot', { record: valibot, create: valibot, patch: valibot }, [{ lines }]],
  [
    'one record, for Zod with a function of the application',
    LINES.extend({ lines: z.array(Line).refine(() => true) }),
    { lines }
  ],
  [
    'a list in a list, for Zod',
    z.object({ id: z.int(), orders: z.array(LINES) }),
    { orders: [{ id: 1, lines }] }
  ]
])('data with 136,000 faults are a 400: %s', async (_title, record, data) => {
  const app: any = alula()

  app.use('orders', memory({ multi: ['create'] }), { schema: schema(record) })

  const error: any = await app
    .service('orders')
    .create(data, { provider: 'rest' })
    .catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ name: 'BadRequest', code: 400 })
  expect(Object.keys(error.errors).length).toBeLessThanOrEqual(20)
})

it('a RangeError of a function of the application stays what it is', async () => {
  const app: any = alula()
  const when = z.number().transform((time) => new Date(time).toISOString())

  app.use('events', memory(), {
    schema: schema({ record: z.object({ id: z.int(), when: z.string() }), create: z.object({ when }) } as any)
  })

  await expect(app.service('events').create({ when: 1e20 }, { provider: 'rest' })).rejects.toThrow(RangeError)
})
