import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { open } from './support/notes.ts'

describe('the id of the record in its data', () => {
  const outside = { provider: 'rest' }

  it.each(['update', 'patch'])('is left out of %s, and another one is refused', async (method) => {
    const notes = open(schema(z.object({ id: z.int(), text: z.string() })))

    await notes.create({ text: 'a' })

    for (const id of [0, '0']) {
      expect(await notes[method]('0', { id, text: 'b' }, outside)).toEqual({ id: 0, text: 'b' })
    }
    for (const id of [1, '1', '00', 'x', null]) {
      await expect(notes[method]('0', { id, text: 'b' }, outside)).rejects.toMatchObject({ code: 400 })
    }
    await expect(notes.create({ id: 1, text: 'b' }, outside)).rejects.toMatchObject({ code: 400 })
  })

  it.each(['update', 'patch'])('has the type of the id for %s by another field', async (method) => {
    const app = alula().use('notes', memory(), {
      by: 'slug',
      schema: schema(z.object({ id: z.int(), slug: z.string() }))
    })
    const notes: any = app.asClient().service('notes')

    await app.service('notes').create({ slug: 'one' })

    for (const id of [0, '0'])
      expect(await notes[method]('one', { id, slug: 'one' })).toEqual({ id: 0, slug: 'one' })

    await expect(notes[method]('one', { id: '1', slug: 'one' })).rejects.toMatchObject({ code: 404 })
    await expect(notes[method]('one', { id: 'x', slug: 'one' })).rejects.toMatchObject({ code: 400 })
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
