import { expect, it } from 'vitest'
import { defer } from '../support/deferred.ts'
import { call, connect, openPolling, openRaw } from '../support/socketio.ts'
import { ask } from '../support/sockets.ts'
import { until } from '../support/until.ts'
import {
  MB,
  MOST,
  openConnected,
  openServer,
  streamOf,
  toAnswered,
  toGets,
  toRange
} from './support/traffic.ts'

// A client that sends, or listens, and does not read what it is sent costs no more than a bounded part of the memory.

/** Who does not read does not answer pings either: where this must not be what ends a connection. */
const NO_PINGS = { pingInterval: 600_000 }

it('a client that does not read its answers gets nothing more done, and all of them when it reads', async () => {
  const calls = MOST + 50
  let begun = 0
  const { app, url, getConns } = await openServer((app) =>
    app.use('things', { get: async () => [begun++, 'x'.repeat(MB / 2)], find: async () => 'here' })
  )
  const raw = await openConnected(url)
  const [conn] = getConns()
  let most = 0

  conn.on('packetCreate', () => {
    most = Math.max(most, conn.writeBuffer.length)
  })
  streamOf(raw).pause()
  raw.send(...toGets(0, calls))
  // What keeps a connection without anything being read.
  raw.send('3', '3', '3')

  const other = await connect(url)

  await until(() => expect(conn.writeBuffer.length).toBeGreaterThan(0))
  for (let round = 0; round < 100; round++) await call(other, 'find', 'things')

  // Those few that are in the buffers of the operating system, and a megabyte of others.
  expect(begun).toBeLessThan(MOST / 2)
  expect(most).toBeLessThan(10)
  expect(app.io.engine.clientsCount).toBe(2)
  streamOf(raw).resume()
  await until(() => expect(raw.received.length).toBeGreaterThanOrEqual(calls))
  await until(() => expect(toAnswered(raw)).toEqual(toRange(calls)))
  expect(begun).toBe(calls)
})

it('by long-polling a client that does not come back for its answers gets nothing more done', async () => {
  let begun = 0
  const { url } = await openServer((app) =>
    app.use('things', { get: async (id: unknown) => [begun++, id], find: async () => 'here' })
  )
  const client = await openPolling(url)

  await client.post(toGets(0, 300).join('\u001e'))
  expect(await call(await connect(url), 'find', 'things')).toBe('here')
  expect(begun).toBe(MOST)

  const answers: string[] = []

  while (answers.length < 300) answers.push(...(await client.poll()).split('\u001e'))

  // Each has a position behind its result.
  expect(answers.map((answer) => answer.slice(0, answer.lastIndexOf(',')))).toEqual(
    toRange(300).map((id) => `43${id}[null,[${id},${id}]`)
  )
})

it('a listener that does not read is closed at 64 MB of events, and others get them all', async () => {
  const count = 100
  const { app, url } = await openServer((app) => {
    app.use('things', { create: async ({ n }: any) => ({ n, text: 'x'.repeat(MB) }) })
    app.service('things').publish(() => app.channel('all'))
  })
  const deaf = await openConnected(url)
  const socket = await connect(url)
  const heard: number[] = []
  let sent = 0
  let closedAfter = 0

  app.once('disconnect', () => {
    closedAfter = sent
  })
  socket.on('things created', ({ n }) => heard.push(n))
  streamOf(deaf).pause()

  for (; sent < count; sent++) {
    await app.service('things').create({ n: sent })
    await until(() => expect(heard).toHaveLength(sent + 1))
  }

  expect(heard).toEqual(toRange(count))
  expect(closedAfter).toBeGreaterThan(64)
  // One batch is with the WebSocket, and some are with the operating system.
  expect(closedAfter).toBeLessThan(100)
  expect(app.channel('all').length).toBe(1)
  expect(app.io.engine.clientsCount).toBe(1)
  streamOf(deaf).resume()
  await deaf.closed
})

it('a client that does not read what it missed gets it no second time', async () => {
  const { app, url, getConns } = await openServer((app) => {
    app.use('things', { create: async () => 'x'.repeat(MB / 2), find: async () => 'here' })
    app.service('things').publish(() => app.channel('all'))
  }, NO_PINGS)
  const other = await connect(url)
  const [, start] = await ask(other, '$resume', null)

  for (let n = 0; n < 12; n++) await app.service('things').create({})

  const raw = await openConnected(url)
  const conn = getConns().at(-1)
  let bytes = 0

  conn.on('packetCreate', ({ data = '' }) => {
    bytes += data.length
  })
  streamOf(raw).pause()

  for (let n = 0; n < 20; n++) {
    raw.send(`42${n}["$resume","${start}"]`)
    for (let round = 0; round < 20; round++) await call(other, 'find', 'things')
  }

  // What is in the buffers of the operating system was as good as read.
  expect(bytes).toBeLessThan(30 * MB)
  expect(app.io.engine.clientsCount).toBe(2)
  streamOf(raw).resume()
  await until(() => expect(raw.received.join()).toContain('"code":429'))
})

it('a burst of 50 MB of events at once closes no client that reads', async () => {
  const { app, url } = await openServer((app) => {
    app.use('things', { create: async ({ n }: any) => ({ n, text: 'x'.repeat(MB) }) })
    app.service('things').publish(() => app.channel('all'))
  })
  const socket = await connect(url)
  const heard: number[] = []

  socket.on('things created', ({ n }) => heard.push(n))

  // Together they are more than may wait at once.
  for (let burst = 1; burst <= 2; burst++) {
    await Promise.all(toRange(50).map((n) => app.service('things').create({ n })))
    await until(() => expect(heard).toHaveLength(50 * burst))
  }
})

it('answers are no events: many large ones close nothing', async () => {
  const [first, others] = [defer(), defer()]
  let begun = 0
  const { app, url, getConns } = await openServer((app) => {
    app.use('things', {
      get: async (id: unknown) => {
        begun++
        await (Number(id) < 10 ? first : others).promise

        return 'x'.repeat(2 * MB)
      },
      create: async () => ({})
    })
    app.service('things').publish(() => app.channel('all'))
  })
  const raw = await openConnected(url)
  const [conn] = getConns()

  streamOf(raw).pause()
  raw.send(...toGets(0, 45))
  await until(() => expect(begun).toBe(45))
  // More than the operating system takes, so that the others wait.
  first.resolve()
  await until(() => expect(conn.transport.writable).toBe(false))
  others.resolve()
  await until(() => expect(conn.writeBuffer.length).toBeGreaterThanOrEqual(35))
  await app.service('things').create({})
  await app.service('things').create({})
  streamOf(raw).resume()
  await until(() => expect(toAnswered(raw)).toHaveLength(45))
})

it('what Socket.IO itself answers is bounded, for a client that is connected to no services', async () => {
  const { app, url, getConns } = await openServer(() => undefined, NO_PINGS)
  const raw = await openRaw(url)
  const [conn] = getConns()
  const isOver = () => app.io.engine.clientsCount === 0
  let answered = 0

  conn.on('packetCreate', () => answered++)
  streamOf(raw).pause()

  // Most of what may wait is answers with a long name already, so that few short ones add the rest.
  for (let sent = 20; conn.writeBuffer.length < 640; sent += 20) {
    for (let n = 0; n < 20; n++) raw.socket.send(`40/${'x'.repeat(MB / 10)},`)
    await until(() => expect(answered).toBe(sent))
  }

  expect(isOver()).toBe(false)
  for (let sent = 0; sent < 25_000; sent++) raw.socket.send('40/x,')
  await until(() => expect(isOver()).toBe(true), 20_000)
})

it('what a WebSocket itself answers is bounded, for a client that sends pings of its protocol', async () => {
  const most = 64 * 1024 * 1024 - MB / 10
  const { app, url, getConns } = await openServer(
    (app) => app.use('things', { get: async () => 'x'.repeat(most) }),
    NO_PINGS
  )
  const raw = await openConnected(url)
  const [{ transport }] = getConns()
  const isOver = () => app.io.engine.clientsCount === 0

  // Nearly all that may wait is a response already, so that few pings add the rest.
  streamOf(raw).pause()
  raw.send(...toGets(0, 1))
  await until(() => expect(transport.socket.bufferedAmount).toBeGreaterThan(most))
  expect(isOver()).toBe(false)
  for (let sent = 0; sent < 5000; sent++) raw.socket.ping(Buffer.alloc(125))
  await until(() => expect(isOver()).toBe(true), 20_000)
})
