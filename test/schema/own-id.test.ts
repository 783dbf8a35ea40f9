import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { createTable, SQLITE } from '../support/sql.ts'
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

    for (const id of ['1', 'x']) {
      await expect(notes[method]('one', { id, slug: 'one' })).rejects.toMatchObject({
        code: 400,
        message: "Invalid data: 'id' is set by the server"
      })
    }
    await expect(notes[method]('two', { id: 0, slug: 'one' })).rejects.toMatchObject({ code: 404 })
  })

  it.each(['slug', undefined])(
    'is refused where it is hidden, whether or not it is right (by %s)',
    async (by) => {
      const app = alula().use('notes', memory(), {
        ...(by && { by }),
        schema: schema(z.object({ id: z.int(), slug: z.string() }), { hidden: ['id'] })
      })
      const notes: any = app.asClient().service('notes')

      await app.service('notes').create({ slug: 'one' })

      for (const id of [0, 1]) {
        await expect(notes.patch(by ? 'one' : '0', { id, slug: 'two' })).rejects.toMatchObject({
          code: 400,
          message: "Invalid data: 'id' is set by the server"
        })
      }
    }
  )

  it('is compared in production, also with the schema of a table', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())

    const db = await createTable(SQLITE, 'alula_own_id', 'id integer primary key, slug text not null')
    const Note = z.object({ id: z.int(), slug: z.string() })
    const app = alula()
      .use('rows', kysely({ Model: db, name: 'alula_own_id' }), { by: 'slug', schema: table() })
      .use('notes', memory(), { by: 'slug', schema: schema(Note) })

    for (const path of ['rows', 'notes']) {
      const { id } = await app.service(path).create({ slug: 'one' })
      const patch = (sent: number) => (app.asClient() as any).service(path).patch('one', { id: sent })

      await expect(patch(id + 1)).rejects.toMatchObject({ code: 400 })
      expect(await patch(id)).toEqual({ id, slug: 'one' })
    }
  })

  it('is named as in the request, where that has an envelope', async () => {
    const app = alula().use('notes', memory(), {
      by: 'slug',
      schema: schema(z.object({ id: z.int(), slug: z.string() }), {
        envelope: { one: 'note', request: true }
      })
    })
    const notes: any = app.asClient().service('notes')

    await app.service('notes').create({ slug: 'one' })
    await expect(notes.patch('one', { note: { id: 1 } })).rejects.toMatchObject({
      errors: { 'note.id': 'is set by the server' }
    })
  })

  it('tells nothing of a record that its caller may see and not write', async () => {
    const app = alula().use('notes', memory(), {
      by: 'slug',
      schema: schema(z.object({ id: z.int(), slug: z.string(), ownerId: z.string() }), {
        server: { ownerId: ({ params }) => String(params.user?.id) }
      }),
      access: access({ get: anyone, find: anyone, patch: ({ params }: any) => ({ ownerId: params.user.id }) })
    })
    const patch = (user: string, id: number) =>
      (app.asClient({ user: { id: user } }) as any).service('notes').patch('one', { id, slug: 'one' })

    await app.service('notes').create({ slug: 'one', ownerId: 'ada' })

    for (const id of [0, 1]) await expect(patch('grace', id)).rejects.toMatchObject({ code: 403 })

    await expect(patch('ada', 1)).rejects.toMatchObject({ code: 400 })
    expect(await patch('ada', 0)).toMatchObject({ id: 0 })
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
