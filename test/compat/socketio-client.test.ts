import { once } from 'node:events'
import type { Socket } from 'socket.io-client'
import { describe, expect, it } from 'vitest'
import { BadRequest, NotFound } from '../../src/errors.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { defer } from '../support/deferred.ts'
import { serve } from '../support/server.ts'
import { connectSocket, next } from '../support/sockets.ts'
import { clients, createConnect, echo, record, socketClient, start } from './socketio-clients.ts'

// The official Socket.IO client of Feathers v5 against our server: in an application of Feathers, and in one of ours.

const transports = ['websocket', 'polling'] as const

for (const [name, create] of Object.entries(clients)) {
  const { connect, open } = createConnect(create)

  describe.each(transports)(
    `the official Socket.IO client in an application of ${name}, by %s`,
    (transport) => {
      const options = { transports: [transport] }

      it('calls all six methods', async () => {
        const { client } = await open((app) => app.use('things', echo), options)
        const things = client.service('things')
        const query = { a: { $in: [1, '2', null] }, $sort: { b: -1 }, c: true }

        expect(await things.find({ query })).toEqual({ method: 'find', query })
        expect(await things.find()).toEqual({ method: 'find', query: {} })
        expect(await things.get('a b/c', { query: { $select: ['x'] } })).toEqual({
          method: 'get',
          id: 'a b/c',
          query: { $select: ['x'] }
        })
        expect(await things.get(0)).toEqual({ method: 'get', id: 0, query: {} })
        expect(await things.create({ a: 1 }, { query })).toEqual({ method: 'create', data: { a: 1 }, query })
        expect(await things.create([{ a: 1 }, { a: 2 }])).toEqual({
          method: 'create',
          data: [{ a: 1 }, { a: 2 }],
          query: {}
        })
        expect(await things.update(1, { a: 2 }, { query })).toEqual({
          method: 'update',
          id: 1,
          data: { a: 2 },
          query
        })
        expect(await things.update(null, { a: 2 })).toMatchObject({ id: null })
        expect(await things.patch(null, { a: 3 }, { query })).toEqual({
          method: 'patch',
          id: null,
          data: { a: 3 },
          query
        })
        expect(await things.remove(null, { query })).toEqual({ method: 'remove', id: null, query })
        expect(await things.remove('x')).toEqual({ method: 'remove', id: 'x', query: {} })
      })

      it('hears of what others do', async () => {
        const url = await start((app) => app.use('messages', memory({ multi: true })))
        const { client: one } = await connect(url, options)
        const { client: other } = await connect(url, options)
        const heard = record(other.service('messages'), 'created', 'updated', 'patched', 'removed')
        const messages = one.service('messages')
        const last = once(other.service('messages'), 'removed')

        await messages.create({ text: 'one' })
        await messages.update(0, { text: 'two' })
        await messages.patch(0, { read: true })
        await messages.remove(0)
        await last

        expect(heard).toEqual([
          ['created', { id: 0, text: 'one' }],
          ['updated', { id: 0, text: 'two' }],
          ['patched', { id: 0, text: 'two', read: true }],
          ['removed', { id: 0, text: 'two', read: true }]
        ])
      })

      it('is connected again after its transport was closed, and hears of events again', async () => {
        let app: any
        const { client, socket } = await open(
          (application) => {
            app = application
            app.use('messages', memory())
          },
          { ...options, reconnectionDelay: 1, reconnectionDelayMax: 1 }
        )
        const id = socket.id
        const reconnected = next(socket, 'connect')
        const heard = next(socket, 'messages created')

        for (const { conn } of app.io.sockets.sockets.values()) conn.close()
        await next(socket, 'disconnect')

        // It waits for the connection.
        const created = client.service('messages').create({ text: 'hello' })

        await reconnected
        expect(socket.id).not.toBe(id)
        expect(await created).toEqual({ id: 0, text: 'hello' })
        expect(await heard).toEqual({ id: 0, text: 'hello' })
        expect(app.channel('everybody').length).toBe(1)
      })
    }
  )

  describe(`the official Socket.IO client in an application of ${name}`, () => {
    it('calls custom methods', async () => {
      const { client, socket } = await open((app) =>
        app.use(
          'calculator',
          {
            add: async ({ a, b }: any, { query }: any) => ({ sum: a + b, query }),
            ping: async (data: any) => ({ pong: data }),
            find: async () => ['found']
          } as any,
          { methods: ['add', 'ping', 'find'] }
        )
      )

      client.use('calculator', socketClient(socket).service('calculator'), {
        methods: ['find', 'add', 'ping']
      })

      const calculator = client.service('calculator')

      expect(await calculator.add({ a: 1, b: 2 })).toEqual({ sum: 3, query: {} })
      expect(await calculator.add({ a: 1, b: 2 }, { query: { c: 3 } })).toEqual({ sum: 3, query: { c: 3 } })
      // Data that are left out are null on their way.
      expect(await calculator.ping()).toEqual({ pong: {} })
      expect(await calculator.find()).toEqual(['found'])
    })

    it('calls custom methods through `methods` of its service', async () => {
      const { socket } = await open((app) =>
        app.use('calculator', { double: async ({ a }: any) => ({ a: a * 2 }) } as any, {
          methods: ['double']
        })
      )
      const service = socketClient(socket).service('calculator').methods('double')

      expect(await service.double({ a: 2 })).toEqual({ a: 4 })
      expect(await service._double({ a: 3 })).toEqual({ a: 6 })
    })

    it('calls custom methods that a service gets after it has connected', async () => {
      let app: any
      const { client, socket } = await open((application) => {
        app = application
      })

      app.use('late', { greet: async (data: any) => ({ hello: data.name }) }, { methods: ['greet'] })
      client.use('late', socketClient(socket).service('late'), { methods: ['greet'] })

      expect(await client.service('late').greet({ name: 'Ann' })).toEqual({ hello: 'Ann' })
    })

    it('sends 200 values and 50 clauses', async () => {
      const { client } = await open((app) => app.use('things', echo))
      const values = Array.from({ length: 200 }, (_, index) => index)
      const query = {
        a: { $in: values },
        $or: values.slice(0, 50).map((value) => ({ a: value, b: { $gt: value } }))
      }

      expect(await client.service('things').find({ query })).toEqual({ method: 'find', query })
    })

    it('revives errors with their class and data', async () => {
      const { client } = await open((app) =>
        app.use('things', {
          get: async () => {
            throw new NotFound('No such thing', { hint: 'look elsewhere', errors: { id: 'unknown' } })
          },
          create: async () => {
            throw new BadRequest('Not like this', [{ field: 'a' }])
          },
          find: async () => []
        })
      )
      const missing = await client
        .service('things')
        .get(1)
        .catch((error: unknown) => error)

      expect(missing).toMatchObject({
        name: 'NotFound',
        code: 404,
        className: 'not-found',
        message: 'No such thing',
        data: { hint: 'look elsewhere' },
        errors: { id: 'unknown' }
      })
      expect(missing).toBeInstanceOf(Error)
      expect(missing.constructor.name).toBe('NotFound')

      await expect(client.service('things').create({})).rejects.toMatchObject({
        name: 'BadRequest',
        data: [{ field: 'a' }]
      })
      await expect(client.service('unknown').find()).rejects.toMatchObject({
        name: 'NotFound',
        code: 404,
        message: "Service 'unknown' not found"
      })
    })

    it('learns which methods a service does not offer', async () => {
      const { client } = await open((app) => {
        app.use('things', { find: async () => [] })
        app.use('others', { remove: async () => ({}) })
      })

      await expect(client.service('things').remove(1)).rejects.toMatchObject({
        name: 'MethodNotAllowed',
        code: 405,
        message: "Method 'remove' not allowed on service 'things'"
      })
    })

    it.each([null, undefined, 0, '', false, []])('gets a result of %j as its JSON', async (result) => {
      const { client } = await open((app) => app.use('things', { find: async () => result as any }))

      expect(await client.service('things').find()).toEqual(result ?? null)
    })

    it('is not asked without an id', async () => {
      const { client } = await open((app) => app.use('things', echo))
      const things = client.service('things')

      for (const id of [undefined, '']) {
        for (const [method, call] of Object.entries({
          get: () => things.get(id),
          update: () => things.update(id, {}),
          patch: () => things.patch(id, {}),
          remove: () => things.remove(id)
        })) {
          await expect(call()).rejects.toMatchObject({
            name: 'BadRequest',
            code: 400,
            message: `id for .${method} is required`
          })
        }
      }
    })

    it('fills placeholders of paths, which arrive as params.route', async () => {
      const { client } = await open((app) =>
        app.use('users/:userId/messages/:box', {
          find: async ({ route, query }: any) => ({ route, query }),
          create: async (data: any, { route }: any) => ({ data, route })
        })
      )
      const messages = client.service('users/:userId/messages/:box')
      const route = { userId: 'ann b', box: 'in' }

      expect(await messages.find({ route, query: { a: 1 } })).toEqual({ route, query: { a: 1 } })
      expect(await messages.create({ a: 1 }, { route })).toEqual({ data: { a: 1 }, route })
      expect(await client.service('users/5/messages/out').find()).toEqual({
        route: { userId: '5', box: 'out' },
        query: {}
      })
    })

    it('gets its answers with a time limit too', async () => {
      const late = defer<any>()
      const url = await start((app) => app.use('things', { ...echo, update: () => late.promise }))
      const { client, socket } = await connect(url)
      const things = client.service('things')
      const withLimit = (limit: number): any => {
        socket.timeout(limit)

        return things
      }

      expect(await withLimit(20_000).get(1)).toEqual({ method: 'get', id: 1, query: {} })
      await expect(withLimit(20_000).remove('x', { query: 'y' as any })).rejects.toMatchObject({
        name: 'BadRequest'
      })
      await expect(withLimit(1).update(1, {})).rejects.toThrow('operation has timed out')
      late.resolve({})
      expect(await things.get(2)).toEqual({ method: 'get', id: 2, query: {} })

      const { client: limited } = await connect(url, { ackTimeout: 20_000 })

      expect(await limited.service('things').get(3)).toEqual({ method: 'get', id: 3, query: {} })
      await expect(limited.service('nothing').find()).rejects.toMatchObject({ name: 'NotFound' })
    })

    it('needs no acknowledgement', async () => {
      const { socket } = await open((app) => app.use('messages', memory()))
      const created = next(socket, 'messages created')

      socket.emit('create', 'messages', { n: 1 })
      expect(await created).toEqual({ id: 0, n: 1 })
    })

    it('speaks to an Express application as well, beside its requests', async () => {
      const app: any = express(alula())

      app.configure(rest())
      app.configure(socketio({ logger: false }))
      app.use('messages', memory())
      app.use(errorHandler({ logger: false }))
      app.on('connection', (connection: any) => app.channel('everybody').join(connection))
      app.publish(() => app.channel('everybody'))

      const url = await serve(app)
      const { client, socket } = await connect(url)
      const heard = next(socket, 'messages created')
      const response = await fetch(`${url}/messages`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Connection: 'close' },
        body: '{"n":1}'
      })

      expect(response.status).toBe(201)
      expect(await heard).toEqual({ id: 0, n: 1 })
      expect(await client.service('messages').get(0)).toEqual({ id: 0, n: 1 })
    })
  })
}

it('the official Socket.IO client is the only provider of an application of either', async () => {
  const socket: Socket = await connectSocket(await start(() => undefined))

  for (const create of Object.values(clients)) {
    const client = create().configure(socketClient(socket))

    expect(client.io).toBe(socket)
    expect(() => client.configure(socketClient(socket))).toThrow(
      'Only one default client provider can be configured'
    )
  }
})
