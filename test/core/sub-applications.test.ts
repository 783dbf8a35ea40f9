import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { protect } from '../../src/authentication.ts'
import express from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { many, one, schema } from '../../src/schema.ts'

const User = z.object({ id: z.int(), name: z.string() })
const Note = z.object({ id: z.int(), userId: z.int() })

/** A sub-application with services that name each other. */
function createInner(): any {
  const inner: any = alula()

  inner.use('users', memory({ startId: 1 }), {
    schema: schema(User, { relations: { notes: many('notes', { to: 'userId' }) } })
  })
  inner.use('notes', memory({ startId: 1 }), {
    schema: schema(Note, { relations: { user: one('users', { from: 'userId' }) } })
  })
  inner.use('users/:userId/tasks', memory({ startId: 1 }), { parent: { userId: 'users' } })
  inner.use('me', memory({ startId: 1 }), { singleton: () => 1 })

  return inner
}

describe('a sub-application', () => {
  it.each([
    ['an application', () => alula()],
    ['one of Express', () => express(alula())]
  ])('has relations, parents and single records in %s', async (_name, create) => {
    const outer: any = create()

    outer.use('v1', createInner())
    await outer.setup()

    const client = outer.asClient()

    await outer.service('v1/users').create({ name: 'wren' })
    await outer.service('v1/notes').create({ userId: 1 })
    await outer.service('v1/me').create({ name: 'own' })

    expect(await client.service('v1/notes').find({ query: { $include: 'user' } })).toEqual([
      { id: 1, userId: 1, user: { id: 1, name: 'wren' } }
    ])
    expect(await client.service('v1/users/1/tasks').create({ n: 1 })).toEqual({ id: 1, n: 1, userId: 1 })
    expect(await client.service('v1/me').get()).toEqual({ id: 1, name: 'own' })
  })

  it('has hooks that come after the first filter by its records, and that read what no client selects', async () => {
    const Hideable = User.extend({ isHidden: z.boolean() })
    const inner: any = alula().use('users', memory({ startId: 1 }), { schema: schema(Hideable) })
    const user = one('v1/users', { from: 'userId', filter: ['name'] })
    const outer: any = alula()
      .use('v1', inner)
      .use('notes', memory({ startId: 1 }), { schema: schema(Note, { relations: { user } }) })
    const find = () => outer.service('notes').find({ query: { 'user.name': 'wren' } })

    await outer.service('v1/users').create({ name: 'wren', isHidden: true })
    await outer.service('notes').create({ userId: 1 })
    expect(await find()).toHaveLength(1)

    inner.hooks({
      after: {
        find: [
          (context: any) => {
            context.result = context.result.filter(({ isHidden }: any) => !isHidden)
          }
        ]
      }
    })
    expect(await find()).toEqual([])
  })

  it('is refused at the set-up with a relation to a service that it does not have itself', async () => {
    const inner: any = alula().use('notes', memory(), {
      schema: schema(Note, { relations: { user: one('users', { from: 'userId' }) } })
    })
    const outer: any = alula().use('v1', inner).use('users', memory())

    await expect(outer.setup()).rejects.toThrow(/'user' of service 'notes' needs the service 'users'/)
  })

  it.each([
    ['its own secret', 'inner'],
    ['the secret of the next one, if it has none', 'middle'],
    ['the secret of the last one, if none has', 'outer']
  ] as const)('encrypts its cursors with %s', async (_name, owner) => {
    const inner: any = alula()
    const middle: any = alula()
    const outer: any = alula()
    const app = { inner, middle, outer }[owner]
    const store = [3, 2, 1].map((rank, id) => ({ id, rank: `sentinel-${rank}` }))

    app.set('authentication', { secret: 'a secret of one application that is long enough' })
    inner.use('feed', memory({ store, paginate: { default: 2, cursor: true } }))
    // Clients do not see the field that decides.
    inner.service('feed').hooks({
      before: {
        find: [
          ({ params }: any) => void Object.assign(params, { query: { ...params.query, $sort: { rank: 1 } } })
        ]
      },
      after: { find: [protect('rank')] }
    })

    middle.use('v1', inner)
    outer.use('api', middle)
    await outer.setup()

    const feed = outer.asClient().service('api/v1/feed')
    const { data, endCursor } = await feed.find()

    expect(data).toEqual([{ id: 2 }, { id: 1 }])
    expect(Buffer.from(endCursor, 'base64url').includes('sentinel')).toBe(false)
    expect((await feed.find({ query: { $after: endCursor } })).data).toEqual([{ id: 0 }])
    expect(() => JSON.parse(String(Buffer.from(endCursor, 'base64url')))).toThrow()
  })

  it('refuses cursors of a service with the same path in another one', async () => {
    const createFeed = () => {
      const inner: any = alula()

      inner.set('authentication', { secret: 'a secret of both sub-applications that is long enough' })
      inner.use('feed', memory({ store: [{ id: 0 }, { id: 1 }], paginate: { default: 1, cursor: true } }))

      return inner
    }
    const outer: any = alula().use('v1', createFeed()).use('v2', createFeed())

    await outer.setup()

    const client = outer.asClient()
    const { endCursor: $after } = await client.service('v1/feed').find()

    expect((await client.service('v1/feed').find({ query: { $after } })).data).toEqual([{ id: 1 }])
    await expect(client.service('v2/feed').find({ query: { $after } })).rejects.toMatchObject({ code: 400 })
  })
})
