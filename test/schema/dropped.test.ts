import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { one, schema } from '../../src/schema.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const Note = z.object({
  id: z.int(),
  text: z.string(),
  place: z.object({ city: z.string() }).optional(),
  secret: z.string().default('x'),
  ownerId: z.int(),
  shout: z.string().optional()
})

const declared = (settings: object = {}) =>
  schema(Note, {
    unknown: 'drop',
    hidden: ['secret'],
    server: { ownerId: ({ params }: any) => params.user?.id ?? 1 },
    computed: { shout: { from: ['text'], many: (records: any) => records.map(({ text }: any) => text) } },
    relations: { owner: one('users', { from: 'ownerId' }) },
    ...settings
  })

async function openNotes(settings?: object) {
  const app: any = alula()

  app.use('users', memory())
  app.use('notes', memory({ multi: true, operators: ['$not', '$nor'], filters: { $search: true } }), {
    schema: declared(settings)
  })

  const notes = app.service('notes')

  await notes.create([
    { text: 'a', ownerId: 1 },
    { text: 'b', ownerId: 2 }
  ])

  return { notes, client: app.asClient().service('notes') }
}

const errors = (call: Promise<unknown>): Promise<any> =>
  call.then(
    (result) => expect.unreachable(`it came to ${JSON.stringify(result)}`),
    ({ code, errors }) => [code, errors]
  )

const UNKNOWN = 'is not a field that can be queried'

describe("with `unknown: 'drop'`", () => {
  it.each(['create', 'update', 'patch'])(
    'data of %s loses the id, and fields of the server and computed ones',
    async (method) => {
      const { client, notes } = await openNotes()
      const data = { id: 7, text: 'c', ownerId: 9, shout: 'x', owner: { id: 9 }, nope: 1 }
      const { id } = await (method === 'create' ? client.create(data) : client[method](1, data))

      expect(await notes.get(id)).toEqual({
        ...{ id: method === 'create' ? 2 : 1, text: 'c', secret: 'x' },
        ...{ ownerId: method === 'create' ? 1 : 2, shout: 'c' }
      })
    }
  )

  it.each(['find', 'get'])('the query of %s loses names at its top that are not declared', async (method) => {
    const { client } = await openNotes()
    const call = async (query: object) =>
      method === 'find'
        ? (await client.find({ query })).map(({ id }: any) => id)
        : [(await client.get(1, { query })).id]

    expect(await call({ utm: 'x', 'place.nope': 1, 'utm.x': { $gt: 1 }, text: 'b' })).toEqual([1])
    expect(await call({ id: '1', ownerId: '2', _: '1' })).toEqual([1])

    for (const [query, path] of [
      [{ secret: 'x' }, 'secret'],
      [{ shout: 'b' }, 'shout'],
      [{ place: 'x' }, 'place'],
      [{ $or: [{ nope: 1 }] }, 'nope'],
      [{ $and: [{ nope: 1 }] }, 'nope'],
      [{ $not: { nope: 1 } }, 'nope'],
      [{ $nor: [{ nope: 1 }] }, 'nope']
    ] as const) {
      expect(await errors(call(query)), JSON.stringify(query)).toEqual([
        ...[400, { [path]: expect.stringContaining(UNKNOWN) }]
      ])
    }
    for (const query of [
      { $nope: 1 },
      { text: { $nope: 1 } },
      { $select: ['nope'] },
      { owner: 1 },
      { 'owner.nope': 1 },
      ...(method === 'find' ? [{ $sort: { nope: 1 } }] : [])
    ]) {
      expect((await errors(call(query)))[0], JSON.stringify(query)).toBe(400)
    }
  })

  it('the query of other methods loses nothing: they would concern more records', async () => {
    const { client, notes } = await openNotes()

    for (const call of [
      () => client.patch(null, { text: 'c' }, { query: { txt: 'a' } }),
      () => client.remove(null, { query: { txt: 'a' } }),
      () => client.remove(0, { query: { txt: 'a' } }),
      () => client.update(0, { text: 'c' }, { query: { txt: 'a' } }),
      () => client.create({ text: 'c' }, { query: { txt: 'a' } })
    ]) {
      expect(await errors(call())).toEqual([400, { txt: expect.stringContaining(UNKNOWN) }])
    }

    expect(await notes.find()).toHaveLength(2)
  })

  it('a schema for queries loses the same names, with the same methods', async () => {
    const Search = z.object({ text: z.string().optional(), within: z.object({ days: z.int() }).optional() })
    const { client } = await openNotes({ query: Search })

    expect(await client.find({ query: { utm: 'x', text: 'b' } })).toMatchObject([{ id: 1 }])
    expect(await client.get(1, { query: { utm: 'x' } })).toMatchObject({ id: 1 })

    for (const query of [
      { secret: 'x' },
      { ownerId: 2 },
      { id: 1 },
      { $limit: 1 },
      { within: { days: 1, nope: 1 } }
    ]) {
      expect((await errors(client.find({ query })))[0], JSON.stringify(query)).toBe(400)
    }

    expect((await errors(client.remove(0, { query: { utm: 'x' } })))[0]).toBe(400)
  })

  it('a call from inside is not changed', async () => {
    const { notes } = await openNotes()

    expect(await notes.find({ query: { txt: 'a' } })).toEqual([])
    expect(await notes.create({ id: 7, text: 'c', ownerId: 9 })).toMatchObject({ id: 7, ownerId: 9 })
  })
})

describeRemoteTransports("`unknown: 'drop'`", (open) => {
  it('leaves what it does not know out of a URL and a message', async () => {
    const client = await open((app: any) =>
      app.use('notes', memory(), {
        schema: schema(z.object({ id: z.int(), text: z.string() }), { unknown: 'drop' })
      })
    )

    await client.call('create', 'notes', { data: { id: 9, text: 'a' } })

    expect(await client.call('find', 'notes', { query: 'utm_source=x&text=a' })).toEqual([
      { id: 0, text: 'a' }
    ])
    expect(await client.fail('remove', 'notes', { id: 0, query: 'utm_source=x' })).toMatchObject({
      code: 400
    })
  })
})
