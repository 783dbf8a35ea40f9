import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { exists, schema } from '../../src/schema.ts'

it('a refusal by a relation captures no stack, and one of a call does', async () => {
  const app = alula()
  const stacks: (string | undefined)[] = []

  app.hooks({ error: { find: [({ error }: any) => void stacks.push(error.stack)] } })
  app.use('likes', memory(), {
    schema: schema(z.object({ id: z.int(), note: z.int(), user: z.int() })),
    access: access({ find: owner('user') })
  })
  app.use('notes', memory(), {
    schema: schema(z.object({ id: z.int() }), { relations: { liked: exists('likes', { to: 'note' }) } }),
    access: access({ find: anyone })
  })
  await app.service('notes').create({})

  const find = (path: string, query = {}) => app.service(path).find({ provider: 'rest', query } as any)

  expect(await find('notes', { $include: ['liked'] })).toEqual([{ id: 0, liked: false }])
  expect(stacks).toEqual(['NotAuthenticated: Not authenticated'])
  await expect(find('likes')).rejects.toThrow('Not authenticated')
  expect(stacks[1]).toMatch(/^NotAuthenticated: Not authenticated\n +at /)
})
