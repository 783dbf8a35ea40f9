import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { open } from './support/notes.ts'

describe('the id of the record in its data', () => {
  const outside = { provider: 'rest' }

  it.each(['update', 'patch'])('is left out of %s, also where unknown fields are dropped', async (method) => {
    for (const unknown of ['drop', 'refuse'] as const) {
      const notes = open(schema(z.object({ id: z.int(), text: z.string() }), { unknown }))

      await notes.create({ text: 'a' })

      expect(await notes[method]('0', { id: 0, text: 'b' }, outside)).toEqual({ id: 0, text: 'b' })
      await expect(notes[method]('0', { id: 1, text: 'b' }, outside)).rejects.toMatchObject({ code: 400 })
      await expect(notes.create({ id: 1, text: 'b' }, outside)).rejects.toMatchObject({ code: 400 })
    }
  })

  it('tells nothing of a record that its caller must not see', async () => {
    const app = alula()
    const ofAda = { ...outside, authenticated: true, user: { id: 'ada' } }
    const ofGrace = { ...ofAda, user: { id: 'grace' } }

    app.use('notes', memory(), {
      by: 'slug',
      schema: schema(z.object({ id: z.int(), slug: z.string(), ownerId: z.string() }), {
        server: { ownerId: ({ params }) => String(params.user?.id) }
      }),
      access: access({ all: ({ params }: any) => ({ ownerId: params.user.id }) })
    })

    const notes: any = app.service('notes')

    await notes.create({ slug: 'one', ownerId: 'ada' })

    const adapter = { id: 'slug', by: notes }

    for (const id of [0, 1]) {
      await expect(notes.patch('one', { id, slug: 'two' }, { ...ofGrace, adapter })).rejects.toMatchObject({
        code: 404
      })
    }

    expect(await notes.patch('one', { id: 0, slug: 'two' }, { ...ofAda, adapter })).toMatchObject({
      slug: 'two'
    })
  })
})
