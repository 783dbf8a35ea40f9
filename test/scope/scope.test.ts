import { expect, it } from 'vitest'
import { access, anyone } from '../../src/access.ts'
import { alula, asCaller } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

it('hooks see the condition of the parent in the query, but for create', async () => {
  const app = alula()
  const seen: { [method: string]: unknown } = {}
  const note = (context: any): void => {
    seen[context.method] = context.params.query
  }
  const comments: any = memory({ store: { 1: { id: 1, postId: 7 }, 2: { id: 2, postId: 7 } } })

  comments.count = async () => 2
  app.use('posts', memory({ store: { 7: { id: 7 } } }), { access: access({ all: anyone }) })
  app.use('posts/:postId/comments', comments, {
    parent: { postId: 'posts' },
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'count'],
    access: access({ all: anyone })
  })
  app.service('posts/:postId/comments').hooks({ before: { all: [note] } })
  await app.setup()

  const client = app.asClient().service('posts/7/comments')

  await client.find()
  await client.get(1)
  await client.create({})
  await client.update(1, {})
  await client.patch(1, {})
  await client.remove(1)
  await client.count({})

  const limited = { $and: [{ postId: 7 }] }

  expect(seen).toEqual({
    find: limited,
    get: limited,
    update: limited,
    patch: limited,
    remove: limited,
    create: {},
    count: {}
  })
})

it('a single record says which id it does not have', async () => {
  const app = alula()

  app.use('people', memory({ store: { 1: { id: 1 }, 2: { id: 2 } } }), {
    singleton: ({ user }) => user?.id,
    access: access({ all: anyone })
  })
  app.use('ask', { find: async (params: any) => app.service('people').find(asCaller(params)) } as any, {
    access: access({ all: anyone })
  })
  await app.setup()

  const as = (user?: object) => app.asClient({ user } as any).service('people')

  await expect(as({ id: 1 }).get(null as any)).resolves.toEqual({ id: 1 })
  await expect(as({ id: 1 }).get(1)).resolves.toEqual({ id: 1 })
  await expect(as({ id: 1 }).get(2)).rejects.toThrow("No record found for id '2'")
  await expect(as().get(null as any)).rejects.toThrow('There is no such record')
  await expect(as({ id: null }).get(null as any)).rejects.toThrow('There is no such record')
  expect(
    await app
      .asClient({ user: { id: 2 } })
      .service('ask')
      .find()
  ).toEqual([{ id: 2 }])
})
