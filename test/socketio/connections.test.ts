import { describe, expect, it } from 'vitest'
import { defer } from '../support/deferred.ts'
import { call, connect, hear, open, openRaw } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import { collect, configureThings, settle } from './things.ts'

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
    const second = await connect(url, { reconnection: false })

    expect(connected).toHaveLength(2)
    expect(connected[0]).toMatchObject({ provider: 'socketio', headers: { 'x-name': 'first' } })
    first.disconnect()
    await until(() => expect(ended).toHaveLength(1))
    expect(ended[0]).toBe(connected[0])
    expect(app.channel('all').connections).toEqual([connected[1]])

    // The transport breaks off, without a word.
    second.io.engine.close()
    await until(() => expect(ended).toHaveLength(2))
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
    await until(() => expect(events).toHaveLength(2))
    expect(app.channels).toEqual([])
    raw.received.length = 0
    raw.send('40')
    await raw.receive('40{')
    raw.socket.terminate()
    await until(() => expect(events).toHaveLength(4))

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
    await until(() => expect(app.channel('all').length).toBe(1))
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
    await until(() => expect(app.channel('all').length).toBe(1))
    slow.resolve()
    await until(() => expect(heard).toHaveLength(1))
    raw.send('40')
    await until(() => expect(app.channel('all').length).toBe(2))
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
    await until(() => expect(app.channels).toEqual([]))
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
