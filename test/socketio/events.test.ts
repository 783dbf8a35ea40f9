import { setImmediate as turn } from 'node:timers/promises'
import type { Socket } from 'socket.io-client'
import { describe, expect, it, vi } from 'vitest'
import { memory } from '../../src/memory.ts'
import { defer } from '../support/deferred.ts'
import { call, connect, hear, open, openRaw } from '../support/socketio.ts'

/** Fills an application with `things` that everybody who is connected hears of. */
function configureThings(app: any): void {
  app.use('things', memory({ startId: 1, multi: true }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove'],
    events: ['custom']
  })
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.service('things').publish(() => app.channel('all'))
}

/** All events that a client hears, as `[name, ...arguments]`. */
function collect(socket: Socket): any[][] {
  const heard: any[][] = []

  socket.onAny((...event) => heard.push(event))

  return heard
}

/** Waits until all that was sent to the clients so far has arrived: answers come behind. */
async function settle(...sockets: Socket[]): Promise<void> {
  for (const socket of sockets) await call(socket, 'find', 'things').catch(() => undefined)
}

describe('the application', () => {
  it('hears of each connection and of its end once, with the same object', async () => {
    const connected: any[] = []
    const ended: any[] = []
    const { app, url } = await open((app) => {
      configureThings(app)
      app.on('connection', (connection) => connected.push(connection))
      app.on('disconnect', (connection) => ended.push(connection))
    })
    const first = await connect(url, { extraHeaders: { 'X-Name': 'first' } })
    const second = await connect(url)

    expect(connected).toHaveLength(2)
    expect(connected[0]).toMatchObject({ provider: 'socketio', headers: { 'x-name': 'first' } })
    first.disconnect()
    await vi.waitFor(() => expect(ended).toHaveLength(1))
    expect(ended[0]).toBe(connected[0])
    expect(app.channel('all').connections).toEqual([connected[1]])

    // The transport breaks off, without a word.
    second.io.engine.close()
    await vi.waitFor(() => expect(ended).toHaveLength(2))
    expect(ended[1]).toBe(connected[1])
    expect(app.channels).toEqual([])
  })

  it('hears that a client has left the namespace, and of it when it comes back on the same transport', async () => {
    const events: unknown[] = []
    const { app, url } = await open((app) => {
      configureThings(app)
      app.on('connection', (connection) => events.push(['connection', connection]))
      app.on('disconnect', (connection) => events.push(['disconnect', connection]))
    })
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')
    raw.send('41')
    await vi.waitFor(() => expect(events).toHaveLength(2))
    expect(app.channels).toEqual([])
    raw.received.length = 0
    raw.send('40')
    await raw.receive('40{')
    raw.socket.terminate()
    await vi.waitFor(() => expect(events).toHaveLength(4))

    const [[, first], [, second]] = [events[0], events[2]] as any

    expect(second).not.toBe(first)
    expect(events).toEqual([
      ['connection', first],
      ['disconnect', first],
      ['connection', second],
      ['disconnect', second]
    ])
    expect(app.channels).toEqual([])
  })

  it('closes a socket by the disconnect of its connection, and hears of it once', async () => {
    const ended: unknown[] = []
    const { app, url } = await open((app) => {
      configureThings(app)
      app.on('disconnect', (connection) => ended.push(connection))
    })
    const socket = await connect(url)
    const other = await connect(url)
    const [connection] = app.channel('all').connections
    const gone = hear(socket, 'disconnect')

    app.emit('disconnect', connection)
    expect(app.channel('all').connections).toHaveLength(1)
    expect((await gone)[0]).toBe('io server disconnect')
    expect(other.connected).toBe(true)
    await settle(other)
    expect(ended).toEqual([connection])
    // One that is gone already, and one that never was.
    app.emit('disconnect', connection)
    app.emit('disconnect', { provider: 'socketio' })
    expect(await call(other, 'find', 'things')).toEqual([])
  })

  it('can close a socket as soon as it hears of it', async () => {
    const events: string[] = []
    const { app, url } = await open((app) => {
      configureThings(app)
      app.on('disconnect', () => events.push('disconnect'))
      app.on('connection', (connection) => {
        events.push('connection')
        app.emit('disconnect', connection)
      })
    })
    const socket = await connect(url, { reconnection: false })

    if (socket.connected) await hear(socket, 'disconnect')
    expect(events).toEqual(['connection', 'disconnect'])
    expect(app.channels).toEqual([])
  })
})

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
    await vi.waitFor(() => expect(heard).toHaveLength(4))
    expect(list()).toEqual([
      'things created 2 0',
      'things patched 2 1',
      'things patched 2 2',
      'things patched 2 3'
    ])
    slow.resolve()
    await vi.waitFor(() => expect(heard).toHaveLength(8))
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

describe('who is gone', () => {
  it('hears nothing: by leaving the channel, the namespace or altogether', async () => {
    const { app, url } = await open(configureThings)
    const staying = await connect(url)
    const leaving = await connect(url)
    const ending = await connect(url)
    const heard = [staying, leaving, ending].map(collect)
    const [, left] = app.channel('all').connections

    app.channel('all').leave(left)
    ending.disconnect()
    await vi.waitFor(() => expect(app.channel('all').length).toBe(1))
    await call(staying, 'create', 'things', {})
    await settle(staying, leaving)
    expect(heard.map((events) => events.length)).toEqual([1, 0, 0])
  })

  it('hears nothing of an event whose publisher is slower than its leaving', async () => {
    const slow = defer()
    const { app, url } = await open((app) => {
      configureThings(app)
      app.service('things').publish(async () => {
        const channel = app.channel('all').filter(() => true)

        await slow.promise

        // With all who were there.
        return channel
      })
    })
    const staying = await connect(url)
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')

    const heard = collect(staying)

    await call(staying, 'create', 'things', {})
    raw.send('41')
    await vi.waitFor(() => expect(app.channel('all').length).toBe(1))
    slow.resolve()
    await vi.waitFor(() => expect(heard).toHaveLength(1))
    raw.send('40')
    await vi.waitFor(() => expect(app.channel('all').length).toBe(2))
    raw.send('421["find","things"]')
    await raw.receive('431')
    expect(raw.received.filter((frame) => frame.includes('created'))).toEqual([])
  })

  it('stays in no channel that a call of it joins later', async () => {
    const begun = defer()
    const done = defer()
    const joined = defer()
    const { app, url } = await open((app) => {
      app.use('rooms', {
        create: async (_data: unknown, { connection }: any) => {
          begun.resolve()
          await done.promise
          app.channel('late').join(connection)
          joined.resolve()

          return {}
        }
      })
    })
    const socket = await connect(url)

    socket.emit('create', 'rooms', {})
    await begun.promise

    const ended = new Promise((resolve) => app.once('disconnect', resolve))

    socket.disconnect()
    await ended
    done.resolve()
    await joined.promise
    await vi.waitFor(() => expect(app.channels).toEqual([]))
  })

  it('is no matter of channels of connections of another kind', async () => {
    const { app, url } = await open((app) => {
      configureThings(app)
      app.service('things').publish(() => [app.channel('others'), app.channel('all')])
    })

    app.channel('others').join({ provider: 'other' })

    const socket = await connect(url)
    const heard = collect(socket)

    await call(socket, 'create', 'things', {})
    expect(heard).toHaveLength(1)
  })
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
    await vi.waitFor(() => expect(heard).toHaveLength(1))
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
      await vi.waitFor(() => expect(heard).toHaveLength(1))
      leaving.disconnect()
      await vi.waitFor(() => expect(app.channel('all').length).toBe(1))
      await vi.waitFor(() => expect(new Set(errors)).toEqual(new Set(['broken', 'rejected'])))
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

    app.service('things').emit('custom', { n: 1n })
    app.service('things').emit('custom', { n: 1 })
    await settle(socket)
    await turn()
    expect(heard).toEqual([['things custom', { n: 1 }]])
    expect(errors).toEqual([expect.stringContaining('BigInt')])
  })

  it('in the encoding for some keeps it from nobody else', async () => {
    const { app, url } = await open((app) => {
      configureThings(app)
      app.on('connection', (connection: any) => app.channel(connection.headers['x-room']).join(connection))
      app
        .service('things')
        .publish('custom', (() => [app.channel('a').send({ n: 1n }), app.channel('b').send({ n: 1 })]) as any)
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
    const heard: unknown[] = []

    socket.onAny((...event) => heard.push(event))
    expect(await call(socket, 'create', 'things', { id })).toEqual({ id })
    await call(socket, 'find', 'nothing').catch(() => undefined)
    expect(errors).toEqual([])
    expect(heard).toEqual([['things created', { id }]])
  }
)
