import { memory } from '@feathersjs/memory'
import * as common from 'feathers-hooks-common'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeDoors, describeHttpDoors } from '../support/doors.ts'

// Packages that were written for Feathers v5, mounted unchanged.

describeHttpDoors('the official memory service', (open) => {
  it('works through REST', async () => {
    const client = await open((app) =>
      app.use('messages', memory({ multi: true, paginate: { default: 2, max: 5 } }) as any)
    )

    await client.call('create', 'messages', { data: [{ n: 1 }, { n: 2 }, { n: 3 }] })

    expect(await client.call('find', 'messages', { query: '$sort[n]=-1' })).toEqual({
      total: 3,
      limit: 2,
      skip: 0,
      data: [
        { n: 3, id: 2 },
        { n: 2, id: 1 }
      ]
    })
    expect(await client.call('get', 'messages', { id: 0 })).toEqual({ n: 1, id: 0 })
    expect(await client.call('update', 'messages', { id: 0, data: { m: 1 } })).toEqual({ m: 1, id: 0 })
    expect(await client.call('patch', 'messages', { id: 1, data: { m: 2 } })).toEqual({ n: 2, m: 2, id: 1 })
    expect(await client.call('remove', 'messages', { id: null, query: 'm[$in][]=2&$limit=1' })).toEqual([])
    expect(await client.call('remove', 'messages', { id: 2 })).toEqual({ n: 3, id: 2 })
    await expect(client.call('get', 'messages', { id: 2 })).rejects.toMatchObject({
      name: 'NotFound',
      message: "No record found for id '2'"
    })
    await expect(client.call('find', 'messages', { query: '$where=1' })).rejects.toMatchObject({ code: 400 })
  })
})

describeDoors('feathers-hooks-common', (open) => {
  it('runs before and after hooks', async () => {
    const client = await open((app) => {
      app.use('users', { create: async (data: any) => ({ ...data, password: 'hash', id: 1 }) })
      app.service('users').hooks({
        before: {
          create: [
            common.lowerCase('email'),
            common.iff(
              (context: any) => !context.data.name,
              common.alterItems((item: any) => ({ ...item, name: 'anonymous' }))
            )
          ]
        } as any,
        after: { all: [common.discard('password') as any] }
      })
    })
    const user = await client.call('create', 'users', { data: { email: 'ADA@Example.com' } })

    expect(user).toMatchObject({ email: 'ada@example.com', name: 'anonymous', id: 1 })
    expect(user).not.toHaveProperty('password')
  })
})

it('a hook of feathers-hooks-common calls other methods from a hook', async () => {
  const app = alula()

  app.use('things', memory({ multi: true }) as any)
  app.service('things').hooks({
    before: { all: [common.softDelete() as any] }
  })

  const { id } = (await app.service('things').create({ a: 1 })) as any

  expect(await app.service('things').remove(id)).toMatchObject({ a: 1, deleted: true })
  await expect(app.service('things').get(id)).rejects.toMatchObject({ name: 'NotFound' })
  expect(await app.service('things').find()).toEqual([])
})

describeHttpDoors('feathers-hooks-common', (open) => {
  it('closes methods to the outside', async () => {
    const client = await open((app) => {
      app.use('things', { find: async () => [], create: async () => ({}) })
      app.service('things').hooks({ before: { create: [common.disallow('external') as any] } })
    })
    const response = await client.request('/things', { method: 'POST' })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })
})
