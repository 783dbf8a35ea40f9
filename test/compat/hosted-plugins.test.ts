import { defineAbility } from '@casl/ability'
import { memory } from '@feathersjs/memory'
import socketClient from '@feathersjs/socketio-client'
import { authorize, feathersCasl } from 'feathers-casl'
import * as common from 'feathers-hooks-common'
import * as utils from 'feathers-utils'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory as ourMemory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { connectSocket, next } from '../support/sockets.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  describeTransports
} from '../support/transports.ts'

// Packages that were written for Feathers v5, mounted unchanged.

describeTransports('the official memory service', (open) => {
  it('works', async () => {
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

describeTransports('feathers-hooks-common', (open) => {
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

describeTransports('feathers-utils', (open) => {
  it('sets data, checks for several records, and removes records of other services', async () => {
    const client = await open((app) => {
      app.use('users', ourMemory({ startId: 1 }))
      app.use('todos', ourMemory({ startId: 1, multi: true }))
      app.service('users').hooks({
        before: { create: [utils.checkMulti() as any] },
        after: {
          remove: [
            utils.onDelete({
              service: 'todos',
              keyThere: 'userId',
              keyHere: 'id',
              onDelete: 'cascade',
              blocking: true
            }) as any
          ]
        }
      })
      app.service('todos').hooks({
        before: { create: [utils.setData('method', 'madeBy') as any, utils.runPerItem(trim) as any] }
      })
    })

    await client.call('create', 'users', { data: { name: 'Ada' } })
    expect(await client.call('create', 'todos', { data: [{ text: ' a ', userId: 1 }] })).toEqual([
      { id: 1, text: 'a', userId: 1, madeBy: 'create' }
    ])
    await expect(client.call('create', 'users', { data: [{}] })).rejects.toMatchObject({
      name: 'MethodNotAllowed'
    })
    await client.call('remove', 'users', { id: 1 })
    expect(await client.call('find', 'todos')).toEqual([])
  })

  function trim(item: { text: string }): void {
    item.text = item.text.trim()
  }
})

describeRemoteTransports('feathers-hooks-common', (open) => {
  it('closes methods to the outside', async () => {
    const client = await open((app) => {
      app.use('things', { find: async () => [], create: async () => ({}) })
      app.service('things').hooks({ before: { create: [common.disallow('external') as any] } })
    })

    expect(await client.fail('create', 'things', { data: {} })).toMatchObject({
      name: 'MethodNotAllowed',
      code: 405
    })
    expect(await client.call('find', 'things')).toEqual([])
  })

  it('closes methods to one provider', async () => {
    const client = await open((app) => {
      app.use('things', { find: async () => ['open'] })
      app.use('others', { find: async () => ['open'] })
      app.service('things').hooks({ before: { find: [common.disallow('rest') as any] } })
      app.service('others').hooks({ before: { find: [common.disallow('socketio') as any] } })
    })
    const [refused, allowed] = client.provider === 'rest' ? ['things', 'others'] : ['others', 'things']

    expect(await client.fail('find', refused as string)).toMatchObject({ code: 405 })
    expect(await client.call('find', allowed as string)).toEqual(['open'])
  })
})

describeHttpTransports('feathers-hooks-common', (open) => {
  it('closes verbs to the outside', async () => {
    const client = await open((app) => {
      app.use('things', { find: async () => [], create: async () => ({}) })
      app.service('things').hooks({ before: { create: [common.disallow('external') as any] } })
    })
    const response = await client.request('/things', { method: 'POST' })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, QUERY')
  })
})

it('the official Socket.IO client makes services of an application of ours, with hooks and mixins', async () => {
  const server = alula<any>()

  server.configure(socketio({ logger: false }))
  server.use(
    'messages',
    { create: async (data: any) => data, shout: async ({ text }: any) => `${text}!` },
    {
      methods: ['create', 'shout']
    }
  )
  server.on('connection', (connection) => server.channel('all').join(connection))
  server.publish(() => server.channel('all'))

  const socket = await connectSocket(await serve(server as any))
  const client = alula<any>()
  const mixed: string[] = []

  // Its types are those of a CommonJS module.
  client.configure((socketClient as any)(socket))
  client.mixins.push((_service, path) => mixed.push(path))
  client.use('messages', (socketClient as any)(socket).service('messages'), { methods: ['create', 'shout'] })
  client.service('messages').hooks({
    before: {
      create: [
        async (context: any) => {
          context.data = { ...context.data, hooked: true }
        }
      ]
    },
    after: {
      shout: [
        async (context: any) => {
          context.result = { heard: context.result }
        }
      ]
    }
  })

  const created = next(socket, 'messages created')
  let emitted = 0

  client.service('messages').on('created', () => emitted++)
  expect(await client.service('messages').create({ text: 'hello' })).toEqual({ text: 'hello', hooked: true })
  expect(await created).toEqual({ text: 'hello', hooked: true })
  // That of the server, and none of its own.
  expect(emitted).toBe(1)
  expect(await client.service('messages').shout({ text: 'hello' })).toEqual({ heard: 'hello!' })

  await expect(client.service('nothing').create({})).rejects.toMatchObject({ name: 'NotFound', code: 404 })
  expect(mixed).toEqual(['messages', 'nothing'])
})

describe.each([
  ['without a declaration', undefined],
  ['with one', schema(z.object({ id: z.int(), text: z.string(), userId: z.int() }))]
])('feathers-casl on a service %s', (_name, declared) => {
  it('narrows queries and refuses calls', async () => {
    const app: any = alula()
    const ability = defineAbility((can) => {
      can(['find', 'get'], 'messages', { userId: 1 })
      can('create', 'messages')
    })
    // It notes in the params what it has checked.
    const toOutside = () => ({ provider: 'rest', ability })

    app.configure(feathersCasl())
    app.use('messages', ourMemory({ multi: true }), { schema: declared })

    const messages = app.service('messages')

    messages.hooks({ around: { all: [authorize({ adapter: '@feathersjs/memory' })] } })
    await messages.create([
      { text: 'a', userId: 1 },
      { text: 'b', userId: 2 }
    ])

    expect(await messages.find(toOutside())).toEqual([{ id: 0, text: 'a', userId: 1 }])
    expect(await messages.create({ text: 'c', userId: 1 }, toOutside())).toMatchObject({ id: 2 })
    await expect(messages.get(1, toOutside())).rejects.toMatchObject({ code: 404 })
    await expect(messages.remove(0, toOutside())).rejects.toMatchObject({ code: 403 })
  })
})
