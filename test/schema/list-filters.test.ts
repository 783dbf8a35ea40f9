import { expect, it } from 'vitest'
import { z } from 'zod'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { open } from './support/notes.ts'

const Note = z.object({ id: z.int(), tags: z.array(z.string()), more: z.array(z.string()).nullish() })

it.each([{ tags: 'hot' }, { tags: { $ne: 'hot' } }, { tags: { $in: ['hot'] } }, { $or: [{ more: 'hot' }] }])(
  'a filter by a field that is a list says so: %j',
  async (query) => {
    await expect(open(schema(Note)).find({ provider: 'rest', query })).rejects.toMatchObject({
      code: 400,
      message: expect.stringMatching(/is a list, which cannot be compared$/)
    })
  }
)

it('a filter by a list names $contains where the service offers it', async () => {
  const service = memory({ operators: ['$contains'] })
  const query = { tags: 'hot' }

  await expect(open(schema(Note), service).find({ provider: 'rest', query })).rejects.toThrow(
    "is a list, which cannot be compared: use '$contains'"
  )
})
