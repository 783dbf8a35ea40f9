import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { onWrite, schema } from '../../src/schema.ts'
import { failing, open } from './support/notes.ts'

describe('values of the server', () => {
  it('are made for each of several records, from its own data', async () => {
    const Note = z.object({ id: z.int(), text: z.string(), slug: z.string() })
    const notes = open(schema(Note, { server: { slug: ({ data }: any) => data.text.toLowerCase() } }))

    expect(await notes.create([{ text: 'A' }, { text: 'B' }], { provider: 'rest' })).toMatchObject([
      { slug: 'a' },
      { slug: 'b' }
    ])
    expect(await notes.create({ text: 'C' }, { provider: 'rest' })).toMatchObject({ slug: 'c' })

    const one = open(schema(Note, { server: { slug: ({ data }: any) => data.text } }), memory())

    await expect(one.create([{ text: 'A' }], { provider: 'rest' })).rejects.toMatchObject({ code: 405 })
  })

  it('are made from data that was checked: with defaults, transformed, without what is dropped', async () => {
    const seen: object[] = []
    const Note = z.object({
      id: z.int(),
      text: z.string().trim().toLowerCase(),
      size: z.int().default(1),
      slug: z.string(),
      owner: z.string().optional()
    })
    const slug = onWrite(({ data }: any) => {
      seen.push({ ...data })

      return `${data.text}!`
    })
    const notes = open(schema(Note, { unknown: 'drop', server: { slug, owner: undefined } }))
    const outside = { provider: 'rest' }

    expect(await notes.create({ text: '  HELLO ', admin: true }, outside)).toMatchObject({ slug: 'hello!' })
    expect(await notes.create([{ text: ' A' }, { text: 'B ' }])).toMatchObject([
      { slug: 'a!' },
      { slug: 'b!' }
    ])
    expect(await notes.patch(0, { text: ' C', admin: true }, outside)).toMatchObject({ slug: 'c!', size: 1 })
    expect(await notes.update(0, { text: 'D' }, outside)).toMatchObject({ slug: 'd!' })
    expect(await notes.create({ text: 'E', owner: 'ada' })).toMatchObject({ slug: 'e!', owner: 'ada' })
    expect(seen).toEqual([
      { text: 'hello', size: 1 },
      { text: 'a', size: 1 },
      { text: 'b', size: 1 },
      { text: 'c' },
      { text: 'd', size: 1 },
      { text: 'e', size: 1, owner: 'ada' }
    ])
  })

  it('see an envelope that the schema of the data opens', async () => {
    const Note = z.object({ id: z.int(), text: z.string(), slug: z.string() })
    const notes = open(
      schema({
        record: Note,
        create: z.object({ note: z.object({ text: z.string() }) }).transform(({ note }) => note),
        patch: z.object({ text: z.string() }),
        server: { slug: ({ data }: any) => data.text.toUpperCase() }
      })
    )

    expect(await notes.create({ note: { text: 'a' } }, { provider: 'rest' })).toMatchObject({ slug: 'A' })
  })

  const Note = z.object({ id: z.int(), text: z.string(), owner: z.string(), at: z.number().optional() })

  it('may take time, know the call, and be missing', async () => {
    const notes = open(
      schema(Note, {
        server: {
          owner: async ({ params }: any) => params.user,
          at: onWrite(() => undefined as unknown as number)
        }
      })
    )

    expect(await notes.create([{ text: 'a' }, { text: 'b' }], { user: 'ada' })).toEqual([
      { id: 0, text: 'a', owner: 'ada' },
      { id: 1, text: 'b', owner: 'ada' }
    ])
  })

  it('are kept by update under the conditions of the query', async () => {
    const notes = open(schema(Note, { server: { owner: () => 'server' } }))

    await notes.create({ text: 'a', owner: 'ada' })

    expect(
      await notes.update(0, { text: 'b' }, { provider: 'rest', query: { owner: 'ada', $select: ['text'] } })
    ).toEqual({
      id: 0,
      text: 'b'
    })
    expect(await notes.get(0)).toEqual({ id: 0, text: 'b', owner: 'ada' })
    expect(await failing(notes.update(0, { text: 'c' }, { query: { owner: 'eve' } }))).toEqual([
      404,
      undefined
    ])
  })
})

describe('values of the server that update keeps', () => {
  const Note = z.object({ id: z.int(), text: z.string(), owner: z.string(), at: z.number().optional() })
  const server = { owner: () => 'server', at: undefined }
  const update = async (id: number, data: object) => ({ id, ...data })

  it('are those that a service without an adapter returns for the id', async () => {
    const queries: unknown[] = []
    const get = async (id: number, { query, provider }: any) => {
      queries.push([query, provider])

      return { id, text: 'a', ...(id === 1 && { owner: 'ada' }) }
    }
    const notes = open(schema(Note, { server }), { get, update })

    expect(await notes.update(1, { text: 'b' }, { provider: 'rest' })).toEqual({
      ...{ id: 1, text: 'b', owner: 'ada' }
    })
    expect(await notes.update(2, { text: 'b' })).toEqual({ id: 2, text: 'b' })
    expect(await notes.update(3, { text: 'b', owner: 'eve' })).toEqual({ id: 3, text: 'b', owner: 'eve' })
    expect(queries).toEqual([
      [{}, undefined],
      [{}, undefined]
    ])
  })

  it('are none where the service has no `get`', async () => {
    const notes = open(schema(Note, { server }), { update })

    expect(await notes.update(1, { text: 'b' })).toEqual({ id: 1, text: 'b' })
  })

  it('are not looked for where no record is named', async () => {
    const notes = open(schema(Note, { server }))

    await expect(notes.update(null, { text: 'b' }, { provider: 'rest' })).rejects.toMatchObject({
      code: 400,
      message: "You can not replace multiple instances. Did you mean 'patch'?"
    })
  })

  it('do not tell a caller with access whether there is a record', async () => {
    const failed = new Error('broken')
    const app = alula()
    const service = memory()

    app.use('notes', service, {
      schema: schema(Note, { server }),
      access: access({ update: () => ({ owner: 'ada' }) })
    })

    await app.service('notes').create({ text: 'a', owner: 'eve' })

    for (const id of [0, 9]) {
      await expect(
        app.service('notes').update(id, { text: 'b' }, { provider: 'rest' })
      ).rejects.toMatchObject({ code: 404, message: `No record found for id '${id}'` })
    }

    service._get = async () => {
      throw failed
    }
    await expect(app.service('notes').update(0, { text: 'b' }, { provider: 'rest' })).rejects.toBe(failed)
  })
})
