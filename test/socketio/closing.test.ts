import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { defer } from '../support/deferred.ts'
import { configureLogin } from '../support/login.ts'
import { toUrl } from '../support/server.ts'
import { call, connect, hear, openPolling, openRaw } from '../support/socketio.ts'
import { until } from '../support/until.ts'
import { ends, open, withoutReturn } from './server.ts'

describe('the clients of an application that closes', () => {
  it('come back by themselves to the next one on the same port', async () => {
    const configure = (app: any) => app.use('things', { find: async () => 'here' })
    const { app, url, server } = await open(configure)
    const { port } = server.address()
    const sockets = await Promise.all(
      [['websocket'], ['polling'], ['polling', 'websocket']].map((transports) =>
        connect(url, { transports, reconnectionDelay: 20, reconnectionDelayMax: 50 })
      )
    )
    const closed = ends(sockets)
    const returned = Promise.all(sockets.map((socket) => hear(socket, 'connect')))

    for (const socket of sockets) expect(await call(socket, 'find', 'things')).toBe('here')

    await app.teardown()
    expect(await closed).toEqual(Array(3).fill('transport close'))

    const next = await open(configure, port)

    await returned
    for (const socket of sockets) expect(await call(socket, 'find', 'things')).toBe('here')
    for (const socket of sockets) socket.close()
    await next.app.teardown()
  })

  it('are seen to end, each once, and are in no channel', async () => {
    const ended: unknown[] = []
    const connected: unknown[] = []
    const { app, url } = await open((app) => {
      app.use('things', { find: async () => 'here' })
      app.on('connection', (connection: any) => {
        connected.push(connection)
        app.channel('all').join(connection)
      })
      app.on('disconnect', (connection: any) => ended.push(connection))
    })
    const sockets = await Promise.all(Array.from({ length: 10 }, () => connect(url, withoutReturn)))
    const closed = ends(sockets)

    await app.teardown()
    await closed
    expect(ended).toHaveLength(10)
    expect(new Set(ended)).toEqual(new Set(connected))
    expect(app.channels).toEqual([])
  })

  it('do not hold it up: one that does not read what it is sent, and one that never connects', async () => {
    const { app, url } = await open((app) => {
      app.use('things', { find: async () => 'x'.repeat(1_000_000), get: async () => 'read' })
      app.on('connection', (connection: any) => app.channel('all').join(connection))
    })
    const deaf = await openRaw(url)
    const reading = await connect(url, withoutReturn)

    await openRaw(url)
    deaf.send('40')
    await deaf.receive('40{')
    ;(deaf.socket as any)._socket.pause()
    for (let id = 0; id < 20; id++) deaf.send(`42${id}["find","things"]`)
    await until(() => expect(app.io.engine.clientsCount).toBe(3))
    expect(await call(reading, 'get', 'things', 1)).toBe('read')

    const began = performance.now()

    await app.teardown()
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(app.channels).toEqual([])
    expect(app.io.engine.clientsCount).toBe(0)
  })

  it('do not hold it up: one that does not read, and whose calls wait for that', async () => {
    let begun = 0
    const { app, url } = await open((app) => {
      app.use('things', { find: async () => [begun++, 'x'.repeat(1_000_000)] })
    })
    const deaf = await openRaw(url)

    deaf.send('40')
    await deaf.receive('40{')
    ;(deaf.socket as any)._socket.pause()
    for (let id = 0; id < 500; id++) deaf.send(`42${id}["find","things"]`)

    const [conn] = Object.values<any>(app.io.engine.clients)

    await until(() => expect(conn.writeBuffer.length).toBeGreaterThan(0))

    const began = performance.now()

    await app.teardown()
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(begun).toBeLessThan(200)
    expect(app.io.engine.clientsCount).toBe(0)
  })

  it('do not hold it up: one that does not come back to poll', async () => {
    const { app, url } = await open((app) => {
      app.use('things', { find: async () => 'here' })
      app.on('connection', (connection: any) => app.channel('all').join(connection))
    })

    await openPolling(url)
    expect(app.channel('all').length).toBe(1)

    const began = performance.now()

    await app.teardown()
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(app.channels).toEqual([])
    expect(app.io.engine.clientsCount).toBe(0)
  })

  it('do not hold it up: one that is gone while its call runs', async () => {
    const begun = defer()
    const { app, url } = await open((app) => {
      app.use('things', {
        find: () => {
          begun.resolve()

          return new Promise(() => undefined)
        }
      })
    })
    const socket = await connect(url, withoutReturn)
    const ended = new Promise((resolve) => app.once('disconnect', resolve))

    socket.emit('find', 'things')
    await begun.promise
    socket.close()
    await ended

    const began = performance.now()

    await app.teardown()
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('do not hold it up: many that wait by long-polling', async () => {
    const { app, url } = await open((app) => {
      app.use('things', { find: async () => 'here' })
      app.on('connection', (connection: any) => app.channel('all').join(connection))
    })
    const clients = await Promise.all(Array.from({ length: 20 }, () => openPolling(url)))
    const polls = clients.map((client) => client.poll())

    // Behind them, on connections of the same kind.
    await Promise.all(clients.map((client) => client.post('421["find","nothing"]')))
    expect((await Promise.all(polls)).every((answer) => answer.startsWith('431['))).toBe(true)
    expect(app.channel('all').length).toBe(20)

    const idle = clients.map((client) => client.poll())

    const began = performance.now()

    await app.teardown()
    expect(performance.now() - began).toBeLessThan(10_000)
    // `1` is the packet that closes a connection of Engine.IO.
    expect(await Promise.all(idle)).toEqual(Array(20).fill('1'))
    expect(app.channels).toEqual([])
  })
})

describe('after teardown', () => {
  it('nothing listens any more, and a service that is registered then is no matter of sockets', async () => {
    const app: any = express(alula())
      .configure(rest())
      .configure(socketio({ logger: false }))

    configureLogin(app)
    app.channel('all')

    const before = {
      mixins: [...app.mixins],
      counts: ['publish', 'disconnect', 'connection', 'login', 'logout', 'error'].map((name) =>
        app.listenerCount(name)
      )
    }

    for (let round = 0; round < 3; round++) {
      const server = await app.listen(0, '127.0.0.1')
      const socket = await connect(toUrl(server), withoutReturn)

      expect(await call(socket, 'find', 'things')).toEqual({ open: true })
      expect(app.listenerCount('publish')).toBe(1)
      expect(app.mixins).toHaveLength(before.mixins.length + 1)
      await app.teardown()
      expect(app.mixins).toEqual(before.mixins)
      expect(
        ['publish', 'disconnect', 'connection', 'login', 'logout', 'error'].map((name) =>
          app.listenerCount(name)
        )
      ).toEqual(before.counts)
    }

    expect(() => app.use('late', { shout: async () => 'late' }, { methods: ['shout'] })).not.toThrow()
  })

  it('no timer keeps the process from ending', async () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = countTimers()
    const { app } = await open((app) => app.use('things', { find: async () => [] }))

    await app.teardown()
    expect(countTimers()).toBeLessThanOrEqual(before)
  })

  it('mixins that others have added meanwhile stay', async () => {
    const { app } = await open((app) => app.use('things', { find: async () => [] }))
    const before = app.mixins.slice(0, -1)
    const mixin = () => undefined

    app.mixins.push(mixin)
    await app.teardown()
    expect(app.mixins).toEqual([...before, mixin])
  })

  it('an application that was never set up, or is torn down twice, is no trouble', async () => {
    const unused: any = alula().configure(socketio())

    await unused.teardown()

    const { app } = await open((app) => app.use('things', { find: async () => [] }))

    await app.teardown()
    await app.teardown()
    expect(app.listenerCount('publish')).toBe(0)
  })

  it('a server that somebody closes by hand tears the application down', async () => {
    const tornDown = defer()
    const { app, url, server } = await open((app) => {
      app.use('things', { find: async () => [], teardown: async () => tornDown.resolve() })
    })
    const socket = await connect(url, withoutReturn)
    const closed = ends([socket])

    server.close()
    socket.close()
    await tornDown.promise
    await closed
    expect(app.listenerCount('publish')).toBe(0)
  })
})

it('clients of a server that is not ours are closed by teardown, so that it can be closed', async () => {
  const app: any = alula().configure(socketio({ logger: false }))
  const server = createServer().listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(() => server.closeAllConnections())
  await app.setup(server)

  const deaf = await openRaw(toUrl(server))
  const sockets = await Promise.all(
    [['websocket'], ['polling']].map((transports) => connect(toUrl(server), { transports, ...withoutReturn }))
  )
  const closed = ends(sockets)

  deaf.send('40')
  await deaf.receive('40{')
  ;(deaf.socket as any)._socket.pause()

  const began = performance.now()

  await app.teardown()
  expect(await closed).toEqual(['transport close', 'transport close'])
  server.close()
  server.closeIdleConnections()
  await once(server, 'close')
  expect(performance.now() - began).toBeLessThan(10_000)
})

it('an answer that is on its way to a slow client arrives before its connection is cut off', async () => {
  const app: any = alula().configure(socketio({ logger: false }))

  app.use('things', { find: async () => 'x'.repeat(10_000_000) })

  const server = await app.listen(0, '127.0.0.1')
  const raw = await openRaw(toUrl(server))
  const tcp = (raw.socket as any)._socket

  raw.send('40')
  await raw.receive('40{')
  tcp.pause()
  raw.send('421["find","things"]')
  await until(() =>
    expect([...app.io.sockets.sockets.values()][0].conn.transport.socket.bufferedAmount).toBeGreaterThan(0)
  )

  const closing = app.teardown()

  await until(() => expect(app.io.engine.clientsCount).toBe(0))
  tcp.resume()
  expect((await raw.receive('431')).length).toBeGreaterThan(10_000_000)
  await closing
})
