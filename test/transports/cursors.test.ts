import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { protect } from '../../src/authentication.ts'
import type { Application } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { count, many, one, schema } from '../../src/schema.ts'
import { describeRemoteTransports } from '../support/transports.ts'

const SENTINEL = 'sentinel-of-a-hidden-field'
const Note = z.object({ id: z.int(), text: z.string(), rank: z.string(), userId: z.int() })
const User = z.object({ id: z.int(), name: z.string() })

interface Options {
  readonly cursor?: true | { readonly secret: string }
  readonly settings?: object
  readonly hook?: (context: any) => void
  readonly envelope?: { readonly many: string }
}

function configure(app: Application<any>, { cursor = true, settings, hook, envelope }: Options = {}): void {
  const notes = memory({ paginate: { default: 2, max: 4, cursor } })

  if (settings) app.set('authentication', settings as any)
  app.use('users', memory({ store: [{ id: 1, name: 'Ada' }] }), {
    schema: schema(User, {
      relations: { notes: many('notes', { to: 'userId' }), all: count('notes', { to: 'userId' }) }
    }),
    access: access({ find: anyone, get: anyone }),
    methods: ['find', 'get']
  })
  app.use('notes', notes, {
    schema: schema(Note, {
      hidden: ['rank'],
      relations: { user: one('users', { from: 'userId' }) },
      ...(envelope && { envelope })
    }),
    // A rule that is another one with each call.
    access: access({ find: () => ({ time: { $ne: new Date() } }) }),
    methods: ['find']
  })
  notes.store = ['a', 'b', 'c', 'd', 'e'].map((text, id) => ({
    ...{ id, text, rank: `${SENTINEL}-${9 - id}`, userId: 1 }
  }))
  if (hook) app.service('notes').hooks({ before: { find: [hook] } })
}

const byRank = (context: any) => {
  context.params.query = { ...context.params.query, $sort: { rank: 1 } }
}
const toText = ({ text }: { text: string }) => text

describeRemoteTransports('pages with cursors', (open) => {
  it('lead to each other, with included records', async () => {
    const client = await open((app) => void configure(app))
    const query = { $include: 'user', $sort: { text: -1 } }
    const first = await client.call('find', 'notes', { query: { ...query, $total: true } })
    const second = await client.call('find', 'notes', { query: { ...query, $after: first.endCursor } })
    const back = await client.call('find', 'notes', { query: { ...query, $before: second.startCursor } })

    expect(Object.keys(first).sort()).toEqual([
      'data',
      'endCursor',
      'hasNextPage',
      'hasPreviousPage',
      'limit',
      'startCursor',
      'total'
    ])
    expect(first).toMatchObject({ total: 5, limit: 2, hasNextPage: true, hasPreviousPage: false })
    expect(first.data[0]).toEqual({ id: 4, text: 'e', userId: 1, user: { id: 1, name: 'Ada' } })
    expect(second.data.map(toText)).toEqual(['c', 'b'])
    expect(second.hasPreviousPage).toBe(true)
    expect(back.data).toEqual(first.data)
  })

  it('are those of the related service where a relation reads lists', async () => {
    const client = await open((app) => void configure(app))
    const { notes, all } = await client.call('get', 'users', { id: 1, query: { $include: ['notes', 'all'] } })

    expect(notes.map(toText)).toEqual(['a', 'b', 'c', 'd'])
    expect(all).toBe(5)
  })

  it('have their fields in an envelope', async () => {
    const client = await open((app) => void configure(app, { envelope: { many: 'notes' } }))
    const { notes, endCursor, ...others } = await client.call('find', 'notes')
    const next = await client.call('find', 'notes', { query: { $after: endCursor } })

    expect(notes.map(toText)).toEqual(['a', 'b'])
    expect(others).toEqual({ hasNextPage: true, hasPreviousPage: false, startCursor: expect.any(String) })
    expect(next.notes.map(toText)).toEqual(['c', 'd'])
  })

  it('cannot be sorted by a hidden field, and show none by a hook that sorts by it', async () => {
    for (const options of [
      { cursor: { secret: 'another long secret of the service' } },
      { settings: { secret: 'the long secret of authentication' } },
      { settings: { secret: ['a new secret', 'an old secret'] } }
    ]) {
      const client = await open((app) => void configure(app, { ...options, hook: byRank }))
      const { data, endCursor } = await client.call('find', 'notes')
      const next = await client.call('find', 'notes', { query: { $after: endCursor } })
      const bytes = Buffer.from(endCursor, 'base64url')

      expect(data.map(toText)).toEqual(['e', 'd'])
      expect(next.data.map(toText)).toEqual(['c', 'b'])
      expect(bytes.includes(SENTINEL)).toBe(false)
      expect(JSON.stringify([data, next])).not.toContain(SENTINEL)
      await expect(client.call('find', 'notes', { query: { $sort: { rank: 1 } } })).rejects.toMatchObject({
        code: 400
      })
    }
  })

  it('are refused where a hidden field decides and nothing encrypts them', async () => {
    const client = await open((app) => void configure(app, { hook: byRank }))
    const error = await client.call('find', 'notes').catch((reason: unknown) => reason)

    expect(error).toMatchObject({ code: 500 })
    expect(JSON.stringify(error)).not.toContain(SENTINEL)
  })

  it.each([
    ['a field that the schema does not declare', { declared: true, hooks: [] }],
    ['a field that a hook protects', { declared: false, hooks: [protect('rank')] }]
  ])('are refused where %s decides and nothing encrypts them', async (_, { declared, hooks }) => {
    const client = await open((app) => {
      const store = [0, 1, 2].map((id) => ({ id, text: 'a', rank: SENTINEL }))
      const notes = memory({ store, paginate: { default: 2, cursor: true } })

      app.use(
        'notes',
        notes,
        declared ? { schema: schema(Note.omit({ rank: true, userId: true })) } : undefined
      )
      app.service('notes').hooks({ before: { find: [byRank] }, after: { find: hooks } })
    })
    const error = await client.call('find', 'notes').catch((reason: unknown) => reason)

    expect(error).toMatchObject({ code: 500 })
    expect(JSON.stringify(error)).not.toContain(SENTINEL)
  })

  it('belong to a service: those of another one, whose order a client chooses, are refused', async () => {
    const client = await open((app) => {
      configure(app, { hook: byRank, settings: { secret: 'the long secret of authentication' } })
      app.use('guesses', memory({ store: [{ id: 0, rank: 'm' }], paginate: { default: 1, cursor: true } }))
    })
    const { endCursor: $after } = await client.call('find', 'guesses', { query: { $sort: { rank: 1 } } })

    await expect(client.call('find', 'notes', { query: { $after } })).rejects.toMatchObject({ code: 400 })
    expect((await client.call('find', 'guesses', { query: { $sort: { rank: 1 }, $after } })).data).toEqual([])
  })

  it('are refused where a cursor was changed', async () => {
    for (const options of [{}, { settings: { secret: 'the long secret of authentication' } }]) {
      const client = await open((app) => void configure(app, options))
      const { endCursor } = await client.call('find', 'notes')

      for (const index of [0, 10, 20]) {
        const other = endCursor[index] === 'A' ? 'B' : 'A'
        const $after = endCursor.slice(0, index) + other + endCursor.slice(index + 1)

        await expect(client.call('find', 'notes', { query: { $after } })).rejects.toMatchObject({ code: 400 })
      }
    }
  })
})
