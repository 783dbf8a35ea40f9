import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
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
