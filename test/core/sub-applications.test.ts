import { describe, expect, it } from 'vitest'
import { z } from 'zod'
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
})
