import { setImmediate as turn } from 'node:timers/promises'
import type { Socket } from 'socket.io-client'
import { describe, expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { defer } from '../support/deferred.ts'
import { call, connect, hear, open } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import { collect, configureThings, settle } from './things.ts'

const cycle: { self?: object } = {}

cycle.self = cycle

describe('an event', () => {
  it('reaches those that the publisher chooses, and nobody else', async () => {
    const { url } = await open((app) => {
      app.use('things', memory())
      app.on('connection', (connection: any) => app.channel(connection.headers['x-room']).join(connection))
      app.publish(({ room }: any) => app.channel(room))
    })
    const [one, two, three] = await Promise.all(
      ['a', 'a', 'b'].map((room) => connect(url, { extraHeaders: { 'X-Room': room } }))
    )
    const heard = [one, two, three].map((socket) => collect(socket as Socket))

    await call(one as Socket, 'create', 'things', { room: 'a' })
    await settle(one as Socket, two as Socket, three as Socket)
    expect(heard.map((events) => events.length)).toEqual([1, 1, 0])
    await call(one as Socket, 'create', 'things', { room: 'b' })
    await call(one as Socket, 'create', 'things', { room: 'nobody' })
    await settle(one as Socket, two as Socket, three as Socket)
    expect(heard.map((events) => events.length)).toEqual([1, 1, 1])
  })

  it('that a hook sends before the method carries its data', async () => {
    const { url } = await open((app) => {
      configureThings(app)
      app.service('things').hooks({
        before: {
          create: [
            async (context: any) => void context.service.emit('patched', { id: 9, progress: 1 }, context)
          ]
        }
      })
    })
    const socket = await connect(url)
    const heard = collect(socket)

    await call(socket, 'create', 'things', { n: 1 })
    expect(heard).toEqual([
      ['things patched', { id: 9, progress: 1 }],
      ['things created', { id: 1, n: 1 }]
    ])
  })

  it('of each standard method has the name of the path and the event, and the result', async () => {
    const { url } = await open(configureThings)
    const socket = await connect(url)
    const heard = collect(socket)

    await call(socket, 'create', 'things', { n: 1 })
    await call(socket, 'update', 'things', 1, { n: 2 })
    await call(socket, 'patch', 'things', 1, { n: 3 })
    await call(socket, 'remove', 'things', 1)
    expect(heard).toEqual([
      ['things created', { id: 1, n: 1 }],
      ['things updated', { id: 1, n: 2 }],
      ['things patched', { id: 1, n: 3 }],
      ['things removed', { id: 1, n: 3 }]
    ])
  })

  it('that the service sends itself reaches them too', async () => {
    const { app, url } = await open(configureThings)
    const socket = await connect(url)
    const heard = collect(socket)

    app.service('things').emit('custom', { a: 1 })
    app.service('things').emit('custom', 'a text')
    app.service('things').emit('custom', [1, 2])
    app.service('things').emit('unlisted', { a: 1 })
    await settle(socket)
    expect(heard).toEqual([
      ['things custom', { a: 1 }],
      ['things custom', 'a text'],
      ['things custom', [1, 2]]
    ])
  })

  it('of a service with a placeholder has the path that it was registered with', async () => {
    const { app, url } = await open((app) => {
      configureThings(app)
      app.use('users/:userId/notes', {
        create: async (data: any, { route }: any) => ({ ...data, ...route })
      })
      app.service('users/:userId/notes').publish(() => app.channel('all'))
    })
    const socket = await connect(url)
    const created = hear(socket, 'users/:userId/notes created')

    expect(app.channels).toEqual(['all'])
    await call(socket, 'create', 'users/7/notes', { text: 'a' })
    expect(await created).toEqual([{ text: 'a', userId: '7' }])
  })

  it('of a list is one for each item', async () => {
    const { url } = await open(configureThings)
    const socket = await connect(url)
    const heard = collect(socket)

    await call(socket, 'create', 'things', [{ n: 1 }, { n: 2 }])
    await call(socket, 'remove', 'things', null)
    expect(heard).toEqual([
      ['things created', { id: 1, n: 1 }],
      ['things created', { id: 2, n: 2 }],
      ['things removed', { id: 1, n: 1 }],
      ['things removed', { id: 2, n: 2 }]
    ])
  })

  it('shows the data of the channel before the dispatch, and that before the result', async () => {
    const { app, url } = await open((app) => {
      app.use('things', memory({ startId: 1, multi: true }))
      app.service('things').hooks({
        after: {
          create: [
            async (context: any) => {
              const hide = ({ secret, ...shown }: any) => shown
              const { result } = context

              if (context.params.query?.plain === undefined) {
                context.dispatch = Array.isArray(result) ? result.map(hide) : hide(result)
              }
            }
          ]
        }
      })
      app.on('connection', (connection: any) => app.channel(connection.headers['x-role']).join(connection))
      app.publish((data: any) => [
        app.channel('guests').send({ id: data.id }),
        app.channel('guests', 'members')
      ])
    })
    const guest = await connect(url, { extraHeaders: { 'X-Role': 'guests' } })
    const member = await connect(url, { extraHeaders: { 'X-Role': 'members' } })
    const heard = [collect(guest), collect(member)]
    const secret = 'hidden'

    await app.service('things').create({ n: 1, secret })
    await app.service('things').create({ n: 2, secret }, { query: { plain: true } } as any)
    await app.service('things').create([
      { n: 3, secret },
      { n: 4, secret }
    ])
    await settle(guest, member)

    expect(heard[0]).toEqual([1, 2, 3, 4].map((id) => ['things created', { id }]))
    expect(heard[1]).toEqual([
      ['things created', { id: 1, n: 1 }],
      ['things created', { id: 2, n: 2, secret }],
      ['things created', { id: 3, n: 3 }],
      ['things created', { id: 4, n: 4 }]
    ])
  })

  it('keeps bytes', async () => {
    const { app, url } = await open(configureThings)
    const socket = await connect(url)
    const heard = hear(socket, 'things custom')

    app.service('things').emit('custom', { content: Buffer.from([0, 255]) })
    expect(await heard).toEqual([{ content: Buffer.from([0, 255]) }])
  })

  it('of a record never overtakes one before it, however long its publisher takes', async () => {
    const slow = defer()
    const { app, url } = await open((app) => {
      configureThings(app)
      app.service('things').publish(async (data: any, { method }: any) => {
        if (data.id === 1 && method === 'create') await slow.promise

        return app.channel('all')
      })
    })
    const socket = await connect(url)
    const heard = collect(socket)
    const list = () => heard.map(([name, { id, n }]) => `${name} ${id} ${n}`)

    await call(socket, 'create', 'things', [{ n: 0 }, { n: 0 }])
    for (let n = 1; n <= 3; n++) await call(socket, 'patch', 'things', null, { n })
    await until(() => expect(heard).toHaveLength(4))
    expect(list()).toEqual([
      'things created 2 0',
      'things patched 2 1',
      'things patched 2 2',
      'things patched 2 3'
    ])
    slow.resolve()
    await until(() => expect(heard).toHaveLength(8))
    expect(list().slice(4)).toEqual([
      'things created 1 0',
      'things patched 1 1',
      'things patched 1 2',
      'things patched 1 3'
    ])
    expect(app.channel('all').length).toBe(1)
  })

  it('is encoded once for all who get the same', async () => {
    const counts: { [name: string]: number } = {}
    const counted = (name: string) => ({
      // Called with a name by `JSON.stringify`, and without one by those who look for bytes.
      toJSON(...args: unknown[]) {
        if (args.length > 0) counts[name] = (counts[name] ?? 0) + 1

        return { name }
      }
    })
    const payloads = { even: counted('even'), odd: counted('odd') }
    let connections = 0
    const { app, url } = await open((app) => {
      app.use('things', { find: async () => [] }, { methods: ['find'], events: ['custom'] })
      app.on('connection', (connection) => app.channel(connections++ % 2 ? 'odd' : 'even').join(connection))
      app
        .service('things')
        .publish('custom', ((data: any) =>
          data === 'both'
            ? [app.channel('even').send(payloads.even), app.channel('odd').send(payloads.odd)]
            : app.channel('even', 'odd')) as any)
    })
    const sockets = await Promise.all(Array.from({ length: 50 }, () => connect(url)))
    const heard = sockets.map(collect)

    app.service('things').emit('custom', counted('all'))
    app.service('things').emit('custom', 'both')
    await settle(...sockets)

    expect(heard.every((events) => events.length === 2)).toBe(true)
    expect(heard.filter(([, event]) => event?.[1].name === 'odd')).toHaveLength(25)
    expect(counts).toEqual({ all: 1, even: 1, odd: 1 })
  })
})

it('a bigint in an event is a number, and beyond 2^53 its string', async () => {
  const { app, url } = await open(configureThings)
  const socket = await connect(url)
  const heard = collect(socket)

  app.service('things').emit('custom', { n: 7n, more: [2n ** 60n], bytes: Buffer.from('a') })
  await settle(socket)
  expect(heard).toEqual([
    ['things custom', { n: 7, more: ['1152921504606846976'], bytes: { type: 'Buffer', data: [97] } }]
  ])
})

describe('what fails', () => {
  it('in a publisher is reported, and keeps neither the call nor other events', async () => {
    const errors: any[] = []
    const { app, url } = await open((app) => {
      configureThings(app)
      app.on('error', (error) => errors.push(error.message))
      app.service('things').publish('created', () => {
        throw new Error('broken')
      })
      app.service('things').publish('patched', async () => Promise.reject(new Error('rejected')))
    })
    const socket = await connect(url)
    const heard = collect(socket)

    expect(await call(socket, 'create', 'things', {})).toEqual({ id: 1 })
    expect(await call(socket, 'patch', 'things', 1, { n: 1 })).toEqual({ id: 1, n: 1 })
    await call(socket, 'remove', 'things', 1)
    await until(() => expect(heard).toHaveLength(1))
    expect(heard).toEqual([['things removed', { id: 1, n: 1 }]])
    expect(errors).toEqual(['broken', 'rejected'])
    expect(app.channel('all').length).toBe(1)
  })

  it.each(['connection', 'disconnect', 'publish'])(
    'in a listener to %s is reported, and harms nobody',
    async (event) => {
      const errors: any[] = []
      const { app, url } = await open((app) => {
        app.on('error', (error) => errors.push(error.message))
        app.prependListener(event as any, () => {
          throw new Error('broken')
        })
        app.on(event as any, async () => Promise.reject(new Error('rejected')))
        configureThings(app)
      })
      const socket = await connect(url)
      const leaving = await connect(url)
      const heard = collect(socket)

      expect(await call(socket, 'create', 'things', {})).toEqual({ id: 1 })
      await until(() => expect(heard).toHaveLength(1))
      leaving.disconnect()
      await until(() => expect(app.channel('all').length).toBe(1))
      await until(() => expect(new Set(errors)).toEqual(new Set(['broken', 'rejected'])))
    }
  )

  it('in the encoding of an event is reported, and the next one is sent', async () => {
    const errors: any[] = []
    const { app, url } = await open((app) => {
      configureThings(app)
      app.on('error', (error) => errors.push(error.message))
    })
    const socket = await connect(url)
    const heard = collect(socket)

    app.service('things').emit('custom', cycle)
    app.service('things').emit('custom', { n: 1 })
    await settle(socket)
    await turn()
    expect(heard).toEqual([['things custom', { n: 1 }]])
    expect(errors).toEqual([expect.stringContaining('circular')])
  })

  it('in the encoding for some keeps it from nobody else', async () => {
    const { app, url } = await open((app) => {
      configureThings(app)
      app.on('connection', (connection: any) => app.channel(connection.headers['x-room']).join(connection))
      app
        .service('things')
        .publish('custom', (() => [app.channel('a').send(cycle), app.channel('b').send({ n: 1 })]) as any)
    })
    const sockets = await Promise.all(
      ['a', 'b'].map((room) => connect(url, { extraHeaders: { 'X-Room': room } }))
    )
    const heard = sockets.map(collect)

    app.service('things').emit('custom', {})
    await settle(...sockets)
    expect(heard).toEqual([[], [['things custom', { n: 1 }]]])
  })
})

it.each<any>([{ toString: 1 }, { toString: null, valueOf: 1 }])(
  'an event is sent whatever a client has put where the id is: %j',
  async (id) => {
    const errors: unknown[] = []
    const { url } = await open((app: any) => {
      app.use('things', { create: async (data: unknown) => data, find: async () => [] })
      app.on('connection', (connection: any) => app.channel('all').join(connection))
      app.publish(() => app.channel('all'))
      app.on('error', (error: unknown) => errors.push(error))
    })
    const socket = await connect(url)
    const heard = collect(socket)

    expect(await call(socket, 'create', 'things', { id })).toEqual({ id })
    await call(socket, 'find', 'nothing').catch(() => undefined)
    expect(errors).toEqual([])
    expect(heard).toEqual([['things created', { id }]])
  }
)
